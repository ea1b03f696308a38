import { describe, expect, test } from 'vitest';
import { gpsTime, MadeLog, micros, textLog } from '../../../test/helpers/made-log.ts';
import type { Log } from '../../core/log.ts';
import { factsOf } from '../../facts/facts.ts';
import { openInput } from '../open.ts';

const NOON = '2020-03-01T12:00:00Z';
const { week: WEEK, millis: NOON_MILLIS } = gpsTime(NOON, 18);

async function timesOf(log: Log, name: string, stream?: string): Promise<number[]> {
  return [...((await log.table(name, stream)?.times()) ?? [])];
}

/** A log of a firmware that puts TimeUS into every record. */
function modern(): MadeLog {
  return new MadeLog().define('GPS', 'QBIHLL', 'TimeUS,Status,GMS,GWk,Lat,Lng').define('ATT', 'Qc', 'TimeUS,Roll');
}

/** A log of a firmware of 2014: TimeMS in most records, T in those of GPS. */
function older(): MadeLog {
  return new MadeLog()
    .define('GPS', 'BIHLLI', 'Status,TimeMS,Week,Lat,Lng,T')
    .define('ATT', 'Ic', 'TimeMS,Roll')
    .define('MODE', 'Bh', 'Mode,ThrCrs');
}

