import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { titleOf } from '../../src/core/table.ts';
import { factsOf } from '../../src/facts/facts.ts';
import { openLog } from '../../src/node/open.ts';
import type { Finding } from '../../src/report/finding.ts';
import { makeReport, type Report } from '../../src/report/report.ts';
import { DEFAULT_RULES } from '../../src/report/rules.ts';
import { ParquetWriter } from '../../src/sql/parquet.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';

/** Tables that the figures are computed from. */
const ASKED = new Set(['ATT', 'BAT', 'CTUN', 'GPS', 'MAG', 'PM', 'RCOU', 'VIBE', 'XKF4']);

const reportOf = async (path: string): Promise<Report> => makeReport(await openLog(path));

/** The finding of a title; there must be one. */
function found({ findings }: Report, title: string): Finding {
  const finding = findings.find((each) => each.title === title);
  if (!finding) throw new Error(`no finding ${title}: there are ${findings.map((each) => each.title).join(', ')}`);
  return finding;
}

const titles = ({ findings }: Report, severity: string): string[] =>
  findings.filter((each) => each.severity === severity).map(({ title }) => title);

describe('good flights raise no failure and no warning', () => {
  test.each(['copter-square.BIN', 'copter-square.tlog', 'copter-square.pcap', 'copter-square.nmea'])(
    '%s',
    async (name) => {
      const report = await reportOf(SAMPLE.replace('copter-square.BIN', name));
      expect(titles(report, 'fail')).toEqual([]);
      expect(titles(report, 'warn')).toEqual([]);
      expect(report.verdict).toBe('ok');
    },
  );

  test('also after each other, with one boot: limits hold for a flight, not for a day of them', async () => {
    const bench: string = new URL('../../bench/bench.mjs', import.meta.url).href;
    const { repeatedDataflash } = (await import(bench)) as { repeatedDataflash(size: number): Uint8Array };
    const log = await openLog(repeatedDataflash(60e6));
    expect(await factsOf(log).flights()).toHaveLength(7);
    const report = await makeReport(log);
    expect(titles(report, 'fail')).toEqual([]);
    expect(titles(report, 'warn')).toEqual([]);
    expect(found(report, 'EKF resets').text).toContain(
      'reset 7 times in flight, at most once from take-off to landing',
    );
  });

  needShared(describe, 'flight')('others', () => {
    test.each(['px4-quad.tlog', 'rover.BIN', 'rover.tlog', 'copter-mavlink1.raw'])('%s', async (name) => {
      const report = await reportOf(sharedData('flight', name));
      expect(titles(report, 'fail')).toEqual([]);
      expect(titles(report, 'warn')).toEqual([]);
      expect(report.counts.ok).toBeGreaterThan(10);
    });
  });
});

