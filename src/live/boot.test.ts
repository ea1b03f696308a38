import { describe, expect, test } from 'vitest';
import { Boot } from './boot.ts';

function reboots(...milliseconds: number[]): number {
  const boot = new Boot();
  for (const [i, each] of milliseconds.entries()) boot.take(each, i);
  return boot.reboots;
}

describe('the time since boot', () => {
  test('that goes on is no new start', () => {
    expect(reboots(1000, 1100, 1200)).toBe(0);
  });

  test('that goes back in two messages is one', () => {
    expect(reboots(100_000, 100_100, 900, 1000, 1100)).toBe(1);
  });

  test('of one late message is none, however late', () => {
    expect(reboots(100_000, 100_100, 900, 100_200, 100_300)).toBe(0);
  });

  test('of messages that overtake each other is none', () => {
    expect(reboots(100_000, 99_000, 98_500, 100_100)).toBe(0);
  });

  test('goes on from 0 when 32 bits are full', () => {
    expect(reboots(2 ** 32 - 500, 300, 400, 500)).toBe(0);
  });

  test('counts each start', () => {
    expect(reboots(50_000, 50_100, 200, 300, 60_000, 60_100, 100, 200)).toBe(2);
  });
});
