import type { Log } from '../core/log.ts';
import { titleOf } from '../core/table.ts';
import { factsOf } from '../facts/facts.ts';
import { findLikeness, type Likeness, type LikenessOptions, type Signal } from './correlation.ts';

/** How far the clock of one log is from that of another, by a motion that both have. */
export interface ClockOffset extends Likeness {
  /** What is alike: the path over ground, or how fast the vehicle turns. */
  readonly by: 'position' | 'rotation';
  /** Its tables, in the first log and in the second. */
  readonly tables: readonly [string, string];
}

/** Times in seconds and values at them, from one table. */
interface Samples {
  readonly table: string;
  readonly times: Float64Array;
  readonly components: readonly Float64Array[];
}

/** Seconds between values that are compared, unless there would be too many of them. */
const STEP = 0.1;
const MOST_VALUES = 32_768;
/** Seconds without a value after which nothing is known until the next one. */
const GAP = 2;

/** Metres around the mean: less is the noise of a receiver at rest. */
const POSITION = { overlap: 10, variation: 3, correlation: 0.95 };
/** Receivers of one vehicle are not farther apart than this, nor are they wrong by more for long. */
const SAME_PLACE = 15;
/** Radians a second, or whatever the sensor counts in. */
const ROTATION = { overlap: 10, variation: 1e-3, correlation: 0.8 };
/** Seconds by which clocks differ that both claim to be UTC: the same path flown again later is another flight. */
const UTC_LAG = 60;

const EARTH_RADIUS = 6_371_000;

/** Turn rates about three axes, the best first. Only the shape of their size counts: not units, not axes. */
const ROTATION_FIELDS: readonly (readonly [table: string, x: string, y: string, z: string])[] = [
  ['IMU', 'GyrX', 'GyrY', 'GyrZ'],
  ['RateOfTurn', 'x', 'y', 'z'],
  ['ATTITUDE', 'rollspeed', 'pitchspeed', 'yawspeed'],
  ['HIGHRES_IMU', 'xgyro', 'ygyro', 'zgyro'],
  ['SCALED_IMU', 'xgyro', 'ygyro', 'zgyro'],
  ['RAW_IMU', 'xgyro', 'ygyro', 'zgyro'],
];

/** The motion data of a log; read once for all comparisons. */
export interface MotionSamples {
  /** Whether its times are UTC. */
  readonly utc: boolean;
  readonly position: Samples | undefined;
  readonly rotation: Samples | undefined;
}

export async function readMotion(log: Log): Promise<MotionSamples> {
  return { utc: log.clock.utc, position: await readPositions(log), rotation: await readRotation(log) };
}

/** By how much the second log's times are later for the same motion, by each kind of motion; none if unclear. */
export function findOffsets(a: MotionSamples, b: MotionSamples): ClockOffset[] {
  const lag = a.utc && b.utc ? UTC_LAG : Number.POSITIVE_INFINITY;
  const latitude = a.position?.components[0][0] ?? 0;
  const paths = [inMetres(a.position, latitude), inMetres(b.position, latitude)];
  return [
    ...offsetBy('position', paths[0], paths[1], { ...POSITION, lag }).filter((each) => each.distance < SAME_PLACE),
    ...offsetBy('rotation', a.rotation, b.rotation, { ...ROTATION, lag }),
  ];
}

function offsetBy(
  by: ClockOffset['by'],
  a: Samples | undefined,
  b: Samples | undefined,
  options: LikenessOptions,
): ClockOffset[] {
  if (!a || !b) return [];
  const step = Math.max(STEP, durationOf(a) / MOST_VALUES, durationOf(b) / MOST_VALUES);
  const likeness = findLikeness(signalOf(a, step), signalOf(b, step), options);
  return likeness ? [{ ...likeness, by, tables: [a.table, b.table] }] : [];
}

/** Degrees of latitude and longitude. */
async function readPositions(log: Log): Promise<Samples | undefined> {
  const { source, time, lat, lon } = await factsOf(log).track();
  return samplesOf(source, time, [lat, lon]);
}

/** Degrees as metres north and east, at the scale of one latitude: it must be the same for both of two paths. */
function inMetres(samples: Samples | undefined, latitude: number): Samples | undefined {
  if (!samples) return undefined;
  const [lat, lon] = samples.components;
  const degree = (EARTH_RADIUS * Math.PI) / 180;
  const across = degree * Math.cos((latitude * Math.PI) / 180);
  return { ...samples, components: [lat.map((each) => each * degree), lon.map((each) => each * across)] };
}

async function readRotation(log: Log): Promise<Samples | undefined> {
  for (const [name, ...axes] of ROTATION_FIELDS) {
    const table = log.table(name);
    if (!table || table.rows < 2 || !axes.every((axis) => table.field(axis))) continue;
    const [x, y, z] = (await table.columns(axes)).map((column) => column.numbers());
    return samplesOf(titleOf(table), await table.times(), [x.map((each, i) => Math.hypot(each, y[i], z[i]))]);
  }
  return undefined;
}

/** Keeps what comes later than all before it: a clock that goes back gives nothing to compare. */
function samplesOf(table: string, times: Float64Array, components: readonly Float64Array[]): Samples | undefined {
  const kept: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < times.length; i++) {
    if (!(times[i] > last) || components.some((each) => !Number.isFinite(each[i]))) continue;
    last = times[i];
    kept.push(i);
  }
  if (kept.length < 2 || !Number.isFinite(last)) return undefined;
  return {
    table,
    times: Float64Array.from(kept, (i) => times[i] / 1e6),
    components: components.map((each) => Float64Array.from(kept, (i) => each[i])),
  };
}

function durationOf({ times }: Samples): number {
  return times[times.length - 1] - times[0];
}

/** Values at even steps: the mean of those in a step, or on the line between the last one before it and the next. */
function signalOf({ times, components }: Samples, step: number): Signal {
  const start = times[0];
  const length = Math.floor((times[times.length - 1] - start) / step) + 1;
  return { start, step, components: components.map((values) => evenly(times, values, start, step, length)) };
}

function evenly(times: Float64Array, values: Float64Array, start: number, step: number, length: number): Float64Array {
  const out = new Float64Array(length).fill(Number.NaN);
  for (let i = 0, next = 0; i < length; i++) {
    const time = start + i * step;
    let [sum, count] = [0, 0];
    for (; next < times.length && times[next] < time + step / 2; next++) {
      if (times[next] < time - step / 2) continue;
      sum += values[next];
      count++;
    }
    if (count > 0) out[i] = sum / count;
    else if (next > 0 && next < times.length && times[next] - times[next - 1] <= GAP) {
      const part = (time - times[next - 1]) / (times[next] - times[next - 1]);
      out[i] = values[next - 1] + (values[next] - values[next - 1]) * part;
    }
  }
  return out;
}
