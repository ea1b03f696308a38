import type { Log } from '../core/log.ts';
import {
  ATTITUDE,
  BAROMETER_HEIGHTS,
  HEIGHTS,
  type HeightField,
  RECEIVER_HEIGHTS,
  SDLOG_ATTITUDE,
  SENT_HEIGHTS,
  SPEEDS,
} from '../series/quantities.ts';
import { readSeries } from '../series/quantity-rows.ts';
import { Series } from '../series/series.ts';
import type { Facts } from './facts.ts';
import { filledTables } from './information.ts';
import { type Phase, within } from './phase.ts';

/** Speeds over ground in metres a second, and the table that they come from. */
export interface Speeds {
  readonly source: string;
  readonly course: Series;
}

/** Heights in metres. */
export interface Heights extends Speeds {
  /** Whether they are 0 at the place of departure. */
  readonly home: boolean;
}

/** Metres above the take-off point: more than a barometer's error, and where a landing is nearly done. */
const UP = 2;
const DOWN = 1;
const GROUND = 0.3;
/** Microseconds without getting lower, looking back, after which a climb cannot have begun. */
const CLIMB = 5_000_000;
/** The same where nothing says when the vehicle was armed, so that there is more time to be wrong in. */
const UP_UNARMED = 5;
/** Microseconds for which a vehicle must stay up, or move, to count. */
const LEAST = 3_000_000;
/** Shorter times on the ground, in microseconds, are a flicker, not a landing. */
const FLICKER = 2_000_000;
/** Metres a second above which a vehicle moves and is not only said to by its receiver. */
const MOVING = 0.5;
/** Metres a second below which nothing with wings flies. */
const WALKING = 2;
/** Microseconds at rest that end a drive. */
const REST = 30_000_000;

/** Phases and their table; undefined if no table has them. */
export interface PhaseSource {
  readonly source: string;
  readonly stretches: readonly Phase[];
}

/** When the vehicle was above the ground, by height. @param armed when it was armed, else the whole log */
export async function byHeight(
  facts: Facts,
  armed: readonly Phase[],
  isArmedKnown: boolean,
  stream?: string,
): Promise<PhaseSource | undefined> {
  const heights = await facts.heights(stream);
  if (!heights) return undefined;
  const up = isArmedKnown ? UP : UP_UNARMED;
  return { source: heights.source, stretches: armed.flatMap((each) => flightsIn(heights, each, up)) };
}

/** Some stretches in the air without flickers and without those that are too short for a flight. */
export function settled(stretches: readonly Phase[]): Phase[] {
  const joined: Phase[] = [];
  for (const each of stretches) {
    const before = joined.at(-1);
    if (before && each.start - before.end < FLICKER)
      joined[joined.length - 1] = { ...before, end: each.end, open: each.open };
    else joined.push(each);
  }
  return joined.filter(({ start, end }) => end - start >= LEAST);
}

/** When both barometer and GPS were high above the ground, in stretches in which nothing else says that it flew. */
export async function byTwoHeights(log: Log, armed: readonly Phase[], stream?: string): Promise<Phase[]> {
  if (armed.length === 0) return [];
  const found: Phase[][] = [];
  for (const fields of [[...BAROMETER_HEIGHTS, ...SENT_HEIGHTS], RECEIVER_HEIGHTS]) {
    const heights = await readHeights(log, stream, fields);
    if (!heights) return [];
    found.push(armed.flatMap((each) => flightsIn(heights, each, UP)));
  }
  return within(found[0], found[1]);
}

/** Phases off the ground: with steady heights, and no motion or lean of flight, it was on a bench or carried. */
export async function offTheGround(log: Log, stretches: readonly Phase[], stream?: string): Promise<Phase[]> {
  if (stretches.length === 0) return [];
  const heights = await readHeights(log, stream, [...BAROMETER_HEIGHTS, ...SENT_HEIGHTS]);
  if (!heights) return [...stretches];
  const attitude = await readAttitude(log, stream);
  if (!attitude) return [...stretches];
  const speeds = await readSpeeds(log, stream);
  return stretches
    .filter((each) => !staysLow(heights.course, each) || movesInAir(attitude, each))
    .map((each) => untilRest(heights, attitude, speeds?.course, each));
}

