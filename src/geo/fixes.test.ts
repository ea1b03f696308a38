import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import type { RecordTable } from '../core/table.ts';
import { openInput } from '../formats/open.ts';
import { openLog } from '../node/open.ts';
import { type Dropped, type Fixes, readFixes, type TimeRange } from './fixes.ts';
import { trackLength } from './geodesy.ts';
import { findTracks, readTrack } from './track.ts';

const NONE: Dropped = { noFix: 0, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 };

async function fixesOf(columns: string, rows: readonly (readonly unknown[])[], range: TimeRange = {}): Promise<Fixes> {
  const types: Readonly<Record<string, string>> = { TimeUS: 'Q', Status: 'B', GMS: 'I', GWk: 'H', Lat: 'd', Lng: 'd' };
  const format = columns.split(',').map((name) => types[name]);
  const lines = [`FMT, 130, 45, GPS, ${format.join('')}, ${columns}`, ...rows.map((row) => `GPS, ${row.join(', ')}`)];
  const log = await openInput(new TextEncoder().encode(`${lines.join('\n')}\n`));
  return readFixes([log.table('GPS') as RecordTable], range);
}

describe('what is a fix', () => {
  test('a status of two dimensions or more', async () => {
    const rows = [0, 1, 2, 3, 4, 5, 6].map((status, i) => [i, status, 46, i]);
    const { lon, dropped } = await fixesOf('TimeUS,Status,Lat,Lng', rows);
    expect([...lon]).toEqual([2, 3, 4, 5, 6]);
    expect(dropped).toEqual({ ...NONE, noFix: 2 });
  });

  test('a place on the globe, its edges and all of the equator included', async () => {
    const good = [
      [90, 180],
      [-90, -180],
      [0, 0.02],
      [0.02, 0],
    ];
    // an estimator without an origin is near 0, 0
    const bad = [
      [0, 0],
      [0.0000075, -0.0000024],
      [90.0000001, 0],
      [-90.0000001, 0],
      [0, 180.0000001],
      [0, -180.0000001],
      ['nan', 1],
      [1, 'nan'],
      ['inf', 1],
    ];
    const { lat, lon, dropped, rows } = await fixesOf(
      'TimeUS,Lat,Lng',
      [...good, ...bad].map((place, i) => [i, ...place]),
    );
    expect([...lat].map((each, i) => [each, lon[i]])).toEqual(good);
    expect(dropped).toEqual({ ...NONE, outOfRange: bad.length });
    expect(rows).toBe(good.length + bad.length);
  });
});

describe('what is a duplicate', () => {
  const columns = 'TimeUS,Status,GMS,GWk,Lat,Lng';

  test('a row with the week, the milliseconds and the place of the fix before it', async () => {
    const { lon, dropped } = await fixesOf(columns, [
      [1, 3, 100, 2300, 46, 1],
      [2, 3, 100, 2300, 46, 1],
      [3, 3, 100, 2300, 46, 1],
      [4, 3, 300, 2300, 46, 4],
      [5, 3, 300, 2301, 46, 4],
    ]);
    expect([...lon]).toEqual([1, 4, 4]);
    expect(dropped).toEqual({ ...NONE, duplicate: 2 });
  });

  test('never a row at another place: the receiver is late with its time', async () => {
    const { lon, lat, dropped } = await fixesOf(columns, [
      [1, 3, 100, 2300, 46, 1],
      [2, 3, 100, 2300, 46, 2],
      [3, 3, 100, 2300, 47, 2],
    ]);
    expect([...lon]).toEqual([1, 2, 2]);
    expect([...lat]).toEqual([46, 46, 47]);
    expect(dropped).toEqual(NONE);
  });

  test('also with rows in between that are no fix', async () => {
    const { dropped } = await fixesOf(columns, [
      [1, 3, 100, 2300, 46, 1],
      [2, 1, 300, 2300, 46, 1],
      [3, 3, 100, 2300, 46, 1],
    ]);
    expect(dropped).toEqual({ ...NONE, noFix: 1, duplicate: 1 });
  });

  test('never a row at the same place at a later time: the vehicle hovers', async () => {
    const rows = [1, 2, 3, 4].map((i) => [i, 3, i * 200, 2300, 46, 7]);
    expect((await fixesOf(columns, rows)).time).toHaveLength(4);
  });

  test('by the time of the log where the receiver does not know its own', async () => {
    const { lon, dropped } = await fixesOf(columns, [
      [1, 3, 0, 0, 46, 1],
      [2, 3, 0, 0, 46, 2],
      [2, 3, 0, 0, 46, 2],
      [4, 3, 0, 0, 46, 4],
    ]);
    expect([...lon]).toEqual([1, 2, 4]);
    expect(dropped).toEqual({ ...NONE, duplicate: 1 });
  });
});

