import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/entry/browser.ts';
import { MadeLog } from '../../../test/helpers/made-log.ts';
import { densestPart, firstView } from './first-view.ts';

const SECOND = 1e6;
const HOUR = 3600 * SECOND;
const every = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, k) => from + ((to - from) * k) / (count - 1));

describe('the densest part', () => {
  test('is nothing special where records are all over the log', () => {
    expect(densestPart(every(0, HOUR, 300), { start: 0, end: HOUR })).toBeNull();
    // parameters at the start, a quarter of it in the air
    const times = [...every(0, SECOND, 100), ...every(0.5 * HOUR, 0.75 * HOUR, 100)];
    expect(densestPart(times, { start: 0, end: HOUR })).toBeNull();
  });

  test('is after a clock that was set by 32 hours', () => {
    const end = 32 * HOUR + 120 * SECOND;
    const part = densestPart([0, SECOND, ...every(32 * HOUR, end, 200)], { start: 0, end });
    expect(part).toEqual({ start: 32 * HOUR - 6 * SECOND, end });
  });

  test('is found whatever one false time is', () => {
    for (const far of [1e12, 1e15, 7e17]) {
      const part = densestPart([...every(0, 100 * SECOND, 200), far], { start: 0, end: far });
      expect(part).toEqual({ start: 0, end: 105 * SECOND });
    }
  });

  test('is the one with most records', () => {
    const times = [...every(0, 60 * SECOND, 50), ...every(20 * HOUR, 20 * HOUR + 60 * SECOND, 150)];
    const part = densestPart(times, { start: 0, end: 20 * HOUR + 60 * SECOND });
    expect(part?.start).toBe(20 * HOUR - 3 * SECOND);
  });
});

describe('a log', () => {
  const made = (jump: number): MadeLog => {
    const log = new MadeLog().define('ATT', 'Qf', 'TimeUS,Roll');
    for (let k = 0; k < 20; k++) log.add('ATT', k * 100_000, 0);
    for (let k = 0; k < 600; k++) log.add('ATT', jump + k * 100_000, 0);
    return log;
  };

  test('is shown as a whole', async () => {
    const log = await made(2 * SECOND).open();
    expect(await firstView(log, factsOf(log))).toBeNull();
  });

  test('with a jump is shown after it, and at its flights', async () => {
    const log = await made(32 * HOUR).open();
    const span = async () => ({ start: 0, end: 32 * HOUR + 599 * 100_000 });
    const flights = async () => [{ start: 32 * HOUR + 20 * SECOND, end: 32 * HOUR + 40 * SECOND }] as never;
    expect(await firstView(log, { span, flights })).toEqual({
      start: 32 * HOUR + 19 * SECOND,
      end: 32 * HOUR + 41 * SECOND,
    });
    const part = await firstView(log, { span, flights: async () => [] });
    expect(part?.start).toBeGreaterThan(32 * HOUR - 10 * SECOND);
    expect(part?.start).toBeLessThan(32 * HOUR + SECOND);
  });
});
