import { customModeName, kindOfType, type Stack } from '../analyze/heartbeat.ts';
import type { VehicleClass } from '../analyze/mode-names.ts';
import type { Row } from '../core/table.ts';
import { type Battery, batteryOf, number, systemBattery } from './battery.ts';
import type { Component, Heartbeat } from './component.ts';
import { firmwareOf, type LiveFirmware } from './firmware.ts';
import { HIGH_LATENCY, latencyPosition, latencySpeed } from './high-latency.ts';
import type { MessageSlot } from './message-slot.ts';
import {
  type Attitude,
  attitudeOf,
  type EkfState,
  ekfOf,
  estimatorOf,
  type GpsState,
  gpsOf,
  gpsPosition,
  type HomePosition,
  homeOf,
  type Position,
  positionOf,
  type Speed,
  speedOf,
  velocitySpeed,
} from './navigation.ts';
import { type RadioState, type RcState, radioOf, rcOf } from './radio.ts';
import type { Rates } from './rates.ts';
import { prearmReasons, readyToArm, type SensorHealth, sensorsOf } from './sensors.ts';
import type { System } from './system.ts';
import type { StatusText } from './texts.ts';

const ARMED = 128;

/** How far a vehicle is in its mission. */
export interface MissionProgress {
  /** The item that it is at, how many there are, and the last one that it reached. */
  readonly current: number;
  readonly total: number | null;
  readonly reached: number | null;
  readonly time: number;
}

/** What a collector keeps of a vehicle for its state, beside its messages. */
export interface VehicleRecord {
  readonly key: string;
  /** How many were found before it. */
  readonly order: number;
  /** The system that its state is of, on one of the links on which it is heard, and those on the others. */
  system: System;
  readonly others: System[];
  /** Who speaks for the vehicle. */
  autopilot: Component;
  /** Microseconds: when it was found, and since when it is lost; NaN while it is not. */
  readonly foundAt: number;
  lostAt: number;
  lostCount: number;
  readonly texts: StatusText[];
}

/** What is not the vehicle's own: the clock of the collector, rates, and the radio at this end of the link. */
export interface VehicleContext {
  readonly rates: Rates;
  readonly now: () => number;
  readonly radio: (link: string) => MessageSlot | undefined;
}

/**
 * The state of a vehicle, as its autopilot tells it. Each part is made from the latest message when it is asked for;
 * what the vehicle did not say, or said to be invalid, is null. Times are microseconds UTC.
 */
export class VehicleState {
  private readonly record: VehicleRecord;
  private readonly context: VehicleContext;

  constructor(record: VehicleRecord, context: VehicleContext) {
    this.record = record;
    this.context = context;
  }

  /** `1`, or `1@link` where another link has a vehicle with this system id too. */
  get id(): string {
    return this.record.key;
  }

  /** The link that its state is from. */
  get link(): string {
    return this.record.system.link;
  }

  /** All links on which it is heard. */
  get links(): string[] {
    return [this.record.system, ...this.record.others].map(({ link }) => link);
  }

  get system(): number {
    return this.record.system.id;
  }

  /** The component that speaks for the vehicle. */
  get component(): number {
    return this.record.autopilot.id;
  }

  /** All components of the system, by number, with their heartbeats where they send any. */
  get components(): ReadonlyMap<number, Component> {
    return this.record.system.components;
  }

  /** Null where it is not known: PX4 does not say it over a satellite. */
  get armed(): boolean | null {
    const { baseMode } = this.heartbeat;
    return baseMode === null ? null : (baseMode & ARMED) !== 0;
  }

  /** The name of the flight mode, by the vehicle's own list where it sent one. */
  get mode(): string {
    const { customMode } = this.heartbeat;
    return this.record.autopilot.modeNames.get(customMode) ?? customModeName(this.stack, customMode);
  }

  get modeNumber(): number {
    return this.heartbeat.customMode;
  }

  /** MAV_STATE: 3 standby, 4 active, 5 critical, 6 emergency ... */
  get systemStatus(): number {
    return this.heartbeat.systemStatus;
  }

  /** MAV_TYPE and MAV_AUTOPILOT. */
  get type(): number {
    return this.heartbeat.type;
  }

  get autopilot(): number {
    return this.heartbeat.autopilot;
  }

  get kind(): VehicleClass | null {
    return kindOfType(this.heartbeat.type);
  }

  get firmware(): LiveFirmware {
    return firmwareOf(this.stack, this.slot('AUTOPILOT_VERSION')?.data);
  }

  get position(): Position | null {
    const known = this.from('GLOBAL_POSITION_INT', positionOf) ?? this.from('GPS_RAW_INT', gpsPosition);
    return later(known, this.from(HIGH_LATENCY, latencyPosition));
  }

  get attitude(): Attitude | null {
    return this.from('ATTITUDE', attitudeOf);
  }

  get speed(): Speed | null {
    const known = this.from('VFR_HUD', speedOf) ?? this.from('GLOBAL_POSITION_INT', velocitySpeed);
    return later(known, this.from(HIGH_LATENCY, latencySpeed));
  }

