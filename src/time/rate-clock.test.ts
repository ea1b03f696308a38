import { describe, expect, test } from 'vitest';
import { gpsTime, MadeLog, micros, textLog } from '../../test/helpers/made-log.ts';
import type { Log } from '../core/log.ts';
import { inOrder } from '../core/records.ts';
import { openInput } from '../formats/open.ts';

const NOON = '2013-09-01T12:00:00Z';
const { week: WEEK, millis: NOON_MILLIS } = gpsTime(NOON, 16);
const SECOND = 1e6;

async function timesOf(log: Log, name: string): Promise<number[]> {
  return [...((await log.table(name)?.times()) ?? [])];
}

/** A log whose GPS records alone have a time. */
function made(): MadeLog {
  return new MadeLog()
    .define('GPS', 'BIH', 'Status,TimeMS,Week')
    .define('IMU', 'f', 'AccX')
    .define('CURR', 'h', 'Volt');
}

const fix = (log: MadeLog, seconds: number): MadeLog => log.add('GPS', 3, NOON_MILLIS + seconds * 1000, WEEK);

function repeat(log: MadeLog, name: string, count: number): MadeLog {
  for (let i = 0; i < count; i++) log.add(name, 0);
  return log;
}

/** What must come so many seconds after noon. */
const pastNoon = (...seconds: number[]): number[] => seconds.map((each) => micros(NOON) + Math.round(each * SECOND));

describe('between GPS records', () => {
  test('time goes by evenly, and neighbours in the log are neighbours in time', async () => {
    const log = fix(made(), 0);
    for (let i = 0; i < 20; i++) repeat(repeat(log, 'IMU', 5), 'CURR', 1);
    fix(log, 1);
    for (let i = 0; i < 10; i++) repeat(repeat(log, 'IMU', 5), 'CURR', 1);
    const opened = await fix(log, 2).open();
    expect(opened.clock).toMatchObject({ kind: 'gps-interpolated', utc: true, guessed: false });
    expect(await timesOf(opened, 'GPS')).toEqual(pastNoon(0, 1, 2));
    const tables = ['GPS', 'IMU', 'CURR'].flatMap((name) => opened.tablesNamed(name));
    const times = await Promise.all(tables.map((table) => table.times()));
    let last = Number.NEGATIVE_INFINITY;
    for (const { index, row } of inOrder(tables)) {
      const time = times[index][row];
      expect(time).toBeGreaterThan(last);
      // a sixtieth or a hundred-and-twentieth part of a second, a little more beside the longer GPS records
      if (last > 0) expect(time - last).toBeLessThan(0.03 * SECOND);
      last = time;
    }
  });

  test('the table with most rows beats time after the last one and before the first', async () => {
    const log = repeat(made(), 'IMU', 5);
    fix(log, 0);
    for (let second = 1; second <= 3; second++) fix(repeat(log, 'IMU', 10), second);
    const times = await timesOf(await repeat(repeat(log, 'IMU', 5), 'CURR', 1).open(), 'IMU');
    const before = times.slice(0, 5).map(Math.round);
    expect(before).toEqual(pastNoon(-0.5, -0.4, -0.3, -0.2, -0.1));
    expect(times.slice(-5).map(Math.round)).toEqual(pastNoon(3.1, 3.2, 3.3, 3.4, 3.5));
  });

  test('one that runs ahead of those after it moves nothing', async () => {
    const log = fix(fix(fix(fix(made(), 0), 86_400), 1), 2);
    expect((await timesOf(await log.open(), 'GPS')).map(Math.round)).toEqual(pastNoon(0, 0.5, 1, 2));
  });

  test('one that goes back or stands still moves nothing', async () => {
    const log = await fix(fix(fix(fix(made(), 1), 0), 1), 2).open();
    const times = await timesOf(log, 'GPS');
    expect(times[0]).toBe(pastNoon(1)[0]);
    expect(times[3]).toBe(pastNoon(2)[0]);
    for (const time of times.slice(1, 3)) {
      expect(time).toBeGreaterThan(times[0]);
      expect(time).toBeLessThan(times[3]);
    }
  });

  test('the times of a part are the part of all times', async () => {
    const log = await fix(repeat(fix(repeat(fix(made(), 0), 'IMU', 40), 1), 'IMU', 40), 2).open();
    for (const table of log.tables) {
      expect(await table.times({ from: 1, to: 3 })).toEqual((await table.times()).slice(1, 3));
    }
    expect(await log.table('IMU')?.times({ from: 70, to: 90 })).toHaveLength(10);
  });
});

describe('GPS records without a week', () => {
  const FORMATS = ['FMT, 130, 32, GPS, BIBcLLeeEe, Status,Time,NSats', 'FMT, 2, 7, IMU, f, AccX'];

  test('go by evenly, counted from the start of the log', async () => {
    const lines = ['GPS, 1, 0, 0', 'IMU, 1', 'GPS, 3, 130045000, 9', 'IMU, 1', 'IMU, 1', 'GPS, 3, 130046000, 9'];
    const log = await openInput(textLog(...FORMATS, ...lines));
    expect(log.clock).toMatchObject({ kind: 'gps-interpolated', utc: false });
    expect(log.clock.source).toContain('without a week');
    // two IMU records in a second, and one before the first fix
    const [, known, next] = await timesOf(log, 'GPS');
    expect([known, next]).toEqual([0.5 * SECOND, 1.5 * SECOND]);
    const [first, second, third] = await timesOf(log, 'IMU');
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(known);
    expect(third).toBeGreaterThan(second);
    expect(third).toBeLessThan(next);
  });

  test('never anything: guessed from the usual rate of a table', async () => {
    const log = await openInput(textLog(...FORMATS, 'IMU, 1', 'GPS, 1, 0, 0', 'IMU, 1', 'IMU, 1'));
    expect(log.clock).toMatchObject({ utc: false, guessed: true });
    expect(await timesOf(log, 'IMU')).toEqual([0, 20_000, 40_000]);
    const [between] = await timesOf(log, 'GPS');
    expect(between).toBeGreaterThan(0);
    expect(between).toBeLessThan(20_000);
  });

  test('definitions and parameters alone have no time', async () => {
    const log = await new MadeLog().define('PARM', 'Nf', 'Name,Value').add('PARM', 'A', 1).add('PARM', 'B', 2).open();
    expect(log.clock.kind).toBe('none');
    expect(await timesOf(log, 'PARM')).toEqual([Number.NaN, Number.NaN]);
  });
});
