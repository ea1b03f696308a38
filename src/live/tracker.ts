import { isVehicle } from '../analyze/heartbeat.ts';
import { LIVE_LIMITS } from '../core/limits.ts';
import type { Row } from '../core/table.ts';
import { askedOf } from './asked.ts';
import { number } from './battery.ts';
import type { CommandBudget } from './command-budget.ts';
import { type Component, type Heartbeat, heartbeatOf } from './component.ts';
import type { LiveEvent } from './events.ts';
import { HIGH_LATENCY, latencyHeartbeat } from './high-latency.ts';
import { Identity } from './identity.ts';
import { type MessageSlot, payloadField } from './message-slot.ts';
import { type LiveOptions, OUR_SYSTEM } from './options.ts';
import type { Outbox } from './outbox.ts';
import { PROFILES } from './profile.ts';
import type { Rates } from './rates.ts';
import { RequestPlan, type Wish } from './request-plan.ts';
import type { System } from './system.ts';
import type { StatusText } from './texts.ts';
import { type VehicleRecord, VehicleState } from './vehicle.ts';

/** The component id that an autopilot has by custom. */
const AUTOPILOT = 1;
const TIMEOUT = 5000;
/** Microseconds by which the clock may step back, and between two ticks of which there should be ten a second. */
const BACK = 1e6;
const HELD_UP = 2e6;

/** Microseconds that it may take to find out whether a system on one more link is a vehicle that is known. */
const DECIDE = 6e6;
/** Without a sign of a vehicle that sends one in a minute, until it is lost. */
const SELDOM = 200e6;
/** A link without heartbeats for so long is left for another one on which the vehicle is heard. */
const SWITCH = 2.5e6;

interface Tracked extends VehicleRecord {
  readonly state: VehicleState;
  readonly plan: RequestPlan;
  mode: string;
  armed: boolean | null;
  /** Vehicles with the same system id on other links, any of which may be this one. */
  readonly rivals: ReadonlyMap<Tracked, Identity>;
  isShown: boolean;
}

/** What the tracker shares with the collector that it works for. */
export interface TrackerContext {
  readonly options: LiveOptions;
  readonly outbox: Outbox;
  readonly rates: Rates;
  readonly now: () => number;
  readonly radio: (link: string) => MessageSlot | undefined;
  readonly tell: (event: LiveEvent) => void;
}

/** Finds vehicles by their heartbeats, follows what they say of themselves, and asks them for messages. */
export class Tracker {
  readonly states: Map<string, VehicleState> = new Map();
  private readonly context: TrackerContext;
  private readonly vehicles: Set<Tracked> = new Set();
  /** A vehicle that is heard on several links has a system on each. */
  private readonly tracked: Map<System, Tracked> = new Map();
  private found = 0;
  /** What was said by systems of which no heartbeat came yet: a vehicle that starts speaks before its heart beats. */
  private early: { readonly system: System; readonly text: StatusText }[] = [];
  private now: number = Number.NaN;
  private lastTick: number = Number.NaN;
  private heldUpUntil = 0;
  /** Whose turn it is to ask. */
  private turn = 0;

