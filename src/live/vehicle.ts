import type { Row } from '../core/table.ts';
import { customModeName, kindOfType, type Stack } from '../facts/heartbeat.ts';
import type { VehicleClass } from '../facts/mode-names.ts';
import { type Battery, batteryOf, number, systemBattery } from './battery.ts';
import { firmwareOf, type LiveFirmware } from './firmware.ts';
import type { Heartbeat } from './heartbeat.ts';
import { Identity } from './identity.ts';
import { isMulticast } from './link-name.ts';
import type { MessageSlot } from './message.ts';
import type { Pace } from './rates.ts';
import {
  type Attitude,
  attitudeOf,
  type EkfState,
  ekfOf,
  estimatorOf,
  type GpsState,
  gpsOf,
  gpsPosition,
  HIGH_LATENCY,
  type HomePosition,
  homeOf,
  latencyPosition,
  latencySpeed,
  type Position,
  positionOf,
  prearmReasons,
  type RadioState,
  type RcState,
  radioOf,
  rcOf,
  readyToArm,
  type SensorHealth,
  type Speed,
  sensorsOf,
  speedOf,
  velocitySpeed,
} from './state.ts';
import type { Component, System } from './system.ts';
import type { StatusText } from './texts.ts';
import type { Tracker } from './tracker.ts';
import type { EventTexts } from './vehicle/event-texts.ts';
import type { Target } from './vehicle/frame-sender.ts';
import { PROFILES } from './vehicle/profile.ts';
import { RequestPlan } from './vehicle/request-plan.ts';
import type { VehicleLogs } from './vehicle/vehicle-logs.ts';

/** How far a vehicle is in its mission. */
export interface MissionProgress {
  /** The item that it is at, how many there are, and the last one that it reached. */
  readonly current: number;
  readonly total: number | null;
  readonly reached: number | null;
  readonly time: number;
}

/** When a part of the state came, in microseconds UTC, and whether it is too old to be believed. NaN: it never came. */
export interface Freshness {
  readonly time: number;
  readonly isStale: boolean;
}

/**
 * The state of a vehicle, as its autopilot reports it. Each part is made from the latest message when it is asked for;
 * what the vehicle did not say, or said to be invalid, is null. Times are microseconds UTC.
 *
 * Each part has an age: it is stale when it is older than three times its interval, from before a reboot, or when the
 * heartbeat is lost. The fields up to the constructor are set by the tracker.
 */
export class LiveVehicle {
  /** `1`, or `1@link` if another link has a vehicle with this system id too. */
  readonly id: string;
  readonly foundAt: number;
  /** Since when its heartbeat is lost, or null; and how often it was. */
  lostAt: number | null = null;
  lostCount = 0;
  /** A sentence if another sender has its system id. */
  conflict: string | null = null;
  /** Its messages for people, the oldest first. */
  readonly texts: StatusText[];
  /** The system that its state is from, and its systems on other links. */
  source: System;
  readonly others: System[] = [];
  /** The component that speaks for it. */
  speaker: Component;
  /** What came before this is from before a reboot or a loss, and stale. */
  freshFrom: number = Number.NEGATIVE_INFINITY;
  /** When it was last seen armed or ready to arm: earlier reasons against arming no longer hold. */
  readyAt: number = Number.NEGATIVE_INFINITY;
  /** The texts of its events, if it is PX4. */
  events: EventTexts | undefined;
  /** The logs on its card, once a client asked for them. */
  logs: VehicleLogs | undefined;
  /** What it is asked for. */
  readonly plan: RequestPlan;
  /** Whether it is listed: one that may be another vehicle is not yet. */
  isShown = false;
  /** What the last events said. */
  reportedMode: string;
  reportedModeNumber: number;
  reportedArmed: boolean | null;
  readonly first: System;
  /** Vehicles with the same system id that were found before, any of which may be this one. */
  readonly rivals: Map<LiveVehicle, Identity>;
  private readonly tracker: Tracker;

