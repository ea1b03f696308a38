import { sortedQuantile } from '../../../src/entry/pages.ts';
import type { Series } from './series.ts';

/** What the samples of a window come to; missing ones do not count. */
export interface Statistics {
  readonly count: number;
  readonly low: number;
  readonly high: number;
  readonly mean: number;
  /** Root of the mean of the squares. */
  readonly rms: number;
  /** 95 of 100 samples are not greater, as `quantile` has it. */
  readonly p95: number;
  /** Value times seconds, straight lines between samples, nothing across gaps. */
  readonly integral: number;
}

export function statisticsOf(series: Series, from: number, to: number): Statistics {
  const { times, values, gap } = series;
  const first = series.rowFrom(from);
  let last = first;
  while (last < times.length && times[last] <= to) last++;
  const known = new Float64Array(last - first);
  let [count, sum, squares, integral] = [0, 0, 0, 0];
  let before = -1;
  for (let row = first; row < last; row++) {
    const value = values[row];
    if (!Number.isFinite(value)) {
      before = -1;
      continue;
    }
    known[count] = value;
    count++;
    sum += value;
    squares += value * value;
    const pause = before < 0 ? 0 : times[row] - times[before];
    if (before >= 0 && pause <= gap) integral += ((value + values[before]) / 2) * (pause / 1e6);
    before = row;
  }
  if (count === 0) {
    const none = Number.NaN;
    return { count, low: none, high: none, mean: none, rms: none, p95: none, integral: none };
  }
  const sorted = known.subarray(0, count).sort();
  return {
    count,
    low: sorted[0],
    high: sorted[count - 1],
    mean: sum / count,
    rms: Math.sqrt(squares / count),
    p95: sortedQuantile(sorted, 0.95),
    integral,
  };
}
