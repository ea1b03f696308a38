import { describe, expect, test } from 'vitest';
import { Ticks } from './ticks.ts';

const DAY = 864_000_000;
const WORD = 2 ** 32;

const line = (...values: number[]): number[] => {
  const ticks = new Ticks();
  return values.map((value) => ticks.next(value));
};

describe('a counter of ticks', () => {
  test('goes on', () => {
    expect(line(5, 105, 205)).toEqual([5, 105, 205]);
  });

  test('that begins again after a day goes on', () => {
    expect(line(DAY - 100, 0, 100)).toEqual([DAY - 100, DAY, DAY + 100]);
    expect(line(DAY - 1, DAY - 1, 50, DAY - 50, 7)).toEqual([DAY - 1, DAY - 1, DAY + 50, 2 * DAY - 50, 2 * DAY + 7]);
  });

  test('that begins again after 32 bits goes on', () => {
    expect(line(WORD - 100, 0, 100)).toEqual([WORD - 100, WORD, WORD + 100]);
  });

  test('that passes a day goes on', () => {
    expect(line(DAY - 100, DAY, DAY + 100)).toEqual([DAY - 100, DAY, DAY + 100]);
  });

  test('goes on over a gap at the wrap', () => {
    expect(line(DAY - 5_000_000, 6_000_000)).toEqual([DAY - 5_000_000, DAY + 6_000_000]);
  });

  test('may come late', () => {
    expect(line(1_000_000, 990_000, 1_000_100)).toEqual([1_000_000, 990_000, 1_000_100]);
  });

  test('that falls otherwise was started anew', () => {
    const ticks = new Ticks();
    expect([400_000_000, 50, 150].map((value) => ticks.next(value))).toEqual([400_000_000, 50, 150]);
    expect(ticks.restarts).toBe(1);
  });

  test('has others near it', () => {
    const ticks = new Ticks();
    expect(ticks.near(77)).toBe(77);
    ticks.next(DAY - 100);
    ticks.next(200);
    expect(ticks.near(100)).toBe(DAY + 100);
    expect(ticks.near(DAY - 300)).toBe(DAY - 300);
    expect(ticks.near(400_000_000)).toBe(DAY + 200);
    expect(ticks.next(300)).toBe(DAY + 300);
  });
});
