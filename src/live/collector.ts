import type { Schema } from '../core/schema.ts';
import { type Header, messageIdOf } from '../formats/mavlink/header.ts';
import { Verifier } from '../formats/mavlink/signing.ts';
import { Component } from './component.ts';
import type { LiveEvent, LiveListener } from './events.ts';
import { LIVE_LIMITS } from './limits.ts';
import { isMulticast } from './link-name.ts';
import { type FrameReceiver, LiveLink } from './live-link.ts';
import { MessageKind } from './message-kind.ts';
import { frameNumber, MessageSlot, payloadWord } from './message-slot.ts';
import {
  type LatestMessage,
  type LiveOptions,
  type LiveStatistics,
  type MessageCount,
  OUR_COMPONENT,
  OUR_SYSTEM,
} from './options.ts';
import { Rates } from './rates.ts';
import { ReceivedMessage } from './received-message.ts';
import { SentCommands } from './sent-commands.ts';
import { System } from './system.ts';
import { Tracker } from './tracker.ts';
import { CommandBudget } from './vehicle/command-budget.ts';
import { type GivenFields, type MessageTarget, Outbox, type Outgoing } from './vehicle/outbox.ts';
import type { Wish } from './vehicle/request-plan.ts';
import type { VehicleState } from './vehicle.ts';

const INTERVAL = 1000;
/** In place of a vehicle's id. */
const ALL = 'all';
/** Microseconds between two heartbeats of a vehicle, between two times that room is made, and until all is calm again. */
const REGULAR_LEAST = 0.3e6;
const REGULAR_MOST = 3e6;
const SWEEP = 1e6;
/** Part of a limit that is used after room was made. */
const ROOMY = 0.75;
const CALM = 3e6;

/**
 * Everything that the frames of all links say: vehicles, their state, the latest of each message. It has no sockets and
 * no clock: bytes come by `receive`, time by `tick`, which is to be called about ten times a second, and frames leave by
 * `send`. Times are microseconds UTC.
 */
export class LiveCollector {
  private readonly options: LiveOptions;
  private readonly outbox: Outbox;
  private readonly commands: SentCommands;
  private readonly tracker: Tracker;
  private readonly rates: Rates = new Rates();
  private readonly links: Map<string, LiveLink> = new Map();
  /** The link that was asked for last: mostly it is the next one too. */
  private lastLink: LiveLink | undefined;
  /** Of all decoders: there may be hundreds of them. */
  private readonly schemas: Map<number, Schema> = new Map();
  private readonly kinds: WeakMap<Schema, MessageKind> = new WeakMap();
  private readonly listeners: Set<LiveListener> = new Set();
  private readonly messageListeners: Set<LiveListener> = new Set();
  private slots = 0;
  private senders = 0;
  /** Since when there is no room for all that comes, and when room was made last; NaN where there is. */
  private crowdedAt: number = Number.NaN;
  private sweptAt: number = Number.NaN;
  /** When heartbeats came for which there was no room, by system and component. */
  private refused: Float64Array | undefined;
  private nextBeat: number = Number.NaN;
  private readonly budget = new CommandBudget();

  constructor(options: LiveOptions) {
    const { keys = [], unsigned, verifier, timestamp, stamps, store } = options;
    // one for all links, so that what was sent on one cannot be sent again on another
    const now = (): number => this.now / 1000;
    const signed = { keys, unsigned, timestamp, stamps, store, now };
    const shared = keys.length > 0 ? new Verifier(signed) : undefined;
    this.options = { ...options, verifier: verifier ?? shared };
    const { system = OUR_SYSTEM, component = OUR_COMPONENT, ...rest } = options;
    this.outbox = new Outbox({ ...rest, system, component });
    this.commands = new SentCommands(system, component);
    this.tracker = new Tracker(options, this.outbox, this.rates, this.links, (event) => this.emit(event));
  }

  private get now(): number {
    return this.tracker.now;
  }

