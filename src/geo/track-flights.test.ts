import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import type { Log } from '../core/log.ts';
import { openLog } from '../node/open.ts';
import { trackBounds, trackLength } from './geodesy.ts';
import { readTrack, type Track } from './track.ts';

type Row = Record<string, number>;

/** A second reader, short and slow, that shares nothing with the first: the numeric fields of the records of one type. */
function recordsOf(path: string, wanted: string): Row[] {
  const bytes = readFileSync(path);
  const sizes: Record<string, number> = {
    b: 1,
    B: 1,
    M: 1,
    h: 2,
    H: 2,
    c: 2,
    C: 2,
    q: 8,
    Q: 8,
    d: 8,
    n: 4,
    N: 16,
    Z: 64,
    a: 64,
  };
  const values: Record<string, (at: number) => number> = {
    B: (at) => bytes.readUInt8(at),
    c: (at) => bytes.readInt16LE(at) / 100,
    H: (at) => bytes.readUInt16LE(at),
    I: (at) => bytes.readUInt32LE(at),
    e: (at) => bytes.readInt32LE(at) / 100,
    E: (at) => bytes.readUInt32LE(at) / 100,
    L: (at) => bytes.readInt32LE(at) / 1e7,
    f: (at) => bytes.readFloatLE(at),
    Q: (at) => Number(bytes.readBigUInt64LE(at)),
  };
  const types = new Map<number, { length: number; name: string; format: string; columns: string[] }>();
  types.set(128, { length: 89, name: 'FMT', format: '', columns: [] });
  const text = (from: number, to: number): string => bytes.toString('latin1', from, to).split('\0')[0];
  const rows: Row[] = [];
  for (let at = 0; at + 3 <= bytes.length; ) {
    const type = types.get(bytes[at + 2]);
    if (bytes.readUInt16BE(at) !== 0xa395 || !type || at + type.length > bytes.length) break;
    if (type.name === 'FMT') {
      const columns = text(at + 25, at + 89).split(',');
      types.set(bytes[at + 3], {
        length: bytes[at + 4],
        name: text(at + 5, at + 9),
        format: text(at + 9, at + 25),
        columns,
      });
    } else if (type.name === wanted) {
      const row: Row = {};
      let place = at + 3;
      for (const [i, char] of [...type.format].entries()) {
        row[type.columns[i]] = values[char]?.(place) ?? Number.NaN;
        place += sizes[char] ?? 4;
      }
      rows.push(row);
    }
    at += type.length;
  }
  return rows;
}

/** Lines of one type of a text log. */
function linesOf(path: string, wanted: string): Row[] {
  const lines = readFileSync(path, 'latin1').split(/\r?\n/);
  const definition = lines.find((line) => line.startsWith('FMT') && line.split(', ')[3] === wanted) ?? '';
  const names = definition.split(', ').slice(5).join().split(',');
  const cells = lines.filter((line) => line.startsWith(`${wanted}, `)).map((line) => line.split(', ').slice(1));
  return cells.map((row) => Object.fromEntries(names.map((name, i) => [name, Number(row[i])])));
}

/** UTC in milliseconds of a GPS week and the milliseconds in it, by the leap seconds of the date. */
const utc = (week: number, millis: number, leap: number): number =>
  Date.UTC(1980, 0, 6) + week * 604_800_000 + millis - leap * 1000;

const list = (column: Float64Array): number[] => [...column];

function expectColumns(track: Track, rows: readonly Row[]): void {
  expect(track.points).toBe(rows.length);
  expect(list(track.lat)).toEqual(rows.map((row) => row.Lat));
  expect(list(track.lon)).toEqual(rows.map((row) => row.Lng));
  expect(list(track.alt)).toEqual(rows.map((row) => row.Alt));
  expect(list(track.speed)).toEqual(rows.map((row) => row.Spd));
  expect(list(track.course)).toEqual(rows.map((row) => row.GCrs));
}

