import { crc32 } from '../core/checksum.ts';
import { getOrAdd } from '../core/maps.ts';
import type { Row } from '../core/table.ts';
import { number } from './battery.ts';
import { firmwareOf } from './firmware.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { MessageSlot } from './message.ts';
import { positionOf } from './state.ts';
import type { Component } from './system.ts';

/*
 * One vehicle may be heard on two links, such as a cable and a radio, and two vehicles may have the same system id. What
 * decides, in this order:
 *
 *     kind of vehicle, or autopilot, differ                    two vehicles
 *     ids of the boards, where both sent one, differ           two
 *     times since boot, places or batteries, all new, differ   two
 *     ids are the same, and the first link fell silent         one: it came to the other link, or was started again
 *     mode, or armed or not, differ                            unknown: one of them may just have changed
 *     ids and times since boot are the same                    one
 *     the same TIMESYNC, nanoseconds since boot                one
 *     the same measurements, to the last bit, again and again  one: no two gyroscopes agree; a link may be slow
 *     other measurements at one time since boot, again         two
 *     times since boot are nearly the same for seconds, and    one: until they differ
 *     place or battery too, as far as both are known
 */

/** Microseconds by which what came on two links may be apart, and by which a slow link may be late. */
const NEW = 3e6;
export const LATE = 2e6;
/** Degrees, and part of a voltage, by which one vehicle may differ from itself in that time. */
const FAR = 0.003;
const OTHER_VOLTAGE = 0.1;
/**
 * Messages that begin with a time and noise, which are never the same for two vehicles; bytes of the time, and up to the
 * end of the noise. What is behind it may be of another moment on another link.
 */
const NOISY: ReadonlyMap<string, readonly [time: number, noise: number]> = new Map([
  ['ATTITUDE', [4, 16]],
  ['ATTITUDE_QUATERNION', [4, 20]],
  ['SCALED_IMU', [4, 16]],
  ['RAW_IMU', [8, 20]],
  ['HIGHRES_IMU', [8, 32]],
  ['GPS_RAW_INT', [8, 20]],
]);
/** Measurements of each of them that a slower link may be behind, and how many of them prove it. */
const RECENT = 32;
const PROOF = 3;
/** Degrees, part of a voltage, and microseconds between two boots, that may be measured for one vehicle. */
const NEAR = 0.0005;
const SAME_VOLTAGE = 0.03;
const SAME_BOOT = 0.1e6;
/** How often, and for how many microseconds, times since boot must be nearly the same. */
const SAMPLES = 5;
const SPAN = 4e6;
const NO_STACK = { autopilot: 0, kind: null };

export type Verdict = 'one' | 'two' | 'unknown';

/** Finds out whether a system on another link is a known vehicle. */
export class Identity {
  /** Measurements that were the same on both, and that differ though they are of one time. */
  private readonly alike: Set<string> = new Set();
  private readonly unlike: Set<string> = new Set();
  private readonly first = new BootEstimate();
  private readonly second = new BootEstimate();

  /** Whether nothing that does not change speaks against it. */
  canBeOne(a: Component, b: Component): boolean {
    const [first, second] = [uidOf(a), uidOf(b)];
    const isOtherBoard = first !== null && second !== null && first !== second;
    return !!a.heartbeat && !!b.heartbeat && isSameKind(a.heartbeat, b.heartbeat) && !isOtherBoard;
  }

  /** Ask again: it takes a while to be sure. @param a autopilot of the known vehicle. @param b of the other system */
  verdict(a: Component, b: Component): Verdict {
    if (!a.heartbeat || !b.heartbeat || !this.canBeOne(a, b) || hasMovedApart(a, b)) return 'two';
    const uid = uidOf(a);
    const isSameBoard = uid !== null && uid === uidOf(b);
    if (isSameBoard && b.lastHeartbeat - a.lastHeartbeat > NEW) return 'one';
    if (!isSameMode(a.heartbeat, b.heartbeat)) return 'unknown';
    if (isSameBoard && bootApart(a, b) <= LATE) return 'one';
    if (isSameClock(a, b)) return 'one';
    this.compare(a, b);
    if (this.unlike.size >= PROOF) return 'two';
    return this.alike.size >= PROOF || this.isAlike(a, b) ? 'one' : 'unknown';
  }

  /** Whether both were started at once, and are at one place or have one battery. */
  private isAlike(a: Component, b: Component): boolean {
    this.first.add(a);
    this.second.add(b);
    const isSameBoot = Math.abs(this.first.bootedAt - this.second.bootedAt) <= SAME_BOOT;
    if (!isSameBoot || !this.first.isSure || !this.second.isSure) return false;
    const [distance, voltage] = [apart(a, b), voltageApart(a, b)];
    if (distance > NEAR || voltage > SAME_VOLTAGE) return false;
    return !Number.isNaN(distance) || !Number.isNaN(voltage);
  }

  /** Looks for the latest measurements of each among those of the other, whose link may be faster. */
  private compare(a: Component, b: Component): void {
    const [first, second] = [a, b].map((component) => {
      component.measurements ??= new Measurements();
      component.measurements.update(component);
      return component.measurements;
    });
    for (const [name, [timeBytes]] of NOISY) {
      for (const [one, other] of [
        [first, second],
        [second, first],
      ]) {
        const latest = one.latest.get(name);
        const same = latest && other.of(name).get(latest.time);
        if (!latest || same === undefined) continue;
        // microseconds may be of the receiver, not of the vehicle
        const set = same === latest.noise ? this.alike : timeBytes === BOOT_BYTES ? this.unlike : undefined;
        if (set && set.size < PROOF) set.add(`${name} ${latest.time}`);
      }
    }
  }
}