  private emit(event: LiveEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  /** The state of each vehicle, in the order in which they were found. */
  get vehicles(): ReadonlyMap<string, VehicleState> {
    return this.tracker.states;
  }

  /** The latest time of signatures, to be stored now and then; 0 without keys. */
  get timestamp(): number {
    return this.options.verifier?.timestamp ?? 0;
  }

  /** The last time of each stream of signatures, to be stored at the end; undefined without keys. */
  get stamps(): ReadonlyMap<number, number> | undefined {
    return this.options.verifier?.lastTimes;
  }

  /**
   * Makes a link known before anything came on it, so that heartbeats are sent there.
   * @param isDatagrams whether each piece that it gives ends where its sender ended it, as with UDP
   */
  addLink(name: string, isDatagrams = false): void {
    const link = this.linkOf(name);
    if (!link) return;
    link.isKept = true;
    link.isDatagrams = isDatagrams;
  }

  /**
   * Takes bytes that came on a link; `from` tells its senders apart where it has several. Returns false where there are
   * more links than are kept: nothing was made of the bytes.
   */
  receive(link: string, bytes: Uint8Array, time: number, from = ''): boolean {
    this.tracker.now = time;
    const known = this.linkOf(link);
    known?.push(bytes, time, from);
    return known !== undefined;
  }

  /** No more bytes will come: those that wait for the rest of a frame are given up. */
  end(): void {
    for (const link of this.links.values()) link.end();
  }

  private linkOf(name: string): LiveLink | undefined {
    if (this.lastLink?.name === name) return this.lastLink;
    let link = this.links.get(name);
    if (!link && (this.links.size < LIVE_LIMITS.links || this.dropLink())) {
      link = new LiveLink(name, this.receiver, { ...this.options, schemas: this.schemas }, this.options.sink);
      this.links.set(name, link);
    }
    this.lastLink = link;
    return link;
  }

  /** Lets the link go that is silent for longest. */
  private dropLink(): boolean {
    const silent = [...this.links.values()]
      .filter(({ isKept, lastTime }) => !isKept && !(this.now - lastTime < LIVE_LIMITS.silence))
      .sort((a, b) => a.lastTime - b.lastTime);
    if (silent.length === 0) return false;
    const [link] = silent;
    link.end();
    for (const [system, systems] of link.allSystems()) this.dropSystem(system, systems);
    this.lastLink = undefined;
    return this.links.delete(link.name);
  }

  /** What links call. */
  private readonly receiver: FrameReceiver = {
    slot: (link, systems, schema, header) => this.slot(link, systems, schema, header),
    message: this.message.bind(this),
    stray: (link, schema, bytes, start) => this.options.tap?.(link.name, schema.name, bytes, start, this.now),
    gone: (system, systems) => this.dropSystem(system, systems),
  };

  private slot(
    link: LiveLink,
    systems: (System | undefined)[],
    schema: Schema,
    header: Header,
  ): MessageSlot | undefined {
    const known = systems[header.system];
    const sender = known?.components.get(header.component);
    const kept = sender?.messages.get(schema.name);
    if (kept) return kept;
    if (!this.hasRoom(sender, schema, header)) {
      if (Number.isNaN(this.crowdedAt)) this.refused = new Float64Array(65_536);
      this.crowdedAt = this.now;
      return undefined;
    }
    const address = systems === link.systems ? '' : link.from;
    const system = known ?? new System(link.name, header.system, address, this.rates.add());
    systems[header.system] = system;
    const component = sender ?? new Component(system, header.component, link.from, header.sequence, this.now);
    system.components.set(component.id, component);
    if (!sender) this.senders++;
    this.slots++;
    const slot = new MessageSlot(this.kindOf(schema), component, this.rates);
    component.messages.set(schema.name, slot);
    return slot;
  }

  /**
   * Vehicles that are heard have room for all their messages. While there is too little for others, a sender that is
   * new must send heartbeats, one after the other, as a vehicle does.
   */
  private hasRoom(sender: Component | undefined, schema: Schema, header: Header): boolean {
    const { senders, messages, reserve, vehicleMessages } = LIVE_LIMITS;
    if (this.slots >= messages + reserve || (!sender && this.senders >= senders)) return false;
    if (sender && this.tracker.isHeard(sender)) return sender.messages.size < vehicleMessages;
    if (!this.refused) return this.slots < messages;
    if (sender || schema.name !== 'HEARTBEAT') return false;
    const key = (header.system << 8) | header.component;
    const passed = this.now - this.refused[key];
    this.refused[key] = this.now;
    return passed > REGULAR_LEAST && passed < REGULAR_MOST;
  }

  /** Makes room: senders go of which least speaks for being there, never a vehicle that is heard. */
  private sweep(): void {
    const { now } = this;
    this.sweptAt = now;
    if (!(now - this.crowdedAt < CALM)) {
      this.crowdedAt = Number.NaN;
      this.refused = undefined;
    }
    const all = [...this.links.values()].flatMap((link) => [...link.allSystems()]);
    const senders = all.flatMap(([system, systems]) =>
      [...system.components.values()].map((sender) => ({ sender, systems, evidence: sender.evidence(now) })),
    );
    senders.sort((a, b) => a.evidence - b.evidence);
    const isFull = (): boolean =>
      this.slots > ROOMY * LIVE_LIMITS.messages || this.senders > ROOMY * LIVE_LIMITS.senders || this.tracker.isFull;
    for (const { sender, systems } of senders) {
      if (!isFull()) break;
      if (this.tracker.isHeard(sender)) continue;
      this.dropSender(sender);
      if (sender.system.components.size === 0) this.dropSystem(sender.system, systems);
    }
    for (const link of this.links.values()) link.forgetSlots();
  }

  private dropSystem(system: System, systems: (System | undefined)[]): void {
    for (const sender of system.components.values()) this.dropSender(sender);
    delete systems[system.id];
    this.rates.remove(system.rate);
  }

  private dropSender(sender: Component): void {
    this.tracker.forget(sender);
    sender.system.components.delete(sender.id);
    this.senders--;
    this.dropMessages(sender.messages.values());
  }

  private dropMessages(slots: Iterable<MessageSlot>): void {
    for (const slot of slots) {
      this.slots--;
      this.rates.remove(slot.rate);
      const link = this.links.get(slot.component.system.link);
      if (link?.radio === slot) link.radio = undefined;
    }
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
    this.rates.hit(component.system.rate, now);
    const { boot } = component;
    boot.shared.frame(bytes, start, now);
    let isReboot = boot.frame(frameNumber(bytes, start), link.from, now);
    if (kind.bootPlace >= 0) isReboot = boot.take(payloadWord(bytes, start, kind.bootPlace), now) || isReboot;
    if (isReboot) this.tracker.rebooted(component);
    if (kind.isTelling) {
      if (slot.name === 'RADIO_STATUS') link.radio = slot;
      this.tracker.take(slot);
      if (slot.name === 'COMMAND_ACK') this.acknowledged(slot);
    }
    if (this.messageListeners.size > 0) this.tellMessage(slot);
  }

  /** Lets time go by: heartbeats, requests, time-outs, rates. */
  tick(time: number): void {
    this.tracker.now = time;
    const { heartbeatInterval = INTERVAL, heartbeats = true } = this.options;
    for (const link of this.links.values()) {
      const text = link.tick(time);
      if (text !== '') this.emit({ type: 'signatures', vehicle: null, link: link.name, time, text });
    }
    this.rates.tick(time);
    this.budget.refill(time);
    const interval = heartbeatInterval * 1000;
    const wait = this.nextBeat - time;
    if (heartbeats && !(wait > 0 && wait <= interval)) {
      // the next one is due an interval after this one was, so that ticks that come late do not add up
      this.nextBeat = wait <= 0 && wait > -interval ? this.nextBeat + interval : time + interval;
      for (const link of this.links.keys()) this.outbox.heartbeat(link);
    }
    this.tracker.tick(time, this.budget);
    this.dropMessages(this.tracker.dropped.splice(0));
    const isCrowded = !Number.isNaN(this.crowdedAt) || this.tracker.isFull;
    if (isCrowded && !(Math.abs(time - this.sweptAt) < SWEEP)) this.sweep();
  }

  /**
   * Sends any message to a vehicle, or to all of them, if the options allow it. Its targets are filled in. Throws a
   * sentence if it cannot be sent or would reach another vehicle than the one named. What answers it is an `ack` event.
   */
  send(vehicle: string, name: string, fields: GivenFields): Outgoing {
    const outgoing = this.outbox.prepare(name, fields);
    const all = [...this.vehicles.values()];
    const named = vehicle === ALL ? all : all.filter(({ id }) => id === vehicle);
    if (named.length === 0)
      throw new RangeError(vehicle === ALL ? 'no vehicle is known' : `unknown vehicle ${vehicle}`);
    if (vehicle !== ALL && !outgoing.hasTarget) refuseOthers(name, named[0], all);
    const targets = vehicle === ALL ? linksOf(named) : named.map(targetOf);
    const frames = targets.map((target) => ({ target, values: this.outbox.addressed(target, outgoing) }));
    for (const { id, component } of outgoing.command === null ? [] : named) {
      const to = vehicle === ALL ? 0 : Number(frames[0].values.target_component ?? component);
      this.commands.add(id, to, Number(outgoing.command), this.now);
    }
    for (const { target, values } of frames) this.outbox.message(target, outgoing, values);
    return outgoing;
  }

  /** An answer to a command that a client sent. */
  private acknowledged({ component, data }: MessageSlot): void {
    const vehicle = this.tracker.keyOf(component.system);
    const answer = vehicle === null ? undefined : this.commands.answer(vehicle, component.id, data, this.now);
    if (vehicle === null || !answer) return;
    const event = { type: 'ack', vehicle, link: component.system.link, time: this.now, ...answer } as const;
    this.emit(event);
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
    return { name, id: messageIdOf(bytes, 0), time, count, rate, first, at, data, instances, bytes, schema };
  }

  /** The latest of each message of a vehicle, of all its components, without what it says. */
  messages(vehicle: string): MessageCount[] {
    const { rates, now } = this;
    const state = this.vehicles.get(vehicle);
    if (!state) return [];
    return [...state.components.values()].flatMap((component) =>
      [...component.messages.values()].map((slot) => ({
        component: component.id,
        name: slot.name,
        id: messageIdOf(slot.bytes, 0),
        count: rates.count(slot.rate),
        rate: rates.rate(slot.rate, now),
        first: rates.first(slot.rate),
        ...state.freshness(slot),
      })),
    );
  }

  /** What a vehicle was asked for, and what became of it. */
  wishes(vehicle: string): readonly Wish[] {
    return this.tracker.wishes(vehicle);
  }

  /** Asks a vehicle for a message at a rate, per second, or once for 0. Throws a sentence where that cannot be. */
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
      notice: link.notice,
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

function targetOf(vehicle: VehicleState): MessageTarget {
  const { link, system, component, components } = vehicle;
  return { link, system, component, components: [...components.keys()], address: addressOf(vehicle) };
}

/** Where a vehicle is, if its link has several senders; a group has one address for all. */
function addressOf({ link, component, components }: VehicleState): string | undefined {
  return isMulticast(link.split(':')[1] ?? '') ? undefined : components.get(component)?.address || undefined;
}

/** Each link once, for a message to all vehicles on it. */
function linksOf(vehicles: readonly VehicleState[]): MessageTarget[] {
  const links = new Set(vehicles.map(({ link }) => link));
  return [...links].map((link) => ({ link, system: 0, component: 0, components: [] }));
}

/** A message without a target reaches all vehicles that are received from one place. */
function refuseOthers(message: string, vehicle: VehicleState, all: readonly VehicleState[]): void {
  const isNear = (other: VehicleState): boolean =>
    other !== vehicle && other.link === vehicle.link && addressOf(other) === addressOf(vehicle);
  const others = all.filter(isNear).map(({ id }) => id);
  if (others.length === 0) return;
  throw new RangeError(
    `message ${message} has no target and would also reach vehicle ${others.join(', ')}: ` +
      'to send to all, give "vehicle": "all"',
  );
}
