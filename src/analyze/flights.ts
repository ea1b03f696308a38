import type { Log } from '../core/log.ts';
import { distance } from '../geo/geodesy.ts';
import { readTrack, type Track } from '../geo/track.ts';
import { type Heights, readHeights, readSpeeds, type Speeds } from './airborne.ts';
import { Course, firstFrom } from './course.ts';
import type { LogEvent } from './event.ts';
import { findEvents } from './events.ts';
import { type BatteryUse, batteryUse, readBattery } from './flight-battery.ts';
import { findAutopilots } from './heartbeat.ts';
import type { VehicleClass } from './mode-names.ts';
import { findModes, type ModeSpan } from './modes.ts';
import { findPhases, type Phases } from './phases.ts';
import { containing, overlapping, type Stretch } from './stretch.ts';
import { findVehicle } from './vehicle.ts';

/** A flight, or a drive or dive: from arming to disarming. Times are microseconds of the log's clock. */
export interface Flight {
  /** From 1 on, in the order of time. */
  readonly number: number;
  /** Whose: the stream of the vehicle's heartbeats, '' for a log that a vehicle wrote by itself. */
  readonly stream: string;
  /** When it was armed and disarmed; where the log does not tell that, when it took off and landed. */
  readonly start: number;
  readonly end: number;
  /** Whether the log ends in it, and whether it begins in it. */
  readonly open: boolean;
  readonly begunBefore: boolean;
  /** The first take-off and the last landing; null where the log begins or ends before it. */
  readonly takeoff: number | null;
  readonly landing: number | null;
  /** Seconds from start to end, and those of them in the air. */
  readonly duration: number;
  readonly inAir: number;
  /** Metres over ground while in the air; null without positions. */
  readonly distance: number | null;
  /** Metres above the place of take-off, metres a second over ground, metres from where it was armed. */
  readonly maxHeight: number | null;
  readonly maxSpeed: number | null;
  readonly maxHomeDistance: number | null;
  /** Modes in the order of their first use, with the seconds spent in them. */
  readonly modes: readonly { readonly mode: string; readonly seconds: number }[];
  readonly battery: BatteryUse | null;
  readonly events: readonly LogEvent[];
}

/** The flights of a log: each time that the vehicle was armed and under way. Those of all vehicles, by their start. */
export async function findFlights(log: Log, given?: readonly LogEvent[]): Promise<Flight[]> {
  const events = given ?? (await findEvents(log));
  const autopilots = await findAutopilots(log);
  const kinds = new Map(autopilots.map(({ table, kind }) => [table.stream as string | undefined, kind]));
  if (kinds.size === 0) kinds.set(undefined, (await findVehicle(log)).kind);
  const flights: Flight[] = [];
  for (const [stream, kind] of kinds) {
    const phases = await findPhases(log, stream);
    const stretches = flightStretches(phases, kind);
    if (stretches.length === 0) continue;
    const recorded = await readRecorded(log, kind, stream, stretches[stretches.length - 1].end);
    const own = events.filter((event) => event.stream === (stream ?? '') && !Number.isNaN(event.time));
    const times = own.map(({ time }) => time);
    for (const stretch of stretches) {
      const during = own.slice(firstFrom(times, stretch.start), firstFrom(times, stretch.end + 1));
      flights.push(flightOf(stretch, phases, recorded, stream ?? '', during));
    }
  }
  flights.sort((a, b) => a.start - b.start);
  return flights.map((flight, i) => ({ ...flight, number: i + 1 }));
}

/** Armed stretches with something in them that is under way; all of them for what cannot tell that. */
function flightStretches(
  { armed, flying, armedSource, flyingSource }: Phases,
  kind: VehicleClass | null,
): readonly Stretch[] {
  if (armedSource === null) return flying;
  if (flyingSource === null) return kind === 'Rover' ? armed : [];
  return containing(armed, flying);
}

/** What the figures of flights come from; read once for all of them. */
interface Recorded {
  readonly track: Track;
  readonly fixedSpeeds: Course;
  readonly heights: Heights | undefined;
  readonly speeds: Speeds | undefined;
  readonly modes: readonly ModeSpan[];
  readonly battery: Awaited<ReturnType<typeof readBattery>>;
}

async function readRecorded(
  log: Log,
  kind: VehicleClass | null,
  stream: string | undefined,
  end: number,
): Promise<Recorded> {
  const track = await readTrack(log, { source: trackSource(log, stream) });
  return {
    track,
    fixedSpeeds: new Course(track.time, track.speed),
    heights: await readHeights(log, stream),
    speeds: await readSpeeds(log, stream),
    modes: await findModes(log, kind, end, stream),
    battery: await readBattery(log, stream),
  };
}