describe('TimeUS', () => {
  test('the first GPS record with a week gives the base, whatever its fix', async () => {
    const made = modern().add('ATT', 1_000_000, 0).add('GPS', 1_500_000, 3, 77_000, 0, 46, 7);
    const baseOffset = made.length;
    made.add('GPS', 2_000_000, 0, NOON_MILLIS, WEEK, 46, 7).add('ATT', 2_500_000, 0);
    // a second fix that disagrees changes nothing
    made.add('GPS', 3_000_000, 3, NOON_MILLIS + 9000, WEEK, 46, 7);
    const log = await made.open();
    expect(log.clock).toMatchObject({ kind: 'usec', utc: true, baseOffset });
    expect(log.clock.source).toBe(`GPS record at offset ${baseOffset}: week ${WEEK}, ${NOON_MILLIS} ms`);
    expect(await timesOf(log, 'ATT')).toEqual([micros(NOON) - 1_000_000, micros(NOON) + 500_000]);
    expect(await timesOf(log, 'GPS')).toEqual([-500_000, 0, 1_000_000].map((after) => micros(NOON) + after));
  });

  test('the first good record of any receiver is taken', async () => {
    const made = new MadeLog().define('FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds');
    made.define('GPS', 'QBBIH', 'TimeUS,I,Status,GMS,GWk');
    made.add('FMTU', 0, made.typeOf('GPS'), 's#---', 'F----');
    made.add('GPS', 1_000_000, 0, 1, 0, 0).add('GPS', 2_000_000, 1, 3, NOON_MILLIS, WEEK);
    const log = await made.add('GPS', 3_000_000, 0, 3, NOON_MILLIS + 5000, WEEK).open();
    expect(await timesOf(log, 'GPS', '1')).toEqual([micros(NOON)]);
    expect(await timesOf(log, 'GPS', '0')).toEqual([micros(NOON) - 1_000_000, micros(NOON) + 1_000_000]);
  });

  test('a GPS record whose time was never set gives no base', async () => {
    const made = modern()
      .add('GPS', 0, 3, NOON_MILLIS + 9000, WEEK, 46, 7)
      .add('GPS', 1, 3, NOON_MILLIS, WEEK, 46, 7);
    expect(await timesOf(await made.open(), 'GPS')).toEqual([micros(NOON) - 1, micros(NOON)]);
  });

  test('GPS2 serves where there is no GPS', async () => {
    const made = new MadeLog().define('GPS2', 'QBIH', 'TimeUS,Status,GMS,GWk').define('ATT', 'Qc', 'TimeUS,Roll');
    const log = await made.add('ATT', 500_000, 0).add('GPS2', 1_000_000, 3, NOON_MILLIS, WEEK).open();
    expect(log.clock.source).toMatch(/^GPS2 record at offset/);
    expect(await timesOf(log, 'ATT')).toEqual([micros(NOON) - 500_000]);
  });

  test('without a week times count from boot', async () => {
    const log = await modern().add('GPS', 1_000_000, 3, 5000, 0, 46, 7).add('ATT', 1_234_567, 0).open();
    expect(log.clock).toMatchObject({ kind: 'usec', utc: false, baseOffset: undefined });
    expect(log.clock.source).toContain('times count from boot');
    expect(await timesOf(log, 'ATT')).toEqual([1_234_567]);
  });

  test('without GPS as well', async () => {
    const log = await new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1_234_567, 0).open();
    expect(log.clock).toMatchObject({ kind: 'usec', utc: false });
    expect(await timesOf(log, 'ATT')).toEqual([1_234_567]);
  });

  test('the microseconds of 100 years keep their last digit', async () => {
    const century = 3_155_760_000_000_001;
    const log = await new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', century, 0).open();
    expect(await timesOf(log, 'ATT')).toEqual([century]);
  });

  test('a vehicle that rebooted without a new fix goes on from where it was', async () => {
    const made = modern().add('GPS', 5_000_000, 3, NOON_MILLIS, WEEK, 46, 7).add('ATT', 6_000_000, 0);
    const log = await made.add('ATT', 1_000_000, 0).open();
    expect(await timesOf(log, 'ATT')).toEqual([micros(NOON) + 1_000_000, micros(NOON) + 1_000_000]);
    expect(log.clock.parts).toHaveLength(2);
    expect(log.clock.remarks[0]).toContain('the time between them is unknown');
  });

  test('also where a definition stands between the two, which alone is no reboot', async () => {
    const made = modern().add('GPS', 5_000_000, 3, NOON_MILLIS, WEEK, 46, 7).add('ATT', 6_000_000, 0);
    made.define('LATE', 'Qc', 'TimeUS,Roll').add('LATE', 6_100_000, 0).add('ATT', 6_200_000, 0);
    expect((await made.open()).clock.parts).toBeUndefined();
    const log = await made.define('MORE', 'Qc', 'TimeUS,Roll').add('ATT', 1_000_000, 0).open();
    expect(log.clock.parts).toHaveLength(2);
  });

  test('a vehicle that rebooted and has a fix again has a base for each boot', async () => {
    const made = modern().add('GPS', 5_000_000, 3, NOON_MILLIS, WEEK, 46, 7);
    for (let second = 6; second < 20; second++) made.add('ATT', second * 1e6, 0);
    for (let second = 1; second < 9; second++) made.add('ATT', second * 1e6, 0);
    const log = await made.add('GPS', 9_000_000, 3, NOON_MILLIS + 60_000, WEEK, 46, 7).open();
    const times = await timesOf(log, 'ATT');
    expect(times[0]).toBe(micros(NOON) + 1e6);
    expect(times[14]).toBe(micros(NOON) + 52e6);
    expect(await timesOf(log, 'GPS')).toEqual([micros(NOON), micros(NOON) + 60e6]);
  });

  test('a time that no other record bears out is an outlier: counted, listed and not used', async () => {
    const made = modern();
    for (let tenth = 0; tenth < 200; tenth++) {
      if (tenth === 100) made.add('ATT', 695_872_748_580_454_291n, 0);
      made.add('ATT', 1e6 + tenth * 1e5, 0);
    }
    // damage makes all times be looked at
    const log = await made.raw(new TextEncoder().encode('garbage')).add('ATT', 21e6, 0).open();
    const times = await timesOf(log, 'ATT');
    expect(times[100]).toBeNaN();
    expect(times[101]).toBe(11e6);
    expect(log.faults.byCode.get('time-outlier')).toEqual({ count: 1, bytes: 0 });
    expect(await factsOf(log).span()).toEqual({ start: 1e6, end: 21e6 });
  });

  test('a table whose times are all 0, or of another clock, has those of its neighbours', async () => {
    const made = modern().define('ODD', 'QB', 'TimeUS,Id').define('UNIX', 'QB', 'TimeUS,Id');
    for (let second = 60; second < 90; second++)
      made
        .add('ATT', second * 1e6, 0)
        .add('ODD', 0, 1)
        .add('UNIX', micros(NOON) + second * 1e6, 1);
    const log = await made.open();
    expect(await factsOf(log).span()).toEqual({ start: 60e6, end: 89e6 });
    expect(await timesOf(log, 'ODD')).toEqual(await timesOf(log, 'ATT'));
    expect(await timesOf(log, 'UNIX')).toEqual(await timesOf(log, 'ATT'));
    expect(log.faults.count).toBe(0);
  });

  test('a week in the future, or one that most fixes do not bear out, is no base', async () => {
    const future = await modern().add('GPS', 5_000_000, 3, NOON_MILLIS, 9000, 46, 7).add('ATT', 6e6, 0).open();
    expect(future.clock.utc).toBe(false);
    expect(future.clock.remarks[0]).toContain('9000');
    const made = modern().add('GPS', 1_000_000, 1, NOON_MILLIS, WEEK - 1024, 46, 7);
    for (let second = 2; second < 40; second++)
      made.add('GPS', second * 1e6, 3, NOON_MILLIS + (second - 2) * 1000, WEEK, 46, 7);
    const log = await made.open();
    expect((await timesOf(log, 'GPS'))[1]).toBe(micros(NOON));
  });
});

