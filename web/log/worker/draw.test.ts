import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Series } from '../../../src/entry/browser.ts';
import { draw } from './draw.ts';
import { windowStatistics } from './statistics.ts';

const series = (values: readonly number[], times?: readonly number[]): Series =>
  new Series(Float64Array.from(times ?? values.map((_, row) => row * 1000)), Float64Array.from(values)).ordered();

describe('draw', () => {
  test('gives every sample of a window that has few, and one on either side', () => {
    const { x, y, exact } = draw(series([5, 6, 7, 8, 9, 10]), 1500, 3500, 100);
    expect([...x]).toEqual([1000, 2000, 3000, 4000]);
    expect([...y]).toEqual([6, 7, 8, 9]);
    expect(exact).toBe(true);
  });

  test('takes of each column of pixels the first, least, greatest and last sample, and nothing that is none', () => {
    const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 500, maxLength: 900 });
    fc.assert(
      fc.property(values, fc.integer({ min: 3, max: 20 }), (all, pixels) => {
        const to = (all.length - 1) * 1000;
        const { x, y, exact, low, high } = draw(series(all), 0, to, pixels);
        expect(exact).toBe(false);
        expect([low, high]).toEqual([Math.min(...all), Math.max(...all)]);
        for (let i = 0; i < x.length; i++) expect(all[x[i] / 1000]).toBe(y[i]);
        for (let column = 0; column < pixels; column++) {
          const isIn = (time: number): boolean => {
            const last = column === pixels - 1;
            return time >= (to * column) / pixels && (last || time < (to * (column + 1)) / pixels);
          };
          const own = all.filter((_, row) => isIn(row * 1000));
          const drawn = [...y].filter((_, i) => isIn(x[i]));
          expect(Math.max(...drawn)).toBe(Math.max(...own));
          expect(Math.min(...drawn)).toBe(Math.min(...own));
          expect([drawn[0], drawn.at(-1)]).toEqual([own[0], own.at(-1)]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('breaks lines where time or values have a gap', () => {
    const times = [0, 10, 20, 30, 61, 70, 80, 90];
    const { y } = draw(series([1, 2, 3, 4, 5, Number.NaN, 7, 8], times), 0, 100, 100);
    expect([...y]).toEqual([1, 2, 3, 4, Number.NaN, 5, Number.NaN, 7, 8]);
  });

  test('breaks lines at gaps also where columns are summed up', () => {
    const times = Array.from({ length: 2000 }, (_, row) => row * 10 + (row >= 1000 ? 50_000 : 0));
    const { x, y } = draw(series(times, times), 0, 70_000, 20);
    const gaps = [...y.keys()].filter((i) => Number.isNaN(y[i]));
    expect(gaps).toHaveLength(1);
    expect([x[gaps[0] - 1], x[gaps[0] + 1]]).toEqual([9_990, 60_000]);
  });

  test('puts samples in order where a clock went back, and leaves out those without a time', () => {
    const { x, y } = draw(series([1, 2, 3, 4], [30, Number.NaN, 10, 20]), 0, 100, 100);
    expect([...x]).toEqual([10, 20, 30]);
    expect([...y]).toEqual([3, 4, 1]);
  });

  test('of nothing is nothing', () => {
    expect(draw(series([]), 0, 10, 100)).toMatchObject({ low: Number.NaN, high: Number.NaN, exact: true });
  });
});

describe('the value at a time', () => {
  test('is that of the last sample, and none in a gap, before the first or long behind the last', () => {
    const all = series(
      Array.from({ length: 20 }, (_, row) => row),
      [...Array(20).keys()].map((row) => row * 10 + (row > 9 ? 1000 : 0)),
    );
    expect([all.at(0), all.at(15), all.at(90), all.at(115)]).toEqual([0, 1, 9, 9]);
    expect([all.at(-1), all.at(500), all.at(1100), all.at(9999)]).toEqual([Number.NaN, Number.NaN, 10, Number.NaN]);
  });
});

describe('statistics', () => {
  test('are those of the samples in the window', () => {
    const found = windowStatistics(series([9, 1, 2, 3, Number.NaN, 4, 9], [0, 1e6, 2e6, 3e6, 4e6, 5e6, 6e6]), 1e6, 5e6);
    expect(found).toMatchObject({ count: 4, low: 1, high: 4, mean: 2.5, rms: Math.sqrt(7.5), integral: 4 });
    expect(found.p95).toBeCloseTo(3.85, 12);
  });

  test('of a window without samples are none', () => {
    expect(windowStatistics(series([1, 2]), 400, 500)).toMatchObject({ count: 0, mean: Number.NaN });
  });
});