/** The positions of one of several vehicles; undefined for the best that there is. */
function trackSource(log: Log, stream: string | undefined): string | undefined {
  if (stream === undefined) return undefined;
  const name = ['GLOBAL_POSITION_INT', 'GPS_RAW_INT'].find((each) => (log.table(each, stream)?.rows ?? 0) > 0);
  return name && `${name}[${stream}]`;
}

function flightOf(
  stretch: Stretch,
  { flying }: Phases,
  { track, fixedSpeeds, heights, speeds, modes, battery }: Recorded,
  stream: string,
  events: readonly LogEvent[],
): Omit<Flight, 'number'> & { number: number } {
  const { start, end, open, begunBefore } = stretch;
  const air = overlapping(stretch, flying);
  const first = air.at(0) ?? stretch;
  const last = air.at(-1) ?? stretch;
  return {
    number: 0,
    stream,
    start,
    end,
    open,
    begunBefore,
    takeoff: first.begunBefore ? null : first.start,
    landing: last.open ? null : last.end,
    duration: (end - start) / 1e6,
    inAir: air.reduce((sum, each) => sum + (each.end - each.start), 0) / 1e6,
    ...pathOf(track, fixedSpeeds, start, first.start, last.end),
    maxHeight: heights ? greatestRise(heights, first, last.end) : null,
    // what a receiver says without a fix counts only where there is nothing else
    maxSpeed:
      greatest(fixedSpeeds, first.start, last.end) ??
      (speeds && greatest(speeds.course, first.start, last.end)) ??
      null,
    modes: modesIn(modes, start, end),
    battery: batteryUse(battery, stretch),
    events,
  };
}

/** Metres flown between two times, and how far away from the first place since a third one. */
function pathOf(
  { time, lat, lon }: Track,
  course: Course,
  armed: number,
  from: number,
  to: number,
): Pick<Flight, 'distance' | 'maxHomeDistance'> {
  let [home, before, sum, farthest] = [-1, -1, 0, 0];
  const [first, behind] = course.rowsIn(armed, to);
  for (let i = first; i < behind; i++) {
    if (!(time[i] >= armed && time[i] <= to)) continue;
    if (home < 0) home = i;
    farthest = Math.max(farthest, distance(lat[home], lon[home], lat[i], lon[i]));
    if (time[i] < from) continue;
    if (before >= 0) sum += distance(lat[before], lon[before], lat[i], lon[i]);
    before = i;
  }
  return before < 0 ? { distance: null, maxHomeDistance: null } : { distance: sum, maxHomeDistance: farthest };
}

/** Above the height at take-off; where the log begins later, above home or else above the lowest. */
function greatestRise({ course, home }: Heights, { start, begunBefore }: Stretch, end: number): number | null {
  let [base, lowest, highest] = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  course.each(start - BEFORE, start, (value) => {
    base = value;
  });
  course.each(start, end, (value, row) => {
    if (isSpike(course.values, row)) return;
    if (Number.isNaN(base)) base = value;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  });
  if (lowest > highest) return null;
  return highest - (begunBefore ? (home ? 0 : lowest) : base);
}

/** Microseconds before a take-off in which a height is still that of the ground. */
const BEFORE = 2_000_000;
/** Metres by which a height cannot differ from the one before it and the one behind it: it is damage. */
const SPIKE = 50;

function isSpike(values: Float64Array, i: number): boolean {
  const [before, behind] = [values[i] - values[i - 1], values[i] - values[i + 1]];
  return (before > SPIKE && behind > SPIKE) || (before < -SPIKE && behind < -SPIKE);
}

function greatest(course: Course, start: number, end: number): number | null {
  let most = Number.NEGATIVE_INFINITY;
  course.each(start, end, (value) => {
    most = Math.max(most, value);
  });
  return most === Number.NEGATIVE_INFINITY ? null : most;
}

function modesIn(modes: readonly ModeSpan[], start: number, end: number): Flight['modes'] {
  const spent = new Map<string, number>();
  for (const each of overlapping({ start, end }, modes)) {
    const overlap = Math.min(each.end, end) - Math.max(each.start, start);
    if (overlap > 0) spent.set(each.mode, (spent.get(each.mode) ?? 0) + overlap / 1e6);
  }
  return [...spent].map(([mode, seconds]) => ({ mode, seconds }));
}