  /** The battery that decides: what SYS_STATUS says, and where it does not, the first pack. */
  get battery(): Pick<Battery, 'voltage' | 'current' | 'remaining'> {
    const [pack] = this.batteries;
    const { voltage, current, remaining } = systemBattery(this.slot('SYS_STATUS')?.data ?? NO_FIELDS);
    return {
      voltage: voltage ?? pack?.voltage ?? null,
      current: current ?? pack?.current ?? null,
      remaining: remaining ?? pack?.remaining ?? number(this.slot(HIGH_LATENCY)?.data.battery),
    };
  }

  /** Every pack, in the order of their numbers. */
  get batteries(): Battery[] {
    const rows = this.slot('BATTERY_STATUS')?.byInstance() ?? new Map<number, Row>();
    return [...rows].map(([id, row]) => batteryOf(id, row));
  }

  get gps(): GpsState | null {
    return this.from('GPS_RAW_INT', gpsOf);
  }

  get gps2(): GpsState | null {
    return this.from('GPS2_RAW', gpsOf);
  }

  get ekf(): EkfState | null {
    return this.from('EKF_STATUS_REPORT', ekfOf) ?? this.from('ESTIMATOR_STATUS', estimatorOf);
  }

  /** The radio of the link, or of the vehicle. */
  get radio(): RadioState | null {
    const slot = this.slot('RADIO_STATUS') ?? this.context.radio(this.link);
    return slot ? radioOf(slot.data, slot.time) : null;
  }

  get rc(): RcState | null {
    return this.from('RC_CHANNELS', rcOf) ?? this.from('RC_CHANNELS_RAW', rcOf);
  }

  get home(): HomePosition | null {
    return this.from('HOME_POSITION', homeOf);
  }

  get mission(): MissionProgress | null {
    const reached = number(this.slot('MISSION_ITEM_REACHED')?.data.seq);
    return this.from('MISSION_CURRENT', (row, time) => ({
      current: number(row.seq) ?? 0,
      total: number(row.total),
      reached,
      time,
    }));
  }

  /** What the vehicle said, the oldest first. */
  get texts(): readonly StatusText[] {
    return this.record.texts;
  }

  get sensors(): SensorHealth[] {
    const slot = this.slot('SYS_STATUS');
    return slot ? sensorsOf(slot.data, slot.schema) : [];
  }

  /** Whether it would arm, where it says so, and what it lately said against it. */
  get prearm(): { readonly ready: boolean | null; readonly reasons: readonly string[] } {
    const slot = this.slot('SYS_STATUS');
    const ready = slot ? readyToArm(slot.data) : null;
    return { ready, reasons: ready || this.armed ? [] : prearmReasons(this.record.texts, this.context.now()) };
  }

  /** Seconds since it was started, or null. */
  get uptime(): number | null {
    const { milliseconds, time } = this.record.autopilot.boot;
    if (Number.isNaN(milliseconds)) return null;
    return milliseconds / 1000 + (this.connected ? Math.max(0, this.context.now() - time) / 1e6 : 0);
  }

  /** How often it was started again since it was found. */
  get reboots(): number {
    return this.record.autopilot.boot.reboots;
  }

  get foundAt(): number {
    return this.record.foundAt;
  }

  get lastHeartbeat(): number {
    return this.record.autopilot.lastHeartbeat;
  }

  /** When anything of the system came last. */
  get lastActivity(): number {
    return this.record.system.lastActivity;
  }

  /** Whether heartbeats come. */
  get connected(): boolean {
    return Number.isNaN(this.record.lostAt);
  }

  /** Since when none comes, or null; and how often that was so. */
  get lostAt(): number | null {
    return this.connected ? null : this.record.lostAt;
  }

  get lostCount(): number {
    return this.record.lostCount;
  }

  /** Messages a second, of all components. */
  get messageRate(): number {
    return this.context.rates.rate(this.record.system.rate, this.context.now());
  }

  get messageCount(): number {
    return this.context.rates.count(this.record.system.rate);
  }

  private get heartbeat(): Heartbeat {
    return this.record.autopilot.heartbeat ?? NO_HEARTBEAT;
  }

  private get stack(): Stack {
    return { autopilot: this.heartbeat.autopilot, kind: this.kind };
  }

  private slot(name: string): MessageSlot | undefined {
    return this.record.autopilot.messages.get(name);
  }

  private from<T>(name: string, make: (row: Row, time: number) => T | null): T | null {
    const slot = this.slot(name);
    return slot ? make(slot.data, slot.time) : null;
  }
}

/** Microseconds after which what comes seldom is better than what has stayed out. */
const STALE = 5e6;

function later<T extends { readonly time: number }>(usual: T | null, seldom: T | null): T | null {
  return usual && !(seldom && seldom.time - usual.time > STALE) ? usual : seldom;
}

const NO_FIELDS: Row = {};
const NO_HEARTBEAT: Heartbeat = { type: 0, autopilot: 0, baseMode: 0, customMode: 0, systemStatus: 0 };
