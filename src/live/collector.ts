import { LIVE_LIMITS } from '../core/limits.ts';
import type { Schema } from '../core/schema.ts';
import { Header } from '../formats/mavlink/header.ts';
import type { FieldValue } from '../formats/mavlink/payload.ts';
import { Verifier } from '../formats/mavlink/signing.ts';
import { CommandBudget } from './command-budget.ts';
import type { LiveEvent, LiveListener } from './events.ts';
import { type LinkOwner, LiveLink } from './live-link.ts';
import { MessageKind } from './message-kind.ts';
import { MessageSlot, payloadWord } from './message-slot.ts';
import {
  type LatestMessage,
  type LiveOptions,
  type LiveStatistics,
  type MessageCount,
  OUR_COMPONENT,
  OUR_SYSTEM,
} from './options.ts';
import { Outbox } from './outbox.ts';
import { Rates } from './rates.ts';
import { ReceivedMessage } from './received-message.ts';
import type { Wish } from './request-plan.ts';
import { Tracker } from './tracker.ts';
import type { VehicleState } from './vehicle.ts';

const INTERVAL = 1000;

/**
 * Everything that the frames of all links say: vehicles, their state, the latest of each message. It has no sockets and
 * no clock: bytes come by `receive`, time by `tick`, which is to be called about ten times a second, and frames leave by
 * `send`. Times are microseconds UTC.
 */
export class LiveCollector {
  private readonly options: LiveOptions;
  private readonly outbox: Outbox;
  private readonly tracker: Tracker;
  private readonly rates: Rates = new Rates();
  private readonly links: Map<string, LiveLink> = new Map();
  /** Of all decoders: there may be hundreds of them. */
  private readonly schemas: Map<number, Schema> = new Map();
  private readonly kinds: WeakMap<Schema, MessageKind> = new WeakMap();
  private readonly listeners: Set<LiveListener> = new Set();
  private readonly messageListeners: Set<LiveListener> = new Set();
  private slots = 0;
  private now: number = Number.NaN;
  private lastBeat: number = Number.NaN;
  private readonly budget = new CommandBudget();

  constructor(options: LiveOptions) {
    const { keys = [], unsigned, verifier, timestamp } = options;
    // one for all links, so that what was sent on one cannot be sent again on another
    const now = (): number => this.now / 1000;
    const shared = keys.length > 0 ? new Verifier({ keys, unsigned, timestamp, now }) : undefined;
    this.options = { ...options, verifier: verifier ?? shared };
    const { system = OUR_SYSTEM, component = OUR_COMPONENT, ...rest } = options;
    this.outbox = new Outbox({ ...rest, system, component });
    this.tracker = new Tracker({
      options,
      outbox: this.outbox,
      rates: this.rates,
      now: () => this.now,
      radio: (link) => this.links.get(link)?.radio,
      tell: (event) => {
        for (const listener of this.listeners) listener(event);
      },
    });
  }

  /** The state of each vehicle, in the order in which they were found. */
  get vehicles(): ReadonlyMap<string, VehicleState> {
    return this.tracker.states;
  }

  /** The latest time of signatures, to be stored now and then; 0 without keys. */
  get timestamp(): number {
    return this.options.verifier?.timestamp ?? 0;
  }

  /** Makes a link known before anything came on it, so that heartbeats are sent there. */
  addLink(name: string): void {
    this.linkOf(name);
  }

  /** Takes bytes that came on a link; `from` tells its senders apart where it has several. */
  receive(link: string, bytes: Uint8Array, time: number, from = ''): void {
    this.now = time;
    this.linkOf(link)?.push(bytes, time, from);
  }

  private linkOf(name: string): LiveLink | undefined {
    let link = this.links.get(name);
    if (!link && this.links.size < LIVE_LIMITS.links) {
      link = new LiveLink(name, this.owner, { ...this.options, schemas: this.schemas });
      this.links.set(name, link);
    }
    return link;
  }

  /** What links call. */
  private readonly owner: LinkOwner = {
    rate: () => this.rates.add(),
    slot: (link, schema, system, component) => this.slot(link, schema, system, component),
    isKept: (system, component) => this.tracker.isFirst(system, component),
    message: (link, slot, bytes, start, size, at) => this.message(link, slot, bytes, start, size, at),
    stray: (link, schema, bytes, start) => this.options.tap?.(link.name, schema.name, bytes, start, this.now),
  };

  private slot(link: LiveLink, schema: Schema, systemId: number, componentId: number): MessageSlot | undefined {
    const system = link.system(systemId);
    const known = system.components.get(componentId);
    const kept = known?.messages.get(schema.name);
    if (kept) return kept;
    const isFull = this.slots >= LIVE_LIMITS.messages;
    // the vehicles that were found first may go on when others have filled all places
    const mayGoOn =
      this.tracker.isFirst(system, componentId) && (known?.messages.size ?? 0) < LIVE_LIMITS.vehicleMessages;
    if (isFull && !mayGoOn) return undefined;
    const component = known ?? system.component(componentId);
    this.slots++;
    const slot = new MessageSlot(this.kindOf(schema), component, this.rates.add());
    component.messages.set(schema.name, slot);
    return slot;
  }

