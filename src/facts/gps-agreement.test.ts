import { describe, expect, test } from 'vitest';
import { gpsTime, MadeLog } from '../../test/helpers/made-log.ts';
import { gpsAgreement } from './gps-agreement.ts';

const { week: WEEK, millis: NOON } = gpsTime('2014-03-01T12:00:00Z', 16);

/** Two receivers: the fixes of the first give the clock, those of the second are late by so many milliseconds. */
function receivers(late: readonly number[]): MadeLog {
  const log = new MadeLog()
    .define('GPS', 'QBIH', 'TimeUS,Status,GMS,GWk')
    .define('GPS2', 'QBIH', 'TimeUS,Status,GMS,GWk')
    .add('GPS2', 0, 1, 0, 0);
  late.forEach((delay, i) => {
    log
      .add('GPS', (i + 1) * 1_000_000, 3, NOON + i * 1000, WEEK)
      .add('GPS2', (i + 1) * 1_000_000, 3, NOON + i * 1000 - delay, WEEK);
  });
  return log;
}

describe('how far receivers are from the clock', () => {
  test('the middle one of the differences, the least and the most, of fixes with a week', async () => {
    expect(await gpsAgreement(await receivers([200, -50, 120, 130, 125]).open())).toEqual([
      { table: 'GPS2', stream: '', fixes: 5, median: -125_000, least: -200_000, most: 50_000 },
      { table: 'GPS', stream: '', fixes: 5, median: 0, least: 0, most: 0 },
    ]);
  });

  test('is the same whatever leap seconds were asked for', async () => {
    const log = await receivers([70]).open({ leapSeconds: 18 });
    expect((await gpsAgreement(log, 18)).map(({ median }) => median)).toEqual([-70_000, 0]);
  });

  test('instances are told apart', async () => {
    const log = new MadeLog()
      .define('FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds')
      .define('GPS', 'QBBIH', 'TimeUS,I,Status,GMS,GWk');
    log.add('FMTU', 0, log.typeOf('GPS'), 's#---', 'F----');
    log.add('GPS', 1_000_000, 0, 3, NOON, WEEK).add('GPS', 1_500_000, 1, 3, NOON + 700, WEEK);
    expect((await gpsAgreement(await log.open())).map(({ stream, median }) => [stream, median])).toEqual([
      ['0', 0],
      ['1', 200_000],
    ]);
  });

  test('of a long log the beginning, the end and what lies between are looked at', async () => {
    const rows = 5000;
    const delays = new Array(rows).fill(0);
    delays[0] = 0;
    delays[rows - 20] = 900;
    const [second] = await gpsAgreement(await receivers(delays).open());
    expect(second.fixes).toBeLessThan(rows);
    expect(second.fixes).toBeGreaterThanOrEqual(1000);
    expect(second.least).toBe(-900_000);
  });

  test('a clock that counts from boot cannot be compared', async () => {
    const log = new MadeLog().define('GPS', 'QBIH', 'TimeUS,Status,GMS,GWk').add('GPS', 1, 3, 5, 0);
    expect(await gpsAgreement(await log.open())).toEqual([]);
  });
});
