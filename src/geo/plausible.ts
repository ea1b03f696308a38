import { distance } from './geodesy.ts';

/** Metres a second that no vehicle is faster than, and metres that a receiver may be off when it gets its fix. */
const FASTEST = 400;
const FIX_ERROR = 100;
/** Metres between two fixes that no vehicle flies between two records, whatever the time. */
const FARTHEST = 100_000;
/** Degrees around (0, 0) where an estimator is that does not know yet where it is. */
const NOWHERE = 0.01;
/** Metres above the sea that no vehicle is below or above: the shore of the Dead Sea, and what balloons reach. */
const LOWEST = -500;
const HIGHEST = 50_000;
/** Fixes that make a way at least. */
const BULK = 3;
/** Runs of fixes that are followed at a time. */
const RUNS = 64;

/** Whether a place is one at all. NaN fails every comparison. */
export function isOnGlobe(lat: number, lon: number): boolean {
  const isNowhere = Math.abs(lat) < NOWHERE && Math.abs(lon) < NOWHERE;
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && !isNowhere;
}

export function believableAltitude(metres: number): number {
  return metres >= LOWEST && metres <= HIGHEST ? metres : Number.NaN;
}

/** A speed over ground in metres a second, or NaN where no vehicle has it. */
export function believableSpeed(speed: number): number {
  return speed >= 0 && speed <= FASTEST ? speed : Number.NaN;
}

interface FixPlaces {
  readonly time: Float64Array;
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

/** Fixes that a vehicle can have flown one after the other. */
interface Run {
  last: number;
  count: number;
  readonly members: number[];
}

/**
 * Which of some fixes [from, to) are on the way that the vehicle flew: those that can be flown one after the other, of all
 * such ways the one with most fixes. What is off it is a receiver's mistake, or a damaged record. Where no way has more
 * than half of them none is better than the others, and all stay.
 */
export function onTheWay(places: FixPlaces, from: number, to: number): number[] {
  const runs: Run[] = [];
  let best: Run | undefined;
  let current: Run | undefined;
  for (let i = from; i < to; i++) {
    const run = current && canFly(places, current.last, i) ? current : longestTo(runs, places, i);
    current = run ?? begin(runs, i);
    current.last = i;
    current.count++;
    current.members.push(i);
    if (!best || current.count > best.count) best = current;
  }
  const isBulk = best !== undefined && best.count >= BULK && best.count > (to - from) / 2;
  return isBulk ? (best?.members ?? []) : Array.from({ length: to - from }, (_, i) => from + i);
}

function longestTo(runs: readonly Run[], places: FixPlaces, i: number): Run | undefined {
  let best: Run | undefined;
  for (const run of runs) if (canFly(places, run.last, i) && (!best || run.count > best.count)) best = run;
  return best;
}

function begin(runs: Run[], i: number): Run {
  if (runs.length >= RUNS) {
    const weakest = runs.reduce((least, run, k) => (run.count < runs[least].count ? k : least), 0);
    runs.splice(weakest, 1);
  }
  const run = { last: i, count: 0, members: [] };
  runs.push(run);
  return run;
}

function canFly({ time, lat, lon }: FixPlaces, a: number, b: number): boolean {
  const step = distance(lat[a], lon[a], lat[b], lon[b]);
  const elapsed = (time[b] - time[a]) / 1e6;
  if (Number.isNaN(elapsed)) return step <= FARTHEST;
  return step <= FIX_ERROR + FASTEST * Math.max(0, elapsed);
}

/** How much farther than its speed says a vehicle may have moved: between two fixes it may have been faster. */
const SPEED_MARGIN = 1.5;
const SPEED_ERROR = 0.5;

/** Metres from one fix to the next, as far as the speeds explain them: positions may be coarse or noisy. */
export function flownStep(
  { time, lat, lon, speed }: FixPlaces & { readonly speed: Float64Array },
  a: number,
  b: number,
): number {
  const step = distance(lat[a], lon[a], lat[b], lon[b]);
  const fastest = Math.max(speed[a], speed[b]);
  const elapsed = (time[b] - time[a]) / 1e6;
  const explained = (fastest * SPEED_MARGIN + SPEED_ERROR) * elapsed;
  return explained >= 0 ? Math.min(step, explained) : step;
}
