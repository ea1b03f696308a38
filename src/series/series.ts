import type { Column } from '../core/column.ts';
import { firstIndex } from '../core/search.ts';

/** A part of time in microseconds of a log's clock; its end is not in it. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** A pause of more than this many usual intervals is a gap: nothing is known in it, and plots break their lines. */
const GAP_INTERVALS = 3;
/** Intervals that are looked at to find the usual one, spread over all. */
const INTERVALS = 20_000;
/** A series of fewer samples comes only now and then: each value holds until the next. */
const FEW = 16;

/** The numbers of a column; of arrays one element of each, NaN if they have no such element. */
export function elementsOf(column: Column, element: number): Float64Array {
  const numbers = column.numbers();
  const { count } = column.field;
  if (count === 1) return numbers;
  return Float64Array.from({ length: column.length }, (_, row) =>
    element < count ? numbers[row * count + element] : Number.NaN,
  );
}

/** Numbers one after the other; those of one part are not copied. */
export function joinedNumbers(parts: readonly Float64Array[]): Float64Array {
  if (parts.length === 1) return parts[0];
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Values of one quantity with the times in microseconds at which they were taken; NaN is a value that is missing. */
export class Series {
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Whether a value holds until the next one comes (a mode, a count); else it changes evenly between the two. */
  readonly isHeld: boolean;
  private foundGap: number | undefined;
  private foundOrder: boolean | undefined;

  constructor(times: Float64Array, values: Float64Array, isHeld = false) {
    this.times = times;
    this.values = values;
    this.isHeld = isHeld;
  }

  /** Whether all samples have a time, and none an earlier one than the sample before it. */
  get isOrdered(): boolean {
    const { times } = this;
    this.foundOrder ??= !Number.isNaN(times[0]) && times.every((time, row) => row === 0 || time >= times[row - 1]);
    return this.foundOrder;
  }

  /** Microseconds: a longer pause between two samples is a gap. Infinite where no two samples differ in time. */
  get gap(): number {
    this.foundGap ??= GAP_INTERVALS * usualInterval(this.times) || Number.POSITIVE_INFINITY;
    return this.foundGap;
  }

  /** The same samples in the order of time, without those that have no time. */
  ordered(): Series {
    if (this.isOrdered) return this;
    const { times, values } = this;
    const all = new Uint32Array(times.length);
    let count = 0;
    for (let row = 0; row < times.length; row++) if (!Number.isNaN(times[row])) all[count++] = row;
    const rows = all.subarray(0, count).sort((a, b) => times[a] - times[b] || a - b);
    const pick = (of: Float64Array): Float64Array => {
      const out = new Float64Array(count);
      for (let i = 0; i < count; i++) out[i] = of[rows[i]];
      return out;
    };
    return new Series(pick(times), pick(values), this.isHeld);
  }

  /** The first row at or after a time, of a series in order. */
  rowFrom(time: number): number {
    return rowFrom(this.times, time);
  }

  /** Rows in which all of an interval is, its end included; where time went back, some of them may be outside. */
  rowsIn(start: number, end: number): [from: number, to: number] {
    return this.isOrdered ? [this.rowFrom(start), this.rowFrom(end + 1)] : [0, this.times.length];
  }

  /** Calls back for each value in an interval that is a number, in any series. */
  each(start: number, end: number, visit: (value: number, row: number) => void): void {
    const { times, values } = this;
    const [from, to] = this.rowsIn(start, end);
    for (let row = from; row < to; row++) {
      if (times[row] >= start && times[row] <= end && !Number.isNaN(values[row])) visit(values[row], row);
    }
  }

  /** The value at a time, of a series in order: of the last sample before it; NaN in a gap and before the first. */
  at(time: number): number {
    const { times, values } = this;
    const next = this.rowFrom(time);
    if (times[next] === time) return values[next];
    const longest = times.length < FEW ? Number.POSITIVE_INFINITY : this.gap;
    return next > 0 && time - times[next - 1] <= longest ? values[next - 1] : Number.NaN;
  }

  /** The values at other times, in order: held or interpolated; none outside, in a gap, or beside a missing one. */
  resample(times: Float64Array): Float64Array {
    if (times === this.times) return this.values;
    const { times: known, values, isHeld, gap } = this;
    const out = new Float64Array(times.length).fill(Number.NaN);
    let next = 0;
    for (let i = 0; i < times.length; i++) {
      const time = times[i];
      while (next < known.length && known[next] <= time) next++;
      const before = next - 1;
      if (before < 0) continue;
      if (isHeld || known[before] === time) out[i] = values[before];
      else if (next < known.length && known[next] - known[before] <= gap) {
        const part = (time - known[before]) / (known[next] - known[before]);
        out[i] = values[before] + (values[next] - values[before]) * part;
      }
    }
    return out;
  }

  quantile(part: number): number {
    return quantile(this.values, part);
  }

  /** A line of few points that looks the same, with the lowest and highest of each part; a null breaks it at gaps. */
  thin(points: number): ThinLine {
    const { times, values } = this;
    const line: ThinLine = { times: [], values: [] };
    const add = (row: number): void => {
      line.times.push(times[row]);
      // -0 would be another number in JSON
      line.values.push(values[row] + 0);
    };
    const isKnown = (row: number): boolean => Number.isFinite(times[row]) && Number.isFinite(values[row]);
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let row = 0; row < times.length; row++) {
      if (!isKnown(row)) continue;
      if (times[row] < first) first = times[row];
      if (times[row] > last) last = times[row];
    }
    const width = (last - first) / Math.max(1, points / 2) || 1;
    let part = -1;
    let [low, high] = [-1, -1];
    const close = (): void => {
      if (low < 0) return;
      add(Math.min(low, high));
      if (low !== high) add(Math.max(low, high));
      low = -1;
    };
    // times that go back and forth would make a point of each row
    for (let row = 0; row < times.length && line.times.length < MOST_TIMES * points; row++) {
      if (!isKnown(row)) continue;
      const now = Math.floor((times[row] - first) / width);
      if (now !== part) {
        close();
        if (part >= 0 && Math.abs(now - part) > Math.max(points / 40, BREAK / width)) {
          line.times.push(times[row]);
          line.values.push(null);
        }
        part = now;
        [low, high] = [row, row];
      }
      if (values[row] < values[low]) low = row;
      if (values[row] > values[high]) high = row;
    }
    close();
    return line;
  }
}

