import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { statisticsOf } from '../series/statistics.ts';
import { CompareError, compareLogs } from './compare.ts';
import { titleOf } from './compare-fields.ts';

const SECOND = 1_000_000;

describe('statistics', () => {
  test('are those of the textbook', () => {
    const values = Float64Array.from({ length: 100 }, (_, i) => 100 - i);
    const found = statisticsOf(values);
    expect(found).toMatchObject({ count: 100, mean: 50.5, min: 1, max: 100, p95: 95.05 });
    // of 1 ... n the variance is (n² - 1) / 12
    expect(found?.deviation).toBeCloseTo(Math.sqrt((100 ** 2 - 1) / 12), 12);
  });

  test('leave out what is no number, and do not lose digits of large ones', () => {
    expect(statisticsOf(Float64Array.of(Number.NaN, Number.POSITIVE_INFINITY))).toBeUndefined();
    const large = statisticsOf(Float64Array.of(1e15 + 1, Number.NaN, 1e15 + 2, 1e15 + 3));
    expect(large).toMatchObject({ count: 3, mean: 1e15 + 2, p95: 1e15 + 2.9 });
    expect(large?.deviation).toBeCloseTo(Math.sqrt(2 / 3), 12);
    expect(statisticsOf(Float64Array.of(7))).toEqual({ count: 1, mean: 7, min: 7, max: 7, deviation: 0, p95: 7 });
  });
});

interface Flying {
  /** Seconds at which it is armed, takes off, lands and ends. */
  readonly armed: number;
  readonly takeoff: number;
  readonly landed: number;
  readonly end: number;
  /** What ATT.Roll is at a second, and the gain. */
  readonly roll: (second: number) => number;
  readonly gain: number;
}

/** A log of Copter with one flight, 10 records a second. */
function flown({ armed, takeoff, landed, end, roll, gain }: Flying): MadeLog {
  const log = new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('PARM', 'QNf', 'TimeUS,Name,Value')
    .define('ATT', 'Qff', 'TimeUS,Roll,Pitch')
    .define('EV', 'QB', 'TimeUS,Id')
    .add('MSG', 0, 'ArduCopter V4.5.7 (2a3dc4b7)')
    .add('PARM', 0, 'ATC_RAT_RLL_P', gain)
    .add('PARM', 0, 'STAT_RUNTIME', gain * 100);
  const events = new Map([
    [armed, 10],
    [takeoff, 28],
    [landed, 18],
    [landed + 1, 11],
  ]);
  for (let tenth = 0; tenth <= end * 10; tenth++) {
    const id = events.get(tenth / 10);
    if (id !== undefined) log.add('EV', (tenth * SECOND) / 10, id);
    log.add('ATT', (tenth * SECOND) / 10, roll(tenth / 10), 3);
  }
  return log;
}

const A: Flying = { armed: 5, takeoff: 10, landed: 40, end: 50, roll: (second) => second - 10, gain: 0.1 };
const B: Flying = { armed: 20, takeoff: 30, landed: 50, end: 60, roll: (second) => second - 30 + 2, gain: 0.2 };

describe('two flights', () => {
  test('are compared over the time that both have behind the take-off', async () => {
    const comparison = await compareLogs(await flown(A).open(), await flown(B).open(), { plots: 1 });
    expect(comparison.alignment).toBe('aligned at take-off');
    expect(comparison.seconds).toBe(20);
    expect([comparison.a.from, comparison.a.to, comparison.b.from, comparison.b.to]).toEqual(
      [10, 30, 30, 50].map((second) => second * SECOND),
    );
    const [roll, pitch] = comparison.fields;
    expect([titleOf(roll), titleOf(pitch)]).toEqual(['ATT.Roll', 'ATT.Pitch']);
    // rolls of 0 to 20 and 2 to 22 degrees, 201 of each
    expect([roll.a.count, roll.a.min, roll.a.max, roll.a.mean]).toEqual([201, 0, 20, expect.closeTo(10, 5)]);
    expect([roll.b.count, roll.b.min, roll.b.max, roll.b.mean]).toEqual([201, 2, 22, expect.closeTo(12, 5)]);
    expect(roll.difference).toBeCloseTo(2, 5);
    expect(roll.measure).toBeCloseTo(2 / Math.sqrt((201 ** 2 - 1) / 1200), 4);
    expect(pitch).toMatchObject({ difference: 0, measure: 0 });
    const [plot] = comparison.plots;
    expect(plot.lines.map(({ times }) => [times[0], times[times.length - 1]])).toEqual([
      [0, 20 * SECOND],
      [0, 20 * SECOND],
    ]);
  });

  test('may be aligned at the arming, or by seconds', async () => {
    const [a, b] = [await flown(A).open(), await flown(B).open()];
    const arm = await compareLogs(a, b, { align: 'arm' });
    expect([arm.alignment, arm.a.from, arm.b.from, arm.seconds]).toEqual([
      'aligned at arming',
      5 * SECOND,
      20 * SECOND,
      30,
    ]);
    const later = await compareLogs(a, b, { align: 22 });
    // the first is armed from 5 and lands at 40, the second at 20 and 50
    expect([later.a.from, later.a.to, later.b.from, later.b.to]).toEqual([5, 28, 27, 50].map((each) => each * SECOND));
    await expect(compareLogs(a, b, { align: 1000 })).rejects.toThrow(CompareError);
    await expect(compareLogs(a, b, { align: 'utc' })).rejects.toThrow('one of the logs does not know it');
    await expect(compareLogs(a, b, { flightB: 2 })).rejects.toThrow('the second log has no flight 2: it has 1');
  });

  test('have parameters and reports beside each other', async () => {
    const { parameters, checks, a } = await compareLogs(await flown(A).open(), await flown(B).open());
    expect(parameters.map(({ name, noise }) => [name, noise])).toEqual([
      ['ATC_RAT_RLL_P', false],
      ['STAT_RUNTIME', true],
    ]);
    const named = new Set(a.report.findings.map(({ check }) => check));
    for (const check of named) expect(checks.map((each) => each.check)).toContain(check);
    const same = checks.map((each) => each.a === each.b);
    expect(same).toEqual(same.toSorted((x, y) => Number(x) - Number(y)));
  });

  test('that are one are the same', async () => {
    const log = await flown(A).open();
    const { fields, parameters, checks } = await compareLogs(log, log);
    expect(fields.every(({ measure, difference }) => measure === 0 && difference === 0)).toBe(true);
    expect(parameters).toEqual([]);
    expect(checks.every((each) => each.a === each.b)).toBe(true);
  });
});

describe('logs without a flight', () => {
  const still = (level: number): MadeLog => {
    const log = new MadeLog().define('BARO', 'Qff', 'TimeUS,Alt,Temp');
    for (let i = 0; i < 100; i++) log.add('BARO', 1000 + i * SECOND, i % 2, level);
    return log;
  };

  test('are compared as a whole, constants behind what varies', async () => {
    const { alignment, fields, seconds } = await compareLogs(await still(20).open(), await still(30).open());
    expect([alignment, seconds]).toEqual(['aligned at the start of the log', 99]);
    expect(fields.map((each) => [titleOf(each), each.measure])).toEqual([
      ['BARO.Alt', 0],
      ['BARO.Temp', Number.POSITIVE_INFINITY],
    ]);
  });

  test('or without times cannot be', async () => {
    const empty = await new MadeLog().open();
    await expect(compareLogs(empty, empty)).rejects.toThrow(CompareError);
  });
});
