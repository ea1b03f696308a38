import { Pyramid } from './pyramid.ts';

/** Intervals that are so many times longer than the usual one are gaps. */
const GAP = 3;
/** Intervals that are looked at to find the usual one. */
const ASKED = 20_001;

/** One quantity over time: samples in the order of time, all of them with a time; NaN where a value is missing. */
export class Series {
  /** Microseconds of the log's clock. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly unit: string;
  /** Whether a value holds until the next one comes; else it changes evenly between the two. */
  readonly isHeld: boolean;
  /** Microseconds: what is longer than this between two samples is a gap. */
  readonly gap: number;
  private made: Pyramid | undefined;
  private converted: Series | undefined;

  constructor(times: Float64Array, values: Float64Array, unit: string, isHeld = false) {
    const [ordered, sorted] = inOrder(times, values);
    this.times = ordered;
    this.values = sorted;
    this.unit = unit;
    this.isHeld = isHeld;
    this.gap = GAP * usualInterval(ordered);
  }

  get pyramid(): Pyramid {
    this.made ??= new Pyramid(this.values);
    return this.made;
  }

  /** The same in another unit: shown value = value * factor. Only one is kept, since all are shown in the same units. */
  scaled(factor: number, unit: string): Series {
    if (factor === 1 && unit === this.unit) return this;
    if (this.converted?.unit !== unit) {
      const values = this.values.map((value) => value * factor);
      this.converted = new Series(this.times, values, unit, this.isHeld);
    }
    return this.converted;
  }

  /** The first row at or after a time. */
  rowFrom(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The value that holds at a time: that of the last sample before it, NaN inside a gap and outside of the series. */
  at(time: number): number {
    const next = this.rowFrom(time);
    if (this.times[next] === time) return this.values[next];
    if (next === 0 || !(time - this.times[next - 1] <= this.hold)) return Number.NaN;
    return this.values[next - 1];
  }

  /** How long a value holds; what comes only now and then holds until it comes again. */
  private get hold(): number {
    return this.times.length < 16 ? Number.POSITIVE_INFINITY : this.gap;
  }
}

/** Samples by time. A clock that went back, and samples without a time, cost a sort; all others are taken as they are. */
function inOrder(times: Float64Array, values: Float64Array): [Float64Array, Float64Array] {
  let isOrdered = true;
  for (let row = 0; row < times.length && isOrdered; row++)
    isOrdered = times[row] >= (row === 0 ? Number.NEGATIVE_INFINITY : times[row - 1]);
  if (isOrdered) return [times, values];
  const rows = Uint32Array.from(times.keys()).filter((row) => !Number.isNaN(times[row]));
  rows.sort((a, b) => times[a] - times[b] || a - b);
  return [Float64Array.from(rows, (row) => times[row]), Float64Array.from(rows, (row) => values[row])];
}

/** The median of the times between samples; of very many, of some that are spread over all. */
function usualInterval(times: Float64Array): number {
  const count = times.length - 1;
  if (count < 1) return Number.POSITIVE_INFINITY;
  const step = Math.max(1, Math.floor(count / ASKED));
  const intervals = new Float64Array(Math.ceil(count / step));
  for (let k = 0; k < intervals.length; k++) intervals[k] = times[k * step + 1] - times[k * step];
  intervals.sort();
  return intervals[intervals.length >> 1] || Number.POSITIVE_INFINITY;
}
