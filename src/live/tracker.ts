import type { Row } from '../core/table.ts';
import { isVehicle, PX4 } from '../facts/heartbeat.ts';
import { number } from './battery.ts';
import type { Listeners, VehicleEvent } from './events.ts';
import { EVERYONE, type Heartbeat, readHeartbeat } from './heartbeat.ts';
import { areApart, bootedAtOf, uidOf } from './identity.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LiveLink } from './live-link.ts';
import { type MessageSlot, payloadField } from './message.ts';
import { type LiveOptions, OUR_COMPONENT, OUR_SYSTEM } from './options.ts';
import type { Rates } from './rates.ts';
import {
  CONFLICT,
  conflictText,
  freeId,
  isConflict,
  isHeardTwice,
  isReboot,
  relationOf,
  UNCLEAR,
  wasRebooted,
} from './relation.ts';
import { HIGH_LATENCY, latencyHeartbeat } from './state.ts';
import type { Component, System } from './system.ts';
import { eventText, type StatusText } from './texts.ts';
import { type CommandBudget, SentCommands } from './vehicle/commands.ts';
import { type DefinitionCache, EventTexts } from './vehicle/event-texts.ts';
import type { FrameSender } from './vehicle/frame-sender.ts';
import { LiveVehicle } from './vehicle.ts';

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
/** Addresses of a vehicle that are remembered. */
const FORMERS = 4;
/** Between an event and a text that say the same. */
const ECHO = 3e6;
/** With more vehicles than this, only those are asked that go on sending heartbeats. */
const MANY = 64;
/** Vehicles that are looked at in a tick, at most. */
const LOOKED_AT = 32;

/** What an event has beyond the vehicle, its link and the time. */
type EventFields = VehicleEvent extends infer E
  ? E extends VehicleEvent
    ? Omit<E, 'vehicle' | 'link' | 'time'> & { readonly link?: string }
    : never
  : never;

/** Finds vehicles by their heartbeats, follows what they say of themselves, and asks them for messages. */
export class Tracker {
  /** Those that are listed, in the order in which they were found. */
  readonly shown: Map<string, LiveVehicle> = new Map();
  /** The time of what is being read, or of the last tick. */
  now: number = Number.NaN;
  /** Messages of the state of vehicles that are of no use any more. */
  readonly dropped: MessageSlot[] = [];
  readonly options: LiveOptions;
  readonly sender: FrameSender;
  readonly rates: Rates;
  readonly links: ReadonlyMap<string, LiveLink>;
  readonly commands: SentCommands;
  private readonly listeners: Listeners;
  private readonly vehicles: Set<LiveVehicle> = new Set();
  /** A vehicle that is heard on several links has a system on each. */
  private readonly tracked: Map<System, LiveVehicle> = new Map();
  /** Texts of systems without a heartbeat so far: a vehicle that boots sends texts first. */
  private early: { readonly system: System; readonly text: StatusText }[] = [];
  private lastTick: number = Number.NaN;
  private heldUpUntil = 0;
  /** Whose turn it is to ask. */
  private turn = 0;
  private readonly definitions: DefinitionCache = new Map();

  constructor(
    options: LiveOptions,
    sender: FrameSender,
    rates: Rates,
    links: ReadonlyMap<string, LiveLink>,
    listeners: Listeners,
  ) {
    this.options = options;
    this.sender = sender;
    this.rates = rates;
    this.links = links;
    this.listeners = listeners;
    this.commands = new SentCommands(options.system ?? OUR_SYSTEM, options.component ?? OUR_COMPONENT);
  }

  /** The id of the vehicle whose state is of a system, or null if none: what comes on two links counts once. */
  idOf(system: System): string | null {
    const vehicle = this.tracked.get(system);
    return vehicle?.isShown && vehicle.source === system ? vehicle.id : null;
  }

  /** Whether there is room for no more vehicles. */
  get isFull(): boolean {
    return this.vehicles.size >= LIVE_LIMITS.vehicles;
  }

  /** Whether a component speaks for a vehicle that sends heartbeats one after the other. */
  isHeard(component: Component): boolean {
    const vehicle = this.tracked.get(component.system);
    const silence = this.now - component.lastHeartbeat;
    return vehicle?.speaker === component && component.heartbeats > 1 && silence < LIVE_LIMITS.silence;
  }

