// What the commands make of NMEA files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type DumpedRecord, recordsOf, skeinHere } from '../../helpers/cli.ts';
import { line } from './random.ts';

const SQUARE = fileURLToPath(new URL('../../../sample/copter-square.nmea', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'skein-nmea-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, 'latin1');
  return path;
}

test('a sentence VTG of another kind does not keep a log out of a lake', async () => {
  const path = fileOf(
    'foreign.nmea',
    `${line('GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,')}!VTG,1,2,3,4*41\r\n`,
  );
  const { stderr, code } = await skeinHere('ingest', path, '--lake', join(folder, 'lake'));
  expect(stderr).toMatch(/1 log ingested/);
  expect(code).toBe(0);
});

async function infoOf(...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await skeinHere('info', '--json', ...args)).stdout) as Record<string, unknown>;
}

async function dumped(...args: string[]): Promise<DumpedRecord[]> {
  return recordsOf((await skeinHere('dump', ...args)).stdout);
}

const RMC = line('GPRMC,235959.5,A,4807.0,N,01131.0,E,10.0,84.4,061196,,');
const GLL = '$GPGLL,4807.0,N,01131.0,E,000000.5,A\r\n';

describe('the sample', () => {
  test('info tells its clock, span and tables', async () => {
    const info = await infoOf(SQUARE);
    expect(info).toMatchObject({ format: 'nmea', records: 3 * 1262, clock: { kind: 'nmea' }, faults: { count: 0 } });
    expect(info.start).toBe(Date.UTC(2026, 10, 15, 18, 12, 40, 900) / 1000);
    const tables = info.tables as { name: string; stream: string; rows: number }[];
    expect(tables.map(({ name, stream, rows }) => [name, stream, rows])).toEqual([
      ['GGA', 'GP', 1262],
      ['RMC', 'GP', 1262],
      ['PASHR', '', 1262],
    ]);
  });

  test('dump prints fields in their units, what is missing as null', async () => {
    const [gga] = await dumped('--type', 'GGA', '--limit', '1', SQUARE);
    expect(gga).toEqual({
      type: 'GGA',
      stream: 'GP',
      time: Date.UTC(2026, 10, 15, 18, 12, 40, 900) / 1000,
      at: 0,
      data: {
        time: 65_560.9,
        lat: 51.47,
        lon: -0.4543,
        quality: 4,
        satellites: 10,
        hdop: 1.2,
        altitude: 25.1,
        geoid_separation: 0,
        differential_age: null,
        station_id: '',
      },
    });
  });

  test('dump --si gives speed in metres a second', async () => {
    const [, , , fourth] = await dumped('--type', 'RMC', '--from', '+60s', '--limit', '4', SQUARE);
    const [, , , inSi] = await dumped('--type', 'RMC', '--from', '+60s', '--limit', '4', '--si', SQUARE);
    expect(inSi.data.speed_kn).toBeCloseTo(((fourth.data.speed_kn as number) * 1852) / 3600, 9);
  });

  test('track has a point for each fix', async () => {
    const { code, stdout } = await skeinHere('track', '--to', 'csv', SQUARE);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + 1262);
  });
});

test('GNSSData has a row for each time, in the order of the file', async () => {
  const rows = await dumped('--type', 'GNSSData', SQUARE);
  expect(rows).toHaveLength(1262);
  expect(rows[1]).toMatchObject({
    type: 'GNSSData',
    time: Date.UTC(2026, 10, 15, 18, 12, 41) / 1000,
    at: 216,
    data: { latitude: 51.47, longitude: -0.4543, altitude_msl: 25.1, fix_type: 5, gps_week: 2445, gnss_heading: null },
  });
  const { derived } = await infoOf(SQUARE);
  const [{ name, fields }] = derived as { name: string; fields: { name: string; unit: string }[] }[];
  expect(name).toBe('GNSSData');
  expect(fields.map((field) => field.name)).toEqual(Object.keys(rows[0].data));
});

describe('sentences without a checksum', () => {
  const path = fileOf('unchecked.nmea', RMC + GLL + GLL);

  test('are taken and marked', async () => {
    expect((await dumped('--type', 'GLL', path)).map(({ time }) => time)).toEqual(
      [1, 1].map(() => Date.UTC(1996, 10, 7) / 1000 + 0.5),
    );
    expect(await infoOf(path)).toMatchObject({ records: 3, faults: { count: 1, lostBytes: 0 } });
    expect((await skeinHere('info', path)).code).toBe(0);
  });

  test.each([['info'], ['dump'], ['track', '--to', 'csv']])('%s refuses them on request', async (...command) => {
    const { code, stdout } = await skeinHere(...command, '--checksum', 'required', path);
    expect(code).toBe(3);
    expect(stdout).not.toMatch(/GLL\[GP\]|"GLL"/);
  });
});

test('weeks that a receiver missed are added on request, and info says so', async () => {
  const path = fileOf('rollover.nmea', RMC);
  const [as] = await dumped(path);
  const [put] = await dumped('--week-rollovers', '1', path);
  expect((put.time as number) - (as.time as number)).toBe(1024 * 7 * 86_400);
  expect(put.data.date).toBe('1996-11-06');
  const { stdout } = await skeinHere('info', '--week-rollovers', '1', path);
  expect(stdout).toContain('dates moved by 1 x 1,024 weeks (GPS week rollover)');
});

test('a log that never tells the date counts from midnight', async () => {
  const { stdout } = await skeinHere('info', fileOf('undated.nmea', GLL.repeat(3)));
  expect(stdout).toContain('500.0 ms after midnight (UTC not known)');
});