  constructor(tracker: Tracker, id: string, speaker: Component, texts: StatusText[], rivals: readonly LiveVehicle[]) {
    this.tracker = tracker;
    this.id = id;
    this.speaker = speaker;
    this.source = speaker.system;
    this.first = speaker.system;
    this.texts = texts;
    this.foundAt = tracker.now;
    this.rivals = new Map(rivals.map((rival) => [rival, new Identity()]));
    const { requests = true, profile = PROFILES.default, streamRequests = 'needed' } = tracker.options;
    const asked = requests ? profile : PROFILES.none;
    this.plan = new RequestPlan(this, tracker.sender, asked, streamRequests, tracker.now);
    this.reportedMode = this.mode;
    this.reportedModeNumber = this.modeNumber;
    this.reportedArmed = this.armed;
  }

  get link(): string {
    return this.source.link;
  }

  /** Its name among the streams of its link. */
  get stream(): string {
    const { source, speaker } = this;
    return `${source.id}:${speaker.id}${source.address === '' ? '' : `@${source.address}`}`;
  }

  get links(): string[] {
    return [...new Set([this.source, ...this.others].map(({ link }) => link))];
  }

  /** Where to send to it. */
  get target(): Target {
    const { link, system, component, components } = this;
    // a group has one address for all
    const isGroup = isMulticast(link.split(':')[1] ?? '');
    const address = isGroup ? undefined : this.speaker.address || undefined;
    return { link, system, component, components: [...components.keys()], address };
  }

  get system(): number {
    return this.source.id;
  }

  /** The component that speaks for the vehicle. */
  get component(): number {
    return this.speaker.id;
  }

  /** All components of the system, by number, with their heartbeats where they send any. */
  get components(): ReadonlyMap<number, Component> {
    return this.source.components;
  }

  /** Null if unknown: PX4 does not report it over a satellite. */
  get armed(): boolean | null {
    return this.beat.armed;
  }

  /** The name of the flight mode, by the vehicle's own list where it sent one. */
  get mode(): string {
    return this.modeName(this.modeNumber);
  }

  modeName(mode: number): string {
    return this.speaker.modeNames.get(mode) ?? customModeName(this.stack, mode);
  }

  get modeNumber(): number {
    return this.beat.customMode;
  }

  /** MAV_STATE: 3 standby, 4 active, 5 critical, 6 emergency ... */
  get systemStatus(): number {
    return this.beat.systemStatus;
  }

  /** MAV_TYPE and MAV_AUTOPILOT. */
  get type(): number {
    return this.beat.type;
  }

  get autopilot(): number {
    return this.beat.autopilot;
  }

  get kind(): VehicleClass | null {
    return kindOfType(this.beat.type);
  }

  /** What mode, armed and system status are from. */
  get heartbeat(): Freshness {
    const { lastHeartbeat } = this.speaker;
    const slot = this.slot(this.speaker.isSeldom ? HIGH_LATENCY : 'HEARTBEAT');
    return { time: lastHeartbeat, isStale: !slot || this.isStale(slot.name, slot.pace) };
  }

  get firmware(): LiveFirmware & Freshness {
    const slot = this.slot('AUTOPILOT_VERSION');
    return { ...firmwareOf(this.stack, slot?.data), ...this.freshness(slot) };
  }

  get position(): (Position & Freshness) | null {
    return freshest(
      this.from('GLOBAL_POSITION_INT', positionOf),
      this.from('GPS_RAW_INT', gpsPosition),
      this.from(HIGH_LATENCY, latencyPosition),
    );
  }

  get attitude(): (Attitude & Freshness) | null {
    return this.from('ATTITUDE', attitudeOf);
  }

  get speed(): (Speed & Freshness) | null {
    return freshest(
      this.from('VFR_HUD', speedOf),
      this.from('GLOBAL_POSITION_INT', velocitySpeed),
      this.from(HIGH_LATENCY, latencySpeed),
    );
  }

