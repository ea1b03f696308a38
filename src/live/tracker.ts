import type { Row } from '../core/table.ts';
import { isVehicle, PX4 } from '../facts/heartbeat.ts';
import { number } from './battery.ts';
import type { Component } from './component.ts';
import type { LiveEvent } from './events.ts';
import { type Heartbeat, readHeartbeat } from './heartbeat.ts';
import { HIGH_LATENCY, latencyHeartbeat } from './high-latency.ts';
import { areApart, bootedAtOf, Identity, LATE, uidOf, type Verdict } from './identity.ts';
import { LIVE_LIMITS } from './limits.ts';
import { hostOf, MOVED } from './link-name.ts';
import type { LiveLink } from './live-link.ts';
import { type MessageSlot, payloadField } from './message-slot.ts';
import { type LiveOptions, OUR_SYSTEM } from './options.ts';
import type { Rates } from './rates.ts';
import type { System } from './system.ts';
import { eventText, type StatusText } from './texts.ts';
import { askedOf } from './vehicle/asked.ts';
import type { CommandBudget } from './vehicle/command-budget.ts';
import { type DefinitionCache, EventTexts } from './vehicle/event-texts.ts';
import type { Outbox } from './vehicle/outbox.ts';
import { PROFILES } from './vehicle/profile.ts';
import { type Asked, RequestPlan, type Wish } from './vehicle/request-plan.ts';
import { type VehicleRecord, VehicleState } from './vehicle.ts';

/** The component id that an autopilot has by custom. */
const AUTOPILOT = 1;
const TIMEOUT = 5000;
/** MAV_STATE that ArduPilot has at boot only, and texts. PX4 goes back to 0 whenever it is not ready. */
const BOOTING = 1;
const BOOT_TEXT = /^(ArduPilot Ready|Initialising ArduPilot|Barometer \d+ calibration complete)/;
/** How a mode without a name is called: with its number. */
const UNNAMED = 'MODE(';
const NO_MODE = '(Mode not available)';
/** Microseconds by which the clock may step back, and between two ticks of which there should be ten a second. */
const BACK = 1e6;
const HELD_UP = 2e6;

/** Microseconds that it may take to find out whether a system on one more link is a vehicle that is known. */
const DECIDE = 6e6;
/** Without a sign of a vehicle that sends one in a minute, until it is lost. */
const SELDOM = 200e6;
/** A link without heartbeats for so long is left for another one on which the vehicle is heard. */
const SWITCH = 2.5e6;
/** Vehicles with one system id that one more is compared with. */
const RIVALS = 8;
/** Addresses of a vehicle that are remembered, and for how long. */
const FORMERS = 4;
const REMEMBERED = 3600e6;
/** Until a conflict is told where it is not clear that there is none, and after the last heartbeat of one side. */
const UNCLEAR = 3e6;
const CONFLICT = 10e6;
/** A vehicle that started numbers its frames from 0; some of the first may be lost. */
const NEAR_ZERO = 4;
const FAR = 16;
/** Between an event and a text that say the same. */
const ECHO = 3e6;
/** With more vehicles than this, only those are asked that go on sending heartbeats. */
const MANY = 64;

interface Tracked extends VehicleRecord {
  readonly state: VehicleState;
  readonly asked: Asked;
  readonly plan: RequestPlan;
  mode: string;
  modeNumber: number;
  armed: boolean | null;
  /** Vehicles with the same system id that were found before, any of which may be this one. */
  readonly rivals: Map<Tracked, Identity>;
  /** The system by which it was found. */
  readonly first: System;
  isShown: boolean;
}

/** What one more sender of a system id is to a vehicle that is known. */
type Relation = Verdict | 'moved' | 'returned';

/** Finds vehicles by their heartbeats, follows what they say of themselves, and asks them for messages. */
export class Tracker {
  readonly states: Map<string, VehicleState> = new Map();
  /** The time of what is being read, or of the last tick. */
  now: number = Number.NaN;
  /** Messages of the state of vehicles that are of no use any more. */
  readonly dropped: MessageSlot[] = [];
  private readonly options: LiveOptions;
  private readonly outbox: Outbox;
  private readonly rates: Rates;
  private readonly links: ReadonlyMap<string, LiveLink>;
  private readonly emit: (event: LiveEvent) => void;
  private readonly vehicles: Set<Tracked> = new Set();
  /** A vehicle that is heard on several links has a system on each. */
  private readonly tracked: Map<System, Tracked> = new Map();
  /** What was said by systems of which no heartbeat came yet: a vehicle that starts speaks before its heart beats. */
  private early: { readonly system: System; readonly text: StatusText }[] = [];
  private lastTick: number = Number.NaN;
  private heldUpUntil = 0;
  /** Whose turn it is to ask. */
  private turn = 0;
  private readonly definitions: DefinitionCache = new Map();

