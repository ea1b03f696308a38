import { describe, expect, test } from 'vitest';
import { findExceedances, median, quantile, regression, usualStep, valuesAt, worstOf } from './holds.ts';

const floats = (...values: number[]): Float64Array => Float64Array.from(values);
const all = (length: number): Uint8Array => new Uint8Array(length).fill(1);
/** Rows a tenth of a second apart. */
const tenths = (length: number): Float64Array => Float64Array.from({ length }, (_, row) => row * 100_000);

describe('stretches beyond a limit', () => {
  test('last until the row behind them, and name the worst value', () => {
    const values = floats(0, 5, 7, 6, 0, 0, 9, 0);
    const holds = findExceedances(tenths(8), values, all(8), 4, 250_000);
    expect(holds).toEqual([
      { start: 100_000, end: 300_000, lasted: 300_000, peak: 7, peakAt: 200_000, first: 1, last: 3 },
    ]);
    expect(findExceedances(tenths(8), values, all(8), 4, 0)).toHaveLength(2);
    expect(worstOf(findExceedances(tenths(8), values, all(8), 4, 0))?.peak).toBe(9);
  });

  test('a limit itself is not beyond it; less may be worse', () => {
    expect(findExceedances(tenths(3), floats(4, 4, 4), all(3), 4, 0)).toEqual([]);
    expect(findExceedances(tenths(4), floats(4, 3, 2, 5), all(4), 4, 0, -1)).toMatchObject([
      { peak: 2, lasted: 200_000 },
    ]);
  });

  test('missing values do not end a stretch, rows that are left out do', () => {
    const values = floats(5, Number.NaN, 5, 5);
    expect(findExceedances(tenths(4), values, all(4), 4, 0)).toHaveLength(1);
    expect(findExceedances(tenths(4), values, Uint8Array.of(1, 0, 1, 1), 4, 0)).toHaveLength(2);
  });

  test('a pause and a clock that goes back end a stretch', () => {
    const times = floats(0, 100_000, 200_000, 5_000_000, 5_100_000, 100_000, 200_000);
    const holds = findExceedances(times, new Float64Array(7).fill(9), all(7), 4, 0);
    expect(holds.map(({ start, end }) => [start, end])).toEqual([
      [0, 200_000],
      [5_000_000, 5_100_000],
      [100_000, 200_000],
    ]);
  });

  test('rows without a time count', () => {
    expect(findExceedances(floats(Number.NaN), floats(9), all(1), 4, 1e6)).toHaveLength(1);
  });

  test('each row may have a limit of its own', () => {
    expect(findExceedances(tenths(3), floats(5, 5, 5), all(3), floats(4, 6, 4), 0)).toHaveLength(2);
  });
});

test('the usual step is the median of those that go forward', () => {
  expect(usualStep(floats(0, 10, 20, 15, 25, 1000))).toBe(10);
  expect(usualStep(floats())).toBe(0);
});

test('values of another table are those of the newest row that is not later', () => {
  const at = valuesAt(floats(-1, 0, 15, 20, 99), floats(0, 10, 20), floats(1, 2, 3), 50);
  expect([...at]).toEqual([Number.NaN, 1, 2, 3, Number.NaN]);
});

test('values of another table are found again after both clocks went back', () => {
  const at = floats(1e6, 60e6, 1e6, 2e6);
  const times = floats(1e6, 60e6, 0.5e6, 2e6);
  expect([...valuesAt(at, times, floats(1, 2, 3, 4))]).toEqual([1, 2, 3, 4]);
});

test('quantiles and lines', () => {
  expect(quantile(floats(3, 1, 2, 4), 0)).toBe(1);
  expect(quantile(floats(3, 1, 2, 4), 1)).toBe(4);
  expect(median(floats(3, 1, 2))).toBe(2);
  expect(median(floats())).toBeNaN();
  const { slope, correlation } = regression(floats(0, 1, 2), floats(1, 3, 5));
  expect(slope).toBeCloseTo(2, 12);
  expect(correlation).toBeCloseTo(1, 12);
});
