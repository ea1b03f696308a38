import { Component } from './component.ts';
import type { Rates } from './rates.ts';

/** All components that send under one system id on one link. */
export class System {
  readonly link: string;
  readonly id: number;
  /** Its number among the rates. */
  readonly rate: number;
  readonly components: Map<number, Component> = new Map();
  lastActivity: number = Number.NaN;
  private readonly rates: Rates;

  constructor(link: string, id: number, rates: Rates) {
    this.link = link;
    this.id = id;
    this.rates = rates;
    this.rate = rates.add();
  }

  /** The component of an id, a new one if it was not met before. */
  component(id: number): Component {
    let component = this.components.get(id);
    if (!component) {
      component = new Component(this, id, this.rates.add());
      this.components.set(id, component);
    }
    return component;
  }
}
