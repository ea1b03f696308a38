import { describe, expect, test } from 'vitest';
import type { Log } from '../core/log.ts';
import { openInput } from '../formats/open.ts';
import { findTracks, readTrack } from './track.ts';

const FORMATS: Readonly<Record<string, string>> = {
  GPS: 'FMT, 130, 51, GPS, QBBIHLLe, TimeUS,I,Status,GMS,GWk,Lat,Lng,Alt',
  GPS2: 'FMT, 131, 51, GPS2, QBIHLLe, TimeUS,Status,GMS,GWk,Lat,Lng,Alt',
  POS: 'FMT, 132, 51, POS, QLLf, TimeUS,Lat,Lng,Alt',
  AHR2: 'FMT, 133, 51, AHR2, QccCfLL, TimeUS,Roll,Pitch,Yaw,Alt,Lat,Lng',
};
/** Says that field 1 of GPS is the instance. */
const INSTANCES = ['FMT, 140, 44, FMTU, QBNN, TimeUS,FmtType,UnitIds,MultIds', 'FMTU, 0, 130, s#---DUm, F-------'];

function opened(...lines: string[]): Promise<Log> {
  return openInput(new TextEncoder().encode(`${lines.join('\n')}\n`));
}

/** Rows of one receiver: as many good fixes as asked for, five a second. */
function fixes(table: string, instance: string, count: number, lon = 7): string[] {
  return Array.from({ length: count }, (_, i) =>
    [table, (i + 1) * 200_000, ...(instance === '' ? [] : [instance]), 3, 1000 + i * 200, 2300, 46, lon, 500].join(
      ', ',
    ),
  );
}

/** A log of several receivers with so many fixes each, the last one first. */
function receivers(...counts: number[]): Promise<Log> {
  const rows = counts.map((count, i) => fixes('GPS', String(i), count, i + 1));
  return opened(FORMATS.GPS, ...INSTANCES, ...rows.toReversed().flat());
}

describe('findTracks', () => {
  test('lists receivers by their number, then the estimates, each with its rows and fixes', async () => {
    const log = await opened(
      ...Object.values(FORMATS),
      ...INSTANCES,
      'AHR2, 1, 0, 0, 0, 500, 46, 7',
      'AHR2, 2, 0, 0, 0, 500, 0, 0',
      'POS, 1, 46, 7, 500',
      ...fixes('GPS2', '', 3),
      ...fixes('GPS', '1', 2),
      ...fixes('GPS', '0', 4),
      'GPS, 900000, 0, 1, 5000, 2300, 46, 7, 500',
    );
    expect(await findTracks(log)).toEqual([
      { name: 'GPS[0]', receiver: true, rows: 5, fixes: 4 },
      { name: 'GPS[1]', receiver: true, rows: 2, fixes: 2 },
      { name: 'GPS2', receiver: true, rows: 3, fixes: 3 },
      { name: 'POS', receiver: false, rows: 1, fixes: 1 },
      { name: 'AHR2', receiver: false, rows: 2, fixes: 1 },
    ]);
  });

  test('a log without positions has none', async () => {
    expect(await findTracks(await openInput(new Uint8Array(0)))).toEqual([]);
    expect(await findTracks(await opened(FORMATS.GPS))).toEqual([]);
  });
});