/**
 * A stretch in the air until the vehicle came down for good: an autopilot that hit the ground, or whose motors still
 * run, may say that it flies. From then on the height does not change and the vehicle does not move as one in the air:
 * at the height of departure, or elsewhere on its side and without speed.
 */
function untilRest(
  { course, home }: Heights,
  attitude: AttitudeSeries,
  speeds: Series | undefined,
  stretch: Phase,
): Phase {
  const { start, end, begunBefore } = stretch;
  const { times, values } = course;
  const [from, to] = rowsIn(course, stretch);
  const ground = groundBefore(course, start);
  const lasting: number[] = [];
  course.each(end - LEAST, end, (value) => lasting.push(value));
  const level = middle(lasting);
  let touch = to;
  for (let row = to; row > from; ) {
    const last = row;
    while (row > from && !(times[row - 1] < times[last - 1] - AVERAGED)) row--;
    if (!(Math.abs(middle([...values.subarray(row, last)]) - level) < ground.wander)) break;
    touch = row;
  }
  while (touch < to && !(values[touch] - level < GROUND)) touch++;
  if (touch === to || times[touch] - start < LEAST) return stretch;
  const rest = { start: times[touch] + AVERAGED, end };
  const isOver = !isUpright(attitude, rest);
  if (end - times[touch] < (isOver ? FLICKER : LEAST) || movesInAir(attitude, rest)) return stretch;
  const rise = level - (begunBefore && home ? 0 : ground.height);
  const slow: number[] = [];
  speeds?.each(rest.start, end, (speed) => slow.push(speed));
  const isDown = (rise < ground.wander && rise > -WANDERS_MOST) || (isOver && middle(slow) < WALKING);
  return isDown ? { ...stretch, end: times[touch], open: false } : stretch;
}

/** Microseconds before a stretch that show the ground, over which heights are averaged, and that attitude is compared over. */
const BEFORE = 5_000_000;
const AVERAGED = 1_000_000;
const COMPARED = 500_000;
/** Metres by which heights wander by themselves at least and at most, and how many times what they did before that is. */
const WANDERS = 1;
const WANDERS_MOST = 5;
const WANDERS_TIMES = 8;
/** Degrees: swings of a vehicle in the air, and a lean that none can hold near the ground. */
const SWINGS = 0.7;
const LEANS = 60;

/**
 * Whether heights stay within what they wander around the ground. Where the ground is not known or drifts away for
 * minutes, a take-off or a landing that is in the log must at least show: nothing flies without a rise or a fall.
 */
function staysLow(course: Series, { start, end, begunBefore, open }: Phase): boolean {
  const { height, wander, rows: before } = groundBefore(course, start);
  const averages = averagesIn(course, start, end);
  if (averages.length === 0) return false;
  if (before >= LEAST_ROWS && averages.every((each) => Math.abs(each.height - height) < wander)) return true;
  if (begunBefore && open) return false;
  const around = averagesIn(course, start - CLIMB, end + CLIMB);
  let first = 0;
  return around.every(({ time, height }, i) => {
    while (time - around[first].time > CLIMB) first++;
    return around.slice(first, i).every((each) => Math.abs(each.height - height) < WANDERS);
  });
}

/** Heights averaged over a second each; none if they are too few. */
function averagesIn(course: Series, start: number, end: number): { readonly time: number; readonly height: number }[] {
  const averages: { readonly time: number; readonly height: number }[] = [];
  let [from, window, rows]: [number, number[], number] = [start, [], 0];
  const close = (): void => {
    if (window.length > 0) averages.push({ time: from, height: middle(window) });
    window = [];
  };
  course.each(start, end, (value, row) => {
    if (course.times[row] - from > AVERAGED) {
      close();
      from = course.times[row];
    }
    window.push(value);
    rows++;
  });
  close();
  return rows < LEAST_ROWS ? [] : averages;
}