  /** A component is gone, and with it the vehicle that it speaks for. */
  forget(component: Component): void {
    const vehicle = this.tracked.get(component.system);
    if (vehicle?.speaker === component) this.remove(vehicle);
  }

  private remove(vehicle: LiveVehicle): void {
    for (const system of [vehicle.source, ...vehicle.others]) this.tracked.delete(system);
    this.vehicles.delete(vehicle);
    vehicle.logs?.drop('the vehicle is gone');
    if (this.shown.delete(vehicle.id)) this.emit(vehicle, { type: 'removed' });
  }

  /** A message came whose content matters at once. */
  receive(slot: MessageSlot): void {
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
      case 'LOG_ENTRY':
      case 'LOG_DATA':
        this.speakerOf(component)?.logs?.receive(slot.name, slot.data, this.now);
        break;
      case 'FILE_TRANSFER_PROTOCOL':
        this.fileAnswer(slot);
        break;
      case 'EVENT':
      case 'COMPONENT_METADATA':
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
    // system 0 is all vehicles: what is sent to it would reach each of them
    if (!isVehicle(autopilot, type) || component.system.id === EVERYONE) return;
    const vehicle = this.tracked.get(component.system);
    if (!vehicle) {
      if (!this.isFull) this.find(component);
      return;
    }
    if (vehicle.source !== component.system && !this.switchTo(vehicle, component)) return;
    if (vehicle.speaker !== component) {
      // one component speaks for the vehicle, and keeps to it: the usual one, or the first
      const isBetter = component.id === AUTOPILOT || vehicle.lostAt !== null;
      if (!isBetter || component.address !== vehicle.speaker.address) return;
      vehicle.speaker = component;
    }
    const isBooting = heartbeat.systemStatus === BOOTING;
    if (wasUp && isBooting && component.boot.sign('heartbeat', this.now)) this.rebooted(component);
    if (vehicle.lostAt !== null) {
      vehicle.lostAt = null;
      vehicle.freshFrom = this.now;
      if (vehicle.isShown) this.emit(vehicle, { type: 'recovered', silence });
      vehicle.plan.restart(this.now);
    }
    this.changes(vehicle);
  }

  /** Takes the state from another link, if the one that it is from is silent. */
  private switchTo(vehicle: LiveVehicle, component: Component): boolean {
    if (component.id !== vehicle.speaker.id || !(this.now - vehicle.speaker.lastHeartbeat > SWITCH)) return false;
    const previous = vehicle.source.link;
    vehicle.others.splice(vehicle.others.indexOf(component.system), 1, vehicle.source);
    vehicle.source = component.system;
    vehicle.speaker = component;
    this.emit(vehicle, { type: 'switched', previous });
    vehicle.plan.restart(this.now);
    return true;
  }

  private changes(vehicle: LiveVehicle): void {
    if (!vehicle.isShown) return;
    const { mode, modeNumber, armed } = vehicle;
    if (armed || vehicle.isReady) vehicle.readyAt = this.now;
    // a mode that we have no name for: scripts and newer firmware have their own names
    if (mode.startsWith(UNNAMED)) vehicle.plan.requestOnce('AVAILABLE_MODES');
    const previous = vehicle.reportedMode;
    // its own word for a mode that has a name already is not a change
    const isOther = modeNumber !== vehicle.reportedModeNumber || previous.startsWith(UNNAMED);
    vehicle.reportedMode = mode;
    vehicle.reportedModeNumber = modeNumber;
    if (mode !== previous && isOther) this.emit(vehicle, { type: 'mode', mode, previous });
    if (armed !== null && armed !== vehicle.reportedArmed) {
      vehicle.reportedArmed = armed;
      // armed, it has a home
      if (armed) vehicle.plan.requestHome(this.now);
      this.emit(vehicle, { type: 'armed', armed });
    }
  }

  private find(autopilot: Component): void {
    const { system } = autopilot;
    const rivals = [...this.vehicles].filter((each) => each.source.id === system.id).slice(0, RIVALS);
    const texts = this.early.filter((each) => each.system === system).map(({ text }) => text);
    const vehicle = new LiveVehicle(this, freeId(autopilot, rivals), autopilot, texts, rivals);
    this.early = this.early.filter((each) => each.system !== system);
    this.vehicles.add(vehicle);
    this.tracked.set(system, vehicle);
    this.decide(vehicle);
  }