describe('the receiver that is read', () => {
  test('is the first one unless it has less than four fifths of what the best one has', async () => {
    expect((await readTrack(await receivers(80, 100))).source).toBe('GPS[0]');
    expect((await readTrack(await receivers(79, 100))).source).toBe('GPS[1]');
    expect((await readTrack(await receivers(10, 85, 100))).source).toBe('GPS[1]');
    expect((await readTrack(await receivers(0, 0, 1))).source).toBe('GPS[2]');
  });

  test('is the best one in the range of time that was asked for', async () => {
    const log = await receivers(10, 12);
    const whole = await readTrack(log);
    expect(whole.source).toBe('GPS[0]');
    expect((await readTrack(log, { from: whole.time[0] + 2_000_000 })).source).toBe('GPS[1]');
  });

  test('is counted by its fixes, not by its rows', async () => {
    const noFix = fixes('GPS', '0', 50).map((line) => line.replace(', 3, ', ', 1, '));
    const log = await opened(FORMATS.GPS, ...INSTANCES, ...noFix, ...fixes('GPS', '1', 5));
    expect((await readTrack(log)).source).toBe('GPS[1]');
  });

  test('is the first one where none has a fix', async () => {
    const log = await opened(FORMATS.GPS2, 'GPS2, 1, 1, 0, 0, 0, 0, 0', 'GPS2, 2, 0, 0, 0, 0, 0, 0');
    const track = await readTrack(log);
    expect(track).toMatchObject({ source: 'GPS2', table: 'GPS2', points: 0, rows: 2 });
    expect(track.dropped).toEqual({ noFix: 2, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 });
  });

  test('is never an estimate', async () => {
    const log = await opened(FORMATS.POS, 'POS, 1, 46, 7, 500', 'POS, 2, 46, 7, 500');
    expect(await readTrack(log)).toMatchObject({ source: '', table: '', name: 'track', points: 0, rows: 0 });
    expect(await readTrack(log, { source: 'POS' })).toMatchObject({ source: 'POS', points: 2, utc: false });
  });

  test('is the one that is named', async () => {
    const log = await receivers(5, 3);
    expect(await readTrack(log, { source: 'GPS[1]' })).toMatchObject({ source: 'GPS[1]', points: 3 });
    expect(await readTrack(log, { source: 'GPS' })).toMatchObject({ source: 'GPS[0]', points: 5 });
    const old = await opened(FORMATS.GPS2, ...fixes('GPS2', '', 2));
    expect(await readTrack(old, { source: 'GPS2' })).toMatchObject({ source: 'GPS2', points: 2 });
    expect(await readTrack(old, { source: 'GPS2[0]' })).toMatchObject({ source: 'GPS2', points: 2 });
  });

  test('must be there if it is named', async () => {
    const log = await receivers(5, 3);
    await expect(readTrack(log, { source: 'GPS[2]' })).rejects.toThrow(
      'log has no track source GPS[2]: it has GPS[0], GPS[1]',
    );
    await expect(readTrack(await openInput(new Uint8Array(0)), { source: 'GPS' })).rejects.toThrow(
      'log has no track source GPS: it has none',
    );
  });

  test('a track has the name that it is given', async () => {
    expect((await readTrack(await receivers(2), { name: 'first flight' })).name).toBe('first flight');
  });
});

test('a definition that changes on the way does not end the track', async () => {
  const log = await opened(
    'FMT, 130, 45, GPS, BIHLLe, Status,TimeMS,Week,Lat,Lng,Alt',
    'GPS, 3, 1000, 2300, 46, 7.1, 500',
    'GPS, 3, 1200, 2300, 46, 7.2, 500',
    FORMATS.GPS,
    ...INSTANCES,
    'GPS, 5, 0, 3, 1400, 2300, 46, 7.3, 500',
    'GPS, 6, 1, 3, 1400, 2300, 46, 8.3, 500',
    'GPS, 7, 0, 3, 1600, 2300, 46, 7.4, 500',
  );
  const track = await readTrack(log);
  expect(track.source).toBe('GPS[0]');
  expect([...track.lon]).toEqual([7.1, 7.2, 7.3, 7.4]);
});

test('an instance that is a text stands in the name as it is', async () => {
  const log = await opened(
    'FMT, 130, 51, GPS, QNBLL, TimeUS,I,Status,Lat,Lng',
    INSTANCES[0],
    'FMTU, 0, 130, s#-DU, F----',
    'GPS, 1, </name>, 3, 46, 7',
    'GPS, 2, 5, 3, 46, 7',
    'GPS, 3, __proto__, 3, 46, 7',
  );
  const names = (await findTracks(log)).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['GPS[5]', 'GPS[</name>]', 'GPS[__proto__]']);
  for (const source of names) expect(await readTrack(log, { source })).toMatchObject({ source, points: 1 });
});

test('a PX4 log is on the UTC that its GPS gives, at the times of its TIME records', async () => {
  const log = await opened(
    'FMT, 129, 11, TIME, Q, StartTime',
    'FMT, 130, 55, GPS, QBffLLf, GPSTime,Fix,EPH,EPV,Lat,Lon,Alt',
    'TIME, 5000000',
    'GPS, 0, 0, 99, 99, 0, 0, 0',
    'TIME, 6000000',
    'GPS, 1400000000000000, 3, 1, 2, 47.4, 8.5, 488',
    'TIME, 6200000',
    'GPS, 1400000000000000, 3, 1, 2, 47.4, 8.5, 488',
    'GPS, 1400000000200000, 3, 1, 2, 47.4, 8.7, 489',
  );
  const track = await readTrack(log);
  expect(track).toMatchObject({
    source: 'GPS',
    utc: true,
    dropped: { noFix: 1, outOfRange: 0, duplicate: 1, untimed: 0, unreachable: 0 },
  });
  expect([...track.lon]).toEqual([8.5, 8.7]);
  expect([...track.time]).toEqual([1_400_000_000_000_000, 1_400_000_000_200_000]);
});