/** The height of the ground before a take-off, and by how much it may wander; NaN where the log begins with it. */
function groundBefore(course: Series, takeoff: number): { height: number; wander: number; rows: number } {
  const before: number[] = [];
  course.each(takeoff - BEFORE, takeoff, (value) => before.push(value));
  before.sort((a, b) => a - b);
  const spread = before[Math.floor(before.length * 0.95)] - before[Math.floor(before.length * 0.05)];
  const wander = Math.min(WANDERS_MOST, Math.max(WANDERS, WANDERS_TIMES * spread || 0));
  return { height: middle(before), wander, rows: before.length };
}

/** Least rows to judge by. */
const LEAST_ROWS = 3;

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Roll and pitch in degrees. */
interface AttitudeSeries {
  readonly roll: Series;
  readonly pitch: Series;
}

async function readAttitude(log: Log, stream?: string): Promise<AttitudeSeries | undefined> {
  // sdlog2 has radians under the names of ArduPilot
  const quantity = log.table('ATT')?.field('RollRate') ? SDLOG_ATTITUDE : ATTITUDE;
  const [reading] = await readSeries<'roll' | 'pitch'>(log, quantity, stream);
  const { roll, pitch } = reading?.values ?? {};
  return roll && pitch && { roll: new Series(reading.times, roll), pitch: new Series(reading.times, pitch) };
}

/** Whether attitude swings as in flight, against half a second and a second before: slow drift does not count. */
function movesInAir({ roll, pitch }: AttitudeSeries, { start, end }: Pick<Phase, 'start' | 'end'>): boolean {
  const swings: number[] = [];
  for (const course of [roll, pitch]) {
    const { times, values } = course;
    const [from, to] = course.rowsIn(start, end);
    let [half, whole] = [from, from];
    for (let row = from; row < to; row++) {
      if (!(times[row] >= start && times[row] <= end)) continue;
      while (half < row && !(times[half] >= times[row] - COMPARED)) half++;
      while (whole < half && !(times[whole] >= times[row] - 2 * COMPARED)) whole++;
      const swing = Math.abs(values[row] - 2 * values[half] + values[whole]);
      if (times[whole] >= start && !Number.isNaN(swing)) swings.push(swing);
    }
  }
  const often = swings.sort((a, b) => a - b)[Math.floor(swings.length * 0.9)];
  return isUpright({ roll, pitch }, { start, end }) && !(often < SWINGS);
}

function isUpright({ roll, pitch }: AttitudeSeries, { start, end }: Pick<Phase, 'start' | 'end'>): boolean {
  let lean = 0;
  for (const course of [roll, pitch])
    course.each(start, end, (value) => {
      lean = Math.max(lean, Math.abs(value));
    });
  return lean < LEANS;
}

/** When a ground vehicle was moving: from its first movement until it rested for long. */
export async function byMotion(
  facts: Facts,
  armed: readonly Phase[],
  stream?: string,
): Promise<PhaseSource | undefined> {
  const speeds = await facts.speeds(stream);
  return speeds && { source: speeds.source, stretches: armed.flatMap((each) => drivesIn(speeds, each)) };
}

/** The best heights that a log has, of one vehicle if there are several. */
export async function readHeights(
  log: Log,
  stream?: string,
  fields: readonly HeightField[] = HEIGHTS,
): Promise<Heights | undefined> {
  for (const [name, field, home, factor] of fields) {
    const heights = await readQuantity(log, stream, name, field);
    if (!heights || heights.course.values.every((each) => each === 0 || Number.isNaN(each))) continue;
    const { times, values } = heights.course;
    const metres = factor === 1 ? values : values.map((each) => each * factor);
    return { ...heights, home, course: new Series(times, metres) };
  }
  return undefined;
}

