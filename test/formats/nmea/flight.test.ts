import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/formats/open.ts';
import { distance } from '../../../src/geo/geodesy.ts';
import { readTrack, type Track } from '../../../src/geo/track.ts';
import { readGnssData } from '../../../src/sensors/gnss.ts';
import { GNSS_FIX, GNSS_FLAGS } from '../../../src/sensors/gnss-fix.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { sampleFile } from '../../suite/sample.ts';

/**
 * Metres: NMEA tells five digits of a minute, which are 2 cm. The log has a fix each 0.2 s, between which the vehicle
 * may turn.
 */
const NEAR = 0.05;
const AT_TURNS = 0.6;

/** Where a track is at a time, between its two points next to it. */
function placeAt({ time, lat, lon, alt }: Track, at: number): { lat: number; lon: number; alt: number } {
  let i = time.findIndex((each) => each >= at);
  if (i <= 0) i = i < 0 ? time.length - 1 : 1;
  const part = (at - time[i - 1]) / (time[i] - time[i - 1]);
  const between = (column: Float64Array): number => column[i - 1] + (column[i] - column[i - 1]) * part;
  return { lat: between(lat), lon: between(lon), alt: between(alt) };
}

describe('one flight in two recordings', () => {
  test('the NMEA track and that of the GPS in the log are the same path at the same times', async () => {
    const nmea = await readTrack(await openInput(sampleFile('copter-square.nmea').bytes));
    const log = await readTrack(await openInput(sampleFile('copter-square.BIN').bytes));
    expect([nmea.source, log.source, nmea.utc, log.utc]).toEqual(['GGA[GP]', 'GPS[0]', true, true]);
    expect(nmea.points).toBe(1262);
    const far: number[] = [];
    const high: number[] = [];
    for (let i = 0; i < nmea.points; i++) {
      if (nmea.time[i] < log.time[0] || nmea.time[i] > (log.time.at(-1) ?? 0)) continue;
      const place = placeAt(log, nmea.time[i]);
      far.push(distance(nmea.lat[i], nmea.lon[i], place.lat, place.lon));
      high.push(Math.abs(nmea.alt[i] - place.alt));
    }
    far.sort((a, b) => a - b);
    expect(far.length).toBe(1260);
    expect(far[far.length >> 1]).toBeLessThan(NEAR);
    expect(far.at(-1)).toBeLessThan(AT_TURNS);
    expect(Math.max(...high)).toBeLessThan(AT_TURNS);
  });
});

needShared(
  describe,
  'nmea',
  'plshd.txt',
)('a receiver with two antennas', () => {
  test('PLSHD sets the heading and its accuracy, RMC the course only', async () => {
    const log = await openInput(new Uint8Array(readFileSync(sharedData('nmea', 'plshd.txt'))));
    const gnss = await readGnssData(log);
    const { gnss_heading, heading_accuracy, course_over_ground, altitude_ellipsoid, fix_type } = gnss.fields;
    const degrees = (radians: number): number => (radians * 180) / Math.PI;
    expect(gnss.epochs).toBe(3);
    expect(Array.from(gnss_heading.values, degrees)).toEqual(
      [239.024, 242.099, 238.792].map((n) => expect.closeTo(n, 9)),
    );
    expect(Array.from(heading_accuracy.values, degrees)).toEqual([2, 2, 2].map((n) => expect.closeTo(n, 9)));
    expect([...course_over_ground.values]).toEqual([0, 0, 0]);
    expect(gnss.sentences[gnss_heading.sources[0]]).toBe('PLSHD');
    expect(altitude_ellipsoid.values[0]).toBeCloseTo(63.98 + 14.77, 9);
    expect([...fix_type.values]).toEqual([GNSS_FIX.DGPS, GNSS_FIX.DGPS, GNSS_FIX.DGPS]);
    const { POSITION_VALID, VELOCITY_VALID, HEADING_VALID, FIX_VALID, DGPS_CORRECTION } = GNSS_FLAGS;
    expect(gnss.flags[0]).toBe(POSITION_VALID | VELOCITY_VALID | HEADING_VALID | FIX_VALID | DGPS_CORRECTION);
    expect(gnss.unix_time_us[1]).toBe(Date.UTC(2025, 7, 13, 1, 34, 28, 500) * 1000);
    expect([gnss.gps_week[0], gnss.tow_ms[0]]).toEqual([2379, ((3 * 24 + 1) * 3600 + 34 * 60 + 28 + 18) * 1000]);
    expect(await gnss.sentence(2)).toBe(
      '$GNGGA,013429.000,2503.8212800,N,12116.8426100,E,2,35,0.87,63.98,M,14.77,M,,*4D',
    );
  });
});
