import { quantile, sortedQuantile } from './series.ts';

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

/** One number for all values of a series. Missing ones do not count; without any the number is missing too. */
export type Reduction = (values: Float64Array, parameter: number) => number;

export const count: Reduction = (values) => known(values).length;

export const first: Reduction = (values) => known(values)[0] ?? Number.NaN;

export const last: Reduction = (values) => known(values).at(-1) ?? Number.NaN;

export const least: Reduction = (values) => fold(known(values), Math.min);

export const most: Reduction = (values) => fold(known(values), Math.max);

export const sum: Reduction = (values) => exactSum(known(values));

export const mean: Reduction = (values) => {
  const all = known(values);
  return exactSum(all) / all.length;
};

/** Of the values around their mean, as a whole: divided by how many there are. */
export const deviation: Reduction = (values, parameter) => {
  const middle = mean(values, parameter);
  return rms(
    values.map((each) => each - middle),
    parameter,
  );
};

export const rms: Reduction = (values, parameter) =>
  Math.sqrt(
    mean(
      values.map((each) => each * each),
      parameter,
    ),
  );

export const percentile: Reduction = (values, percent) => quantile(values, percent / 100);

export const median: Reduction = (values) => percentile(values, 50);

function known(values: Float64Array): Float64Array {
  return values.filter((each) => !Number.isNaN(each));
}

function fold(values: Float64Array, of: (a: number, b: number) => number): number {
  return values.length === 0 ? Number.NaN : values.reduce((a, b) => of(a, b));
}

/** With what each addition rounds away kept aside: https://en.wikipedia.org/wiki/Kahan_summation_algorithm (Neumaier) */
function exactSum(values: Float64Array): number {
  let [total, rest] = [0, 0];
  for (const each of values) {
    const next = total + each;
    rest += Math.abs(total) >= Math.abs(each) ? total - next + each : each - next + total;
    total = next;
  }
  // an infinite sum has no rest
  return values.length === 0 ? Number.NaN : Number.isFinite(total) ? total + rest : total;
}