needShared(describe, 'dataflash')('known faults are named', () => {
  const log = (name: string): string => sharedData('dataflash', name);

  test('a mechanical failure: the copter turns over while a motor is at its end, and crashes', async () => {
    const report = await reportOf(log('LA-mechanical_fail.log'));
    const lean = found(report, 'Lean');
    expect(lean).toMatchObject({ severity: 'fail', threshold: 65, fields: ['ATT.Roll', 'ATT.Pitch'] });
    // until the impact: what it did on the ground is not judged
    expect(lean.value).toBeGreaterThan(100);
    expect(lean.text).toContain('mechanical failure');
    expect(found(report, 'Motors saturated').text).toContain('motor 1');
    expect(titles(report, 'fail')).toContain('Impact');
  });

  test('a copter that has not enough thrust', async () => {
    const report = await reportOf(log('LA-underpowered.log'));
    expect(found(report, 'Thrust').severity).toBe('fail');
    expect(found(report, 'Throttle in hover').severity).toBe('warn');
    expect(found(report, 'Battery: voltage').text).toContain('3 cells');
  });

  test('an autopilot that is too slow', async () => {
    const slow = found(await reportOf(log('LA-octo_PM.log')), 'Slow loops');
    // the worst record: 188 of 1013 loops
    expect(slow).toMatchObject({ severity: 'fail', value: (100 * 188) / 1013, threshold: 10 });
  });

  test('a GPS that fails in flight', async () => {
    const report = await reportOf(log('erle-copter_6-11-2014_GPS_issues1.BIN'));
    expect(found(report, 'GPS: pauses').severity).toBe('fail');
    expect(found(report, 'GPS: fix').severity).toBe('warn');
    expect(titles(report, 'fail')).toContain('GPS: glitch, not cleared');
  });

  test('a log that ends in the air', async () => {
    const report = await reportOf(log('corrupt/trunc.BIN'));
    // a simulator wrote it, which loses no power: it was cut, as it really was
    expect(found(report, 'End of the log')).toMatchObject({ severity: 'info', threshold: 5, unit: 'm' });
    const whole = await reportOf(log('corrupt/zerotail.BIN'));
    expect(found(whole, 'End of the log').severity).toBe('ok');
  });

  test('a compass that its motors disturb, told by instance', async () => {
    const report = await reportOf(log('edancain-5.BIN'));
    expect(found(report, 'Compass 1: motors')).toMatchObject({ severity: 'warn', instance: '1', threshold: 30 });
    expect(found(report, 'Compass: motors').severity).toBe('ok');
  });

  test('a vehicle that never flew has no failures of a flight', async () => {
    const report = await reportOf(log('erle-copter_19-4-2015_7.BIN'));
    expect(titles(report, 'fail')).toEqual([]);
    expect(titles(report, 'warn')).toEqual([]);
    expect(found(report, 'GPS: HDOP').severity).toBe('info');
  });

  test('old logs keep hundredths of volts and thousandths, new ones volts', async () => {
    const old = found(await reportOf(log('LA-mechanical_fail.log')), 'Board voltage');
    expect(old).toMatchObject({ value: 4.616, unit: 'V', fields: ['CURR.Vcc'] });
    const later = found(await reportOf(log('beast-sample.bin')), 'Board voltage');
    expect(later.fields).toEqual(['POWR.Vcc']);
    expect(later.value).toBeGreaterThan(4.5);
    expect(later.value).toBeLessThan(5.5);
  });
});