  constructor(
    options: LiveOptions,
    outbox: Outbox,
    rates: Rates,
    links: ReadonlyMap<string, LiveLink>,
    emit: (event: LiveEvent) => void,
  ) {
    this.options = options;
    this.outbox = outbox;
    this.rates = rates;
    this.links = links;
    this.emit = emit;
  }

  /** The key of the vehicle whose state is of a system, or null where there is none: what comes twice counts once. */
  keyOf(system: System): string | null {
    const vehicle = this.tracked.get(system);
    return vehicle?.isShown && vehicle.system === system ? vehicle.key : null;
  }

  private byKey(key: string): Tracked | undefined {
    for (const vehicle of this.vehicles) if (vehicle.isShown && vehicle.key === key) return vehicle;
    return undefined;
  }

  /** Whether there is no room for one more vehicle. */
  get isFull(): boolean {
    return this.vehicles.size >= LIVE_LIMITS.vehicles;
  }

  /** Whether a component speaks for a vehicle that sends heartbeats one after the other. */
  isHeard(component: Component): boolean {
    const vehicle = this.tracked.get(component.system);
    const silence = this.now - component.lastHeartbeat;
    return vehicle?.autopilot === component && component.heartbeats > 1 && silence < LIVE_LIMITS.silence;
  }

  /** A component is gone, and with it the vehicle that it speaks for. */
  forget(component: Component): void {
    const vehicle = this.tracked.get(component.system);
    if (vehicle?.autopilot === component) this.remove(vehicle);
  }

  private remove(vehicle: Tracked): void {
    for (const system of [vehicle.system, ...vehicle.others]) this.tracked.delete(system);
    this.vehicles.delete(vehicle);
    if (this.states.delete(vehicle.key)) this.emit({ ...this.happened(vehicle), type: 'removed' });
  }

  /** What a vehicle was asked for, and what became of it. */
  wishes(vehicle: string): readonly Wish[] {
    return this.byKey(vehicle)?.plan.wishes ?? [];
  }

  /** Asks a vehicle for a message at a rate, or once for 0. Throws a sentence where that cannot be. */
  demand(vehicle: string, message: string, rate: number): void {
    const found = this.byKey(vehicle);
    if (!found) throw new RangeError(`no vehicle ${vehicle} is known`);
    if (this.options.requests === false) throw new RangeError('vehicles are asked for nothing: requests are off');
    found.plan.demand(message, rate, this.now);
  }

  /** A message came that is more than the latest of its kind. */
  take(slot: MessageSlot): void {
    const { component } = slot;
    switch (slot.name) {
      case 'HEARTBEAT':
        component.isSeldom = false;
        this.heartbeat(component, readHeartbeat(slot.payload));
        break;
      case HIGH_LATENCY:
        component.isSeldom = true;
        this.heartbeat(component, latencyHeartbeat(slot.data));
        break;
      case 'STATUSTEXT':
        this.statusText(slot);
        break;
      case 'COMMAND_ACK':
        this.acknowledged(component, slot.data);
        break;
      case 'AVAILABLE_MODES':
        this.availableMode(component, slot.data);
        break;
      case 'AUTOPILOT_VERSION':
        this.firmwareKnown(component);
        break;
      case 'TIMESYNC':
        this.timesync(component, slot.data);
        break;
      case 'EVENT':
      case 'COMPONENT_METADATA':
      case 'FILE_TRANSFER_PROTOCOL':
        this.eventOf(slot);
    }
  }