  /** The battery that decides: what SYS_STATUS says, and where it does not, the first pack. */
  get battery(): Pick<Battery, 'voltage' | 'current' | 'remaining'> & Freshness {
    const [pack = null] = this.batteries;
    const known = freshest(
      this.from('SYS_STATUS', (row) => systemBattery(row, this.autopilot)),
      pack,
      this.from(HIGH_LATENCY, ({ battery }) => ({ voltage: null, current: null, remaining: number(battery) })),
    );
    return {
      voltage: known?.voltage ?? pack?.voltage ?? null,
      current: known?.current ?? pack?.current ?? null,
      remaining: known?.remaining ?? pack?.remaining ?? number(this.slot(HIGH_LATENCY)?.data.battery),
      time: known?.time ?? Number.NaN,
      isStale: known?.isStale ?? true,
    };
  }

  /** Every pack, in the order of their numbers. */
  get batteries(): (Battery & Freshness)[] {
    const packs = this.slot('BATTERY_STATUS')?.eachInstance() ?? [];
    return packs.map(({ instance, row, pace }) => ({
      ...batteryOf(instance, row, this.autopilot),
      time: pace.time,
      isStale: this.isStale('BATTERY_STATUS', pace),
    }));
  }

  get gps(): (GpsState & Freshness) | null {
    return this.from('GPS_RAW_INT', gpsOf);
  }

  get gps2(): (GpsState & Freshness) | null {
    return this.from('GPS2_RAW', gpsOf);
  }

  get ekf(): (EkfState & Freshness) | null {
    return freshest(this.from('EKF_STATUS_REPORT', ekfOf), this.from('ESTIMATOR_STATUS', estimatorOf));
  }

  /** The radio of the link, or of the vehicle. */
  get radio(): (RadioState & Freshness) | null {
    const own = this.from('RADIO_STATUS', radioOf);
    const slot = this.tracker.links.get(this.link)?.radio;
    // the radio at this end goes on when the vehicle is lost
    return own ?? (slot ? { ...radioOf(slot.data, slot.time), isStale: this.isOld(slot.name, slot.pace) } : null);
  }

  get rc(): (RcState & Freshness) | null {
    return freshest(this.from('RC_CHANNELS', rcOf), this.from('RC_CHANNELS_RAW', rcOf));
  }

  get home(): (HomePosition & Freshness) | null {
    return this.from('HOME_POSITION', homeOf);
  }

  get mission(): (MissionProgress & Freshness) | null {
    const slot = this.slot('MISSION_ITEM_REACHED');
    const reached = slot && slot.time >= this.freshFrom ? number(slot.data.seq) : null;
    return this.from('MISSION_CURRENT', (row, time) => ({
      current: number(row.seq) ?? 0,
      total: number(row.total),
      reached,
      time,
    }));
  }

  get sensors(): (SensorHealth & Freshness)[] {
    const slot = this.slot('SYS_STATUS');
    const freshness = this.freshness(slot);
    return slot ? sensorsOf(slot.data, slot.schema).map((sensor) => ({ ...sensor, ...freshness })) : [];
  }

  /** Whether it recently reported that it would arm. */
  get isReady(): boolean {
    const slot = this.slot('SYS_STATUS');
    return !!slot && !this.isStale(slot.name, slot.pace) && readyToArm(slot.data, this.autopilot) === true;
  }

  /** Whether it would arm, if it says so, and its recent reasons against arming. */
  get prearm(): { readonly ready: boolean | null; readonly reasons: readonly string[] } & Freshness {
    const slot = this.slot('SYS_STATUS');
    const ready = slot ? readyToArm(slot.data, this.autopilot) : null;
    const readyAt = ready && slot ? slot.time : this.readyAt;
    const since = Math.max(this.freshFrom, readyAt);
    const { texts, events } = this;
    const said = ready === true ? undefined : events?.reasons(this.modeNumber);
    const reasons = this.armed ? [] : (said ?? prearmReasons(texts, since, this.tracker.now));
    return { ready, reasons, ...this.freshness(slot) };
  }

