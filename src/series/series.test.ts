import { describe, expect, test } from 'vitest';
import { quantile, rowFrom, Series, sortedQuantile, usualInterval } from './series.ts';

const of = (...values: number[]): Float64Array => Float64Array.from(values);

describe('quantiles', () => {
  test('are those of numpy: on the line between the two nearest', () => {
    const twenty = Float64Array.from({ length: 20 }, (_, i) => 20 - i);
    // numpy.percentile(range(1, 21), [0, 25, 50, 95, 100])
    const parts = [0, 0.25, 0.5, 0.95, 1].map((part) => quantile(twenty, part));
    expect(parts.map((each) => Math.round(each * 1e9) / 1e9)).toEqual([1, 5.75, 10.5, 19.05, 20]);
  });

  test('do not count what is missing, and of nothing there is none', () => {
    expect(quantile(of(Number.NaN, 3, Number.NaN, 1), 0.5)).toBe(2);
    expect(quantile(of(Number.NaN), 0.5)).toBeNaN();
    expect(quantile(of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY), 0.5)).toBe(Number.POSITIVE_INFINITY);
  });

  test.each<[name: string, value: (row: number, rows: number) => number]>([
    ['in order', (row) => row],
    ['in reverse', (row) => -row],
    ['up and down', (row, rows) => Math.min(row, rows - row)],
    ['few that differ', (row) => (row * 7919) % 5],
    ['shuffled, with infinities', (row, rows) => 1 / (((row * 7919) % rows) - 3) ** 2 - 0.01],
    ['all the same', () => 7],
  ])('are found without sorting as in sorted numbers: %s', (_, value) => {
    for (const rows of [1, 2, 3, 100, 1009]) {
      const values = Float64Array.from({ length: rows }, (_, row) => value(row, rows));
      const [before, sorted] = [values.slice(), values.toSorted()];
      for (const part of [0, 0.02, 1 / 3, 0.5, 0.9, 0.999, 1])
        expect(quantile(values, part)).toBe(sortedQuantile(sorted, part));
      expect(values).toEqual(before);
    }
  });
});

test('the usual interval is the median of those that go forward, also of very many', () => {
  expect(usualInterval(of(0, 10, 20, 15, 25, 1000))).toBe(10);
  expect(usualInterval(of(5, 5))).toBe(0);
  expect(usualInterval(Float64Array.from({ length: 1_000_000 }, (_, row) => row * 40))).toBe(40);
});

test('a row is found by its time, the first of equals', () => {
  const times = of(10, 20, 20, 30);
  expect([5, 10, 15, 20, 25, 30, 31].map((time) => rowFrom(times, time))).toEqual([0, 0, 1, 1, 3, 3, 4]);
  expect(rowFrom(of(), 1)).toBe(0);
});

describe('values at other times', () => {
  const line = new Series(of(0, 10, 20, 30, 100), of(0, 1, 2, 3, 10));

  test('are on the line between samples, and not in a gap or outside', () => {
    expect([...line.resample(of(-1, 0, 5, 30, 60, 100, 101))]).toEqual([
      Number.NaN,
      0,
      0.5,
      3,
      Number.NaN,
      10,
      Number.NaN,
    ]);
  });

  test('hold where a value holds', () => {
    const held = new Series(line.times, line.values, true);
    expect([...held.resample(of(-1, 5, 60, 101))]).toEqual([Number.NaN, 0, 3, 10]);
  });

  test('at one time are those of the last sample, until a gap begins', () => {
    const many = new Series(
      Float64Array.from({ length: 20 }, (_, row) => row * 10),
      Float64Array.from({ length: 20 }, (_, row) => row),
    );
    expect([-1, 0, 15, 190, 215, 230].map((time) => many.at(time))).toEqual([Number.NaN, 0, 1, 19, 19, Number.NaN]);
  });
});

test('samples are put in order, those without a time left out, and intervals find all of theirs in any order', () => {
  const odd = new Series(of(30, Number.NaN, 10, 20), of(3, 9, 1, 2));
  expect(odd.isOrdered).toBe(false);
  expect([...odd.ordered().times]).toEqual([10, 20, 30]);
  expect([...odd.ordered().values]).toEqual([1, 2, 3]);
  for (const series of [odd, odd.ordered()]) {
    const found: number[] = [];
    series.each(10, 20, (value) => found.push(value));
    expect(found).toEqual([1, 2]);
  }
});

describe('thin lines', () => {
  test('of few points are the same', () => {
    expect(new Series(of(0, 1e6, 2e6), of(5, 7, 6)).thin(100)).toEqual({ times: [0, 1e6, 2e6], values: [5, 7, 6] });
  });

  test('of many points lose no peak', () => {
    const length = 100_000;
    const times = Float64Array.from({ length }, (_, row) => row * 1000);
    const values = times.map((time) => Math.sin(time / 1e7));
    values[12_345] = 99;
    values[77_777] = -99;
    const thin = new Series(times, values).thin(1000);
    expect(thin.times.length).toBeLessThanOrEqual(1002);
    expect(thin.values).toContain(99);
    expect(thin.values).toContain(-99);
    expect(thin.times).toEqual(thin.times.toSorted((a, b) => a - b));
  });

  test('break at a pause, and leave out what is missing', () => {
    const series = new Series(of(0, 1e6, 2e6, 100e6, 101e6, Number.NaN), of(1, 2, Number.NaN, 4, 5, 6));
    expect(series.thin(100).values).toEqual([1, 2, null, 4, 5]);
  });

  test('of times that go back and forth have an end, and of nothing there is none', () => {
    const times = Float64Array.from({ length: 100_000 }, (_, row) => (row % 2) * 1e9);
    expect(new Series(times, times).thin(100).times.length).toBeLessThan(500);
    expect(new Series(of(), of()).thin(100)).toEqual({ times: [], values: [] });
  });
});
