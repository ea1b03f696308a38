import type { Series } from '../../../../src/entry/pages.ts';
import type { FigureLine, Range } from '../../../shared/plot/figure-plot.ts';
import { transfer } from '../../../shared/rpc.ts';

/** A series on the clock of the page: its times plus `offset`. */
export interface PlacedSeries {
  readonly series: Series;
  readonly offset: number;
}

export interface Figure {
  /** One for each field, null for those that have none: too few samples, or the field along the x axis. */
  readonly lines: readonly (FigureLine | null)[];
  readonly x: Range;
  readonly y: Range;
}

/** The samples of a window, both ends in it, in microseconds of the page. */
export function samplesIn({ series, offset }: PlacedSeries, from: number, to: number) {
  const [first, last] = series.rowsIn(from - offset, to - offset);
  return { times: series.times.subarray(first, last), values: series.values.subarray(first, last), first, last };
}

export function figureLine(
  x: Float64Array,
  y: Float64Array,
  joined = true,
  peaks: FigureLine['peaks'] = [],
): FigureLine {
  return { x: transfer(x), y: transfer(y), joined, peaks };
}

/** The least and greatest of all that is finite; NaN where nothing is. */
export function rangeOf(arrays: readonly Float64Array[]): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const array of arrays) {
    for (const value of array) {
      if (value < low && value !== Number.NEGATIVE_INFINITY) low = value;
      if (value > high && value !== Number.POSITIVE_INFINITY) high = value;
    }
  }
  return low <= high ? { low, high } : { low: Number.NaN, high: Number.NaN };
}
