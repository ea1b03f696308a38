import { describe, expect, test } from 'vitest';
import { History } from './history.ts';
import { latestOf, stripOf } from './strip.ts';

function historyOf(samples: readonly (readonly [time: number, value: number | null])[]): History {
  const history = new History();
  for (const [time, value] of samples) history.add(time, { a: value }, 1e9);
  return history;
}

describe('strip of a chart', () => {
  test('loses no peak however few pixels there are', () => {
    const samples = Array.from({ length: 5000 }, (_, i) => [i / 50, Math.sin(i / 300)] as [number, number]);
    samples[2345][1] = 40;
    samples[2346][1] = -70;
    const strip = stripOf(historyOf(samples), 'a', 10, 0, 100, 80);
    expect(Math.max(...strip.y)).toBe(400);
    expect(Math.min(...strip.y)).toBe(-700);
    expect([strip.low, strip.high]).toEqual([-700, 400]);
    expect(strip.x.length).toBeLessThanOrEqual(81 * 4);
    expect([...strip.x]).toEqual([...strip.x].sort((a, b) => a - b));
  });

  test('has every sample where there is room, one beyond either edge, and a break where nothing came', () => {
    const times = [0, 1, 2, 3, 10, 11, 12];
    const strip = stripOf(historyOf(times.map((time) => [time, time])), 'a', 1, 1.5, 11.5, 1000);
    expect([...strip.y]).toEqual([1, 2, 3, Number.NaN, 10, 11, 12]);
    expect([strip.low, strip.high]).toEqual([2, 12]);
  });

  test('has no limits where there are no values', () => {
    const strip = stripOf(
      historyOf([
        [1, null],
        [2, null],
      ]),
      'a',
      1,
      0,
      5,
      100,
    );
    expect([strip.low, strip.high]).toEqual([Number.NaN, Number.NaN]);
    expect(stripOf(new History(), 'a', 1, 0, 5, 100).x.length).toBe(0);
  });

  test('a missing value hides no other in its column', () => {
    const strip = stripOf(
      historyOf([
        [1, null],
        [1.001, 5],
        [1.002, null],
        [1.003, -3],
      ]),
      'a',
      1,
      0,
      5,
      10,
    );
    expect([strip.low, strip.high]).toEqual([-3, 5]);
  });

  test('the latest values are the newest', () => {
    const history = historyOf(Array.from({ length: 100 }, (_, i) => [i, i]));
    expect(latestOf(history, 'a', 3)).toEqual([33, 66, 99]);
    expect(latestOf(history, 'a', 200)).toHaveLength(100);
  });
});