describe('figures are those that SQL gives over the tables exported as Parquet', () => {
  const folder = temporaryFolder();
  let report: Report;
  let connection: DuckDBConnection;
  let flight: string;
  beforeAll(async () => {
    const log = await openLog(SAMPLE);
    report = await makeReport(log);
    connection = await (await DuckDBInstance.create(':memory:')).connect();
    const writer = await ParquetWriter.create();
    for (const [i, table] of log.tables.entries()) {
      if (!ASKED.has(table.name) || table.rows === 0) continue;
      const path = join(folder, `${i}.parquet`);
      await writer.write(table, path);
      await connection.run(`CREATE VIEW "${titleOf(table)}" AS FROM read_parquet('${path}')`);
    }
    writer.close();
    const [{ start, end }] = report.phases.flying;
    flight = `epoch_us(time) BETWEEN ${start} AND ${end}`;
  });

  async function sql(query: string): Promise<number[]> {
    const [row] = await (await connection.runAndReadAll(query)).getRows();
    return row.map(Number);
  }

  test.each([
    ['Vibration of IMU 0', 'SELECT greatest(max(VibeX), max(VibeY), max(VibeZ)) FROM "VIBE[0]"'],
    ['Vibration of IMU 1', 'SELECT greatest(max(VibeX), max(VibeY), max(VibeZ)) FROM "VIBE[1]"'],
    ['EKF variances of core 0', 'SELECT greatest(max(SV), max(SP), max(SH), max(SM)) FROM "XKF4[0]"'],
    ['GPS 0: HDOP', 'SELECT max(HDop) FROM "GPS[0]"'],
    ['GPS 0: satellites', 'SELECT min(NSats) FROM "GPS[0]"'],
    ['Compass 2: field strength', 'SELECT max(sqrt(MagX ** 2 + MagY ** 2 + MagZ ** 2)) FROM "MAG[2]"'],
    ['Battery 0: voltage', 'SELECT min(Volt) / 3 FROM "BAT[0]"'],
    ['Battery 0: charge', 'SELECT min(RemPct) FROM "BAT[0]"'],
    ['Thrust', 'SELECT max(ThO) FROM CTUN'],
    ['Lean', 'SELECT max(degrees(acos(cos(radians(Roll)) * cos(radians(Pitch))))) FROM ATT', 1e6],
    ['Slow loops', 'SELECT max(100 * NLon / NL) FROM PM'],
  ])('%s', async (title, query, trim = 0) => {
    const [{ start, end }] = report.phases.flying;
    const when = `epoch_us(time) BETWEEN ${start + trim} AND ${end - trim}`;
    const [value] = await sql(`${query} WHERE ${when}`);
    expect(value).toBeGreaterThanOrEqual(0);
    expect(found(report, title).value).toBeCloseTo(value, 5);
  });

  test('motor means are those of the hover', async () => {
    const { text, fields, value } = found(report, 'Motor balance');
    expect(fields).toEqual(['RCOU.C1', 'RCOU.C2', 'RCOU.C3', 'RCOU.C4']);
    const [{ start, end }] = report.phases.flying;
    const hover = `WITH climb AS (SELECT time, avg(CRt) OVER (ORDER BY time RANGE BETWEEN INTERVAL 1 SECOND PRECEDING AND CURRENT ROW) AS rise FROM CTUN)
      SELECT avg(C1), avg(C2), avg(C3), avg(C4) FROM RCOU r ASOF JOIN ATT a USING (time) ASOF JOIN climb c USING (time)
      WHERE epoch_us(time) BETWEEN ${start + 3e6} AND ${end - 3e6} AND sqrt(Roll ** 2 + Pitch ** 2) <= 10 AND abs(rise) <= 0.5`;
    const means = await sql(hover);
    for (const [i, mean] of means.entries()) expect(text).toContain(`motor ${i + 1} ${mean.toFixed(0)}`);
    // MOT_SPIN_MAX: 95 % of the pulses are used, and count as all
    expect(value).toBeCloseTo((Math.max(...means) - Math.min(...means)) / 0.95, 1);
  });

  test('the share of HDop above a limit', async () => {
    const strict = new Map(DEFAULT_RULES).set(
      'gps',
      new Map(DEFAULT_RULES.get('gps')).set('hdopWarn', { value: 1, unit: '', text: '', source: 'strict' }),
    );
    const { ranges, severity } = found(await makeReport(await openLog(SAMPLE), strict), 'GPS 0: HDOP');
    const [above] = await sql(`SELECT count(*) FROM "GPS[0]" WHERE HDop > 1 AND ${flight}`);
    const [all] = await sql(`SELECT count(*) FROM "GPS[0]" WHERE ${flight}`);
    // it was so from the start
    expect(severity).toBe('info');
    expect(above).toBe(all);
    const [first, last] = await sql(`SELECT epoch_us(min(time)), epoch_us(max(time)) FROM "GPS[0]" WHERE ${flight}`);
    expect(ranges).toEqual([{ from: first, to: last }]);
  });
});

describe('rules', () => {
  test('a check that is left out says nothing', async () => {
    const without = new Map(DEFAULT_RULES).set('gps', null).set('vibration', null);
    const checks = new Set((await makeReport(await openLog(SAMPLE), without)).findings.map(({ check }) => check));
    expect(checks.has('gps')).toBe(false);
    expect(checks.has('vibration')).toBe(false);
    expect(checks.has('compass')).toBe(true);
  });
});
