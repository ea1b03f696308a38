import { expect, test } from 'vitest';
import { thinned } from './plot-line.ts';

const line = (times: Float64Array, values: Float64Array): Parameters<typeof thinned>[0] => ({
  name: 'a',
  times,
  values,
});

test('few points show all', () => {
  const { times, values } = thinned(line(Float64Array.of(0, 1e6, 2e6), Float64Array.of(5, 7, 6)), 100);
  expect(times).toEqual([0, 1e6, 2e6]);
  expect(values).toEqual([5, 7, 6]);
});

test('of many points no peak is lost', () => {
  const length = 100_000;
  const times = Float64Array.from({ length }, (_, row) => row * 1000);
  const values = times.map((time) => Math.sin(time / 1e7));
  values[12_345] = 99;
  values[77_777] = -99;
  const thin = thinned(line(times, values), 1000);
  expect(thin.times.length).toBeLessThanOrEqual(1002);
  expect(thin.values).toContain(99);
  expect(thin.values).toContain(-99);
  expect(thin.times).toEqual(thin.times.toSorted((a, b) => a - b));
});

test('a pause breaks the line, and what is missing is left out', () => {
  const { values } = thinned(
    line(Float64Array.of(0, 1e6, 2e6, 100e6, 101e6, Number.NaN), Float64Array.of(1, 2, Number.NaN, 4, 5, 6)),
    100,
  );
  expect(values).toEqual([1, 2, null, 4, 5]);
});

test('times that go back and forth have an end', () => {
  const length = 100_000;
  const times = Float64Array.from({ length }, (_, row) => (row % 2) * 1e9);
  expect(thinned(line(times, times), 100).times.length).toBeLessThan(500);
});

test('nothing gives nothing', () => {
  expect(thinned(line(new Float64Array(0), new Float64Array(0)), 100)).toEqual({ name: 'a', times: [], values: [] });
});