  private heartbeat(component: Component, heartbeat: Heartbeat): void {
    const silence = this.now - component.lastHeartbeat;
    const wasUp = (component.heartbeat?.systemStatus ?? 0) > BOOTING;
    component.heartbeat = heartbeat;
    component.lastHeartbeat = this.now;
    component.heartbeats++;
    const { type, autopilot } = heartbeat;
    if (!isVehicle(autopilot, type)) return;
    const vehicle = this.tracked.get(component.system);
    if (!vehicle) {
      if (!this.isFull) this.find(component);
      return;
    }
    if (vehicle.system !== component.system && !this.switchTo(vehicle, component)) return;
    if (vehicle.autopilot !== component) {
      // one component speaks for the vehicle, and keeps to it: the usual one, or the first
      const isBetter = component.id === AUTOPILOT || !Number.isNaN(vehicle.lostAt);
      if (!isBetter || component.address !== vehicle.autopilot.address) return;
      vehicle.autopilot = component;
    }
    const isBooting = heartbeat.systemStatus === BOOTING;
    if (wasUp && isBooting && component.boot.sign('heartbeat', this.now)) this.rebooted(component);
    if (!Number.isNaN(vehicle.lostAt)) {
      vehicle.lostAt = Number.NaN;
      vehicle.freshFrom = this.now;
      if (vehicle.isShown) this.emit({ ...this.happened(vehicle), type: 'recovered', silence });
      vehicle.plan.restart(this.now);
    }
    this.changes(vehicle);
  }

  /** Takes the state from another link, if the one that it is from is silent. */
  private switchTo(vehicle: Tracked, component: Component): boolean {
    if (component.id !== vehicle.autopilot.id || !(this.now - vehicle.autopilot.lastHeartbeat > SWITCH)) return false;
    const previous = vehicle.system.link;
    vehicle.others.splice(vehicle.others.indexOf(component.system), 1, vehicle.system);
    vehicle.system = component.system;
    vehicle.autopilot = component;
    this.emit({ ...this.happened(vehicle), type: 'switched', previous });
    vehicle.plan.restart(this.now);
    return true;
  }

  private changes(vehicle: Tracked): void {
    if (!vehicle.isShown) return;
    const { mode, modeNumber, armed } = vehicle.state;
    if (armed || vehicle.state.isReady) vehicle.readyAt = this.now;
    // a mode that we have no name for: scripts and newer firmware have their own names
    if (mode.startsWith(UNNAMED)) vehicle.plan.want('AVAILABLE_MODES');
    const previous = vehicle.mode;
    // its own word for a mode that has a name already is not a change
    const isOther = modeNumber !== vehicle.modeNumber || previous.startsWith(UNNAMED);
    Object.assign(vehicle, { mode, modeNumber });
    if (mode !== previous && isOther) this.emit({ ...this.happened(vehicle), type: 'mode', mode, previous });
    if (armed !== null && armed !== vehicle.armed) {
      vehicle.armed = armed;
      // armed, it has a home
      if (armed) vehicle.plan.wantHome(this.now);
      this.emit({ ...this.happened(vehicle), type: 'armed', armed });
    }
  }

  private find(autopilot: Component): void {
    const { system } = autopilot;
    const { now, options, rates, outbox } = this;
    const clock = (): number => this.now;
    const rivals = [...this.vehicles].filter((each) => each.system.id === system.id).slice(0, RIVALS);
    const record: VehicleRecord = {
      key: this.keyFor(autopilot, rivals),
      ...{ system, autopilot, others: [] },
      texts: this.early.filter((each) => each.system === system).map(({ text }) => text),
      ...{ foundAt: now, lostAt: Number.NaN, lostCount: 0, conflict: null },
      ...{ freshFrom: Number.NEGATIVE_INFINITY, readyAt: Number.NEGATIVE_INFINITY },
    };
    const radio = (link: string): MessageSlot | undefined => this.links.get(link)?.radio;
    const interval = (message: string): number => vehicle.plan.intervalOf(message);
    const state = new VehicleState(record, { rates, now: clock, radio, interval });
    const { profile = PROFILES.default, streamRequests = 'needed' } = options;
    const asked = askedOf(record, { rates, outbox });
    const vehicle: Tracked = Object.assign(record, {
      ...{ state, asked, plan: new RequestPlan(asked, profile, streamRequests, now) },
      ...{ mode: state.mode, modeNumber: state.modeNumber, armed: state.armed, isShown: false },
      rivals: new Map(rivals.map((rival) => [rival, new Identity()])),
      first: system,
    });
    this.early = this.early.filter((each) => each.system !== system);
    this.vehicles.add(vehicle);
    this.tracked.set(system, vehicle);
    this.decide(vehicle);
  }

