import { describe, expect, test } from 'vitest';
import { Pacer } from './playback.ts';

const usual = { speed: 1, rate: 100, longestPause: 60e6, isOneClock: true };

describe('when records are due', () => {
  test('as far apart as they were, divided by the speed', () => {
    const pacer = new Pacer({ ...usual, speed: 4 });
    expect([1e15, 1e15 + 4e6, 1e15 + 4e6, 1e15 + 12e6].map((time) => pacer.due(time))).toEqual([0, 1e6, 1e6, 3e6]);
  });

  test('a record without a time goes with the one before it; where none has any, the rate holds', () => {
    const pacer = new Pacer(usual);
    expect([5e6, Number.NaN, 6e6].map((time) => pacer.due(time))).toEqual([0, 0, 1e6]);
    const none = new Pacer(usual);
    expect([Number.NaN, Number.NaN].map((time) => none.due(time))).toEqual([10_000, 20_000]);
  });

  test('long pauses are shortened, a clock that was set back does not stop anything', () => {
    const pacer = new Pacer(usual);
    expect([0, 3600e6, 0, 1e6].map((time) => pacer.due(time))).toEqual([0, 60e6, 60e6, 61e6]);
    expect(pacer).toMatchObject({ shortened: 1, steps: 1 });
  });

  test('of several senders, each with its own time since its start, the furthest tells the time', () => {
    const pacer = new Pacer({ ...usual, isOneClock: false });
    expect([100e6, 5e6, 101e6, 6e6, 102e6].map((time) => pacer.due(time))).toEqual([0, 0, 1e6, 1e6, 2e6]);
    expect(pacer.steps).toBe(0);
  });
});
