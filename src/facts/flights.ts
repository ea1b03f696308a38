import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { distance } from '../geo/geodesy.ts';
import { flownStep } from '../geo/plausible.ts';
import type { Track } from '../geo/track.ts';
import { type BatteryField, CHARGE, ENERGY, OLD_CURR, REMAINING, VOLTS } from '../series/quantities.ts';
import { rowFrom, Series } from '../series/series.ts';
import type { Heights, Speeds } from './airborne.ts';
import type { LogEvent } from './event.ts';
import type { Facts } from './facts.ts';
import type { VehicleClass } from './mode-names.ts';
import { apart, type ModeInterval } from './modes.ts';
import { containing, overlapping, type Phase } from './phase.ts';
import type { Phases } from './phases.ts';
import { coveredTime } from './span.ts';

/** A flight, or a drive or dive: from arming to disarming. Times are microseconds of the log's clock. */
export interface Flight {
  /** From 1 on, in the order of time. */
  readonly number: number;
  /** Stream of the vehicle's heartbeats; '' for the vehicle's onboard log. */
  readonly stream: string;
  /** When it was armed and disarmed; if unknown, when it took off and landed. */
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

/** The flights of a log: each time that the vehicle was armed and in flight, or moving; of all vehicles, by start. */
export async function findFlights(facts: Facts): Promise<Flight[]> {
  const events = await facts.events();
  const flights: Flight[] = [];
  for (const [stream, kind] of await facts.kinds()) {
    const phases = await facts.phases(stream);
    const stretches = flightStretches(phases, kind);
    if (stretches.length === 0) continue;
    const recorded = await readRecorded(facts, stream);
    const own = events.filter((event) => event.stream === (stream ?? '') && !Number.isNaN(event.time));
    const times = own.map(({ time }) => time);
    for (const stretch of stretches) {
      const during = own.slice(rowFrom(times, stretch.start), rowFrom(times, stretch.end + 1));
      flights.push(flightOf(stretch, phases, recorded, stream ?? '', during));
    }
  }
  return byStart(flights);
}

export function byStart(flights: readonly Flight[]): Flight[] {
  return flights.toSorted((a, b) => a.start - b.start).map((flight, i) => ({ ...flight, number: i + 1 }));
}

/** Armed phases with flight or motion in them; all of them if the log does not show that. */
function flightStretches(
  { armed, flying, armedSource, flyingSource }: Phases,
  kind: VehicleClass | null,
): readonly Phase[] {
  if (armedSource === null) return flying;
  if (flyingSource === null) return kind === 'Rover' ? armed : [];
  return containing(armed, flying);
}

/** What the figures of flights come from; read once for all of them. */
interface Recorded {
  readonly track: Track;
  readonly fixedSpeeds: Series;
  readonly heights: Heights | undefined;
  readonly speeds: Speeds | undefined;
  readonly modes: readonly ModeInterval[];
  readonly battery: Awaited<ReturnType<typeof readBattery>>;
}

async function readRecorded(facts: Facts, stream: string | undefined): Promise<Recorded> {
  const track = await facts.track(trackSource(facts.log, stream));
  return {
    track,
    fixedSpeeds: new Series(track.time, track.speed),
    heights: await facts.heights(stream),
    speeds: await facts.speeds(stream),
    modes: apart(await facts.modes(stream)),
    battery: await readBattery(facts.log, stream),
  };
}

/** The positions of one of several vehicles; undefined for the best that there is. */
function trackSource(log: Log, stream: string | undefined): string | undefined {
  if (stream === undefined) return undefined;
  const name = ['GLOBAL_POSITION_INT', 'GPS_RAW_INT'].find((each) => (log.table(each, stream)?.rows ?? 0) > 0);
  return name && `${name}[${stream}]`;
}

function flightOf(
  stretch: Phase,
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
    // false times can make them overlap
    inAir: coveredTime(air.map((each) => ({ start: Math.max(start, each.start), end: Math.min(end, each.end) }))) / 1e6,
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
  track: Track,
  course: Series,
  armed: number,
  from: number,
  to: number,
): Pick<Flight, 'distance' | 'maxHomeDistance'> {
  const { time, lat, lon } = track;
  let [home, before, sum, farthest, latest] = [-1, -1, 0, 0, Number.NEGATIVE_INFINITY];
  const [first, behind] = course.rowsIn(armed, to);
  for (let i = first; i < behind; i++) {
    if (!(time[i] >= armed && time[i] <= to)) continue;
    if (home < 0) home = i;
    farthest = Math.max(farthest, distance(lat[home], lon[home], lat[i], lon[i]));
    // what is twice in a file was flown once
    if (time[i] < from || time[i] < latest) continue;
    latest = time[i];
    if (before >= 0) sum += flownStep(track, before, i);
    before = i;
  }
  return before < 0 ? { distance: null, maxHomeDistance: null } : { distance: sum, maxHomeDistance: farthest };
}

/** Above the height at take-off; where the log begins later, above home or else above the lowest. */
function greatestRise({ course, home }: Heights, { start, begunBefore }: Phase, end: number): number | null {
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
  if (lowest > highest || (!begunBefore && isAdrift(course, start))) return null;
  return begunBefore ? highest - (home ? 0 : lowest) : Math.max(0, highest - base);
}

/** Microseconds before a take-off in which a height is still that of the ground. */
const BEFORE = 2_000_000;
/** Metres, or metres a second, by which a value cannot differ from the one before it and the next: it is damage. */
const SPIKE = 50;

function isSpike(values: Float64Array, i: number): boolean {
  const [before, behind] = [values[i] - values[i - 1], values[i] - values[i + 1]];
  return (before > SPIKE && behind > SPIKE) || (before < -SPIKE && behind < -SPIKE);
}

/** Metres that no vehicle rises or sinks on the ground in a few microseconds before its take-off. */
const DRIFT = 30;
const ON_GROUND = 5_000_000;

/** Whether heights ran away already on the ground, as those of a broken barometer do. */
function isAdrift(course: Series, takeoff: number): boolean {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  course.each(takeoff - ON_GROUND, takeoff, (value) => {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  });
  return highest - lowest > DRIFT;
}

function greatest(course: Series, start: number, end: number): number | null {
  let most = Number.NEGATIVE_INFINITY;
  course.each(start, end, (value, row) => {
    if (!isSpike(course.values, row)) most = Math.max(most, value);
  });
  return most === Number.NEGATIVE_INFINITY ? null : most;
}

function modesIn(modes: readonly ModeInterval[], start: number, end: number): Flight['modes'] {
  const spent = new Map<string, number>();
  for (const each of overlapping({ start, end }, modes)) {
    const overlap = Math.min(each.end, end) - Math.max(each.start, start);
    if (overlap > 0) spent.set(each.mode, (spent.get(each.mode) ?? 0) + overlap / 1e6);
  }
  return [...spent].map(([mode, seconds]) => ({ mode, seconds }));
}

/** What a flight took from the battery; null if unknown. */
export interface BatteryUse {
  /** Volts at the beginning and at the end. */
  readonly startVolts: number | null;
  readonly endVolts: number | null;
  readonly leastVolts: number | null;
  /** Milliampere hours, watt hours and percent that were used. */
  readonly milliampHours: number | null;
  readonly wattHours: number | null;
  readonly percent: number | null;
}

/** The battery data of a log; read once for all flights. */
interface BatteryLog {
  readonly volts: Series | undefined;
  /** Milliampere hours, watt hours since boot, and percent that remain. */
  readonly charge: Series | undefined;
  readonly energy: Series | undefined;
  readonly remaining: Series | undefined;
}

const NOTHING: BatteryLog = { volts: undefined, charge: undefined, energy: undefined, remaining: undefined };

async function readBattery(log: Log, stream: string | undefined): Promise<BatteryLog> {
  // without any time, each kind of record has its own count, so records of several kinds have no order
  if (log.clock.kind === 'gps-interpolated' && !log.table('GPS')?.rows) return NOTHING;
  const read = (places: readonly BatteryField[]): Promise<Series | undefined> => readCourse(log, stream, places);
  return {
    volts: await read(VOLTS),
    charge: await read(CHARGE),
    energy: await read(ENERGY),
    remaining: await read(REMAINING),
  };
}

async function readCourse(
  log: Log,
  stream: string | undefined,
  places: readonly BatteryField[],
): Promise<Series | undefined> {
  for (const [name, field, factor] of places) {
    const table = log.tablesNamed(name).find((each) => isFirst(each, stream) && each.field(field));
    if (!table) continue;
    const isOld = name === 'CURR' && field === 'Volt' && OLD_CURR.some((each) => table.field(each));
    const { times, columns } = await table.timedColumns([field]);
    const values = columns[0].numbers();
    const others = await otherBatteries(table);
    for (let i = 0; i < values.length; i++) {
      values[i] = others?.[i] ? Number.NaN : isOld ? values[i] / 100 : values[i] * factor;
    }
    // a monitor that is not there says 0 all the time
    if (values.some((each) => each !== 0 && !Number.isNaN(each))) return new Series(times, values);
  }
  return undefined;
}

/** Which rows of BATTERY_STATUS are about another battery than that of the lowest number. */
async function otherBatteries(table: RecordTable): Promise<Uint8Array | undefined> {
  if (table.name !== 'BATTERY_STATUS' || !table.field('id')) return undefined;
  const ids = (await table.column('id')).numbers();
  const lowest = ids.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  return Uint8Array.from(ids, (id) => (id === lowest ? 0 : 1));
}

/** The first battery of the vehicle. */
function isFirst({ rows, stream: own }: RecordTable, stream: string | undefined): boolean {
  if (rows === 0) return false;
  return stream === undefined ? own === '' || own === '0' : own === stream || own === `${stream}:0`;
}

function batteryUse({ volts, charge, energy, remaining }: BatteryLog, flight: Phase): BatteryUse | null {
  const voltage = volts && outer(volts, flight);
  const use = {
    startVolts: voltage?.first ?? null,
    endVolts: voltage?.last ?? null,
    leastVolts: voltage?.least ?? null,
    milliampHours: used(charge, flight, 1),
    wattHours: used(energy, flight, 1),
    percent: used(remaining, flight, -1),
  };
  return Object.values(use).every((each) => each === null) ? null : use;
}

interface Outer {
  readonly first: number;
  readonly last: number;
  readonly least: number;
}

function outer(course: Series, { start, end }: Phase): Outer | undefined {
  let [first, last, least] = [Number.NaN, Number.NaN, Number.POSITIVE_INFINITY];
  course.each(start, end, (value) => {
    if (Number.isNaN(first)) first = value;
    last = value;
    least = Math.min(least, value);
  });
  return Number.isNaN(first) ? undefined : { first, last, least };
}

function used(course: Series | undefined, flight: Phase, sign: 1 | -1): number | null {
  const ends = course && outer(course, flight);
  const use = ends ? sign * (ends.last - ends.first) : Number.NaN;
  // a counter that went back was reset
  return use >= 0 ? use : null;
}
