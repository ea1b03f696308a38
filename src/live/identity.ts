import type { Row } from '../core/table.ts';
import { number } from './battery.ts';
import type { Component, Heartbeat } from './component.ts';
import { firmwareOf } from './firmware.ts';
import type { MessageSlot } from './message-slot.ts';
import { positionOf } from './navigation.ts';

/*
 * One vehicle may be heard on two links, such as a cable and a radio, and two vehicles may have the same system id. What
 * tells, in this order:
 *
 *     kind of vehicle, or autopilot, differ                    two vehicles
 *     ids of the boards, where both sent one, differ           two
 *     times since boot, places or batteries, all new, differ   two
 *     ids are the same, and the first link fell silent         one: it came to the other link, or was started again
 *     mode, or armed or not, differ                            unknown: one of them may just have changed
 *     ids and times since boot are the same                    one
 *     the same measurements, to the last bit, again and again  one: no two gyroscopes agree
 */

/** Microseconds by which what came on two links may be apart, and by which a slow link may be late. */
const NEW = 3e6;
const LATE = 2e6;
/** Degrees, and part of a voltage, by which one vehicle may differ from itself in that time. */
const FAR = 0.003;
const OTHER_VOLTAGE = 0.1;
/** Messages with a time and noise: those of two vehicles are never the same. */
const NOISY: readonly string[] = ['ATTITUDE', 'ATTITUDE_QUATERNION', 'HIGHRES_IMU', 'RAW_IMU', 'SCALED_IMU'];
/** Bytes of such a payload that are more than a time, and how many of them prove it. */
const LEAST = 16;
const PROOF = 3;
const ARMED = 128;
const NO_STACK = { autopilot: 0, kind: null };

export type Verdict = 'one' | 'two' | 'unknown';

/** Finds out whether a system on one more link is a vehicle that is known. */
export class Identity {
  private readonly alike: Set<string> = new Set();

  /**
   * To be asked now and then: it takes a while to be sure.
   * @param a the autopilot of the vehicle that is known, and @param b of the other system
   */
  verdict(a: Component, b: Component): Verdict {
    if (!a.heartbeat || !b.heartbeat || !isSameKind(a.heartbeat, b.heartbeat)) return 'two';
    const [first, second] = [uidOf(a), uidOf(b)];
    const apart = bootApart(a, b);
    const isOtherBoard = first !== null && second !== null && first !== second;
    if (isOtherBoard || apart > LATE || isFar(a, b) || hasOtherBattery(a, b)) return 'two';
    const isSameBoard = first !== null && first === second;
    if (isSameBoard && b.lastHeartbeat - a.lastHeartbeat > NEW) return 'one';
    if (!isSameMode(a.heartbeat, b.heartbeat)) return 'unknown';
    if (isSameBoard && apart <= LATE) return 'one';
    for (const name of NOISY) this.look(name, a.messages.get(name), b.messages.get(name));
    return this.alike.size >= PROOF ? 'one' : 'unknown';
  }

  private look(name: string, a: MessageSlot | undefined, b: MessageSlot | undefined): void {
    if (!a || !b || !areNew(a, b)) return;
    const [first, second] = [a.payload, b.payload];
    const isSame = first.length === second.length && first.every((byte, i) => byte === second[i]);
    if (isSame && first.length >= LEAST && this.alike.size < PROOF) this.alike.add(`${name} ${first.join()}`);
  }
}

function isSameKind(a: Heartbeat, b: Heartbeat): boolean {
  return a.type === b.type && a.autopilot === b.autopilot;
}

function isSameMode(a: Heartbeat, b: Heartbeat): boolean {
  const armed = ({ baseMode }: Heartbeat): number => (baseMode ?? 0) & ARMED;
  return a.customMode === b.customMode && armed(a) === armed(b);
}

/** What stays the same whatever the vehicle's system id is. */
function uidOf(component: Component): string | null {
  const slot = component.messages.get('AUTOPILOT_VERSION');
  return slot ? firmwareOf(NO_STACK, slot.data).uid : null;
}

/** Microseconds between the times at which both were started; NaN where they cannot be compared. */
function bootApart({ boot: a }: Component, { boot: b }: Component): number {
  const started = (each: typeof a): number => each.time - each.milliseconds * 1000;
  return Math.abs(a.time - b.time) <= NEW ? Math.abs(started(a) - started(b)) : Number.NaN;
}

function isFar(a: Component, b: Component): boolean {
  const places = latest(a, b, 'GLOBAL_POSITION_INT')?.map((row) => positionOf(row, 0));
  const [first, second] = places ?? [];
  return !!first && !!second && Math.hypot(first.lat - second.lat, first.lon - second.lon) > FAR;
}

function hasOtherBattery(a: Component, b: Component): boolean {
  const [first, second] = latest(a, b, 'SYS_STATUS')?.map((row) => number(row.voltage_battery) ?? 0) ?? [0, 0];
  return first > 0 && second > 0 && Math.abs(first - second) > OTHER_VOLTAGE * Math.max(first, second);
}

function latest(a: Component, b: Component, name: string): [Row, Row] | undefined {
  const [first, second] = [a.messages.get(name), b.messages.get(name)];
  return first && second && areNew(first, second) ? [first.data, second.data] : undefined;
}

function areNew(a: MessageSlot, b: MessageSlot): boolean {
  return Math.abs(a.time - b.time) <= NEW;
}