/** Points of a line; a null breaks it. */
export interface ThinLine {
  readonly times: number[];
  readonly values: (number | null)[];
}

/** A vehicle that rebooted counts from 0 again; a thin line has at most this many times the points. */
const MOST_TIMES = 4;
/** Microseconds without a sample that break a thin line. */
const BREAK = 5e6;

/** The first row at or after a time; times are in order. */
export function rowFrom(times: ArrayLike<number>, time: number): number {
  return firstIndex(times.length, (row) => !(times[row] < time));
}

/** Microseconds from one time to the next: the median of those that go forward, of some if there are many; 0 if none. */
export function usualInterval(times: Float64Array): number {
  const stride = Math.max(1, Math.floor(times.length / INTERVALS));
  const intervals = new Float64Array(Math.ceil(Math.max(0, times.length - 1) / stride));
  let count = 0;
  for (let row = 1; row < times.length; row += stride) {
    const interval = times[row] - times[row - 1];
    if (interval > 0) intervals[count++] = interval;
  }
  return count === 0 ? 0 : quantile(intervals.subarray(0, count), 0.5);
}

/**
 * The value that a part of all numbers do not exceed, on the line between the two nearest: of 1 to 20, 0.95 is 19.05.
 * numpy, R and spreadsheets have the same rule by default (R calls it 7). Missing values do not count; NaN if none is left.
 * https://en.wikipedia.org/wiki/Quantile#Estimating_quantiles_from_a_sample
 */
export function quantile(values: Float64Array, part: number): number {
  const all = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) all[count++] = values[i];
  const known = all.subarray(0, count);
  const place = placeOf(part, count);
  select(known, Math.floor(place));
  // the next one is the least of those after it
  let next = Math.ceil(place);
  for (let i = next + 1; place % 1 > 0 && i < count; i++) if (known[i] < known[next]) next = i;
  return between(known[Math.floor(place)], known[next], place % 1);
}

/** The same of numbers that are sorted already. */
export function sortedQuantile(sorted: Float64Array, part: number): number {
  const place = placeOf(part, sorted.length);
  return between(sorted[Math.floor(place)], sorted[Math.ceil(place)], place % 1);
}

function placeOf(part: number, count: number): number {
  return (count - 1) * Math.min(1, Math.max(0, part));
}

/** The number on the line between two, of which there is none between two infinities; NaN if they are missing. */
function between(below: number | undefined, above: number | undefined, part: number): number {
  if (below === undefined || above === undefined) return Number.NaN;
  return below === above ? below : below + (above - below) * part;
}

/** Rounds after which the rest is sorted: each halves it, unless the numbers were made up to prevent that. */
const SELECT_ROUNDS = 64;

/** Moves the number to a place that would be there if all were sorted, lesser ones before it and greater ones after. */
function select(values: Float64Array, place: number): void {
  let [low, high] = [0, values.length - 1];
  for (let round = 0; low < high; round++) {
    if (round === SELECT_ROUNDS) {
      values.subarray(low, high + 1).sort();
      return;
    }
    const pivot = values[(low + high) >> 1];
    let [left, right] = [low, high];
    while (left <= right) {
      while (values[left] < pivot) left++;
      while (values[right] > pivot) right--;
      if (left > right) break;
      const moved = values[left];
      values[left++] = values[right];
      values[right--] = moved;
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else return;
  }
}

export function median(values: Float64Array): number {
  return quantile(values, 0.5);
}
