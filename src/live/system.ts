import type { Component } from './component.ts';
import type { MessageSlot } from './message-slot.ts';

/** An address that a vehicle was heard from before, and what it said there of itself. */
export interface FormerAddress {
  readonly address: string;
  readonly until: number;
  /** The number of its board, and when it was started, where it told. */
  readonly uid: string | null;
  readonly bootedAt: number;
}

/** All components that send under one system id on one link; another sender with the ids of one of them has its own. */
export class System {
  readonly link: string;
  readonly id: number;
  /** Its sender, where it is not the first to have the ids. */
  readonly address: string;
  /** Its number among the rates: messages of all components. */
  readonly rate: number;
  readonly components: Map<number, Component> = new Map();
  /** Where its vehicle was heard before, the first one first. */
  formers: FormerAddress[] = [];
  /** Whether it was heard while a vehicle with its id was there: it cannot be that one, at another address. */
  isRival = false;
  /** Since when it differs from the vehicle that it is taken for; NaN while it does not. */
  apartSince: number = Number.NaN;

  constructor(link: string, id: number, address: string, rate: number) {
    this.link = link;
    this.id = id;
    this.address = address;
    this.rate = rate;
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
