import { describe, expect, test } from 'vitest';
import { TextJoiner } from './texts.ts';

const LONG = 'Preflight Fail: the quick brown fox jumps over the lazy dog, and then it jumps over it again, twice';

function field(text: string | Uint8Array): Uint8Array {
  const bytes = new Uint8Array(50);
  bytes.set(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return bytes;
}

describe('status texts', () => {
  test('of one piece are whole at once', () => {
    expect(new TextJoiner(1).push(4, field('low battery'), 0, 0, 7)).toEqual({
      time: 7,
      component: 1,
      severity: 4,
      level: 'warning',
      text: 'low battery',
    });
  });

  test('are joined from pieces in any order', () => {
    const pieces = [0, 1].map((i) => field(LONG.slice(i * 50, i * 50 + 50)));
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const joiner = new TextJoiner(1);
      expect(joiner.push(6, pieces[order[0]], 9, order[0], 1)).toBeUndefined();
      expect(joiner.push(6, pieces[order[1]], 9, order[1], 2)?.text).toBe(LONG);
      expect(joiner.isWaiting).toBe(false);
    }
  });

  test('keep a letter whose bytes stand in two pieces', () => {
    const text = `${'x'.repeat(49)}\u00e9!`;
    const bytes = new TextEncoder().encode(text);
    const joiner = new TextJoiner(1);
    joiner.push(6, field(bytes.subarray(0, 50)), 3, 0, 1);
    expect(joiner.push(6, field(bytes.subarray(50)), 3, 1, 1)?.text).toBe(text);
  });

  test('show where a piece is missing, after some time', () => {
    const joiner = new TextJoiner(1);
    joiner.push(6, field('a'.repeat(50)), 5, 0, 0);
    joiner.push(6, field('end'), 5, 2, 0);
    expect(joiner.late(1e6)).toEqual([]);
    expect(joiner.late(3e6).map(({ text }) => text)).toEqual([`${'a'.repeat(50)}\u2026end`]);
  });

  test('of full pieces only end by themselves', () => {
    const joiner = new TextJoiner(1);
    joiner.push(6, field('a'.repeat(50)), 5, 0, 0);
    joiner.push(6, field('b'.repeat(50)), 5, 1, 0);
    expect(joiner.late(3e6).map(({ text }) => text)).toEqual([`${'a'.repeat(50)}${'b'.repeat(50)}`]);
  });

  test('that are begun and never ended do not pile up', () => {
    const joiner = new TextJoiner(1);
    for (let id = 1; id < 60_000; id++) joiner.push(6, field('a'.repeat(50)), id, 0, 0);
    expect(joiner.late(1e9).length).toBeLessThan(10);
  });
});
