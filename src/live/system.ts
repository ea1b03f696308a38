import { Component } from './component.ts';
import type { MessageSlot } from './message-slot.ts';

/** All components that send under one system id on one link. */
export class System {
  readonly link: string;
  readonly id: number;
  /** Its number among the rates: messages of all components. */
  readonly rate: number;
  readonly components: Map<number, Component> = new Map();

  constructor(link: string, id: number, rate: number) {
    this.link = link;
    this.id = id;
    this.rate = rate;
  }

  /** The component of an id, a new one if it was not met before. */
  component(id: number): Component {
    let component = this.components.get(id);
    if (!component) {
      component = new Component(this, id);
      this.components.set(id, component);
    }
    return component;
  }

  /** The latest messages of all components. */
  *messages(): Generator<MessageSlot> {
    for (const component of this.components.values()) yield* component.messages.values();
  }

  /** When a message of it came last; NaN before. */
  get lastActivity(): number {
    let last = Number.NaN;
    for (const { time } of this.messages()) if (!(time <= last)) last = time;
    return last;
  }
}
