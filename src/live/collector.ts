import type { Schema } from '../core/schema.ts';
import { messageIdOf } from '../formats/mavlink/header.ts';
import { Verifier } from '../formats/mavlink/signing.ts';
import { Listeners, type LiveEvent, type LiveListener } from './events.ts';
import { LIVE_LIMITS } from './limits.ts';
import { LiveLink } from './live-link.ts';
import {
  type LatestMessage,
  type LiveOptions,
  type LiveStatistics,
  type MessageCount,
  OUR_COMPONENT,
  OUR_SYSTEM,
} from './options.ts';
import { Rates } from './rates.ts';
import { Senders } from './senders.ts';
import { Tracker } from './tracker.ts';
import { CommandBudget } from './vehicle/commands.ts';
import { FrameSender, type GivenFields, type Outgoing, type Target } from './vehicle/frame-sender.ts';
import type { MessageRequest } from './vehicle/request-plan.ts';
import { obstacleOf, VehicleLogs } from './vehicle/vehicle-logs.ts';
import type { LiveVehicle } from './vehicle.ts';

const INTERVAL = 1000;
/** In place of a vehicle's id. */
const ALL = 'all';
const NO_REQUESTS = 'requests are off';

/**
 * Everything that the frames of all links say: vehicles, their state, the latest of each message. It has no sockets and
 * no clock: bytes come by `receive`, time by `tick`, which is to be called about ten times a second, and frames leave by
 * `send`. Times are microseconds UTC.
 */
export class LiveCollector {
  private readonly options: LiveOptions;
  private readonly sender: FrameSender;
  private readonly listeners = new Listeners();
  private readonly rates = new Rates();
  private readonly links: Map<string, LiveLink> = new Map();
  private readonly tracker: Tracker;
  private readonly senders: Senders;
  /** The link that was asked for last: mostly it is the next one too. */
  private lastLink: LiveLink | undefined;
  /** Of all decoders: there may be hundreds of them. */
  private readonly schemas: Map<number, Schema> = new Map();
  private nextBeat: number = Number.NaN;
  private readonly budget = new CommandBudget();

  constructor(options: LiveOptions) {
    const { keys = [], unsigned, verifier, timestamp, stamps, store } = options;
    // one for all links, so that what was sent on one cannot be sent again on another
    const now = (): number => this.tracker.now / 1000;
    const shared = keys.length > 0 ? new Verifier({ keys, unsigned, timestamp, stamps, store, now }) : undefined;
    const { system = OUR_SYSTEM, component = OUR_COMPONENT } = options;
    this.options = { ...options, system, component, verifier: verifier ?? shared };
    this.sender = new FrameSender({ ...options, system, component });
    this.tracker = new Tracker(this.options, this.sender, this.rates, this.links, this.listeners);
    this.senders = new Senders(this.tracker, this.listeners);
  }

  /** The state of each vehicle, in the order in which they were found. */
  get vehicles(): ReadonlyMap<string, LiveVehicle> {
    return this.tracker.shown;
  }

  /** The latest time of signatures, to be stored now and then; 0 without keys. */
  get timestamp(): number {
    return this.options.verifier?.timestamp ?? 0;
  }

  /** The last time of each stream of signatures, to be stored at the end; undefined without keys. */
  get stamps(): ReadonlyMap<number, number> | undefined {
    return this.options.verifier?.lastTimes;
  }

  /** Makes a link known before bytes come, for heartbeats. @param isDatagrams whether pieces end as sent (UDP) */
  addLink(name: string, isDatagrams = false): void {
    const link = this.linkOf(name);
    if (!link) return;
    link.isKept = true;
    link.isDatagrams = isDatagrams;
  }