describe('leap seconds', () => {
  const dates = [
    ['2011-05-05T05:05:05Z', 15],
    ['2014-05-05T05:05:05Z', 16],
    ['2016-05-05T05:05:05Z', 17],
    ['2020-05-05T05:05:05Z', 18],
  ] as const;

  test.each(dates)('%s: those of the date are taken', async (utc, leap) => {
    const { week, millis } = gpsTime(utc, leap);
    const log = await modern().add('GPS', 1_000_000, 3, millis, week, 46, 7).open();
    expect(await timesOf(log, 'GPS')).toEqual([micros(utc)]);
  });

  test.each(dates)('%s: 18 where they are asked for', async (utc, leap) => {
    const { week, millis } = gpsTime(utc, leap);
    const [usec, msec, interpolated] = [
      modern().add('GPS', 1_000_000, 3, millis, week, 46, 7),
      older().add('GPS', 3, millis, week, 46, 7, 1000),
      new MadeLog().define('GPS', 'BIH', 'Status,TimeMS,Week').add('GPS', 3, millis, week),
    ];
    for (const made of [usec, msec, interpolated]) {
      expect(await timesOf(await made.open({ leapSeconds: 18 }), 'GPS')).toEqual([micros(utc) - (18 - leap) * 1e6]);
    }
  });
});

describe('TimeMS', () => {
  test('T of a GPS record with a week gives the base', async () => {
    const made = older().add('ATT', 500, 0).add('GPS', 3, 1, 0, 46, 7, 700).add('GPS', 3, 1, WEEK, 46, 7, 0);
    made.add('GPS', 3, NOON_MILLIS, WEEK, 46, 7, 1000).add('MODE', 3, 0).add('ATT', 1250, 0).add('MODE', 6, 0);
    const log = await made.open();
    expect(log.clock).toMatchObject({ kind: 'msec', utc: true });
    expect(await timesOf(log, 'ATT')).toEqual([micros(NOON) - 500_000, micros(NOON) + 250_000]);
    expect(await timesOf(log, 'GPS')).toEqual([-300_000, -1_000_000, 0].map((after) => micros(NOON) + after));
    expect(await timesOf(log, 'MODE')).toEqual([micros(NOON), micros(NOON) + 250_000]);
  });

  test('without a week it counts from boot', async () => {
    const log = await older().add('GPS', 0, 100, 0, 46, 7, 900).add('ATT', 1250, 0).add('MODE', 3, 0).open();
    expect(log.clock).toMatchObject({ kind: 'msec', utc: false });
    expect(await timesOf(log, 'ATT')).toEqual([1_250_000]);
    expect(await timesOf(log, 'MODE')).toEqual([1_250_000]);
    expect(await timesOf(log, 'GPS')).toEqual([900_000]);
  });

  test('is read from text logs too', async () => {
    const { week, millis } = gpsTime('2014-01-06T06:19:50.8Z', 16);
    const bytes = textLog(
      'FMT, 130, 45, GPS, BIHBcLLeeEefI, Status,TimeMS,Week,NSats,HDop,Lat,Lng,RelAlt,Alt,Spd,GCrs,VZ,T',
      'FMT, 1, 11, ATT, Icc, TimeMS,Roll,Pitch',
      `GPS, 3, ${millis}, ${week}, 9, 2.42, 46.5, 7.5, 0, 500, 0, 0, 0, 66937`,
      'ATT, 67037, 1.25, -3.5',
    );
    const log = await openInput(bytes);
    expect(log.clock).toMatchObject({ kind: 'msec', utc: true });
    expect(await timesOf(log, 'ATT')).toEqual([micros('2014-01-06T06:19:50.9Z')]);
  });
});