  /** Another sender of a system id may be a known vehicle. Until that is clear it is asked, but not shown. */
  private decide(vehicle: LiveVehicle): void {
    const timeout = (this.options.heartbeatTimeout ?? TIMEOUT) * 1000;
    let isOther = true;
    for (const [rival, identity] of vehicle.rivals) {
      if (!this.vehicles.has(rival)) {
        vehicle.rivals.delete(rival);
        continue;
      }
      const relation = relationOf(vehicle, rival, identity, this.now, timeout);
      if (relation === 'one') this.join(vehicle, rival);
      if (relation === 'moved' || relation === 'returned') this.move(rival, vehicle, relation === 'returned');
      if (!this.vehicles.has(vehicle)) return;
      if (relation !== 'two') isOther = false;
    }
    const age = this.now - vehicle.foundAt;
    if (!vehicle.isShown && (isOther || age > DECIDE) && isHeardTwice(vehicle)) this.show(vehicle);
  }

  private show(vehicle: LiveVehicle): void {
    vehicle.isShown = true;
    this.shown.set(vehicle.id, vehicle);
    this.changes(vehicle);
    this.emit(vehicle, { type: 'vehicle' });
    for (const text of vehicle.texts) this.emit(vehicle, { type: 'text', text });
  }

  private join(vehicle: LiveVehicle, rival: LiveVehicle): void {
    this.vehicles.delete(vehicle);
    for (const system of [vehicle.source, ...vehicle.others]) {
      this.tracked.set(system, rival);
      rival.others.push(system);
    }
    vehicle.logs?.drop('the vehicle is gone');
    if (!this.shown.delete(vehicle.id)) return;
    this.emit(vehicle, { type: 'joined', into: rival.id });
  }

  /** A vehicle goes on at the address of a sender that is not known yet, or that had its place before. */
  private move(vehicle: LiveVehicle, sender: LiveVehicle, isBack: boolean): void {
    const { speaker, source } = vehicle;
    const { address, lastActivity } = speaker;
    const { speaker: next } = sender;
    const to = next.address;
    const isBooted = isBack ? wasRebooted(source, next) : isReboot(speaker, next);
    const cause = isBooted ? 'new source port' : '';
    if (isBack) {
      source.formers = source.formers.filter((former) => former.address !== to);
      // nothing that came from elsewhere is shown as the vehicle's
      for (const component of source.components.values()) {
        if (component.address !== address) continue;
        this.dropped.push(...component.messages.values());
        component.messages.clear();
        component.modeNames.clear();
      }
      speaker.boot = next.boot;
      if (cause !== '') speaker.boot.move(next.lastSequence, to, this.now, next.since, cause);
    } else {
      const former = { address, until: lastActivity, uid: uidOf(speaker), bootedAt: bootedAtOf(speaker) };
      source.formers.push(former);
      if (source.formers.length > FORMERS) source.formers.splice(1, 1);
      speaker.boot.move(next.lastSequence, to, this.now, next.since, cause);
    }
    vehicle.texts.push(...sender.texts);
    vehicle.texts.splice(0, vehicle.texts.length - LIVE_LIMITS.texts);
    this.vehicles.delete(sender);
    this.tracked.delete(sender.source);
    if (this.shown.delete(sender.id)) this.emit(sender, { type: 'joined', into: vehicle.id });
    this.links.get(source.link)?.move(source, address, to);
    if (cause !== '') this.rebooted(speaker);
    // what is known of it was asked of the other sender
    else if (isBack) vehicle.plan.restart(this.now);
    if (!next.heartbeat) return;
    speaker.heartbeat = next.heartbeat;
    this.heartbeat(speaker, next.heartbeat);
  }

  /** Reports where other senders use the system id of a vehicle. */
  private reportConflicts(): void {
    const found = new Map<LiveVehicle, LiveVehicle>();
    for (const newer of this.vehicles) {
      for (const rival of newer.rivals.keys()) {
        if (!this.vehicles.has(rival) || !isConflict(newer, rival, this.now)) continue;
        if (!found.has(rival)) found.set(rival, newer);
        if (newer.isShown && !found.has(newer)) found.set(newer, rival);
      }
    }
    for (const vehicle of this.vehicles) {
      const other = vehicle.isMixed ? vehicle : found.get(vehicle);
      const isNew = other !== undefined && vehicle.conflict === null;
      vehicle.conflict = other ? conflictText(vehicle, other) : null;
      if (!isNew || !vehicle.isShown || vehicle.conflict === null) continue;
      const { link } = other.source;
      const where = { link, address: other.speaker.address, text: vehicle.conflict };
      this.emit(vehicle, { type: 'conflict', ...where });
    }
  }

