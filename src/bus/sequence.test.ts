import { describe, expect, test } from 'vitest';
import { Random } from '../../test/suite/random.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import { type Numbered, Sequence } from './sequence.ts';

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

  test('of a collector are delivered whatever names were made up before, and it makes room for none of them', () => {
    const { got, sequence } = told();
    for (const number of [1, 2, 3]) sequence.take('old', item(number, number));
    for (let i = 0; i < BUS_LIVE_LIMITS.collectors + 5; i++) sequence.take(`c${i}`, item(1, 1));
    got.length = 0;
    sequence.take('old', item(3, 3));
    sequence.take('old', item(4, 4));
    sequence.take('new', item(1, 1));
    sequence.take('new', item(2, 2));
    expect(got).toHaveLength(3);
    expect([sequence.duplicates, sequence.missing, Object.keys(sequence.places()).length]).toEqual([
      1,
      0,
      BUS_LIVE_LIMITS.collectors,
    ]);
    // what waits with one that makes room is counted
    for (let i = 0; i < BUS_LIVE_LIMITS.collectors; i++) sequence.take(`d${i}`, item(9, 1));
    expect(sequence.refused).toBeGreaterThan(0);
  });

  test('of a new start are delivered whatever starts were there before, and those of the last are known', () => {
    const { got, sequence } = told();
    // forged starts, or those of a clock that was far ahead
    for (let i = 0; i < BUS_LIVE_LIMITS.runs + 3; i++) sequence.take('a', item(1, 1, `s${i}`));
    sequence.take('a', item(1, 1, 'r'));
    expect(got.at(-1)).toBe('ar1');
    sequence.take('a', item(1, 1, 'r'));
    expect(sequence).toMatchObject({ duplicates: 1, refused: 0 });
    expect(Object.keys(sequence.places().a)).toHaveLength(BUS_LIVE_LIMITS.runs);
    expect(BUS_LIVE_LIMITS.runs).toBeGreaterThanOrEqual(BUS_LIVE_LIMITS.overlap);
  });

  test('with a forged number far ahead make none of the others old, before or after a restart', () => {
    const forged = [9e15, 2 ** 50, 5000, 700].map((number) => item(number, number));
    const { got, sequence } = told();
    const wanted: string[] = [];
    for (let number = 1; number <= 400; number++) {
      sequence.take('a', item(number, Math.max(1, number - 3)));
      if (number % 100 === 0) sequence.take('a', forged[number / 100 - 1]);
      wanted.push(`ar${number}`);
    }
    const { got: later, sequence: next } = told(JSON.parse(JSON.stringify(sequence.places())));
    for (let number = 390; number <= 900; number++) {
      next.take('a', item(number, Math.max(1, number - 3)));
      if (number > 400 && number !== 700) wanted.push(`ar${number}`);
    }
    const isReal = (one: string): boolean => !forged.some(({ number }) => one === `ar${number}`);
    expect([...got, ...later].filter(isReal)).toEqual(wanted);
    expect(got.length + later.length).toBe(wanted.length + forged.length);
    expect(next.duplicates).toBe(12);
  });

  test('that were missing and come after all are not missing any more', () => {
    const { got, sequence } = told();
    for (const number of [1, 2, 9, 10, 3, 4, 5, 6, 7, 8, 11]) sequence.take('a', item(number, number));
    expect([got.length, sequence.missing, sequence.isWaiting]).toEqual([11, 0, false]);
    expect(sequence.places()).toEqual({ a: { r: { delivered: [1, 12], lost: 0 } } });
  });

  test('that are made up fill no memory: those that wait for others, and those far apart', () => {
    const { got, sequence } = told();
    for (let i = 1; i <= 3000; i++) {
      sequence.take('a', item(i * 1000 + 5, i * 1000));
      sequence.take('a', item(i * 1e6, i * 1e6, `s${i % 7}`));
    }
    expect([...sequence.waiting()].length).toBeLessThanOrEqual(BUS_LIVE_LIMITS.window);
    const kept = Object.values(sequence.places().a).flatMap((run) => (typeof run === 'number' ? [] : run.delivered));
    expect(kept.length).toBeLessThanOrEqual(2 * BUS_LIVE_LIMITS.runs);
    sequence.take('a', item(1, 1, 'honest'));
    expect(got.at(-1)).toBe('ahonest1');
  });

  test('say what their collector lost: each frame is counted once, also over a restart and of several runs', () => {
    const { sequence } = told();
    for (const lost of [0, 3, 3, 10]) sequence.take('a', { ...item(1 + lost, 1 + lost), lost });
    sequence.take('a', { ...item(1, 1, 's'), lost: 2 });
    expect(sequence.lost).toBe(12);
    const { sequence: next } = told(JSON.parse(JSON.stringify(sequence.places())));
    next.take('a', { ...item(12, 12), lost: 11 });
    expect(next.lost).toBe(1);
  });

  test('of earlier versions are known by the number that came next', () => {
    const { got, sequence } = told({ a: { r: 51 } });
    for (const number of [49, 50, 51, 52]) sequence.take('a', item(number, 49));
    expect([got, sequence.duplicates, sequence.missing]).toEqual([['ar51', 'ar52'], 2, 0]);
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
