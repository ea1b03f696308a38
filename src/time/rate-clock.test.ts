import { describe, expect, test } from 'vitest';
import { gpsTime, MadeLog, micros, textLog } from '../../test/made-log.ts';
import type { Log } from '../core/log.ts';
import { openInput } from '../open.ts';

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
  test('time follows from the highest rate at which a kind was seen to come', async () => {
    const log = fix(made(), 0);
    repeat(log, 'IMU', 5);
    fix(log, 1);
    repeat(log, 'IMU', 10);
    fix(log, 2);
    const opened = await repeat(log, 'IMU', 2).open();
    expect(opened.clock).toMatchObject({ kind: 'gps-interpolated', utc: true });
    expect(opened.clock.remarks[0]).toContain('rate');
    expect(await timesOf(opened, 'GPS')).toEqual(pastNoon(0, 1, 2));
    // ten a second, for the first five as well
    const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.1, 2.2];
    expect((await timesOf(opened, 'IMU')).map(Math.round)).toEqual(pastNoon(...tenths));
  });

  test('a kind that comes less than once a second is taken to come at 50 Hz', async () => {
    const log = fix(repeat(fix(repeat(fix(made(), 0), 'CURR', 1), 2), 'CURR', 1), 4);
    expect(await timesOf(await log.open(), 'CURR')).toEqual(pastNoon(0.02, 2.02));
  });

  test('what comes before the first one has its time', async () => {
    const log = await repeat(fix(repeat(made(), 'IMU', 3).add('GPS', 0, 5, 0), 7), 'IMU', 1).open();
    expect(await timesOf(log, 'IMU')).toEqual([...pastNoon(7, 7, 7), ...pastNoon(7.02)]);
    expect(await timesOf(log, 'GPS')).toEqual(pastNoon(7, 7));
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

  test('count from the first of them that knows the time', async () => {
    const lines = ['GPS, 1, 0, 0', 'IMU, 1', 'GPS, 3, 130045000, 9', 'IMU, 1', 'IMU, 1', 'GPS, 3, 130046000, 9'];
    const log = await openInput(textLog(...FORMATS, ...lines));
    expect(log.clock).toMatchObject({ kind: 'gps-interpolated', utc: false });
    expect(log.clock.source).toContain('without a week');
    expect(await timesOf(log, 'GPS')).toEqual([0, 0, SECOND]);
    // two in one second
    expect(await timesOf(log, 'IMU')).toEqual([0, 0.5 * SECOND, SECOND]);
  });

  test('never anything: the order of records at 50 Hz', async () => {
    const log = await openInput(textLog(...FORMATS, 'IMU, 1', 'GPS, 1, 0, 0', 'IMU, 1', 'IMU, 1'));
    expect(log.clock.utc).toBe(false);
    expect(await timesOf(log, 'IMU')).toEqual([20_000, 40_000, 60_000]);
    expect(await timesOf(log, 'GPS')).toEqual([20_000]);
  });
});