  /** The system id, and where several have it, the link or the address too. */
  private keyFor({ system, address }: Component, rivals: readonly Tracked[]): string {
    const isTaken = (key: string): boolean => rivals.some((rival) => rival.key === key);
    const onLink = `${system.id}@${system.link}`;
    const isSameLink = rivals.some((rival) => rival.system.link === system.link);
    return (
      [String(system.id), ...(isSameLink ? [] : [onLink])].find((key) => !isTaken(key)) ??
      `${system.id}@${address || system.link}`
    );
  }

  /** One more sender of a system id may be a vehicle that is known. Until that is clear it is asked, but not shown. */
  private decide(vehicle: Tracked): void {
    let isOther = true;
    for (const [rival, identity] of vehicle.rivals) {
      if (!this.vehicles.has(rival)) {
        vehicle.rivals.delete(rival);
        continue;
      }
      const relation = this.relationOf(vehicle, rival, identity);
      if (relation === 'one') this.join(vehicle, rival);
      if (relation === 'moved' || relation === 'returned') this.move(rival, vehicle, relation === 'returned');
      if (!this.vehicles.has(vehicle)) return;
      if (relation !== 'two') isOther = false;
    }
    const age = this.now - vehicle.foundAt;
    if (!vehicle.isShown && (isOther || age > DECIDE) && this.isHeardTwice(vehicle)) this.show(vehicle);
  }

  /** Where only the address tells senders apart, one frame is not enough to be shown beside a vehicle that is there. */
  private isHeardTwice({ rivals, system, autopilot }: Tracked): boolean {
    return autopilot.heartbeats > 1 || ![...rivals.keys()].some((rival) => rival.system.link === system.link);
  }

  private relationOf(vehicle: Tracked, rival: Tracked, identity: Identity): Relation {
    const [a, b] = [rival.autopilot, vehicle.autopilot];
    if (!rival.isShown || rival.system.link !== vehicle.system.link) return identity.verdict(a, b);
    const { lastActivity } = a;
    if (lastActivity > vehicle.foundAt) vehicle.system.isRival = true;
    if (b.heartbeats > 1 && this.isBack(rival, b)) return 'returned';
    if (vehicle.system.isRival) return identity.verdict(a, b);
    if (!identity.canBeOne(a, b)) return 'two';
    // nothing came from the old address since the new one is heard
    const { heartbeatTimeout = TIMEOUT } = this.options;
    const patience = hostOf(a.address) === hostOf(b.address) ? MOVED : heartbeatTimeout * 1000;
    return this.now - lastActivity > patience ? 'moved' : 'unknown';
  }

  /** Whether a vehicle is back at an address, or with the board or the boot time, that it had before another took over. */
  private isBack({ system, autopilot }: Tracked, other: Component): boolean {
    const [uid, bootedAt] = [uidOf(other), bootedAtOf(other)];
    return system.formers.some(
      (former) =>
        this.now - former.until < REMEMBERED &&
        (former.address === other.address ||
          (uid !== null && former.uid === uid && uidOf(autopilot) !== uid) ||
          (Math.abs(former.bootedAt - bootedAt) <= LATE && Math.abs(bootedAtOf(autopilot) - bootedAt) > LATE)),
    );
  }

  private show(vehicle: Tracked): void {
    vehicle.isShown = true;
    this.states.set(vehicle.key, vehicle.state);
    this.changes(vehicle);
    this.emit({ ...this.happened(vehicle), type: 'vehicle' });
    for (const text of vehicle.texts) this.emit({ ...this.happened(vehicle), type: 'text', text });
  }

  private join(vehicle: Tracked, rival: Tracked): void {
    this.vehicles.delete(vehicle);
    for (const system of [vehicle.system, ...vehicle.others]) {
      this.tracked.set(system, rival);
      rival.others.push(system);
    }
    if (!this.states.delete(vehicle.key)) return;
    this.emit({ ...this.happened(vehicle), type: 'joined', into: rival.key });
  }

