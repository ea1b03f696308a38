import { type Interval, usualInterval } from './series.ts';

export { median, quantile, usualInterval as usualStep } from './series.ts';

/** An interval in which values are beyond a limit, with the value farthest beyond it; `end` is its last row's time. */
export interface Exceedance extends Interval {
  /** Microseconds to the row after it. */
  readonly lasted: number;
  readonly peak: number;
  readonly peakAt: number;
  /** The rows at which it begins and ends. */
  readonly first: number;
  readonly last: number;
}

/** Rows farther apart than this many usual intervals are not one exceedance. */
const GAP = 5;
/** Microseconds that are never a gap. */
const NO_GAP = 1e6;

/**
 * Where values are beyond a limit for at least `lasting` microseconds.
 * @param sign 1 where more is worse, -1 where less is
 * @param mask rows that are looked at: 1, others 0
 * @param limit a value beyond which it counts, or one for each row
 */
export function findExceedances(
  times: Float64Array,
  values: Float64Array,
  mask: Uint8Array,
  limit: number | Float64Array,
  lasting: number,
  sign: 1 | -1 = 1,
): Exceedance[] {
  const start = nextBeyond(values, mask, limit, sign, 0);
  // most often none is
  return start < times.length ? exceedancesFrom(start, times, values, mask, limit, lasting, sign) : [];
}

function exceedancesFrom(
  start: number,
  times: Float64Array,
  values: Float64Array,
  mask: Uint8Array,
  limit: number | Float64Array,
  lasting: number,
  sign: 1 | -1,
): Exceedance[] {
  const step = usualInterval(times);
  const gap = Math.max(NO_GAP, GAP * step);
  const holds: Exceedance[] = [];
  let first = -1;
  let last = -1;
  let peakRow = -1;
  const close = (): void => {
    if (first < 0) return;
    const lasted = times[last] - times[first] + step;
    // rows without a time cannot be measured: what is beyond the limit counts
    if (!(lasted < lasting))
      holds.push({
        start: times[first],
        end: times[last],
        lasted,
        peak: values[peakRow],
        peakAt: times[peakRow],
        first,
        last,
      });
    first = -1;
  };
  for (let row = start; row < times.length; row++) {
    if (first < 0) row = nextBeyond(values, mask, limit, sign, row);
    if (row === times.length) break;
    const value = values[row];
    const bound = typeof limit === 'number' ? limit : limit[row];
    const isSeen = mask[row] !== 0;
    if (!isSeen || !(sign * value > sign * bound)) {
      // a value that is missing ends nothing
      if (!(isSeen && Number.isNaN(value))) close();
      continue;
    }
    if (first >= 0 && (times[row] - times[last] > gap || times[row] < times[last])) close();
    if (first < 0) {
      first = row;
      peakRow = row;
    }
    last = row;
    if (sign * value > sign * values[peakRow]) peakRow = row;
  }
  close();
  return holds;
}

/** The first row from one on that is beyond the limit: most are not, so this is the loop that takes time. */
function nextBeyond(
  values: Float64Array,
  mask: Uint8Array,
  limit: number | Float64Array,
  sign: 1 | -1,
  from: number,
): number {
  let row = from;
  if (typeof limit !== 'number')
    while (row < mask.length && (mask[row] === 0 || !(sign * values[row] > sign * limit[row]))) row++;
  else if (sign > 0) while (row < mask.length && (mask[row] === 0 || !(values[row] > limit))) row++;
  else while (row < mask.length && (mask[row] === 0 || !(values[row] < limit))) row++;
  return row;
}

/**
 * Where none of some values changes from row to row.
 * @param slack part of a value by which it may still differ
 */
export function findFrozen(
  times: Float64Array,
  values: readonly Float64Array[],
  mask: Uint8Array,
  lasting: number,
  slack = 0,
): Exceedance[] {
  const same = new Float64Array(times.length);
  for (let row = 1; row < same.length; row++) {
    let k = 0;
    while (k < values.length && isSame(values[k][row], values[k][row - 1], slack)) k++;
    if (k === values.length) same[row] = 1;
  }
  return findExceedances(times, same, mask, 0.5, lasting);
}

function isSame(a: number, b: number, slack: number): boolean {
  return a === b || Math.abs(a - b) <= slack * Math.abs(a);
}

export function worstOf(holds: readonly Exceedance[], sign: 1 | -1 = 1): Exceedance | undefined {
  let worst: Exceedance | undefined;
  for (const hold of holds) if (!worst || sign * hold.peak > sign * worst.peak) worst = hold;
  return worst;
}

/** The highest peak of some; 0 if none. */
export function peakOf(holds: readonly Exceedance[]): number {
  return holds.reduce((most, { peak }) => Math.max(most, peak), 0);
}

/** How long the longest of some lasted. */
export function longestOf(holds: readonly Exceedance[]): number {
  return holds.reduce((most, { lasted }) => Math.max(most, lasted), 0);
}