export async function readSpeeds(log: Log, stream?: string): Promise<Speeds | undefined> {
  for (const [name, ...fields] of SPEEDS) {
    const parts: Speeds[] = [];
    for (const field of fields) {
      const part = await readQuantity(log, stream, name, field);
      if (part) parts.push(part);
    }
    if (parts.length < fields.length) continue;
    const [{ source, course }, east] = parts;
    if (!east) return { source, course };
    const values = course.values.map((north, i) => Math.hypot(north, east.course.values[i]));
    return { source, course: new Series(course.times, values) };
  }
  return undefined;
}

async function readQuantity(
  log: Log,
  stream: string | undefined,
  name: string,
  field: string,
): Promise<Speeds | undefined> {
  const [table] = filledTables(log, name, [field], stream);
  if (!table) return undefined;
  const { times, columns } = await table.timedColumns([field]);
  return { source: name, course: new Series(times, columns[0].siNumbers()) };
}

function flightsIn({ course, home }: Heights, armed: Phase, up: number): Phase[] {
  const { times, values } = course;
  const [from, to] = rowsIn(course, armed);
  const base = baseOf(values.subarray(from, to), armed, home);
  const flights: Phase[] = [];
  for (let i = from; i < to; i++) {
    if (!(values[i] - base > up)) continue;
    const start = climbFrom(times, values, from, i);
    let end = i;
    while (end < to && !(values[end] - base < DOWN)) end++;
    if (times[Math.min(end, to - 1)] - times[i] >= LEAST) {
      const isCut = end >= to;
      while (end < to && values[end] - base > GROUND && values[end + 1] < values[end]) end++;
      const before = flights.at(-1)?.end ?? armed.start;
      flights.push({
        start: start > from ? Math.max(before, times[start]) : before,
        end: isCut ? armed.end : times[Math.min(end, to - 1)],
        open: isCut && armed.open,
        begunBefore: start === from && flights.length === 0 && armed.begunBefore,
      });
    }
    i = Math.max(i, end);
  }
  return flights;
}

/** Where a climb to a row began: before it the vehicle was not lower for a while. */
function climbFrom(times: Float64Array, values: Float64Array, from: number, to: number): number {
  let lowest = to;
  for (let row = to; row >= from && times[lowest] - times[row] < CLIMB; row--) {
    if (values[row] < values[lowest] - (lowest === to ? 0 : GROUND)) lowest = row;
  }
  return lowest;
}

/** Height of the ground: where the vehicle was armed, or home if the log began later. */
function baseOf(values: Float64Array, armed: Phase, home: boolean): number {
  if (!armed.begunBefore) return values.find((each) => !Number.isNaN(each)) ?? Number.NaN;
  if (home) return 0;
  const known = values.filter((each) => !Number.isNaN(each)).sort();
  return known[Math.floor(known.length / 20)] ?? Number.NaN;
}

function drivesIn({ course }: Speeds, armed: Phase): Phase[] {
  const { times, values } = course;
  const [from, to] = rowsIn(course, armed);
  const drives: Phase[] = [];
  let [first, last] = [-1, -1];
  const close = (): void => {
    if (first < 0 || times[last] - times[first] < LEAST) return;
    const reaches = times[to - 1] - times[last] < LEAST && armed.end - times[last] < LEAST;
    const begins = first === from && armed.begunBefore;
    drives.push({
      start: begins ? armed.start : times[first],
      end: reaches && armed.open ? armed.end : times[last],
      open: reaches && armed.open,
      begunBefore: begins,
    });
  };
  for (let i = from; i < to; i++) {
    if (!(values[i] > MOVING)) continue;
    if (first >= 0 && times[i] - times[last] > REST) {
      close();
      first = -1;
    }
    if (first < 0) first = i;
    last = i;
  }
  close();
  return drives;
}

/** The rows of a stretch: from the first in it until the last after which nothing more of it comes. */
function rowsIn(course: Series, { start, end }: Phase): [from: number, to: number] {
  const { times } = course;
  let [from, to] = course.rowsIn(start, end);
  while (from < to && !(times[from] >= start)) from++;
  while (to > from && !(times[to - 1] <= end)) to--;
  return [from, to];
}
