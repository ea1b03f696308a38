import { Series } from './series.ts';

/*
 * What needs the samples before and after each one. All of them keep the times as they are, take steps of any length,
 * pass over missing values (their results are missing too), and take time in proportion to the samples.
 */

const SECOND = 1e6;

/** The slope a second: exact for parabolas, one-sided at the ends and beside gaps. */
export function deriv(series: Series): Series {
  const { times, values, gap } = series;
  const slopes = new Float64Array(times.length).fill(Number.NaN);
  /** The step from the sample before in seconds, and the slope of it; a step of 0 is none. */
  let back = 0;
  let before = 0;
  for (let i = 0; i < times.length; i++) {
    const pause = times[i + 1] - times[i];
    const after = ((values[i + 1] - values[i]) / pause) * SECOND;
    const on = pause > 0 && pause <= gap && !Number.isNaN(after) ? pause / SECOND : 0;
    if (back > 0 && on > 0) slopes[i] = (before * on + after * back) / (back + on);
    else if (back > 0) slopes[i] = before;
    else if (on > 0) slopes[i] = after;
    back = on;
    before = after;
  }
  return new Series(times, slopes);
}

/** The sum over time in seconds, from 0 at the first value: of trapezoids, or of steps where values are held. */
export function integral({ times, values, isHeld }: Series): Series {
  const sums = new Float64Array(times.length).fill(Number.NaN);
  let last = -1;
  let sum = 0;
  for (let i = 0; i < times.length; i++) {
    if (Number.isNaN(values[i])) continue;
    if (last >= 0) {
      const height = isHeld ? values[last] : (values[last] + values[i]) / 2;
      sum += (height * (times[i] - times[last])) / SECOND;
    }
    sums[i] = sum;
    last = i;
  }
  return new Series(times, sums);
}

/** A low pass of the first order: what changes faster than the frequency in hertz is damped. It begins settled. */
export function lowpass({ times, values }: Series, hertz: number): Series {
  const smooth = new Float64Array(times.length).fill(Number.NaN);
  let last = -1;
  let state = 0;
  for (let i = 0; i < times.length; i++) {
    // one infinite value would stay in the state for ever
    if (!Number.isFinite(values[i])) continue;
    if (last < 0) state = values[i];
    else state += (values[i] - state) * -Math.expm1((-2 * Math.PI * hertz * (times[i] - times[last])) / SECOND);
    smooth[i] = state;
    last = i;
  }
  return new Series(times, smooth);
}

/** What the low pass of the same frequency takes away. */
export function highpass(series: Series, hertz: number): Series {
  const { values } = lowpass(series, hertz);
  return new Series(
    series.times,
    values.map((each, i) => series.values[i] - each),
  );
}

/** The same values `seconds` later; earlier, if negative. */
export function delay({ times, values, isHeld }: Series, seconds: number): Series {
  return new Series(
    times.map((time) => time + seconds * SECOND),
    values,
    isHeld,
  );
}

/** The mean of the values over `seconds` around each one. */
export function movavg({ times, values }: Series, seconds: number): Series {
  const half = (seconds * SECOND) / 2;
  const means = new Float64Array(times.length).fill(Number.NaN);
  const window = new WindowSum(values);
  for (let i = 0, from = 0, to = 0; i < times.length; i++) {
    while (to < times.length && times[to] <= times[i] + half) to++;
    while (from < to && times[from] < times[i] - half) from++;
    if (Number.isFinite(values[i])) means[i] = window.mean(from, to);
  }
  return new Series(times, means);
}

/** Means of moving windows, in two parts, so that no rounding of values that left stays in a running sum. */
class WindowSum {
  private readonly values: Float64Array;
  /** Sums and counts of [i, middle), for each i that is left of it. */
  private readonly sums: Float64Array;
  private readonly counts: Float64Array;
  private middle = 0;
  private end = 0;
  private sum = 0;
  private count = 0;

  constructor(values: Float64Array) {
    this.values = values;
    this.sums = new Float64Array(values.length + 1);
    this.counts = new Float64Array(values.length + 1);
  }

  mean(from: number, to: number): number {
    for (; this.end < to; this.end++) {
      if (!Number.isFinite(this.values[this.end])) continue;
      this.sum += this.values[this.end];
      this.count++;
    }
    if (from > this.middle) this.moveMiddle(from, to);
    return (this.sums[from] + this.sum) / (this.counts[from] + this.count);
  }

  private moveMiddle(from: number, to: number): void {
    this.middle = to;
    this.sums[to] = 0;
    this.counts[to] = 0;
    for (let i = to - 1; i >= from; i--) {
      const isKnown = Number.isFinite(this.values[i]);
      this.sums[i] = this.sums[i + 1] + (isKnown ? this.values[i] : 0);
      this.counts[i] = this.counts[i + 1] + (isKnown ? 1 : 0);
    }
    this.sum = 0;
    this.count = 0;
  }
}

/** An angle without jumps: whole turns are added so that no step is longer than half of one. */
export function unwrap({ times, values }: Series, turn: number): Series {
  const smooth = new Float64Array(times.length).fill(Number.NaN);
  let turns = 0;
  let last = Number.NaN;
  for (let i = 0; i < times.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    if (!Number.isNaN(last)) turns -= Math.round((values[i] - last) / turn);
    smooth[i] = values[i] + turns * turn;
    last = values[i];
  }
  return new Series(times, smooth);
}

/** How much each value is more than the one before. */
export function diff({ times, values, isHeld }: Series): Series {
  return new Series(
    times,
    values.map((each, i) => (i === 0 ? Number.NaN : each - values[i - 1])),
    isHeld,
  );
}

/** Seconds since the first sample. */
export function elapsed({ times }: Series): Series {
  return new Series(
    times,
    times.map((time) => (time - times[0]) / SECOND),
  );
}
