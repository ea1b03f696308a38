import { isVehicle } from '../analyze/heartbeat.ts';
import { LIVE_LIMITS } from '../core/limits.ts';
import type { Row } from '../core/table.ts';
import { number } from './battery.ts';
import type { CommandBudget } from './command-budget.ts';
import type { Component } from './component.ts';
import type { LiveEvent } from './events.ts';
import { type MessageSlot, payloadField } from './message-slot.ts';
import { type LiveOptions, OUR_SYSTEM } from './options.ts';
import type { Outbox } from './outbox.ts';
import { PROFILES } from './profile.ts';
import type { Rates } from './rates.ts';
import { type Asked, RequestPlan, type Wish } from './request-plan.ts';
import type { System } from './system.ts';
import type { StatusText } from './texts.ts';
import { type VehicleRecord, VehicleState } from './vehicle.ts';

/** The component id that an autopilot has by custom. */
const AUTOPILOT = 1;
const TIMEOUT = 5000;
/** Microseconds by which the clock may step back, and between two ticks of which there should be ten a second. */
const BACK = 1e6;
const HELD_UP = 2e6;

interface Tracked extends VehicleRecord {
  readonly state: VehicleState;
  readonly plan: RequestPlan;
  mode: string;
  armed: boolean;
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
  private readonly tracked: Map<System, Tracked> = new Map();
  private now: number = Number.NaN;
  private lastTick: number = Number.NaN;
  private heldUpUntil = 0;
  /** Whose turn it is to ask. */
  private turn = 0;

  constructor(context: TrackerContext) {
    this.context = context;
  }

  /** The key of the vehicle of a system, or null where none was found. */
  keyOf(system: System): string | null {
    return this.tracked.get(system)?.key ?? null;
  }

  /** Whether a component is the autopilot of one of the vehicles that were found first. */
  isFirst(system: System, component: number): boolean {
    const vehicle = this.tracked.get(system);
    return vehicle !== undefined && vehicle.order < LIVE_LIMITS.firstVehicles && vehicle.autopilot.id === component;
  }

  /** What a vehicle was asked for, and what became of it. */
  wishes(vehicle: string): readonly Wish[] {
    for (const each of this.tracked.values()) if (each.key === vehicle) return each.plan.wishes;
    return [];
  }