describe('a range of time', () => {
  const rows = [10, 20, 30, 40].map((time) => [time, 46, time]);

  test('includes its beginning and not its end', async () => {
    const { lon, rows: count } = await fixesOf('TimeUS,Lat,Lng', rows, { from: 20, to: 40 });
    expect([...lon]).toEqual([20, 30]);
    expect(count).toBe(2);
  });

  test('holds no row that has no time', async () => {
    const log = await openInput(new TextEncoder().encode('FMT, 130, 45, POS, dd, Lat,Lng\nPOS, 46, 1\nPOS, 46, 2\n'));
    const table = log.table('POS') as RecordTable;
    table.clock = undefined;
    expect((await readFixes([table], {})).lon).toHaveLength(2);
    expect((await readFixes([table], { from: 0 })).lon).toHaveLength(0);
    expect((await readFixes([table], { to: 1e18 })).lon).toHaveLength(0);
  });
});

/** Points, rows without a fix, duplicates and metres of each log with positions: made by another program. */
const EXPECTED: Readonly<Record<string, readonly [points: number, noFix: number, duplicate: number, metres: number]>> =
  {
    '1202martin-5.BIN': [304, 0, 0, 0],
    'LA-mechanical_fail.log': [551, 0, 0, 731.6],
    'LA-octo_PM.log': [777, 0, 0, 71.8],
    'abdullah-1.BIN': [208, 0, 0, 37.2],
    'akj127-1.BIN': [106, 0, 0, 3.5],
    'auvc-1.BIN': [119, 0, 0, 0],
    'beast-sample.bin': [365, 0, 0, 11.6],
    'bluerov-1.BIN': [308, 0, 0, 9.6],
    'delorean-130.BIN': [499, 0, 0, 350.3],
    'edancain-5.BIN': [130, 0, 0, 19.9],
    'erle-copter_19-4-2015_7.BIN': [213, 0, 0, 4.1],
    'erle-copter_6-11-2014_GPS_issues1.BIN': [329, 11, 0, 80.7],
    'erle-plane_4-12-2014_329.BIN': [3290, 1, 0, 2201.9],
    'macs-214.BIN': [376, 0, 0, 115.7],
    'maikbasso-17.BIN': [552, 0, 1, 77],
    'pbarker-1.BIN': [2312, 0, 0, 1606.1],
    'pbarker-5.BIN': [47, 1, 0, 0],
    'pbarker-6.BIN': [73, 0, 0, 0.1],
    'pymavlink-test.BIN': [5, 0, 0, 0.1],
    'skapila-fc1.BIN': [121, 0, 0, 0],
    'soaring-1.BIN': [147, 0, 0, 0],
    'spark404-log.bin': [254, 0, 0, 65.5],
    'corrupt/bad_format_char.BIN': [376, 0, 0, 115.7],
    'corrupt/fmt_len_mismatch.BIN': [376, 0, 0, 115.7],
    'corrupt/garbage_between.BIN': [376, 0, 0, 115.7],
    'corrupt/no_first_fmt.BIN': [376, 0, 0, 115.7],
    'corrupt/trunc.BIN': [212, 0, 0, 115.2],
    'corrupt/unknown_type.BIN': [376, 0, 0, 115.7],
    'corrupt/zerotail.BIN': [376, 0, 0, 115.7],
    'synth/alltypes.BIN': [2, 2, 0, 0],
  };

needShared(describe, 'dataflash')('every log', () => {
  const names = readdirSync(sharedData('dataflash'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(bin|log|px4log)$/i.test(name));
  const paths = new Map(names.map((name) => [name, sharedData('dataflash', name)]));
  paths.set('sample', fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url)));

  test('that is expected is there', () => {
    expect(names).toEqual(expect.arrayContaining(Object.keys(EXPECTED)));
  });

  test.each([...paths])('%s: only points that can be, in the order of time', async (_name, path) => {
    const log = await openLog(path);
    for (const { name, rows, fixes } of await findTracks(log)) {
      const track = await readTrack(log, { source: name });
      expect(track.points).toBe(fixes);
      const left = Object.values(track.dropped).reduce((sum, count) => sum + count, 0);
      expect(track.points + left).toBe(rows);
      for (let i = 0; i < track.points; i++) {
        const [lat, lon] = [track.lat[i], track.lon[i]];
        if (!(lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180 && (lat !== 0 || lon !== 0)))
          expect.fail(`point ${i} of ${name} is at ${lat}, ${lon}`);
        if (i > 0 && !(track.time[i] > track.time[i - 1])) expect.fail(`point ${i} of ${name} is not later`);
      }
    }
  });

  test.each(names)('%s: points, drops and length as another program found them', async (name) => {
    const track = await readTrack(await openLog(paths.get(name) as string));
    const [points, noFix, duplicate, metres] = EXPECTED[name] ?? [0, 0, 0, 0];
    expect({ points: track.points, ...track.dropped }).toEqual({
      points,
      noFix,
      outOfRange: 0,
      duplicate,
      untimed: 0,
      unreachable: 0,
    });
    // that program took the earth for a sphere
    expect(Math.abs(trackLength(track) - metres)).toBeLessThan(0.05 + metres * 0.006);
  });
});
