import { describe, expect, test } from 'vitest';
import { Rates } from './rates.ts';

/** A rate after so many seconds of something that happens every `period` microseconds, from `start` on. */
function measured(period: number, seconds: number, start = 0): number {
  const rates = new Rates();
  const index = rates.add();
  let next = start;
  let now = 0;
  for (; now <= seconds * 1e6; now += 1e5) {
    for (; next <= now; next += period) rates.hit(index, next);
    rates.tick(now);
  }
  return rates.rate(index, now - 1e5);
}

describe('rates', () => {
  test.each([0.5, 1, 4, 10, 50, 400])('of %d Hz are measured', (hertz) => {
    expect(Math.abs(measured(1e6 / hertz, 20) - hertz)).toBeLessThanOrEqual(0.25);
  });

  test('are right soon after something began', () => {
    expect(measured(1e5, 1)).toBeCloseTo(10, 0);
    expect(measured(1e5, 12, 11e6)).toBeCloseTo(10, 0);
  });

  test('of what ended fall to 0', () => {
    const rates = new Rates();
    const index = rates.add();
    for (let now = 0; now < 3e6; now += 1e5) {
      rates.hit(index, now);
      rates.tick(now);
    }
    for (let now = 3e6; now < 12e6; now += 1e5) rates.tick(now);
    expect(rates.rate(index, 12e6)).toBe(0);
  });

  test('survive a clock that is set back', () => {
    const rates = new Rates();
    const index = rates.add();
    for (let now = 100e6; now < 110e6; now += 1e5) {
      rates.hit(index, now);
      rates.tick(now);
    }
    for (let now = 50e6; now < 60e6; now += 1e5) {
      rates.hit(index, now);
      rates.tick(now);
    }
    expect(rates.rate(index, 60e6)).toBeCloseTo(10, 0);
  });

  test('of thousands of things are kept apart', () => {
    const rates = new Rates();
    const indexes = Array.from({ length: 5000 }, () => rates.add());
    rates.tick(0);
    for (const index of indexes) for (let i = 0; i < index % 7; i++) rates.hit(index, 1e5);
    expect(indexes.map((index) => rates.count(index))).toEqual(indexes.map((index) => index % 7));
  });
});