  /** A vehicle goes on at the address of a sender that is not known yet, or that had its place before. */
  private move(vehicle: Tracked, sender: Tracked, isBack: boolean): void {
    const { autopilot, system } = vehicle;
    const { address, lastActivity } = autopilot;
    const { autopilot: next } = sender;
    const to = next.address;
    const cause = !isBack && isReboot(autopilot, next) ? 'new source port' : '';
    if (isBack) {
      system.formers = system.formers.filter((former) => former.address !== to);
      // nothing that came from elsewhere is shown as the vehicle's
      for (const component of system.components.values()) {
        if (component.address !== address) continue;
        this.dropped.push(...component.messages.values());
        component.messages.clear();
        component.modeNames.clear();
      }
      autopilot.boot = next.boot;
    } else {
      const former = { address, until: lastActivity, uid: uidOf(autopilot), bootedAt: bootedAtOf(autopilot) };
      system.formers.push(former);
      if (system.formers.length > FORMERS) system.formers.splice(1, 1);
      autopilot.boot.move(next.lastSequence, to, this.now, next.since, cause);
    }
    vehicle.texts.push(...sender.texts);
    vehicle.texts.splice(0, vehicle.texts.length - LIVE_LIMITS.texts);
    this.vehicles.delete(sender);
    this.tracked.delete(sender.system);
    if (this.states.delete(sender.key)) this.emit({ ...this.happened(sender), type: 'joined', into: vehicle.key });
    this.links.get(system.link)?.move(system, address, to);
    if (cause !== '') this.rebooted(autopilot);
    if (!next.heartbeat) return;
    autopilot.heartbeat = next.heartbeat;
    this.heartbeat(autopilot, next.heartbeat);
  }

  /** Says of vehicles whose system id others have too where these are. */
  private tellConflicts(): void {
    const found = new Map<Tracked, Tracked>();
    for (const newer of this.vehicles) {
      for (const rival of newer.rivals.keys()) {
        if (!this.isConflict(newer, rival)) continue;
        if (!found.has(rival)) found.set(rival, newer);
        if (newer.isShown && !found.has(newer)) found.set(newer, rival);
      }
    }
    for (const vehicle of this.vehicles) {
      const isShared = vehicle.autopilot.boot.shared.isSeen(this.now);
      const other = isShared ? vehicle : found.get(vehicle);
      const isNew = other !== undefined && vehicle.conflict === null;
      vehicle.conflict = other ? conflictText(vehicle, other) : null;
      if (!isNew || !vehicle.isShown || vehicle.conflict === null) continue;
      const { link } = other.system;
      const told = { link, address: other.autopilot.address, text: vehicle.conflict };
      this.emit({ ...this.happened(vehicle), type: 'conflict', ...told });
    }
  }

  /** Whether both are heard and are not one. Collectors on a bus each have their own vehicles. */
  private isConflict(newer: Tracked, rival: Tracked): boolean {
    const isBus = [newer, rival].some(({ system }) => system.link.startsWith('nats:'));
    const isOld = [newer, rival].some(({ autopilot }) => !(this.now - autopilot.lastHeartbeat < CONFLICT));
    const isClear = newer.isShown || (newer.system.isRival && this.now - newer.foundAt > UNCLEAR);
    return this.vehicles.has(rival) && !isBus && !isOld && isClear;
  }

  /** What was taken for one vehicle on two links, and differs for some time, is two: the first link keeps its place. */
  private split(vehicle: Tracked): void {
    const { autopilot: a, system, others } = vehicle;
    for (const other of others) {
      const b = other.components.get(a.id);
      const isApart = b !== undefined && areApart(a, b);
      if (!isApart) other.apartSince = Number.NaN;
      else if (Number.isNaN(other.apartSince)) other.apartSince = this.now;
      if (!isApart || this.now - other.apartSince < UNCLEAR) continue;
      const isFirst = other === vehicle.first;
      if (isFirst) {
        vehicle.system = other;
        vehicle.autopilot = b;
      }
      others.splice(others.indexOf(other), 1);
      // it is found again by its next heartbeat
      this.tracked.delete(isFirst ? system : other);
      return;
    }
  }

  /** A component rebooted. */
  rebooted(component: Component): void {
    this.links.get(component.system.link)?.rebooted(component);
    const vehicle = this.tracked.get(component.system);
    if (vehicle?.autopilot !== component) return;
    const { cause } = component.boot;
    if (vehicle.isShown) this.emit({ ...this.happened(vehicle), type: 'reboot', cause });
    vehicle.freshFrom = component.boot.startedAt;
    vehicle.events?.restart();
    vehicle.plan.restart(this.now);
  }