  /** One vehicle on two links whose values differ for some time is two vehicles: the first link keeps its id. */
  private split(vehicle: LiveVehicle): void {
    const { speaker: a, source, others } = vehicle;
    for (const other of others) {
      const b = other.components.get(a.id);
      const isApart = b !== undefined && areApart(a, b);
      if (!isApart) other.apartSince = Number.NaN;
      else if (Number.isNaN(other.apartSince)) other.apartSince = this.now;
      if (!isApart || this.now - other.apartSince < UNCLEAR) continue;
      const isFirst = other === vehicle.first;
      if (isFirst) {
        vehicle.source = other;
        vehicle.speaker = b;
      }
      others.splice(others.indexOf(other), 1);
      // it is found again by its next heartbeat
      this.tracked.delete(isFirst ? source : other);
      return;
    }
  }

  rebooted(component: Component): void {
    this.links.get(component.system.link)?.rebooted(component);
    const vehicle = this.tracked.get(component.system);
    if (vehicle?.speaker !== component) return;
    const { cause } = component.boot;
    if (vehicle.isShown) this.emit(vehicle, { type: 'reboot', cause });
    vehicle.freshFrom = component.boot.startedAt;
    vehicle.events?.restart();
    vehicle.logs?.stop('the vehicle rebooted');
    vehicle.plan.restart(this.now);
  }

  /** What PX4 says in numbers, and the files with the texts for it. */
  private eventOf(slot: MessageSlot): void {
    const { component } = slot;
    const vehicle = this.speakerOf(component);
    if (!vehicle || component.heartbeat?.autopilot !== PX4) return;
    const { unpack, requests = true } = this.options;
    if (!unpack || !requests) return;
    if (slot.name === 'EVENT') {
      vehicle.events ??= new EventTexts({
        ...{ send: (payload) => this.sender.readFile(vehicle.target, payload), unpack, cache: this.definitions },
        found: ({ text }, level, time) => this.said(vehicle.speaker, eventText(vehicle.speaker.id, level, text, time)),
      });
      const { id, sequence, log_levels: levels, arguments: values } = slot.data;
      vehicle.events.event({
        id: Number(id),
        sequence: Number(sequence),
        levels: Number(levels),
        arguments: values as number[],
        time: this.now,
      });
      if (vehicle.events.needsMetadata) vehicle.plan.requestOnce('COMPONENT_METADATA');
    } else vehicle.events?.metadata(String(slot.data.uri ?? ''), Number(slot.data.file_crc));
  }

  /** An answer of MAVFTP to one of those that ask us for files. */
  private fileAnswer({ component, data }: MessageSlot): void {
    const vehicle = this.speakerOf(component);
    const { system = OUR_SYSTEM } = this.options;
    if (!vehicle || !(vehicle.events?.isReading || vehicle.logs?.isBusy) || data.target_system !== system) return;
    const payload = data.payload as number[];
    vehicle.events?.answer(payload, this.now);
    vehicle.logs?.answer(payload, this.now);
  }

  /** The vehicle that a component speaks for. */
  private speakerOf(component: Component): LiveVehicle | undefined {
    const vehicle = this.ofState(component);
    return vehicle?.speaker === component ? vehicle : undefined;
  }

  /** One that the component began has its own time; in an answer it is that of the other side. */
  private timesync(component: Component, row: Row): void {
    if (Number(row.tc1) === 0 && component.boot.sync(Number(row.ts1), this.now)) this.rebooted(component);
  }

  private statusText(slot: MessageSlot): void {
    const { component, data } = slot;
    const field = (name: string): number => number(data[name]) ?? 0;
    const text = payloadField(slot, 'text');
    const whole = component.texts.push(field('severity'), text, field('id'), field('chunk_seq'), this.now);
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
    if (vehicle.isShown) this.emit(vehicle, { type: 'text', text });
  }

  /** The vehicle whose state is of a component's system: what it says on other links is the same again. */
  private ofState({ system }: Component): LiveVehicle | undefined {
    const vehicle = this.tracked.get(system);
    return vehicle?.source === system ? vehicle : undefined;
  }