export function lastedInAll(holds: readonly Exceedance[]): number {
  return holds.reduce((sum, { lasted }) => sum + lasted, 0);
}

/** Whether any value is above a limit: a loop, which takes a fraction of the time of a call for each. */
export function isAnyAbove(values: Float64Array, limit: number): boolean {
  let row = 0;
  while (row < values.length && !(values[row] > limit)) row++;
  return row < values.length;
}

/** The row with the highest value, or the lowest, of those that are looked at; -1 if none. */
export function extremeRow(values: Float64Array, mask: Uint8Array, sign: 1 | -1 = 1): number {
  let best = -1;
  let most = Number.NaN;
  for (let row = 0; row < values.length; row++) {
    const value = sign * values[row];
    if (mask[row] === 0 || value <= most || Number.isNaN(value)) continue;
    most = value;
    best = row;
  }
  return best;
}

/** The values of the rows that are looked at, without those that are missing. */
export function chosen(values: Float64Array, mask: Uint8Array): Float64Array {
  const kept = new Float64Array(values.length);
  let count = 0;
  for (let row = 0; row < values.length; row++)
    if (mask[row] === 1 && !Number.isNaN(values[row])) kept[count++] = values[row];
  return kept.subarray(0, count);
}

/** Puts what several lines have in a row in order, without what is missing; returns how many there are. */
export function sortRow(lines: readonly Float64Array[], row: number, sorted: Float64Array): number {
  let count = 0;
  for (const line of lines) {
    const value = line[row];
    if (Number.isNaN(value)) continue;
    // few values in hundreds of thousands of rows: each is put in its place
    let place = count++;
    for (; place > 0 && sorted[place - 1] > value; place--) sorted[place] = sorted[place - 1];
    sorted[place] = value;
  }
  return count;
}

export function mean(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** A line through points: its slope, and how well it fits, from -1 to 1. */
export function regression(x: Float64Array, y: Float64Array): { slope: number; correlation: number } {
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xx += (x[i] - meanX) ** 2;
    xy += (x[i] - meanX) * (y[i] - meanY);
    yy += (y[i] - meanY) ** 2;
  }
  return { slope: xy / xx, correlation: xy / Math.sqrt(xx * yy) };
}

/** The newest values of another table at these times; NaN if older than `age` microseconds. */
export function valuesAt(
  at: Float64Array,
  times: Float64Array,
  values: Float64Array,
  age: number = Number.POSITIVE_INFINITY,
): Float64Array {
  const out = new Float64Array(at.length);
  let row = -1;
  for (let i = 0; i < at.length; i++) {
    const now = at[i];
    if (isRestart(at, i)) {
      while (row + 1 < times.length && !isRestart(times, row + 1)) row++;
      row++;
    }
    while (row + 1 < times.length && !(times[row + 1] > now) && !isRestart(times, row + 1)) row++;
    const behind = row >= 0 && row < times.length ? now - times[row] : Number.NaN;
    out[i] = behind >= 0 && behind <= age ? values[row] : Number.NaN;
  }
  return out;
}

/** After a reboot a table counts from 0 again. */
function isRestart(times: Float64Array, row: number): boolean {
  return row > 0 && times[row] < times[row - 1] - NO_GAP;
}

/** Its own values `by` microseconds before each row; NaN if the newest then was older by `age`. */
export function valuesBefore(times: Float64Array, values: Float64Array, by: number, age: number = by): Float64Array {
  const before = new Float64Array(times.length);
  for (let row = 0; row < before.length; row++) before[row] = times[row] - by;
  return valuesAt(before, times, values, age);
}

/** The mean of the values in a window of microseconds up to each row. */
export function smoothed(times: Float64Array, values: Float64Array, window: number): Float64Array {
  const out = new Float64Array(times.length);
  let first = 0;
  let sum = 0;
  let count = 0;
  for (let row = 0; row < times.length; row++) {
    const time = times[row];
    if (!Number.isNaN(values[row])) {
      sum += values[row];
      count++;
    }
    while (first < row && (time - times[first] > window || time < times[first])) {
      if (!Number.isNaN(values[first])) {
        sum -= values[first];
        count--;
      }
      first++;
    }
    out[row] = count === 0 ? Number.NaN : sum / count;
  }
  return out;
}

/** How much a counter grew, and in how many different seconds; a counter that restarts has not grown. */
export function increases(
  times: Float64Array,
  counts: Float64Array,
  mask: Uint8Array,
): Interval & { grown: number; seconds: number } {
  const seconds = new Set<number>();
  let total = 0;
  let [start, end] = [Number.NaN, Number.NaN];
  let before = Number.NaN;
  for (let row = 0; row < counts.length; row++) {
    const grown = counts[row] - before;
    if (!Number.isNaN(counts[row])) before = counts[row];
    if (mask[row] === 0 || !(grown > 0)) continue;
    total += grown;
    seconds.add(Math.floor(times[row] / 1e6));
    if (Number.isNaN(start)) start = times[row];
    end = times[row];
  }
  return { grown: total, seconds: seconds.size, start, end };
}
