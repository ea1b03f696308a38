import { Boot } from './boot.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Measurements } from './identity.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { MessageSlot } from './message.ts';
import { TextJoiner } from './texts.ts';

/** An address that a vehicle was heard from before, and what it said there of itself. */
export interface FormerAddress {
  readonly address: string;
  readonly until: number;
  /** The id of its board, and when it booted, if known. */
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
  /** Those with its id that were heard at the same time: it cannot be one of them, at another address. */
  readonly beside: WeakSet<System> = new WeakSet();
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

/** Microseconds: to be heard for longer counts for no more. */
const MOST_EVIDENCE = 60e6;

/** One component of a system: an autopilot, a camera, a ground station. */
export class Component {
  readonly system: System;
  readonly id: number;
  /** The latest of each message, by name. */
  readonly messages: Map<string, MessageSlot> = new Map();
  boot: Boot = new Boot();
  readonly texts: TextJoiner;
  /** Names of modes as the component gives them, by number. */
  readonly modeNames: Map<number, string> = new Map();
  /** Its sender, where the link has several senders. */
  address: string;
  /** The number of its first frame, and when that came. */
  readonly firstSequence: number;
  readonly since: number;
  heartbeat: Heartbeat | undefined;
  lastHeartbeat: number = Number.NaN;
  heartbeats = 0;
  /** Made when it is compared with another one. */
  measurements: Measurements | undefined;
  /** Whether it was one of those that come over a satellite, seldom. */
  isSeldom = false;

  constructor(system: System, id: number, address: string, firstSequence: number, since: number) {
    this.system = system;
    this.id = id;
    this.address = address;
    this.firstSequence = firstSequence;
    this.since = since;
    this.texts = new TextJoiner(id);
  }

  /** When a message of it came last; NaN before. It is looked up here, so that no message has to say so. */
  get lastActivity(): number {
    let last = Number.NaN;
    for (const { time } of this.messages.values()) if (!(time <= last)) last = time;
    return last;
  }

  get lastSequence(): number {
    const { lastActivity } = this;
    for (const slot of this.messages.values()) if (slot.time === lastActivity) return slot.sequence;
    return -1;
  }

  /** Evidence that it exists, in microseconds: how long it was heard, less its silence. */
  evidence(now: number): number {
    const { lastActivity } = this;
    const silence = now - lastActivity;
    if (silence <= LIVE_LIMITS.silence) return Math.min(now - this.since, MOST_EVIDENCE);
    return Math.min(lastActivity - this.since, MOST_EVIDENCE) - silence;
  }
}