  private acknowledged(component: Component, row: Row): void {
    const vehicle = this.ofState(component);
    if (!vehicle) return;
    const { system = OUR_SYSTEM } = this.options;
    const target = number(row.target_system) ?? 0;
    const [command, result] = [number(row.command), number(row.result)];
    if (command !== null && result !== null && (target === 0 || target === system))
      vehicle.plan.answer(command, result, this.now);
    const answer = vehicle.isShown ? this.commands.answer(vehicle.id, component.id, row, this.now) : undefined;
    if (answer) this.emit(vehicle, { type: 'ack', ...answer });
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

  /** Time-outs and requests. @param budget the commands that may be sent now */
  tick(time: number, budget: CommandBudget): void {
    const passed = time - this.lastTick;
    if (passed < -BACK) this.setBack(time);
    // this program or its clock was held up, not the vehicles: their timeouts start again
    if (passed < -BACK || passed > HELD_UP) this.heldUpUntil = time;
    this.lastTick = time;
    this.now = time;
    const { heartbeatTimeout = TIMEOUT, requests = true } = this.options;
    for (const vehicle of this.vehicles) {
      if (vehicle.rivals.size > 0 || !vehicle.isShown) this.decide(vehicle);
      if (!this.vehicles.has(vehicle)) continue;
      if (!vehicle.isShown && time - vehicle.speaker.lastActivity > CONFLICT) this.remove(vehicle);
      if (vehicle.others.length > 0) this.split(vehicle);
      const { lastHeartbeat } = vehicle.speaker;
      for (const component of vehicle.source.components.values()) this.lateTexts(component, time);
      if (vehicle.speaker.boot.tick(time)) this.rebooted(vehicle.speaker);
      const hasSession = vehicle.events?.isReading === true || !vehicle.logs?.isBusy;
      vehicle.events?.tick(time, vehicle.armed === false && vehicle.lostAt === null && hasSession);
      vehicle.logs?.tick(time);
      const heard = Math.max(lastHeartbeat, this.heldUpUntil);
      const patience = vehicle.speaker.isSeldom ? Math.max(SELDOM, heartbeatTimeout * 1000) : heartbeatTimeout * 1000;
      if (vehicle.lostAt === null && time - heard > patience) {
        vehicle.lostAt = time;
        vehicle.lostCount++;
        if (vehicle.isShown) this.emit(vehicle, { type: 'lost', lastHeartbeat });
      }
    }
    this.reportConflicts();
    if (requests) this.ask(time, budget);
  }

  /** Lets vehicles ask, in turn, as long as anything may be sent: with hundreds of them most need not be looked at. */
  private ask(time: number, budget: CommandBudget): void {
    const vehicles = [...this.vehicles];
    for (let i = Math.min(vehicles.length, LOOKED_AT); i > 0 && budget.isLeft; i--) {
      const vehicle = vehicles[this.turn++ % vehicles.length];
      // every byte over a satellite costs, and rates are useless there
      const isThere = vehicles.length <= MANY || this.isHeard(vehicle.speaker);
      const isAsked = isThere && vehicle.lostAt === null && !vehicle.speaker.isSeldom;
      if (isAsked) vehicle.plan.tick(time, () => budget.use());
    }
    this.turn %= Math.max(1, vehicles.length);
  }

  /** The clock was set back: what was planned for later, or was heard later, is of now. */
  private setBack(time: number): void {
    for (const { plan, speaker } of this.vehicles) {
      plan.restart(time);
      speaker.lastHeartbeat = Math.min(speaker.lastHeartbeat, time);
    }
  }

  private lateTexts(component: Component, time: number): void {
    if (component.texts.isWaiting) for (const text of component.texts.late(time)) this.said(component, text);
  }

  private firmwareKnown(component: Component): void {
    const vehicle = this.ofState(component);
    if (vehicle?.isShown) this.emit(vehicle, { type: 'firmware' });
  }

  private emit({ id, link }: LiveVehicle, event: EventFields): void {
    this.listeners.emit({ vehicle: id, link, time: this.now, ...event } as VehicleEvent);
  }
}

/** Whether a text came just before, as an event or as a text: PX4 says some things in both ways. */
function isEcho(texts: readonly StatusText[], { text, time, isEvent }: StatusText): boolean {
  return texts.some((each) => each.isEvent !== isEvent && each.text === text && Math.abs(time - each.time) < ECHO);
}