  constructor(context: TrackerContext) {
    this.context = context;
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

  /** Whether a component is the autopilot of one of the vehicles that were found first. */
  isFirst(system: System, component: number): boolean {
    const vehicle = this.tracked.get(system);
    return vehicle !== undefined && vehicle.order < LIVE_LIMITS.firstVehicles && vehicle.autopilot.id === component;
  }

  /** What a vehicle was asked for, and what became of it. */
  wishes(vehicle: string): readonly Wish[] {
    return this.byKey(vehicle)?.plan.wishes ?? [];
  }

  /** Asks a vehicle for a message so often, or once for 0. Throws a sentence where that cannot be. */
  demand(vehicle: string, message: string, rate: number): void {
    const found = this.byKey(vehicle);
    if (!found) throw new RangeError(`no vehicle ${vehicle} is known`);
    if (this.context.options.requests === false)
      throw new RangeError('vehicles are asked for nothing: requests are off');
    found.plan.demand(message, rate, this.context.now());
  }

  /** A message came that is more than the latest of its kind. */
  take(slot: MessageSlot, now: number): void {
    this.now = now;
    const { component } = slot;
    switch (slot.name) {
      case 'HEARTBEAT':
        component.isSeldom = false;
        this.heartbeat(component, heartbeatOf(slot.data));
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
        this.tellOf(component, 'firmware');
    }
  }

  private heartbeat(component: Component, heartbeat: Heartbeat): void {
    const silence = this.now - component.lastHeartbeat;
    component.heartbeat = heartbeat;
    component.lastHeartbeat = this.now;
    const { type, autopilot } = heartbeat;
    if (!isVehicle(autopilot, type)) return;
    const vehicle = this.tracked.get(component.system);
    if (!vehicle) {
      this.find(component);
      return;
    }
    if (vehicle.system !== component.system && !this.switchTo(vehicle, component)) return;
    if (vehicle.autopilot !== component) {
      // one component speaks for the vehicle, and keeps to it: the usual one, or the first
      const isBetter = component.id === AUTOPILOT || !Number.isNaN(vehicle.lostAt);
      if (!isBetter) return;
      vehicle.autopilot = component;
    }
    if (!Number.isNaN(vehicle.lostAt)) {
      vehicle.lostAt = Number.NaN;
      if (vehicle.isShown) this.context.tell({ ...this.happened(vehicle), type: 'recovered', silence });
      vehicle.plan.restart(this.now, false);
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
    this.context.tell({ ...this.happened(vehicle), type: 'switched', previous });
    vehicle.plan.restart(this.now, false);
    return true;
  }

  private changes(vehicle: Tracked): void {
    if (!vehicle.isShown) return;
    const { mode, armed } = vehicle.state;
    // a mode that we have no name for: scripts and newer firmware have names of their own
    if (mode.startsWith('MODE(')) vehicle.plan.want('AVAILABLE_MODES');
    if (mode !== vehicle.mode) {
      const previous = vehicle.mode;
      vehicle.mode = mode;
      this.context.tell({ ...this.happened(vehicle), type: 'mode', mode, previous });
    }
    if (armed !== null && armed !== vehicle.armed) {
      vehicle.armed = armed;
      this.context.tell({ ...this.happened(vehicle), type: 'armed', armed });
    }
  }

  private find(autopilot: Component): void {
    const { system } = autopilot;
    const { now } = this;
    const { options, rates, radio } = this.context;
    const rivals = [...this.vehicles].filter((each) => each.system.id === system.id);
    const record: VehicleRecord = {
      key: rivals.length > 0 ? `${system.id}@${system.link}` : String(system.id),
      ...{ system, autopilot, others: [] },
      texts: this.early.filter((each) => each.system === system).map(({ text }) => text),
      ...{ foundAt: now, lostAt: Number.NaN, lostCount: 0 },
      order: this.found++,
    };
    const state = new VehicleState(record, { rates, now: this.context.now, radio });
    const { profile = PROFILES.default, streamRequests = 'needed' } = options;
    const vehicle: Tracked = Object.assign(record, {
      state,
      plan: new RequestPlan(askedOf(record, this.context), profile, streamRequests, now),
      ...{ mode: state.mode, armed: state.armed, isShown: false },
      rivals: new Map(rivals.map((rival) => [rival, new Identity()])),
    });
    this.early = this.early.filter((each) => each.system !== system);
    this.vehicles.add(vehicle);
    this.tracked.set(system, vehicle);
    this.decide(vehicle);
  }

  /** A system on one more link may be a vehicle that is known. Until that is clear it is asked, but not shown. */
  private decide(vehicle: Tracked): void {
    const verdicts = [...vehicle.rivals].map(([rival, identity]) => ({
      rival,
      verdict: this.vehicles.has(rival) ? identity.verdict(rival.autopilot, vehicle.autopilot) : 'two',
    }));
    const same = verdicts.find(({ verdict }) => verdict === 'one');
    const isOwn = verdicts.every(({ verdict }) => verdict === 'two');
    if (same) this.join(vehicle, same.rival);
    else if (!vehicle.isShown && (isOwn || this.now - vehicle.foundAt > DECIDE)) this.show(vehicle);
  }

  private show(vehicle: Tracked): void {
    vehicle.isShown = true;
    this.states.set(vehicle.key, vehicle.state);
    this.changes(vehicle);
    this.context.tell({ ...this.happened(vehicle), type: 'vehicle' });
    for (const text of vehicle.texts) this.context.tell({ ...this.happened(vehicle), type: 'text', text });
  }

  private join(vehicle: Tracked, rival: Tracked): void {
    this.vehicles.delete(vehicle);
    this.tracked.set(vehicle.system, rival);
    rival.others.push(vehicle.system);
    if (!this.states.delete(vehicle.key)) return;
    this.context.tell({ ...this.happened(vehicle), type: 'joined', into: rival.key });
  }

  /** A component was started again. */
  rebooted(component: Component, now: number): void {
    this.now = now;
    const vehicle = this.tracked.get(component.system);
    if (vehicle?.autopilot !== component) return;
    this.tellOf(component, 'reboot');
    vehicle.plan.restart(now, true);
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
    if (!this.tracked.has(system)) {
      this.early.push({ system, text });
      if (this.early.length > LIVE_LIMITS.texts) this.early.shift();
    }
    const vehicle = this.ofState(component);
    if (!vehicle) return;
    vehicle.texts.push(text);
    if (vehicle.texts.length > LIVE_LIMITS.texts) vehicle.texts.shift();
    if (vehicle.isShown) this.context.tell({ ...this.happened(vehicle), type: 'text', text });
  }

  /** The vehicle whose state is of a component's system: what it says on other links is the same once more. */
  private ofState({ system }: Component): Tracked | undefined {
    const vehicle = this.tracked.get(system);
    return vehicle?.system === system ? vehicle : undefined;
  }

  private acknowledged(component: Component, row: Row): void {
    const { system = OUR_SYSTEM } = this.context.options;
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
    if (mode === null || name === '' || (modeNames.size >= LIVE_LIMITS.modes && !modeNames.has(mode))) return;
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
    const { heartbeatTimeout = TIMEOUT, requests = true } = this.context.options;
    for (const vehicle of this.vehicles) {
      if (vehicle.rivals.size > 0) this.decide(vehicle);
      if (!this.vehicles.has(vehicle)) continue;
      const { lastHeartbeat } = vehicle.autopilot;
      for (const component of vehicle.system.components.values()) this.lateTexts(component, time);
      const heard = Math.max(lastHeartbeat, this.heldUpUntil);
      const patience = vehicle.autopilot.isSeldom ? Math.max(SELDOM, heartbeatTimeout * 1000) : heartbeatTimeout * 1000;
      if (Number.isNaN(vehicle.lostAt) && time - heard > patience) {
        vehicle.lostAt = time;
        vehicle.lostCount++;
        if (vehicle.isShown) this.context.tell({ ...this.happened(vehicle), type: 'lost', lastHeartbeat });
      }
    }
    if (requests) this.ask(time, budget);
  }

  /** Lets vehicles ask, in turn, as long as anything may be sent: with hundreds of them most need not be looked at. */
  private ask(time: number, budget: CommandBudget): void {
    const vehicles = [...this.vehicles];
    for (let i = 0; i < vehicles.length && budget.isLeft; i++) {
      const vehicle = vehicles[this.turn++ % vehicles.length];
      // every byte over a satellite costs, and rates are no use there
      const isAsked = Number.isNaN(vehicle.lostAt) && !vehicle.autopilot.isSeldom;
      if (isAsked) vehicle.plan.tick(time, () => budget.take());
    }
    this.turn %= Math.max(1, vehicles.length);
  }

  /** The clock was set back: what was planned for later, or was heard later, is of now. */
  private setBack(time: number): void {
    for (const { plan, autopilot } of this.vehicles) {
      plan.restart(time, false);
      autopilot.lastHeartbeat = Math.min(autopilot.lastHeartbeat, time);
    }
  }

  private lateTexts(component: Component, time: number): void {
    if (component.texts.isWaiting) for (const text of component.texts.late(time)) this.said(component, text);
  }

  private tellOf(component: Component, type: 'firmware' | 'reboot'): void {
    const vehicle = this.ofState(component);
    if (vehicle?.isShown) this.context.tell({ ...this.happened(vehicle), type });
  }

  private happened({ key, system }: Tracked): { vehicle: string; link: string; time: number } {
    return { vehicle: key, link: system.link, time: this.now };
  }
}
