import { describe, expect, test } from 'vitest';
import type { RecordTable } from '../core/table.ts';
import { openInput } from '../formats/open.ts';
import { hasPositions, readPositions } from './position.ts';

/** The only table of a text log that has one definition and some rows. */
async function tableOf(name: string, format: string, columns: string, ...rows: string[]): Promise<RecordTable> {
  const lines = [`FMT, 130, 45, ${name}, ${format}, ${columns}`, ...rows.map((row) => `${name}, ${row}`)];
  const log = await openInput(new TextEncoder().encode(`${lines.join('\n')}\n`));
  return log.table(name) as RecordTable;
}

/** A FMT record that makes type 130 the GPS. */
function definition(format: string, length: number): Buffer {
  const record = Buffer.alloc(89);
  record.set([0xa3, 0x95, 128, 130, length]);
  record.write('GPS', 5);
  record.write(format, 9);
  record.write('Lat,Lng', 25);
  return record;
}

async function firstRow(table: RecordTable): Promise<Record<string, number>> {
  const positions = await readPositions(table);
  return Object.fromEntries(Object.entries(positions).map(([name, column]) => [name, column[0]]));
}

describe('the fields of each firmware are found by their names', () => {
  test.each([
    [
      'ArduPilot 4',
      'QBBIHBcLLeffffB',
      'TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs,VZ,Yaw,U',
      '9, 0, 6, 200, 2300, 10, 1.2, 46.5, 7.5, 500.25, 12.5, 271.5, 0, 0, 1',
      { lat: 46.5, lon: 7.5, alt: 500.25, speed: 12.5, course: 271.5, fix: 6, gpsTime: 2300 * 604_800_000 + 200 },
    ],
    [
      'ArduCopter 3.2',
      'BIHBcLLeeEefI',
      'Status,TimeMS,Week,NSats,HDop,Lat,Lng,RelAlt,Alt,Spd,GCrs,VZ,T',
      '3, 300, 1800, 9, 2.4, -39.5, 176.7, 0.05, 46.8, 3, 202.7, 0.08, 66937',
      { lat: -39.5, lon: 176.7, alt: 46.8, speed: 3, course: 202.7, fix: 3, gpsTime: 1800 * 604_800_000 + 300 },
    ],
    [
      'ArduCopter 3.0, without a week',
      'BIBcLLeeEe',
      'Status,Time,NSats,HDop,Lat,Lng,RelAlt,Alt,Spd,GCrs',
      '3, 594438201, 6, 4.68, 44, -77.7, 3.13, 91.56, 1.5, 268.4',
      { lat: 44, lon: -77.7, alt: 91.56, speed: 1.5, course: 268.4, fix: 3, gpsTime: 594438201 },
    ],
    [
      'PX4 sdlog2, whose course is in radians',
      'QBffLLfffffBHHH',
      'GPSTime,Fix,EPH,EPV,Lat,Lon,Alt,VelN,VelE,VelD,Cog,nSat,SNR,N,J',
      `1400000000000000, 3, 1, 2, 47.4, 8.5, 488, -3, -4, 0.5, ${-Math.PI / 2}, 9, 40, 1, 1`,
      { lat: 47.4, lon: 8.5, alt: 488, speed: 5, course: 270, fix: 3, gpsTime: 1.4e15 },
    ],
  ])('%s', async (_firmware, format, columns, row, expected) => {
    expect(await firstRow(await tableOf('GPS', format, columns, row))).toEqual(expected);
  });

  test('an estimate has neither fix nor time of a receiver', async () => {
    const table = await tableOf('AHR2', 'IccCfLL', 'TimeMS,Roll,Pitch,Yaw,Alt,Lat,Lng', '5, 1, 2, 3, 500, 46, 7');
    expect(await firstRow(table)).toMatchObject({ lat: 46, lon: 7, alt: 500, fix: Number.POSITIVE_INFINITY });
    expect(await firstRow(table)).toMatchObject({ gpsTime: Number.NaN, speed: Number.NaN, course: Number.NaN });
  });
});