describe('TimeMS after 49.7 days', () => {
  const LAST = 2 ** 32 - 1;

  test('goes on where 32 bits begin again', async () => {
    const made = older().add('GPS', 3, NOON_MILLIS, WEEK, 46, 7, LAST - 999);
    for (let k = -5; k <= 5; k++) made.add('ATT', (LAST + 1 + k * 100) % 2 ** 32, 0);
    const log = await made.open();
    // the GPS record is 1000 ms before the overflow
    const expected = Array.from({ length: 11 }, (_, i) => micros(NOON) + 1_000_000 + (i - 5) * 100_000);
    expect(await timesOf(log, 'ATT')).toEqual(expected);
  });

  test('also for a table that begins only then', async () => {
    const made = older()
      .define('EV', 'IB', 'TimeMS,Id')
      .add('GPS', 3, NOON_MILLIS, WEEK, 46, 7, LAST - 999);
    made
      .add('ATT', LAST - 99, 0)
      .add('EV', 50, 10)
      .add('ATT', 100, 0)
      .add('EV', 150, 11);
    expect(await timesOf(await made.open(), 'EV')).toEqual([1_050_000, 1_150_000].map((after) => micros(NOON) + after));
  });

  test('also if the first GPS record with a week comes only then', async () => {
    const made = older()
      .add('ATT', LAST - 99, 0)
      .add('ATT', 100, 0)
      .add('GPS', 3, NOON_MILLIS, WEEK, 46, 7, 200);
    const log = await made.add('ATT', 300, 0).open();
    expect(await timesOf(log, 'ATT')).toEqual([-300_000, -100_000, 100_000].map((after) => micros(NOON) + after));
    expect(await timesOf(log, 'GPS')).toEqual([micros(NOON)]);
  });

  test('a vehicle that rebooted is no overflow: its time goes on from the last one', async () => {
    const made = older().add('ATT', 90_000, 0).add('ATT', 100, 0).add('ATT', 200, 0);
    const log = await made.open();
    expect(await timesOf(log, 'ATT')).toEqual([90_000_000, 90_000_000, 90_100_000]);
    expect(log.clock.parts).toMatchObject([
      { start: 90_000_000, end: 90_000_000 },
      { start: 90_000_000, end: 90_100_000 },
    ]);
  });
});

describe('TIME records of PX4', () => {
  function px4(): MadeLog {
    return new MadeLog()
      .define('TIME', 'Q', 'StartTime')
      .define('GPS', 'QBLL', 'GPSTime,Fix,Lat,Lng')
      .define('ATT', 'ff', 'Roll,Pitch');
  }

  test('time what follows them, and GPSTime gives UTC', async () => {
    const made = px4().add('ATT', 0, 0).add('TIME', 3_000_000).add('GPS', 0, 0, 0, 0).add('ATT', 0, 0);
    made.add('TIME', 4_000_000).add('GPS', micros(NOON), 3, 46, 7).add('ATT', 0, 0).add('TIME', 4_250_000);
    const log = await made.add('ATT', 0, 0).open();
    expect(log.clock).toMatchObject({ kind: 'px4', utc: true });
    expect(await timesOf(log, 'TIME')).toEqual([-1_000_000, 0, 250_000].map((after) => micros(NOON) + after));
    // the first one stands before any TIME record and takes the first
    expect(await timesOf(log, 'ATT')).toEqual(
      [-1_000_000, -1_000_000, 0, 250_000].map((after) => micros(NOON) + after),
    );
    expect(await timesOf(log, 'GPS')).toEqual([-1_000_000, 0].map((after) => micros(NOON) + after));
  });

  test('count from boot where GPS never knew the time', async () => {
    const log = await px4().add('TIME', 3_000_000).add('GPS', 0, 0, 0, 0).add('ATT', 0, 0).open();
    expect(log.clock).toMatchObject({ kind: 'px4', utc: false });
    expect(await timesOf(log, 'ATT')).toEqual([3_000_000]);
  });

  test('a GPS record before the first of them belongs to it', async () => {
    const log = await px4().add('GPS', micros(NOON), 3, 46, 7).add('TIME', 3_000_000).add('ATT', 0, 0).open();
    expect(await timesOf(log, 'ATT')).toEqual([micros(NOON)]);
  });
});

describe('no clock', () => {
  test.each([
    ['nothing', new Uint8Array(0)],
    ['erased flash', new Uint8Array(5000).fill(0xff)],
  ])('%s has none', async (_what, bytes) => {
    const { clock } = await openInput(bytes);
    expect(clock).toMatchObject({ kind: 'none', utc: false, source: 'no record carries a time' });
  });
});
