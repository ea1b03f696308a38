import type { MessageEventWire, WireRow } from '../../src/server/wire.ts';
import { History } from './history.ts';
import { headingOf, type Motion, NO_MOTION, withMessage } from './pose.ts';

/** Kinds of messages of one vehicle that are kept. */
const MOST_KINDS = 512;

/** The messages of one kind, sender and instance. */
export class Slot {
  readonly component: number;
  readonly message: string;
  readonly instance: number | undefined;
  readonly history = new History();
  latest: WireRow;
  /** Seconds. */
  time: number;

  constructor({ component, type, instance, data, time }: MessageEventWire) {
    this.component = component;
    this.message = type;
    this.instance = instance;
    this.latest = data;
    this.time = time;
  }
}

/** What one vehicle sent. */
export class Feed {
  readonly vehicle: string;
  readonly slots = new Map<string, Slot>();
  /** How it moves, by its autopilot. */
  motion: Motion = NO_MOTION;
  /** Seconds of the newest message. */
  lastTime = Number.NEGATIVE_INFINITY;
  private readonly byMessage = new Map<string, Slot[]>();

  constructor(vehicle: string) {
    this.vehicle = vehicle;
  }

  take(event: MessageEventWire, autopilot: number, keep: number): void {
    const { component, type, instance, time, data } = event;
    const key = `${component} ${type} ${instance ?? ''}`;
    let slot = this.slots.get(key);
    if (!slot) {
      if (this.slots.size >= MOST_KINDS) return;
      slot = new Slot(event);
      this.slots.set(key, slot);
      this.byMessage.set(type, [...(this.byMessage.get(type) ?? []), slot]);
    }
    slot.latest = data;
    slot.time = time;
    slot.history.add(time, data, keep);
    if (time > this.lastTime) this.lastTime = time;
    if (component === autopilot) this.motion = withMessage(this.motion, type, data, time);
  }

  /** All senders and instances of a message. */
  of(message: string): readonly Slot[] {
    return this.byMessage.get(message) ?? [];
  }

  /** The slot that a name of a field means: of the autopilot where several send it. */
  find(message: string, instance: number | undefined, autopilot: number): Slot | undefined {
    const found = this.of(message).filter((slot) => instance === undefined || slot.instance === instance);
    return found.find(({ component }) => component === autopilot) ?? found[0];
  }

  get heading(): number {
    return headingOf(this.motion);
  }
}
