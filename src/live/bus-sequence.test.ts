import { describe, expect, test } from 'vitest';
import { Random } from '../../test/suite/random.ts';
import { BUS_LIVE_LIMITS } from '../core/bus-live-limits.ts';
import { type Numbered, Sequence } from './bus-sequence.ts';

function told(places = {}): { got: string[]; sequence: Sequence<Numbered> } {
  const got: string[] = [];
  const sequence = new Sequence<Numbered>((collector, { run, number }) => {
    got.push(`${collector}${run}${number}`);
  }, places);
  return { got, sequence };
}

const item = (number: number, floor: number, run = 'r'): Numbered => ({ run, number, floor });

describe('messages of a collector', () => {
  test('are delivered in order and once, whatever comes late or again', () => {
    const { got, sequence } = told();
    for (const [number, floor] of [
      [1, 1],
      [3, 2],
      [4, 2],
      [3, 2],
      [2, 2],
      [2, 2],
      [5, 3],
      [1, 1],
    ] as const)
      sequence.take('a', item(number, floor));
    expect(got).toEqual(['ar1', 'ar2', 'ar3', 'ar4', 'ar5']);
    expect(sequence).toMatchObject({ duplicates: 3, missing: 0, isWaiting: false });
  });

  test('that will never come are counted, and hold nothing up', () => {
    const { got, sequence } = told();
    for (const [number, floor] of [
      [1, 1],
      [3, 2],
      [6, 6],
      [2 ** 40, 2 ** 40],
    ] as const)
      sequence.take('a', item(number, floor));
    expect(got).toEqual(['ar1', 'ar3', 'ar6', `ar${2 ** 40}`]);
    expect(sequence.missing).toBe(3 + 2 ** 40 - 7);
  });

  test('before the first that was seen are not missing', () => {
    const { got, sequence } = told();
    sequence.take('a', item(50, 48));
    sequence.take('a', item(51, 50));
    expect(got).toEqual(['ar50', 'ar51']);
    expect(sequence.missing).toBe(0);
  });

  test('before the first are missing where all are wanted', () => {
    const sequence = new Sequence<Numbered>(() => undefined, {}, true);
    sequence.take('a', item(50, 48));
    expect(sequence.missing).toBe(47);
    sequence.take('a', item(51, 50));
    expect(sequence.missing).toBe(49);
  });

  test('of several collectors and runs are told apart, and what was delivered is remembered', () => {
    const { sequence } = told();
    for (const name of ['a', '__proto__']) for (const run of ['r', 's']) sequence.take(name, item(1, 1, run));
    sequence.take('a', item(3, 2));
    expect([...sequence.waiting()]).toHaveLength(1);
    const { got, sequence: next } = told(JSON.parse(JSON.stringify(sequence.places())));
    for (const name of ['a', '__proto__']) for (const run of ['r', 's']) next.take(name, item(1, 1, run));
    for (const number of [3, 2]) next.take('a', item(number, 2));
    expect(got).toEqual(['ar2', 'ar3']);
    expect(next.duplicates).toBe(4);
  });

  test('are refused beyond so many collectors; the oldest runs are forgotten, and not delivered again', () => {
    const { got, sequence } = told();
    for (let i = 0; i < BUS_LIVE_LIMITS.collectors + 5; i++) sequence.take(`c${i}`, item(1, 1));
    expect(sequence.refused).toBe(5);
    for (let i = 0; i < BUS_LIVE_LIMITS.runs + 3; i++) sequence.take('c0', item(1, 1, `s${i + 10}`));
    const before = got.length;
    sequence.take('c0', item(1, 1, 'r'));
    expect(got).toHaveLength(before);
    expect(Object.keys(sequence.places().c0)).toHaveLength(BUS_LIVE_LIMITS.runs);
  });

  test('as a sender with a window loses, repeats and delays them: all, once, in order', () => {
    const random = new Random(7);
    for (let round = 0; round < 50; round++) {
      const { got, sequence } = told();
      const stored: Numbered[] = [];
      let acknowledged = 0;
      while (acknowledged < 200) {
        // a window leaves; some of it gets lost, the rest is stored
        const count = 1 + random.below(20);
        const lost = new Set(Array.from({ length: random.below(4) }, () => acknowledged + 1 + random.below(count)));
        let first = acknowledged;
        for (let n = acknowledged + 1; n <= acknowledged + count; n++) {
          if (!lost.has(n)) stored.push(item(n, acknowledged + 1));
          if (!lost.has(n) && first === n - 1) first = n;
        }
        acknowledged = first;
      }
      for (const each of stored) sequence.take('a', each);
      expect(got.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, i) => `ar${i + 1}`));
      expect(sequence.missing).toBe(0);
    }
  });
});