  /** Asks a vehicle for a message so often, or once for 0. Throws a sentence where that cannot be. */
  demand(vehicle: string, message: string, rate: number): void {
    const found = [...this.tracked.values()].find(({ key }) => key === vehicle);
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
        this.heartbeat(component, slot.data);
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
        this.tellOf(component.system, 'firmware');
    }
  }

  private heartbeat(component: Component, row: Row): void {
    const field = (name: string): number => number(row[name]) ?? 0;
    const silence = this.now - component.lastHeartbeat;
    component.heartbeat = {
      type: field('type'),
      autopilot: field('autopilot'),
      baseMode: field('base_mode'),
      customMode: field('custom_mode'),
      systemStatus: field('system_status'),
    };
    component.lastHeartbeat = this.now;
    const { type, autopilot } = component.heartbeat;
    if (!isVehicle(autopilot, type)) return;
    const vehicle = this.tracked.get(component.system);
    if (!vehicle) {
      this.found(component);
      return;
    }
    if (vehicle.autopilot !== component) {
      // one component speaks for the vehicle, and keeps to it: the usual one, or the first
      const isBetter = component.id === AUTOPILOT || !Number.isNaN(vehicle.lostAt);
      if (!isBetter) return;
      vehicle.autopilot = component;
    }
    if (!Number.isNaN(vehicle.lostAt)) {
      vehicle.lostAt = Number.NaN;
      this.context.tell({ ...this.happened(vehicle), type: 'recovered', silence });
      vehicle.plan.restart(this.now, false);
    }
    this.changes(vehicle);
  }

  private changes(vehicle: Tracked): void {
    const { mode, armed } = vehicle.state;
    // a mode that we have no name for: scripts and newer firmware have names of their own
    if (mode.startsWith('MODE(')) vehicle.plan.want('AVAILABLE_MODES');
    if (mode !== vehicle.mode) {
      const previous = vehicle.mode;
      vehicle.mode = mode;
      this.context.tell({ ...this.happened(vehicle), type: 'mode', mode, previous });
    }
    if (armed !== vehicle.armed) {
      vehicle.armed = armed;
      this.context.tell({ ...this.happened(vehicle), type: 'armed', armed });
    }
  }

  private found(autopilot: Component): void {
    const { system } = autopilot;
    const { now } = this;
    const { options, rates, radio } = this.context;
    const key = this.states.has(String(system.id)) ? `${system.id}@${system.link}` : String(system.id);
    const record: VehicleRecord = {
      key,
      system,
      autopilot,
      foundAt: now,
      lostAt: Number.NaN,
      lostCount: 0,
      texts: [],
      order: this.tracked.size,
    };
    const state = new VehicleState(record, {
      rates,
      now: this.context.now,
      radio,
    });
    const { profile = PROFILES.default, streamRequests = 'needed' } = options;
    const vehicle: Tracked = Object.assign(record, {
      state,
      plan: new RequestPlan(this.askedOf(record), profile, streamRequests, now),
      mode: state.mode,
      armed: state.armed,
    });
    this.tracked.set(system, vehicle);
    this.states.set(key, state);
    this.changes(vehicle);
    this.context.tell({ ...this.happened(vehicle), type: 'vehicle' });
  }

  private askedOf(record: VehicleRecord): Asked {
    const { rates, outbox } = this.context;
    const slot = (name: string): MessageSlot | undefined => record.autopilot.messages.get(name);
    const target = (): { link: string; system: number; component: number } => ({
      link: record.system.link,
      system: record.system.id,
      component: record.autopilot.id,
    });
    return {
      autopilot: () => record.autopilot.heartbeat?.autopilot ?? 0,
      storesRates: () => this.tracked.get(record.system)?.state.kind === 'Plane',
      rate: (name) => (slot(name) ? rates.rate((slot(name) as MessageSlot).rate, this.context.now()) : 0),
      count: (name) => (slot(name) ? rates.count((slot(name) as MessageSlot).rate) : 0),
      kinds: (since) => [...record.autopilot.messages.values()].filter(({ time }) => time >= since).length,
      idOf: (name) => outbox.idOf(name),
      command: (command, params, isInt) => outbox.command(target(), command, params, isInt),
      dataStream: (rate) => outbox.dataStream(target(), rate),
    };
  }

  /** A component was started again. */
  rebooted(component: Component, now: number): void {
    this.now = now;
    const vehicle = this.tracked.get(component.system);
    if (vehicle?.autopilot !== component) return;
    this.tellOf(component.system, 'reboot');
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
    const vehicle = this.tracked.get(component.system);
    if (!vehicle) return;
    vehicle.texts.push(text);
    if (vehicle.texts.length > LIVE_LIMITS.texts) vehicle.texts.shift();
    this.context.tell({ ...this.happened(vehicle), type: 'text', text });
  }

  private acknowledged(component: Component, row: Row): void {
    const { system = OUR_SYSTEM } = this.context.options;
    const target = number(row.target_system) ?? 0;
    if (target !== 0 && target !== system) return;
    const [command, result] = [number(row.command), number(row.result)];
    if (command === null || result === null) return;
    this.tracked.get(component.system)?.plan.answer(command, result, this.now);
  }

  private availableMode({ modeNames, system }: Component, row: Row): void {
    const mode = number(row.custom_mode);
    const name = typeof row.mode_name === 'string' ? row.mode_name : '';
    if (mode === null || name === '' || (modeNames.size >= LIVE_LIMITS.modes && !modeNames.has(mode))) return;
    modeNames.set(mode, name);
    const vehicle = this.tracked.get(system);
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
    for (const vehicle of this.tracked.values()) {
      const { lastHeartbeat } = vehicle.autopilot;
      for (const component of vehicle.system.components.values()) this.lateTexts(component, time);
      const heard = Math.max(lastHeartbeat, this.heldUpUntil);
      if (Number.isNaN(vehicle.lostAt) && time - heard > heartbeatTimeout * 1000) {
        vehicle.lostAt = time;
        vehicle.lostCount++;
        this.context.tell({ ...this.happened(vehicle), type: 'lost', lastHeartbeat });
      }
    }
    if (requests) this.ask(time, budget);
  }

  /** Lets vehicles ask, in turn, as long as anything may be sent: with hundreds of them most need not be looked at. */
  private ask(time: number, budget: CommandBudget): void {
    const vehicles = [...this.tracked.values()];
    for (let i = 0; i < vehicles.length && budget.isLeft; i++) {
      const vehicle = vehicles[this.turn++ % vehicles.length];
      if (Number.isNaN(vehicle.lostAt)) vehicle.plan.tick(time, () => budget.take());
    }
    this.turn %= Math.max(1, vehicles.length);
  }

  /** The clock was set back: what was planned for later, or was heard later, is of now. */
  private setBack(time: number): void {
    for (const { plan, autopilot } of this.tracked.values()) {
      plan.restart(time, false);
      autopilot.lastHeartbeat = Math.min(autopilot.lastHeartbeat, time);
    }
  }

  private lateTexts(component: Component, time: number): void {
    if (component.texts.isWaiting) for (const text of component.texts.late(time)) this.said(component, text);
  }

  private tellOf(system: System, type: 'firmware' | 'reboot'): void {
    const vehicle = this.tracked.get(system);
    if (vehicle) this.context.tell({ ...this.happened(vehicle), type });
  }

  private happened({ key, system }: Tracked): { vehicle: string; link: string; time: number } {
    return { vehicle: key, link: system.link, time: this.now };
  }
}