/** Bytes of a time since boot in milliseconds. */
const BOOT_BYTES = 4;

interface Measurement {
  /** Which frame of its slot it was in. */
  readonly serial: number;
  /** Checksums of their bytes. */
  readonly time: number;
  readonly noise: number;
}

/** The latest measurements of a component. */
export class Measurements {
  readonly latest: Map<string, Measurement> = new Map();
  /** Noise by time, by the name of the message; the oldest first. */
  private readonly recent: Map<string, Map<number, number>> = new Map();

  /** Of one message: noise by time. */
  of(name: string): ReadonlyMap<number, number> {
    return this.recent.get(name) ?? NO_MEASUREMENTS;
  }

  /** Adds what came since the last call, at most one of each message. */
  update({ messages }: Component): void {
    for (const [name, [timeBytes, bytes]] of NOISY) {
      const slot = messages.get(name);
      if (!slot || slot.serial === this.latest.get(name)?.serial) continue;
      const { payload, serial } = slot;
      // zeros are cut off its end: it is of a vehicle that measures nothing
      if (payload.length < bytes) continue;
      const [time, noise] = [crc32(payload.subarray(0, timeBytes)), crc32(payload.subarray(timeBytes, bytes))];
      this.latest.set(name, { serial, time, noise });
      const recent = getOrAdd(this.recent, name, () => new Map<number, number>());
      if (recent.size >= RECENT) recent.delete([...recent.keys()][0]);
      recent.set(time, noise);
    }
  }
}

const NO_MEASUREMENTS: ReadonlyMap<number, number> = new Map();

function isSameKind(a: Heartbeat, b: Heartbeat): boolean {
  return a.type === b.type && a.autopilot === b.autopilot;
}

function isSameMode(a: Heartbeat, b: Heartbeat): boolean {
  return a.customMode === b.customMode && (a.armed ?? false) === (b.armed ?? false);
}

/** What stays the same whatever the vehicle's system id is. */
export function uidOf(component: Component): string | null {
  const slot = component.messages.get('AUTOPILOT_VERSION');
  return slot ? firmwareOf(NO_STACK, slot.data).uid : null;
}

/** When it booted, by its last time since boot; NaN if none. */
export function bootedAtOf({ boot }: Component): number {
  return boot.time - boot.milliseconds * 1000;
}

/** When a component was started, by the message that took least on its way. */
class BootEstimate {
  bootedAt: number = Number.NaN;
  private reboots = 0;
  private since: number = Number.NaN;
  private last: number = Number.NaN;
  private samples = 0;

  add(component: Component): void {
    const { time, reboots } = component.boot;
    if (Number.isNaN(time) || time === this.last) return;
    const bootedAt = bootedAtOf(component);
    const isNew = reboots !== this.reboots || this.samples === 0;
    this.bootedAt = isNew ? bootedAt : Math.min(this.bootedAt, bootedAt);
    this.since = isNew ? time : this.since;
    this.samples = isNew ? 1 : this.samples + 1;
    this.reboots = reboots;
    this.last = time;
  }

  get isSure(): boolean {
    return this.samples >= SAMPLES && this.last - this.since >= SPAN;
  }
}

/** Whether two systems that were taken for one vehicle are heard, and cannot be one. */
export function areApart(a: Component, b: Component): boolean {
  if (!a.heartbeat || !b.heartbeat || !(Math.abs(a.lastHeartbeat - b.lastHeartbeat) <= NEW)) return false;
  return !isSameKind(a.heartbeat, b.heartbeat) || !isSameMode(a.heartbeat, b.heartbeat) || hasMovedApart(a, b);
}

function hasMovedApart(a: Component, b: Component): boolean {
  return bootApart(a, b) > LATE || apart(a, b) > FAR || voltageApart(a, b) > OTHER_VOLTAGE;
}

/** Microseconds between the times at which both were started; NaN where they cannot be compared. */
function bootApart(a: Component, b: Component): number {
  return Math.abs(a.boot.time - b.boot.time) <= NEW ? Math.abs(bootedAtOf(a) - bootedAtOf(b)) : Number.NaN;
}

/** Degrees between their positions, and the part by which voltages differ; NaN where they cannot be compared. */
function apart(a: Component, b: Component): number {
  const [first, second] = latest(a, b, 'GLOBAL_POSITION_INT')?.map((row) => positionOf(row, 0)) ?? [];
  return first && second ? Math.hypot(first.lat - second.lat, first.lon - second.lon) : Number.NaN;
}

function voltageApart(a: Component, b: Component): number {
  const [first, second] = latest(a, b, 'SYS_STATUS')?.map((row) => number(row.voltage_battery) ?? 0) ?? [0, 0];
  return first > 0 && second > 0 ? Math.abs(first - second) / Math.max(first, second) : Number.NaN;
}

/** Whether one request for the time went out on both: an answer has the time of the request. */
function isSameClock(a: Component, b: Component): boolean {
  const [first, second] = latest(a, b, 'TIMESYNC') ?? [];
  if (!first || !second || Number(first.tc1) !== 0 || Number(second.tc1) !== 0) return false;
  return Number(first.ts1) > 0 && first.ts1 === second.ts1;
}

function latest(a: Component, b: Component, name: string): [Row, Row] | undefined {
  const [first, second] = [a.messages.get(name), b.messages.get(name)];
  return first && second && areNew(first, second) ? [first.data, second.data] : undefined;
}

function areNew(a: MessageSlot, b: MessageSlot): boolean {
  return Math.abs(a.time - b.time) <= NEW;
}
