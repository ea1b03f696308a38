import { sortedQuantile } from './series.ts';

/** Numbers that sum up many. */
export interface Statistics {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  /** The root of the mean square around the mean. */
  readonly deviation: number;
  /** The value that 95 of 100 do not exceed, as `quantile` has it. */
  readonly p95: number;
}

/** Damage only: no instrument measures more, and the squares of larger numbers cannot be added. */
const LARGEST = 1e150;

/** What can be said of some values; NaN and what is larger than any measurement is left out. Undefined where none is left. */
export function statisticsOf(values: Float64Array): Statistics | undefined {
  const sorted = values.filter((each) => Math.abs(each) < LARGEST).sort();
  const count = sorted.length;
  if (count === 0) return undefined;
  // around a value among them, so that large numbers that differ little do not lose their digits
  const middle = sorted[count >> 1];
  let sum = 0;
  for (const value of sorted) sum += value - middle;
  const shift = sum / count;
  let squares = 0;
  for (const value of sorted) squares += (value - middle - shift) ** 2;
  return {
    count,
    mean: middle + shift,
    min: sorted[0],
    max: sorted[count - 1],
    deviation: Math.sqrt(squares / count),
    p95: sortedQuantile(sorted, 0.95),
  };
}