  /** Seconds since it was started, or null. */
  get uptime(): number | null {
    const { milliseconds, time } = this.speaker.boot;
    if (Number.isNaN(milliseconds)) return null;
    return milliseconds / 1000 + (this.connected ? Math.max(0, this.tracker.now - time) / 1e6 : 0);
  }

  /** How often it rebooted since it was found. */
  get reboots(): number {
    return this.speaker.boot.reboots;
  }

  get lastHeartbeat(): number {
    return this.speaker.lastHeartbeat;
  }

  /** When anything of the system came last. */
  get lastActivity(): number {
    return this.source.lastActivity;
  }

  /** Whether heartbeats come. */
  get connected(): boolean {
    return this.lostAt === null;
  }

  /** Whether another vehicle with its system id sends from its address. */
  get isMixed(): boolean {
    return this.speaker.boot.shared.isSeen(this.tracker.now);
  }

  /** Messages a second, of all components. */
  get messageRate(): number {
    return this.tracker.rates.rate(this.source.rate, this.tracker.now);
  }

  get messageCount(): number {
    return this.tracker.rates.count(this.source.rate);
  }

  /** How many of a message its autopilot sent. */
  countOf(message: string): number {
    const slot = this.slot(message);
    return slot ? this.tracker.rates.count(slot.rate) : 0;
  }

  /** Whether its GPS has a position in space. */
  get hasFix(): boolean {
    return (number(this.slot('GPS_RAW_INT')?.data.fix_type) ?? 0) >= FIX_3D;
  }

  private get beat(): Heartbeat {
    return this.speaker.heartbeat ?? NO_HEARTBEAT;
  }

  private get stack(): Stack {
    return { autopilot: this.beat.autopilot, kind: this.kind };
  }

  private slot(name: string): MessageSlot | undefined {
    return this.speaker.messages.get(name);
  }

  private from<T>(name: string, make: (row: Row, time: number) => T | null): (T & Freshness) | null {
    const slot = this.slot(name);
    const part = slot ? make(slot.data, slot.time) : null;
    return part && { ...part, ...this.freshness(slot) };
  }

  /** When a message came, and whether it is too old to be believed. */
  freshness(slot: MessageSlot | undefined): Freshness {
    return slot
      ? { time: slot.time, isStale: this.isStale(slot.name, slot.pace) }
      : { time: Number.NaN, isStale: true };
  }

  private isStale(name: string, came: Pace): boolean {
    return !this.connected || came.time < this.freshFrom || this.isOld(name, came);
  }

  /** Older than three times its interval: the one that the vehicle accepted, or, where it keeps to another, as measured. */
  private isOld(name: string, { time, interval }: Pace): boolean {
    if (SENT_ONCE.includes(name)) return false;
    const accepted = this.plan.intervalOf(name);
    const usual = Math.max(accepted || 0, interval || 0) || UNKNOWN;
    return this.tracker.now - time > INTERVALS * Math.max(usual, SHORTEST);
  }
}

/** GPS_FIX_TYPE */
const FIX_3D = 3;
/** Intervals after which a value is stale; and the interval of a message that came once, such as the first heartbeat. */
const INTERVALS = 3;
const UNKNOWN = 1e6;
/** The shortest interval that counts: that of ticks. */
const SHORTEST = 1e5;
/** Sent when they change, and over a satellite: these hold until the vehicle reboots or is lost. */
const SENT_ONCE: readonly string[] = ['HOME_POSITION', 'AUTOPILOT_VERSION', HIGH_LATENCY];

/** The first that is not stale, or else the first of all. */
function freshest<T extends Freshness>(...parts: readonly (T | null)[]): T | null {
  return parts.find((part) => part && !part.isStale) ?? parts.find((part) => part !== null) ?? null;
}

const NO_HEARTBEAT: Heartbeat = { type: 0, autopilot: 0, systemStatus: 0, customMode: 0, armed: false };