  /** What PX4 says in numbers, and the files with the texts for it. */
  private eventOf(slot: MessageSlot): void {
    const { component } = slot;
    const vehicle = this.ofState(component);
    if (vehicle?.autopilot !== component || component.heartbeat?.autopilot !== PX4) return;
    const { unpack, requests = true, system = OUR_SYSTEM } = this.options;
    if (!unpack || !requests) return;
    if (slot.name === 'EVENT') {
      vehicle.events ??= new EventTexts({
        ...{ send: vehicle.asked.readFile, unpack, cache: this.definitions },
        found: ({ text }, level, time) =>
          this.said(vehicle.autopilot, eventText(vehicle.autopilot.id, level, text, time)),
      });
      const { id, sequence, log_levels: levels, arguments: values } = slot.data;
      const given = {
        id: Number(id),
        sequence: Number(sequence),
        levels: Number(levels),
        arguments: values as number[],
      };
      vehicle.events.event({ ...given, time: this.now });
      if (vehicle.events.needsMetadata) vehicle.plan.want('COMPONENT_METADATA');
    } else if (slot.name === 'COMPONENT_METADATA') {
      vehicle.events?.metadata(String(slot.data.uri ?? ''), Number(slot.data.file_crc));
    } else if (vehicle.events?.isReading && slot.data.target_system === system) {
      vehicle.events.answer(slot.data.payload as number[], this.now);
    }
  }

  /** One that the component began has its own time; in an answer it is that of the other side. */
  private timesync(component: Component, row: Row): void {
    if (Number(row.tc1) === 0 && component.boot.sync(Number(row.ts1), this.now)) this.rebooted(component);
  }

  private statusText(slot: MessageSlot): void {
    const { component, data } = slot;
    const field = (name: string): number => number(data[name]) ?? 0;
    const text = payloadField(slot, 'text');
    const whole = component.texts.take(field('severity'), text, field('id'), field('chunk_seq'), this.now);
    if (whole) this.said(component, whole);
  }

  private said(component: Component, text: StatusText): void {
    const { system } = component;
    if (BOOT_TEXT.test(text.text) && component.boot.sign('text', this.now)) this.rebooted(component);
    if (!this.tracked.has(system)) {
      this.early.push({ system, text });
      if (this.early.length > LIVE_LIMITS.texts) this.early.shift();
    }
    const vehicle = this.ofState(component);
    if (!vehicle || isEcho(vehicle.texts, text)) return;
    vehicle.texts.push(text);
    if (vehicle.texts.length > LIVE_LIMITS.texts) vehicle.texts.shift();
    if (vehicle.isShown) this.emit({ ...this.happened(vehicle), type: 'text', text });
  }

  /** The vehicle whose state is of a component's system: what it says on other links is the same again. */
  private ofState({ system }: Component): Tracked | undefined {
    const vehicle = this.tracked.get(system);
    return vehicle?.system === system ? vehicle : undefined;
  }

  private acknowledged(component: Component, row: Row): void {
    const { system = OUR_SYSTEM } = this.options;
    const target = number(row.target_system) ?? 0;
    if (target !== 0 && target !== system) return;
    const [command, result] = [number(row.command), number(row.result)];
    if (command === null || result === null) return;
    this.ofState(component)?.plan.answer(command, result, this.now);
  }

  private availableMode(component: Component, row: Row): void {
    const { modeNames } = component;
    const mode = number(row.custom_mode);
    const name = typeof row.mode_name === 'string' ? row.mode_name : '';
    // PX4 leaves the names of standard modes empty, and lists those that its build does not have
    if (mode === null || name === '' || name === NO_MODE) return;
    if (modeNames.size >= LIVE_LIMITS.modes && !modeNames.has(mode)) modeNames.delete([...modeNames.keys()][0]);
    modeNames.set(mode, name);
    const vehicle = this.ofState(component);
    if (vehicle) this.changes(vehicle);
  }

