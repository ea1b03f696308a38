import { describe, expect, test } from 'vitest';
import { encodeSentence, withChecksum } from '../formats/nmea/encode.ts';
import { openInput } from '../formats/open.ts';
import { readGnssData } from './gnss.ts';
import { GNSS_FIX, GNSS_FLAGS, isValidGnss } from './gnss-fix.ts';
import { GNSS_FIELDS } from './gnss-reading.ts';
import type { GnssRowData } from './gnss-rows.ts';
import { type NmeaSentence, parseGnssSentence, parseNmeaSentence } from './gnss-sentence.ts';

const { POSITION_VALID, VELOCITY_VALID, HEADING_VALID, FIX_VALID, DGPS_CORRECTION } = GNSS_FLAGS;

function gnssOf(line: string | Uint8Array): GnssRowData {
  const { gnss } = parseNmeaSentence(line) as NmeaSentence;
  if (!gnss) expect.fail('no GNSSData');
  return gnss;
}

describe('one sentence', () => {
  test.each<[string, number, Partial<GnssRowData>]>([
    [
      'GPGGA,123519,4807.038,N,01131.000,W,2,08,0.9,545.4,M,46.9,M,,',
      POSITION_VALID | FIX_VALID | DGPS_CORRECTION,
      { latitude: 48.1173, longitude: -(11 + 31 / 60), altitude_msl: 545.4, fix_type: GNSS_FIX.DGPS },
    ],
    [
      'GPRMC,123519,A,4807.038,N,01131.000,E,022.4,090.0,230394,003.1,W',
      POSITION_VALID | VELOCITY_VALID | FIX_VALID,
      { ground_speed: (22.4 * 1852) / 3600, course_over_ground: Math.PI / 2, gnss_heading: null, fix_type: null },
    ],
    ['GPVTG,180.0,T,,M,,N,036.0,K', VELOCITY_VALID, { ground_speed: 10, velocity_north: -10, fix_type: null }],
    [
      'GPVTG,,T,,M,0.084,N,0.156,K,A',
      VELOCITY_VALID | FIX_VALID,
      { ground_speed: 0.156 / 3.6, course_over_ground: null, velocity_north: null, fix_type: null },
    ],
    ['GPVTG,,T,,M,0.084,N,0.156,K,N', 0, { ground_speed: null, fix_type: GNSS_FIX.NONE }],
    ['GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1', FIX_VALID, { pdop: 2.5, fix_type: GNSS_FIX['3D'] }],
    ['GPGSV,3,1,11,03,03,111,00,04,15,270,00,06,01,010,00,13,06,292,00', 0, { satellites_visible: 11 }],
    ['PLSHD,90,0.5', HEADING_VALID, { gnss_heading: Math.PI / 2, heading_accuracy: Math.PI / 360 }],
    ['GPRMC,123519,V,4807.038,N,01131.000,E,022.4,090.0,230394,,', 0, { latitude: null, fix_type: GNSS_FIX.NONE }],
  ])('%s', (body, flags, data) => {
    const gnss = gnssOf(withChecksum(body));
    expect(gnss.flags).toBe(flags);
    expect(isValidGnss(gnss)).toBe((flags & (POSITION_VALID | VELOCITY_VALID | HEADING_VALID)) !== 0);
    expect(Object.keys(gnss)).toEqual([
      ...GNSS_FIELDS,
      ...['flags', 'gps_week', 'tow_ms', 'unix_time_us', 'nmea_sentence', 'nmea_length'],
    ]);
    for (const [field, value] of Object.entries(data)) {
      const found = gnss[field as keyof typeof data];
      if (value === null) expect(found, field).toBeNull();
      else expect(found, field).toBeCloseTo(value as number, 9);
    }
  });

  test('with a date has its time as UTC and as GPS counts it', () => {
    // 2026-11-15 is a Sunday, 2445 weeks after 1980-01-06; GPS is 18 s ahead
    const time = Date.UTC(2026, 10, 15, 0, 0, 1, 250);
    for (const body of ['GPRMC,000001.25,V,,,,,,,151126,,', 'GPZDA,000001.25,15,11,2026,00,00']) {
      expect(gnssOf(withChecksum(body))).toMatchObject({ unix_time_us: time * 1000, gps_week: 2445, tow_ms: 19_250 });
    }
    const gga = gnssOf(withChecksum('GPGGA,000001.25,4807.038,N,01131.000,W,2,08,0.9,545.4,M,46.9,M,,'));
    expect(gga).toMatchObject({ unix_time_us: null, gps_week: null, tow_ms: null });
  });

  test('is there as it came', () => {
    const sentence = withChecksum('GPHDT,90.0,T');
    const bytes = new TextEncoder().encode(`\\s:GP001,c:1792060378*1D\\${sentence}\r\n`);
    const parsed = parseNmeaSentence(bytes) as NmeaSentence;
    bytes.fill(0);
    for (const gnss of [gnssOf(sentence), gnssOf(`${sentence}\r\n`), parsed.gnss]) {
      expect(gnss).toMatchObject({ nmea_sentence: sentence.trim(), nmea_length: sentence.trim().length });
    }
  });

  test('that tells nothing of a fix has no GNSSData', () => {
    expect(parseNmeaSentence(withChecksum('GPTXT,01,01,02,hello'))).toMatchObject({ name: 'TXT', gnss: undefined });
    expect(parseGnssSentence(withChecksum('GPTXT,01,01,02,hello'))).toMatchObject({ valid: false });
  });

  test('that is none is refused for a reason', () => {
    expect(parseNmeaSentence('$GPGGA,1*00')).toEqual({ valid: false, reason: expect.stringContaining('checksum') });
    expect(parseGnssSentence('$HEHDT,4.0,T', { checksum: 'required' })).toMatchObject({ valid: false });
  });

  test('tells what a log of it alone tells', async () => {
    const line = encodeSentence('PUBX00', { time: 1, lat: 1, lon: 2, nav_status: 'D3', speed_kmh: 36, course: 30 });
    const gnss = gnssOf(line);
    const log = await readGnssData(await openInput(new TextEncoder().encode(line)));
    expect(gnss.flags).toBe(log.flags[0]);
    for (const field of GNSS_FIELDS) {
      expect(gnss[field] ?? Number.NaN, field).toBe(log.fields[field].values[0]);
    }
    expect(parseGnssSentence(line)).toMatchObject({ valid: true, name: 'PUBX00', flags: gnss.flags, data: gnss });
  });
});