  private kindOf(schema: Schema): MessageKind {
    let kind = this.kinds.get(schema);
    if (!kind) {
      kind = new MessageKind(schema);
      this.kinds.set(schema, kind);
    }
    return kind;
  }

  private message(link: LiveLink, slot: MessageSlot, bytes: Uint8Array, start: number, size: number, at: number): void {
    const { now } = this;
    slot.take(bytes, start, size, now, at);
    this.options.tap?.(link.name, slot.name, bytes, start, now);
    const { component, kind } = slot;
    this.rates.hit(slot.rate, now);
    this.rates.hit(component.system.rate, now);
    if (kind.bootPlace >= 0 && component.boot.take(payloadWord(bytes, start, kind.bootPlace), now)) {
      this.tracker.rebooted(component, now);
    }
    if (kind.isTelling) {
      if (slot.name === 'RADIO_STATUS') link.radio = slot;
      this.tracker.take(slot, now);
    }
    if (this.messageListeners.size > 0) this.tellMessage(slot);
  }

  /** Lets time go by: heartbeats, requests, time-outs, rates. */
  tick(time: number): void {
    this.now = time;
    const { heartbeatInterval = INTERVAL, heartbeats = true } = this.options;
    this.rates.tick(time);
    this.budget.refill(time);
    if (heartbeats && !(Math.abs(time - this.lastBeat) < heartbeatInterval * 1000)) {
      this.lastBeat = time;
      for (const link of this.links.keys()) this.outbox.heartbeat(link);
    }
    this.tracker.tick(time, this.budget);
  }

  /** Sends any message on a link, where the options allow it. */
  sendMessage(link: string, name: string, values: Readonly<Record<string, FieldValue>>): void {
    this.outbox.message(link, name, values);
  }

  /** Calls for each event until the function that it returns is called; a listener that throws ends the call. */
  subscribe(listener: LiveListener, types?: readonly LiveEvent['type'][]): () => void {
    const wants = (event: LiveEvent): void => {
      if (!types || types.includes(event.type)) listener(event);
    };
    if (!types || types.includes('message')) this.messageListeners.add(wants);
    this.listeners.add(wants);
    return () => {
      this.listeners.delete(wants);
      this.messageListeners.delete(wants);
    };
  }

  private tellMessage(slot: MessageSlot): void {
    const event = new ReceivedMessage(slot, this.tracker.keyOf(slot.component.system), this.now);
    for (const listener of this.messageListeners) listener(event);
  }

  /** The latest of a message of a vehicle's component. */
  latest(vehicle: string, component: number, message: string): LatestMessage | undefined {
    const slot = this.vehicles.get(vehicle)?.components.get(component)?.messages.get(message);
    if (!slot) return undefined;
    const { name, time, at, data, bytes, schema } = slot;
    const instances = slot.kind.hasInstances ? slot.byInstance() : undefined;
    const first = this.rates.first(slot.rate);
    const [count, rate] = [this.rates.count(slot.rate), this.rates.rate(slot.rate, this.now)];
    return { name, id: messageId(bytes), time, count, rate, first, at, data, instances, bytes, schema };
  }

  /** The latest of each message of a vehicle, of all its components, without what it says. */
  messages(vehicle: string): MessageCount[] {
    const { rates, now } = this;
    const components = this.vehicles.get(vehicle)?.components.values() ?? [];
    return [...components].flatMap((component) =>
      [...component.messages.values()].map(({ name, rate, time, bytes }) => ({
        component: component.id,
        name,
        id: messageId(bytes),
        count: rates.count(rate),
        rate: rates.rate(rate, now),
        first: rates.first(rate),
        time,
      })),
    );
  }

  /** What a vehicle was asked for, and what became of it. */
  wishes(vehicle: string): readonly Wish[] {
    return this.tracker.wishes(vehicle);
  }

  /** Asks a vehicle for a message so many times a second, or once for 0. Throws a sentence where that cannot be. */
  request(vehicle: string, message: string, rate: number): void {
    if (!(rate >= 0 && rate <= LIVE_LIMITS.requestRate))
      throw new RangeError(`rate ${rate} cannot be asked for: 0 (once) to ${LIVE_LIMITS.requestRate} a second can`);
    this.tracker.demand(vehicle, message, rate);
  }

  statistics(): LiveStatistics {
    const links = [...this.links.values()].map((link) => ({
      link: link.name,
      bytes: link.bytes,
      packets: link.packets,
      messages: link.messages,
      peers: link.peerCount,
      faults: Object.fromEntries(link.faults),
      streams: Object.fromEntries(link.streams()),
      signatures: link.signatures(),
    }));
    return {
      links,
      vehicles: this.vehicles.size,
      messages: links.reduce((sum, { messages }) => sum + messages, 0),
      notKept: [...this.links.values()].reduce((sum, { notKept }) => sum + notKept, 0),
      sent: Object.fromEntries(this.outbox.sent),
    };
  }
}

function messageId(frame: Uint8Array): number {
  const header = new Header();
  header.read(frame, 0);
  return header.id;
}