  /** Receives bytes of a link from one of its senders; false, unread, if there are too many links. */
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
      link = new LiveLink(name, this.senders, { ...this.options, schemas: this.schemas }, this.options.sink);
      this.links.set(name, link);
    }
    this.lastLink = link;
    return link;
  }

  /** Drops the link that is silent for longest. */
  private dropLink(): boolean {
    const silent = [...this.links.values()]
      .filter(({ isKept, lastTime }) => !isKept && !(this.tracker.now - lastTime < LIVE_LIMITS.silence))
      .sort((a, b) => a.lastTime - b.lastTime);
    if (silent.length === 0) return false;
    const [link] = silent;
    link.end();
    for (const [system, systems] of link.allSystems()) this.senders.dropSystem(system, systems);
    this.lastLink = undefined;
    return this.links.delete(link.name);
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
      for (const link of this.links.keys()) this.sender.heartbeat(link);
    }
    this.tracker.tick(time, this.budget);
    this.senders.tick(time);
  }

  /**
   * Sends any message to a vehicle, or to all of them, if the options allow it. Its targets are filled in. Throws a
   * sentence if it cannot be sent or would reach another vehicle than the one named. What answers it is an `ack` event.
   */
  send(vehicle: string, name: string, fields: GivenFields): Outgoing {
    const outgoing = this.sender.prepare(name, fields);
    const all = [...this.vehicles.values()];
    const named = vehicle === ALL ? all : all.filter(({ id }) => id === vehicle);
    if (named.length === 0)
      throw new RangeError(vehicle === ALL ? 'no vehicle is known' : `unknown vehicle ${vehicle}`);
    if (vehicle !== ALL && !outgoing.hasTarget) refuseOthers(name, named[0], all);
    const targets = vehicle === ALL ? linksOf(named) : named.map(({ target }) => target);
    const frames = targets.map((target) => ({ target, values: this.sender.addressed(target, outgoing) }));
    for (const { id, component } of outgoing.command === null ? [] : named) {
      const to = vehicle === ALL ? 0 : Number(frames[0].values.target_component ?? component);
      this.tracker.commands.add(id, to, Number(outgoing.command), this.tracker.now);
    }
    for (const { target, values } of frames) this.sender.message(target, outgoing, values);
    return outgoing;
  }

  /** Calls a listener for events of some types (all), until the returned function is called. It must not throw. */
  subscribe(listener: LiveListener, types?: readonly LiveEvent['type'][]): () => void {
    return this.listeners.add(listener, types);
  }

  /** Emits an event of the links or the recording, which are others' business. */
  emit(event: LiveEvent): void {
    this.listeners.emit(event);
  }

  latest(vehicle: string, component: number, message: string): LatestMessage | undefined {
    const slot = this.vehicles.get(vehicle)?.components.get(component)?.messages.get(message);
    if (!slot) return undefined;
    const { name, time, at, data, bytes, schema } = slot;
    const instances = slot.kind.hasInstances ? slot.byInstance() : undefined;
    const first = this.rates.first(slot.rate);
    const [count, rate] = [this.rates.count(slot.rate), this.rates.rate(slot.rate, this.tracker.now)];
    return { name, id: messageIdOf(bytes, 0), time, count, rate, first, at, data, instances, bytes, schema };
  }

  /** The latest of each message of a vehicle, of all its components, without what it says. */
  messages(vehicle: string): MessageCount[] {
    const { rates, tracker } = this;
    const state = this.vehicles.get(vehicle);
    if (!state) return [];
    return [...state.components.values()].flatMap((component) =>
      [...component.messages.values()].map((slot) => ({
        component: component.id,
        name: slot.name,
        id: messageIdOf(slot.bytes, 0),
        count: rates.count(slot.rate),
        rate: rates.rate(slot.rate, tracker.now),
        first: rates.first(slot.rate),
        ...state.freshness(slot),
      })),
    );
  }

  /** What a vehicle was asked for, and the results. */
  requests(vehicle: string): readonly MessageRequest[] {
    return this.vehicles.get(vehicle)?.plan.requests ?? [];
  }

  /** Asks a vehicle for a message at a rate, per second, or once for 0. Throws a sentence if that cannot be. */
  request(vehicle: string, message: string, rate: number): void {
    if (!(rate >= 0 && rate <= LIVE_LIMITS.requestRate))
      throw new RangeError(`rate ${rate}: must be 0 (once) to ${LIVE_LIMITS.requestRate} per second`);
    this.needAsked(vehicle).plan.request(message, rate, this.tracker.now);
  }

  private needAsked(vehicle: string): LiveVehicle {
    const found = this.vehicles.get(vehicle);
    if (!found) throw new RangeError(`unknown vehicle ${vehicle}`);
    if (this.options.requests === false) throw new RangeError(NO_REQUESTS);
    return found;
  }

  /** Why no logs can be read of a vehicle now; '' if they can. */
  logObstacle(vehicle: LiveVehicle): string {
    return this.options.requests === false ? NO_REQUESTS : obstacleOf(vehicle);
  }

  /** The logs on a vehicle's card, to be listed and downloaded. Throws a sentence if that cannot be. */
  logs(vehicle: string): VehicleLogs {
    const found = this.needAsked(vehicle);
    found.logs ??= new VehicleLogs(found, this.sender, this.tracker.now);
    return found.logs;
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
      sent: Object.fromEntries(this.sender.sent),
    };
  }
}

/** Each link once, for a message to all vehicles on it. */
function linksOf(vehicles: readonly LiveVehicle[]): Target[] {
  const links = new Set(vehicles.map(({ link }) => link));
  return [...links].map((link) => ({ link, system: 0, component: 0 }));
}

/** A message without a target reaches all vehicles that are received from one place. */
function refuseOthers(message: string, vehicle: LiveVehicle, all: readonly LiveVehicle[]): void {
  const isNear = (other: LiveVehicle): boolean =>
    other !== vehicle && other.link === vehicle.link && other.target.address === vehicle.target.address;
  const others = all.filter(isNear).map(({ id }) => id);
  if (others.length === 0) return;
  throw new RangeError(
    `message ${message} has no target and would also reach vehicle ${others.join(', ')}: ` +
      'to send to all, give "vehicle": "all"',
  );
}
