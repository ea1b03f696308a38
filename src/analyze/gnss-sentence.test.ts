import { describe, expect, test } from 'vitest';
import { encodeSentence, withChecksum } from '../formats/nmea/encode.ts';
import { openInput } from '../open.ts';
import { readGnssData } from './gnss.ts';
import { GNSS_FIX, GNSS_FLAGS } from './gnss-fix.ts';
import { GNSS_FIELDS } from './gnss-reading.ts';
import { type GnssSentence, parseGnssSentence } from './gnss-sentence.ts';

const { POSITION_VALID, VELOCITY_VALID, HEADING_VALID, FIX_VALID, DGPS_CORRECTION } = GNSS_FLAGS;

describe('one sentence', () => {
  test.each<[string, number, Partial<GnssSentence['data']>]>([
    [
      'GPGGA,123519,4807.038,N,01131.000,W,2,08,0.9,545.4,M,46.9,M,,',
      POSITION_VALID | FIX_VALID | DGPS_CORRECTION,
      { latitude: 48.1173, longitude: -(11 + 31 / 60), altitude_msl: 545.4, fix_type: GNSS_FIX.DGPS },
    ],
    [
      'GPRMC,123519,A,4807.038,N,01131.000,E,022.4,090.0,230394,003.1,W',
      POSITION_VALID | VELOCITY_VALID | FIX_VALID,
      { ground_speed: (22.4 * 1852) / 3600, course_over_ground: Math.PI / 2, gnss_heading: null },
    ],
    ['GPVTG,180.0,T,,M,,N,036.0,K', VELOCITY_VALID, { ground_speed: 10, velocity_north: -10 }],
    ['GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1', FIX_VALID, { pdop: 2.5, hdop: 1.3, vdop: 2.1 }],
    ['PLSHD,90,0.5', HEADING_VALID, { gnss_heading: Math.PI / 2, heading_accuracy: Math.PI / 360 }],
    ['GPRMC,123519,V,4807.038,N,01131.000,E,022.4,090.0,230394,,', 0, { latitude: null, fix_type: GNSS_FIX.NONE }],
  ])('%s', (body, flags, data) => {
    const parsed = parseGnssSentence(withChecksum(body)) as GnssSentence;
    const worth = POSITION_VALID | VELOCITY_VALID | HEADING_VALID;
    expect(parsed).toMatchObject({ valid: (flags & worth) !== 0, flags });
    expect(Object.keys(parsed.data)).toEqual([...GNSS_FIELDS]);
    for (const [field, value] of Object.entries(data)) {
      const found = parsed.data[field as keyof typeof data];
      if (value === null) expect(found).toBeNull();
      else expect(found, field).toBeCloseTo(value as number, 9);
    }
  });

  test('that is none is refused for a reason', () => {
    expect(parseGnssSentence('$GPGGA,1*00')).toEqual({ valid: false, reason: expect.stringContaining('checksum') });
    expect(parseGnssSentence('$HEHDT,4.0,T', { checksum: 'required' })).toMatchObject({ valid: false });
  });

  test('tells what a log of it alone tells', async () => {
    const line = encodeSentence('PUBX00', { time: 1, lat: 1, lon: 2, nav_status: 'D3', speed_kmh: 36, course: 30 });
    const parsed = parseGnssSentence(line) as GnssSentence;
    const gnss = await readGnssData(await openInput(new TextEncoder().encode(line)));
    expect(parsed.flags).toBe(gnss.flags[0]);
    for (const field of GNSS_FIELDS) {
      expect(parsed.data[field] ?? Number.NaN, field).toBe(gnss.fields[field].values[0]);
    }
  });
});