describe('what a receiver does not know', () => {
  test.each([
    ['a week of 0', 'IHLL', 'TimeMS,Week,Lat,Lng', '100, 0, 46, 7'],
    ['no time in the week', 'ILL', 'Time,Lat,Lng', '0, 46, 7'],
    ['no UTC', 'QLL', 'GPSTime,Lat,Lon', '0, 46, 7'],
    ['no field for it', 'LL', 'Lat,Lng', '46, 7'],
  ])('%s is no time of a fix', async (_what, format, columns, row) => {
    expect((await firstRow(await tableOf('GPS', format, columns, row))).gpsTime).toBeNaN();
  });

  test.each(['inf', '-inf', 'nan', '1e9', '-1e300'])('an altitude of %s is none', async (alt) => {
    const table = await tableOf('POS', 'QLLd', 'TimeUS,Lat,Lng,Alt', `1, 46, 7, ${alt}`, '2, 46, 7, 999999999');
    expect([...(await readPositions(table)).alt]).toEqual([Number.NaN, 999_999_999]);
  });
});

describe('hasPositions', () => {
  test.each([
    ['GPS', 'LL', 'Lat,Lng', true],
    ['POS', 'ff', 'Lon,Lat', true],
    ['CAM', 'LL', 'Lat,Lng', false],
    ['GPS', 'LL', 'Lat,Alt', false],
    ['GPS', 'LL', 'Lng,Alt', false],
  ])('%s with %s %s: %s', async (name, format, columns, expected) => {
    expect(hasPositions(await tableOf(name, format, columns, '1, 2'))).toBe(expected);
  });

  // a file may call anything latitude: texts, arrays and what cannot be read are none
  test.each([
    ['LL', 11, true],
    ['LN', 23, false],
    ['aL', 71, false],
    ['L?', 11, false],
  ])('a binary log whose Lat and Lng are %s', async (format, length, expected) => {
    const record = Buffer.alloc(length, 1);
    record.set([0xa3, 0x95, 130]);
    const log = await openInput(Buffer.concat([definition(format, length), record, record]));
    expect(log.table('GPS')?.rows).toBe(2);
    expect(hasPositions(log.table('GPS') as RecordTable)).toBe(expected);
  });
});

describe('sentences of NMEA', () => {
  const rowOf = async (name: string, sentence: string): Promise<Record<string, number>> => {
    const log = await openInput(new TextEncoder().encode(`${sentence}\r\n`));
    return firstRow(log.table(name) as RecordTable);
  };
  const none = { alt: Number.NaN, speed: Number.NaN, course: Number.NaN };

  test.each([
    [
      'GGA',
      '$GPGGA,000010,4830.0,N,01130.0,W,1,08,0.9,545.4,M,46.9,M,,',
      { ...none, lat: 48.5, lon: -11.5, alt: 545.4, fix: 3, gpsTime: 10 },
    ],
    ['GGA', '$GPGGA,000010,4830.0,N,01130.0,W,0,,,,,,,,', { ...none, lat: 48.5, lon: -11.5, fix: 1, gpsTime: 10 }],
    [
      'RMC',
      '$GPRMC,000010,A,4830.0,N,01130.0,W,10,84.4,151126,,',
      { ...none, lat: 48.5, lon: -11.5, speed: 18_520 / 3600, course: 84.4, fix: 3, gpsTime: 10 },
    ],
    ['RMC', '$GPRMC,000010,V,,,,,,,151126,,', { ...none, lat: Number.NaN, lon: Number.NaN, fix: 1, gpsTime: 10 }],
    [
      'GNS',
      '$GNGNS,000010,4830.0,N,01130.0,W,NAN,8,1,5,,,',
      { ...none, lat: 48.5, lon: -11.5, alt: 5, fix: 3, gpsTime: 10 },
    ],
    ['GNS', '$GNGNS,000010,4830.0,N,01130.0,W,NNN,0,,,,,', { ...none, lat: 48.5, lon: -11.5, fix: 1, gpsTime: 10 }],
    ['GLL', '$GPGLL,4830.0,N,01130.0,W,000010,A', { ...none, lat: 48.5, lon: -11.5, fix: 3, gpsTime: 10 }],
  ])('%s: %s', async (name, sentence, expected) => expect(await rowOf(name, sentence)).toEqual(expected));
});