  /**
   * Lets time go by: time-outs and requests.
   * @param budget the commands that may be sent now
   */
  tick(time: number, budget: CommandBudget): void {
    const passed = time - this.lastTick;
    if (passed < -BACK) this.setBack(time);
    // this program or its clock was held up, not the vehicles: they get their time again
    if (passed < -BACK || passed > HELD_UP) this.heldUpUntil = time;
    this.lastTick = time;
    this.now = time;
    const { heartbeatTimeout = TIMEOUT, requests = true } = this.options;
    for (const vehicle of this.vehicles) {
      if (vehicle.rivals.size > 0 || !vehicle.isShown) this.decide(vehicle);
      if (!this.vehicles.has(vehicle)) continue;
      if (!vehicle.isShown && time - vehicle.autopilot.lastActivity > CONFLICT) this.remove(vehicle);
      if (vehicle.others.length > 0) this.split(vehicle);
      const { lastHeartbeat } = vehicle.autopilot;
      for (const component of vehicle.system.components.values()) this.lateTexts(component, time);
      if (vehicle.autopilot.boot.tick(time)) this.rebooted(vehicle.autopilot);
      vehicle.events?.tick(time, vehicle.armed === false && Number.isNaN(vehicle.lostAt));
      const heard = Math.max(lastHeartbeat, this.heldUpUntil);
      const patience = vehicle.autopilot.isSeldom ? Math.max(SELDOM, heartbeatTimeout * 1000) : heartbeatTimeout * 1000;
      if (Number.isNaN(vehicle.lostAt) && time - heard > patience) {
        vehicle.lostAt = time;
        vehicle.lostCount++;
        if (vehicle.isShown) this.emit({ ...this.happened(vehicle), type: 'lost', lastHeartbeat });
      }
    }
    this.tellConflicts();
    if (requests) this.ask(time, budget);
  }

  /** Lets vehicles ask, in turn, as long as anything may be sent: with hundreds of them most need not be looked at. */
  private ask(time: number, budget: CommandBudget): void {
    const vehicles = [...this.vehicles];
    for (let i = 0; i < vehicles.length && budget.isLeft; i++) {
      const vehicle = vehicles[this.turn++ % vehicles.length];
      // every byte over a satellite costs, and rates are useless there
      const isThere = vehicles.length <= MANY || this.isHeard(vehicle.autopilot);
      const isAsked = isThere && Number.isNaN(vehicle.lostAt) && !vehicle.autopilot.isSeldom;
      if (isAsked) vehicle.plan.tick(time, () => budget.take());
    }
    this.turn %= Math.max(1, vehicles.length);
  }

  /** The clock was set back: what was planned for later, or was heard later, is of now. */
  private setBack(time: number): void {
    for (const { plan, autopilot } of this.vehicles) {
      plan.restart(time);
      autopilot.lastHeartbeat = Math.min(autopilot.lastHeartbeat, time);
    }
  }

  private lateTexts(component: Component, time: number): void {
    if (component.texts.isWaiting) for (const text of component.texts.late(time)) this.said(component, text);
  }

  private firmwareKnown(component: Component): void {
    const vehicle = this.ofState(component);
    if (vehicle?.isShown) this.emit({ ...this.happened(vehicle), type: 'firmware' });
  }

  private happened({ key, system }: Tracked): { vehicle: string; link: string; time: number } {
    return { vehicle: key, link: system.link, time: this.now };
  }
}

/** Whether a text came just before, as an event or as a text: PX4 says some things in both ways. */
function isEcho(texts: readonly StatusText[], { text, time, isEvent }: StatusText): boolean {
  return texts.some((each) => each.isEvent !== isEvent && each.text === text && Math.abs(time - each.time) < ECHO);
}

/** Whether a vehicle that goes on at another address was started again. */
function isReboot(before: Component, next: Component): boolean {
  const later = bootedAtOf(next) - bootedAtOf(before);
  if (!Number.isNaN(later)) return later > LATE;
  const { firstSequence } = next;
  const ahead = (firstSequence - before.lastSequence) & 0xff;
  return firstSequence < NEAR_ZERO || (firstSequence < FAR && ahead > FAR);
}

/** @param other the vehicle itself where another one sends from its address */
function conflictText(vehicle: Tracked, other: Tracked): string {
  const { system } = vehicle;
  const { link } = other.system;
  const { address } = other.autopilot;
  if (other === vehicle)
    return `two vehicles with system id ${system.id} send ${address === '' ? `on ${link}` : `from ${address}`}: values are mixed`;
  const where = link === system.link ? `from ${address}` : `on ${link}`;
  return `system ${system.id} is also sent ${where}: ${other.isShown ? `shown as ${other.key}` : 'not shown'}`;
}
