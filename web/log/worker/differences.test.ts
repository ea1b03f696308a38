import { describe, expect, test } from 'vitest';
import { Series } from '../../../src/entry/browser.ts';
import { Differences, differenceOf, isDirection } from './differences.ts';
import type { UnitSeries } from './open-log.ts';

const series = (rate: number, of: (seconds: number) => number, unit = 'm', seconds = 10): UnitSeries => {
  const times = Float64Array.from({ length: rate * seconds }, (_, row) => (row / rate) * 1e6);
  return {
    series: new Series(
      times,
      times.map((time) => of(time / 1e6)),
    ),
    unit,
  };
};

describe('the difference of two logs', () => {
  test('is taken at the times of the first, on the line between the samples of the other', () => {
    const { times, values } = differenceOf(
      series(7, (t) => 3 * t),
      series(10, (t) => t).series,
      0,
      false,
    );
    expect(times).toHaveLength(70);
    for (const [row, time] of times.entries()) if (time <= 9.9e6) expect(values[row]).toBeCloseTo((2 * time) / 1e6, 9);
  });

  test('knows by how much one lies later, and nothing where one has nothing', () => {
    const { times, values } = differenceOf(
      series(10, (t) => t),
      series(10, (t) => t).series,
      2e6,
      false,
    );
    expect(values[30]).toBeCloseTo(-2, 9);
    expect(times.filter((_, row) => Number.isNaN(values[row])).every((time) => time > 7.8e6)).toBe(true);
    expect(Number.isNaN(values[95])).toBe(true);
  });

  test('of directions goes the short way round', () => {
    const [a, b] = [series(10, () => 359, 'deg'), series(10, () => 1, 'deg')];
    expect(differenceOf(a, b.series, 0, isDirection('Yaw')).values[5]).toBeCloseTo(-2, 9);
    expect(differenceOf(a, b.series, 0, isDirection('Temp')).values[5]).toBeCloseTo(358, 9);
    const [c, d] = [series(10, () => 3, 'rad'), series(10, () => -3, 'rad')];
    expect(differenceOf(c, d.series, 0, isDirection('yaw')).values[5]).toBeCloseTo(6 - 2 * Math.PI, 9);
    expect([isDirection('yawspeed'), isDirection('ErrYaw'), isDirection('GCrs'), isDirection(undefined)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  test('is computed once, until one is moved', () => {
    const [all, a, b] = [new Differences(), series(10, (t) => t), series(10, (t) => 2 * t)];
    const first = all.of(a, b.series, 0, false);
    expect(all.of(a, b.series, 0, false)).toBe(first);
    expect(all.of(a, b.series, 5, false)).not.toBe(first);
    expect(all.of(a, b.series, 0, false)).not.toBe(first);
  });
});
