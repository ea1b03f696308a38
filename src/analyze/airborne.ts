import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { Course } from './course.ts';
import type { Stretch } from './stretch.ts';

/** Speeds over ground in metres a second, and the table that they come from. */
export interface Speeds {
  readonly source: string;
  readonly course: Course;
}

/** Heights in metres. */
export interface Heights extends Speeds {
  /** Whether they are 0 at the place of departure. */
  readonly home: boolean;
}

/** A height, or its opposite where the field counts downwards; `home` where it is 0 at the place of departure. */
type HeightField = readonly [table: string, field: string, home: boolean, sign: 1 | -1];

/** In the order of preference: what the autopilot believes, then single sensors. */
const HEIGHTS: readonly HeightField[] = [
  ['POS', 'RelHomeAlt', true, 1],
  ['CTUN', 'Alt', true, 1],
  ['CTUN', 'BAlt', true, 1],
  ['CTUN', 'BarAlt', true, 1],
  ['GPS', 'RelAlt', true, 1],
  ['BARO', 'Alt', true, 1],
  ['LPOS', 'Z', true, -1],
  ['SENS', 'BaroAlt', false, 1],
  ['GPS', 'Alt', false, 1],
  ['GLOBAL_POSITION_INT', 'relative_alt', true, 1],
  ['ALTITUDE', 'altitude_relative', true, 1],
  ['LOCAL_POSITION_NED', 'z', true, -1],
  ['VFR_HUD', 'alt', false, 1],
];
/** Speeds over ground: one field, or two that are north and east. */
const SPEEDS: readonly (readonly [table: string, ...fields: string[]])[] = [
  ['GPS', 'Spd'],
  ['VFR_HUD', 'groundspeed'],
  ['GLOBAL_POSITION_INT', 'vx', 'vy'],
];

/** Metres above the place of departure that are no error of a barometer, and where a landing is nearly done. */
const UP = 2;
const DOWN = 1;
const GROUND = 0.3;
/** Microseconds without getting lower, looking back, behind which a climb cannot have begun. */
const CLIMB = 5_000_000;
/** The same where nothing says when the vehicle was armed, so that there is more time to be wrong in. */
const UP_UNARMED = 5;
/** Microseconds for which a vehicle must stay up, or move, to count. */
const LEAST = 2_000_000;
/** Metres a second above which a vehicle moves and is not only said to by its receiver. */
const MOVING = 0.5;
/** Microseconds at rest that end a drive. */
const REST = 30_000_000;

/** Stretches, and the table that told them; undefined where none can. */
export interface Told {
  readonly source: string;
  readonly stretches: readonly Stretch[];
}

/**
 * When the vehicle was above the ground, by its height.
 * @param armed when it was armed, or the whole log where that is not known
 */
export async function byHeight(
  log: Log,
  armed: readonly Stretch[],
  isArmedKnown: boolean,
  stream?: string,
): Promise<Told | undefined> {
  const heights = await readHeights(log, stream);
  if (!heights) return undefined;
  const up = isArmedKnown ? UP : UP_UNARMED;
  return { source: heights.source, stretches: armed.flatMap((each) => flightsIn(heights, each, up)) };
}

/** When a vehicle on the ground was under way: from its first movement until it rested for long. */
export async function byMotion(log: Log, armed: readonly Stretch[], stream?: string): Promise<Told | undefined> {
  const speeds = await readSpeeds(log, stream);
  return speeds && { source: speeds.source, stretches: armed.flatMap((each) => drivesIn(speeds, each)) };
}

/** The best heights that a log has, of one vehicle if there are several. */
export async function readHeights(log: Log, stream?: string): Promise<Heights | undefined> {
  for (const [name, field, home, sign] of HEIGHTS) {
    const heights = await readQuantity(log, stream, name, field);
    if (!heights || heights.course.values.every((each) => each === 0 || Number.isNaN(each))) continue;
    const { times, values } = heights.course;
    return {
      ...heights,
      home,
      course:
        sign < 0
          ? new Course(
              times,
              values.map((each) => -each),
            )
          : heights.course,
    };
  }
  return undefined;
}

/** The best speeds over ground that a log has. */
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
    return { source, course: new Course(course.times, values) };
  }
  return undefined;
}

async function readQuantity(
  log: Log,
  stream: string | undefined,
  name: string,
  field: string,
): Promise<Speeds | undefined> {
  const has = (table: Table): boolean =>
    table.rows > 0 && table.field(field) !== undefined && (stream === undefined || table.stream === stream);
  const table = log.tablesNamed(name).find(has);
  if (!table) return undefined;
  const { times, columns } = await table.timedColumns([field]);
  return { source: name, course: new Course(times, columns[0].siNumbers()) };
}

function flightsIn({ course, home }: Heights, armed: Stretch, up: number): Stretch[] {
  const { times, values } = course;
  const [from, to] = rowsIn(course, armed);
  const base = baseOf(values.subarray(from, to), armed, home);
  const flights: Stretch[] = [];
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

/** The height of the ground: where the vehicle stood when it was armed; home where the log began later than that. */
function baseOf(values: Float64Array, armed: Stretch, home: boolean): number {
  if (!armed.begunBefore) return values.find((each) => !Number.isNaN(each)) ?? Number.NaN;
  if (home) return 0;
  const known = values.filter((each) => !Number.isNaN(each)).sort();
  return known[Math.floor(known.length / 20)] ?? Number.NaN;
}

function drivesIn({ course }: Speeds, armed: Stretch): Stretch[] {
  const { times, values } = course;
  const [from, to] = rowsIn(course, armed);
  const drives: Stretch[] = [];
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

/** The rows of a stretch: from the first in it until the last behind which nothing more of it comes. */
function rowsIn(course: Course, { start, end }: Stretch): [from: number, to: number] {
  const { times } = course;
  let [from, to] = course.rowsIn(start, end);
  while (from < to && !(times[from] >= start)) from++;
  while (to > from && !(times[to - 1] <= end)) to--;
  return [from, to];
}
