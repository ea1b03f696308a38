import type { MessageEventWire, WireRow } from '../../src/server/wire.ts';
import { History } from './history.ts';
import { headingOf, NO_POSE, type VehiclePose, withMessage } from './pose.ts';

/** Kinds of messages of one vehicle that are kept. */
const MOST_KINDS = 512;

/** The messages of one kind, sender and instance. */
export interface MessageHistory {
  readonly component: number;
  readonly message: string;
  readonly instance: number | undefined;
  readonly history: History;
  latest: WireRow;
  /** Seconds. */
  time: number;
}

export class VehicleMessages {
  readonly vehicle: string;
  readonly slots = new Map<string, MessageHistory>();
  /** How it moves, by its autopilot. */
  pose: VehiclePose = NO_POSE;
  /** Seconds of the newest message. */
  lastTime = Number.NEGATIVE_INFINITY;
  private readonly byMessage = new Map<string, MessageHistory[]>();

  constructor(vehicle: string) {
    this.vehicle = vehicle;
  }

  add(event: MessageEventWire, autopilot: number, keep: number): void {
    const { component, type, instance, time, data } = event;
    const key = `${component} ${type} ${instance ?? ''}`;
    let slot = this.slots.get(key);
    if (!slot) {
      if (this.slots.size >= MOST_KINDS) return;
      slot = { component, message: type, instance, history: new History(), latest: data, time };
      this.slots.set(key, slot);
      this.byMessage.set(type, [...(this.byMessage.get(type) ?? []), slot]);
    }
    slot.latest = data;
    slot.time = time;
    slot.history.add(time, data, keep);
    if (time > this.lastTime) this.lastTime = time;
    if (component === autopilot) this.pose = withMessage(this.pose, type, data, time);
  }

  /** All senders and instances of a message. */
  of(message: string): readonly MessageHistory[] {
    return this.byMessage.get(message) ?? [];
  }

  /** The slot that a name of a field means: of the autopilot where several send it. */
  find(message: string, instance: number | undefined, autopilot: number): MessageHistory | undefined {
    const found = this.of(message).filter((slot) => instance === undefined || slot.instance === instance);
    return found.find(({ component }) => component === autopilot) ?? found[0];
  }

  get heading(): number {
    return headingOf(this.pose);
  }
}