describe('the sample flight', () => {
  const path = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
  let log: Log;
  let track: Track;
  beforeAll(async () => {
    log = await openLog(path);
    track = await readTrack(log);
  });

  test('has every row of its GPS but the one without a fix', () => {
    const rows = recordsOf(path, 'GPS');
    expect(rows).toHaveLength(632);
    expectColumns(
      track,
      rows.filter((row) => row.Status >= 2),
    );
    expect(track).toMatchObject({ source: 'GPS[0]', table: 'GPS', name: 'GPS[0]', utc: true, rows: 632 });
    expect(track.dropped).toEqual({ noFix: 1, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 });
  });

  test('is on UTC', () => {
    const first = utc(2445, 65_578_800, 18) * 1000;
    expect(new Date(first / 1000).toISOString()).toBe('2026-11-15T18:12:40.800Z');
    const rows = recordsOf(path, 'GPS').filter((row) => row.Status >= 2);
    expect(list(track.time)).toEqual(rows.map((row) => first + row.TimeUS - rows[0].TimeUS));
  });

  test('is a square of 40 m, flown 20 m above where it began, and back', () => {
    // the vehicle overshoots its corners by a metre or two
    const bounds = trackBounds(track);
    const { west = 0, east = 0, south = 0, north = 0, low = 0, high = 0 } = bounds ?? {};
    const northward = (north - south) * 111_250;
    const eastward = (east - west) * 111_250 * Math.cos((51.47 * Math.PI) / 180);
    expect(northward).toBeGreaterThan(40);
    expect(northward).toBeLessThan(45);
    expect(eastward).toBeGreaterThan(40);
    expect(eastward).toBeLessThan(45);
    expect(high - low).toBeCloseTo(20, 0);
    expect(trackLength(track)).toBeGreaterThan(160);
    expect(trackLength(track)).toBeLessThan(172);
    expect(track.lat[track.points - 1]).toBeCloseTo(track.lat[0], 5);
    expect(track.lon[track.points - 1]).toBeCloseTo(track.lon[0], 5);
  });

  test('its estimates follow the same path', async () => {
    for (const source of ['POS', 'AHR2']) {
      const estimate = await readTrack(log, { source });
      expect(estimate.source).toBe(source);
      expect(estimate.points).toBe(1262);
      expect(trackLength(estimate) / trackLength(track)).toBeCloseTo(1, 1);
      expect(estimate.speed.every(Number.isNaN)).toBe(true);
    }
    // before it has a position the filter says 0, 0
    expect((await readTrack(log, { source: 'AHR2' })).dropped).toEqual({
      noFix: 0,
      outOfRange: 55,
      duplicate: 0,
      untimed: 0,
      unreachable: 0,
    });
  });

  test('a range of time has its points and no others', async () => {
    const [from, to] = [track.time[100], track.time[200]];
    const part = await readTrack(log, { from, to });
    expect(list(part.time)).toEqual(list(track.time.subarray(100, 200)));
    expect(list(part.lon)).toEqual(list(track.lon.subarray(100, 200)));
    expect(part.rows).toBe(100);
    expect((await readTrack(log, { from })).points).toBe(track.points - 100);
    expect((await readTrack(log, { to })).points).toBe(200);
    expect((await readTrack(log, { from: to, to: from })).points).toBe(0);
    await expect(readTrack(log, { from: Number.NaN })).rejects.toThrow('track from NaN to undefined');
  });
});

needShared(describe, 'dataflash')('logs of several firmwares', () => {
  const path = (name: string): string => sharedData('dataflash', name);

  test('ArduCopter 4.5: every row is a fix of its own', async () => {
    const track = await readTrack(await openLog(path('macs-214.BIN')));
    const rows = recordsOf(path('macs-214.BIN'), 'GPS');
    expectColumns(track, rows);
    expect(track.points).toBe(376);
    expect(track.dropped).toEqual({ noFix: 0, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 });
    expect(track.time[0]).toBe(utc(2358, 283_448_800, 18) * 1000);
    expect(track.time[375] - track.time[0]).toBe(115_937_817_146 - 115_862_816_951);
    expect(trackLength(track)).toBeCloseTo(115.7, 0);
  });

  test('ArduCopter 3.2: one row repeats the time of the fix before it, but not its place', async () => {
    const track = await readTrack(await openLog(path('edancain-5.BIN')));
    const rows = recordsOf(path('edancain-5.BIN'), 'GPS');
    expect(rows).toHaveLength(130);
    expect(rows[2].TimeMS).toBe(rows[1].TimeMS);
    expectColumns(track, rows);
    expect(track).toMatchObject({ source: 'GPS', utc: true, rows: 130 });
    expect(track.dropped).toEqual({ noFix: 0, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 });
    // 16 leap seconds in June 2015; T counts from boot
    expect(track.time[0]).toBe(utc(1849, 161_018_600, 16) * 1000);
    expect(track.time[129] - track.time[0]).toBe((102_505 - 77_046) * 1000);
  });

  test('a text log of ArduCopter 3.1', async () => {
    const track = await readTrack(await openLog(path('LA-mechanical_fail.log')));
    const rows = linesOf(path('LA-mechanical_fail.log'), 'GPS');
    expect(rows).toHaveLength(551);
    expectColumns(track, rows);
    expect(track).toMatchObject({ source: 'GPS', utc: true });
    expect(track.time[0]).toBe(utc(1774, 109_206_800, 16) * 1000);
    expect(track.time[550] - track.time[0]).toBe((177_076 - 66_937) * 1000);
    expect(trackLength(track)).toBeCloseTo(731.6, -1);
    expect(trackBounds(track)).toMatchObject({ low: 46.82, high: 149.82 });
  });

  test('agrees with the samples that pymavlink gives of each log', async () => {
    interface Reference {
      readonly samples: Record<
        string,
        readonly { readonly i: number; readonly _timestamp: number; readonly fields: Row }[]
      >;
    }
    for (const name of ['macs-214.BIN', 'spark404-log.bin', 'delorean-130.BIN', 'LA-mechanical_fail.log']) {
      const { samples } = JSON.parse(readFileSync(path(`ref/${name}.json`), 'utf8')) as Reference;
      const track = await readTrack(await openLog(path(name), { leapSeconds: 18 }));
      expect(samples.GPS.length).toBeGreaterThan(4);
      for (const { i, _timestamp, fields } of samples.GPS) {
        expect([track.lat[i], track.lon[i], track.alt[i]]).toEqual([fields.Lat, fields.Lng, fields.Alt]);
        expect(track.time[i] / 1e6).toBeCloseTo(_timestamp, 5);
      }
    }
  });
});
