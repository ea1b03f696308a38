import { type Series, statisticsOf } from '../../../src/entry/pages.ts';

/** Statistics of the samples in a window; missing values do not count. */
export interface WindowStatistics {
  readonly count: number;
  readonly low: number;
  readonly high: number;
  readonly mean: number;
  /** Root mean square. */
  readonly rms: number;
  readonly p95: number;
  /** Value times seconds, straight lines between samples, nothing across gaps. */
  readonly integral: number;
}

export function windowStatistics(series: Series, from: number, to: number): WindowStatistics {
  const [first, last] = series.rowsIn(from, to);
  const found = statisticsOf(series.values.subarray(first, last));
  const none = Number.NaN;
  if (!found) return { count: 0, low: none, high: none, mean: none, rms: none, p95: none, integral: none };
  const { count, min: low, max: high, mean, deviation, p95 } = found;
  const rms = Math.sqrt(mean ** 2 + deviation ** 2);
  return { count, low, high, mean, rms, p95, integral: integralOf(series, first, last) };
}

function integralOf({ times, values, gap }: Series, first: number, last: number): number {
  let integral = 0;
  for (let row = first + 1; row < last; row++) {
    const pause = times[row] - times[row - 1];
    const area = ((values[row] + values[row - 1]) / 2) * (pause / 1e6);
    if (pause <= gap && Number.isFinite(area)) integral += area;
  }
  return integral;
}
