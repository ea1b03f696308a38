import { expect, test } from 'vitest';
import { encodeSentence } from '../formats/nmea/encode.ts';
import { openInput } from '../formats/open.ts';
import { GNSS_FIX, GNSS_FLAGS } from './gnss-fix.ts';
import { GNSS_FIELDS } from './gnss-reading.ts';
import { type GnssRow, readGnssRows } from './gnss-rows.ts';

async function rowsOf(...sentences: string[]): Promise<GnssRow[]> {
  const rows: GnssRow[] = [];
  for await (const row of readGnssRows(await openInput(new TextEncoder().encode(sentences.join(''))))) rows.push(row);
  return rows;
}

test('each fix is an object with all fields, and says where they came from', async () => {
  const zda = encodeSentence('ZDA', { time: 1, date: '2026-11-15' });
  const gga = encodeSentence('GGA', { time: 1, lat: -48.5, lon: 11.25, quality: 5, satellites: 9, hdop: 0.9 });
  const gsa = encodeSentence('GSA', { mode: 'A', fix: 3, pdop: 1.5, hdop: 0.9, vdop: 1.2 });
  const rmc = encodeSentence('RMC', { time: 2, status: 'V', date: '2026-11-15' });
  const rows = await rowsOf(zda, gga, gsa, rmc);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ time: Date.UTC(2026, 10, 15, 0, 0, 1) * 1000, at: zda.length });
  const { data, from } = rows[0];
  expect(Object.keys(data)).toEqual([
    ...GNSS_FIELDS,
    ...['flags', 'gps_week', 'tow_ms', 'unix_time_us', 'nmea_sentence', 'nmea_length'],
  ]);
  expect(data).toMatchObject({
    latitude: -48.5,
    longitude: 11.25,
    altitude_msl: null,
    pdop: 1.5,
    satellites_used: 9,
    fix_type: GNSS_FIX.RTK_FLOAT,
    flags: GNSS_FLAGS.POSITION_VALID | GNSS_FLAGS.FIX_VALID | GNSS_FLAGS.RTK_FLOAT,
    gps_week: 2445,
    tow_ms: 19_000,
    nmea_sentence: gga.trimEnd(),
    nmea_length: gga.length - 2,
  });
  expect(from.latitude).toEqual({ sentence: 'GGA[GP]', age: 0 });
  expect(from.altitude_msl).toBeUndefined();
  expect(rows[1]).toMatchObject({
    at: zda.length + gga.length + gsa.length,
    data: { latitude: null, pdop: 1.5, nmea_sentence: '', nmea_length: 0 },
  });
  expect(rows[1].from.pdop).toEqual({ sentence: 'GSA[GP]', age: 1 });
});
