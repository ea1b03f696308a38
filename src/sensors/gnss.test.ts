import { describe, expect, test } from 'vitest';
import { encodeSatellites, encodeSentence, type SentenceValues } from '../formats/nmea/encode.ts';
import { openInput } from '../formats/open.ts';
import { type GnssData, type GnssOptions, readGnssData } from './gnss.ts';
import { fixType, GNSS_FIX, GNSS_FLAGS } from './gnss-fix.ts';
import type { GnssField } from './gnss-reading.ts';

const KNOT = 1852 / 3600;

type Line = readonly [name: string, values: SentenceValues, talker?: string];

async function gnssOf(lines: readonly (Line | string)[], options?: GnssOptions): Promise<GnssData> {
  const text = lines.map((line) =>
    typeof line === 'string' ? line : encodeSentence(line[0], line[1], { talker: line[2] }),
  );
  return readGnssData(await openInput(new TextEncoder().encode(text.join(''))), options);
}

const gga = (time: number, more: SentenceValues = {}): Line => [
  'GGA',
  { time, lat: 48, lon: 11, quality: 1, satellites: 9, hdop: 0.9, altitude: 500, geoid_separation: 47, ...more },
];
const rmc = (time: number, more: SentenceValues = {}): Line => [
  'RMC',
  { time, status: 'A', lat: 48, lon: 11, speed_kn: 10, course: 90, date: '2026-11-15', ...more },
];

/** A field of an epoch with the sentence that told it and its age. */
function told(gnss: GnssData, field: GnssField, epoch = 0): [value: number, sentence: string, age: number] {
  const { values, sources, ages } = gnss.fields[field];
  return [values[epoch], gnss.sentences[sources[epoch]], ages[epoch]];
}

describe('epochs', () => {
  test.each<[string, Line[]]>([
    ['GGA first', [gga(1), rmc(1), gga(2), rmc(2)]],
    ['RMC first', [rmc(1), gga(1), rmc(2), gga(2)]],
    ['two times at once', [gga(1), gga(2), rmc(1), rmc(2)]],
    ['one half lost', [gga(1), rmc(1), rmc(2)]],
    ['a sentence repeated', [gga(1), gga(1), rmc(1), gga(2), rmc(2), gga(2)]],
  ])('one for each time: %s', async (_, lines) => {
    const gnss = await gnssOf(lines);
    expect(gnss.epochs).toBe(2);
    expect(Array.from(gnss.unix_time_us, (time) => new Date(time / 1000).toISOString())).toEqual([
      ...['2026-11-15T00:00:01.000Z', '2026-11-15T00:00:02.000Z'],
    ]);
    expect([...gnss.fields.ground_speed.values]).toEqual([10 * KNOT, 10 * KNOT]);
    expect([...gnss.fields.altitude_msl.values]).toEqual([500, 500]);
  });

  test('sentences without a time belong to the one before them, unless their values say otherwise', async () => {
    const vtg = (knots: number): Line => ['VTG', { course: 90, speed_kn: knots, speed_kmh: knots * 1.852 }];
    const behind: Line[] = [];
    const before: Line[] = [];
    for (let time = 1; time < 20; time++) {
      behind.push(gga(time), rmc(time, { speed_kn: time, course: null }), vtg(time));
      before.push(vtg(time), gga(time), rmc(time, { speed_kn: time, course: null }));
    }
    for (const lines of [behind, before]) {
      const { course_over_ground, velocity_east } = (await gnssOf(lines)).fields;
      expect(course_over_ground.sources.every((source) => source > 0)).toBe(true);
      expect(velocity_east.values[4]).toBeCloseTo(5 * KNOT, 9);
    }
  });
});

describe('fields', () => {
  test('have the units of GNSSData, and say which sentence told them', async () => {
    const gnss = await gnssOf([gga(1), rmc(1), ['GST', { time: 1, lat_error: 3, lon_error: 4, altitude_error: 6 }]]);
    expect(told(gnss, 'latitude')).toEqual([48, 'GGA[GP]', 0]);
    expect(told(gnss, 'altitude_msl')).toEqual([500, 'GGA[GP]', 0]);
    expect(told(gnss, 'altitude_ellipsoid')).toEqual([547, 'GGA[GP]', 0]);
    expect(told(gnss, 'ground_speed')).toEqual([10 * KNOT, 'RMC[GP]', 0]);
    expect(told(gnss, 'course_over_ground')).toEqual([Math.PI / 2, 'RMC[GP]', 0]);
    expect(told(gnss, 'velocity_east')[0]).toBeCloseTo(10 * KNOT, 12);
    expect(told(gnss, 'velocity_north')[0]).toBeCloseTo(0, 12);
    expect(told(gnss, 'velocity_down')).toEqual([Number.NaN, '', Number.NaN]);
    expect(told(gnss, 'horizontal_accuracy')).toEqual([5, 'GST[GP]', 0]);
    expect(told(gnss, 'vertical_accuracy')).toEqual([6, 'GST[GP]', 0]);
    expect(told(gnss, 'satellites_used')).toEqual([9, 'GGA[GP]', 0]);
    expect([gnss.gps_week[0], gnss.tow_ms[0]]).toEqual([2445, 19_000]);
    const { POSITION_VALID, VELOCITY_VALID, ACCURACY_VALID, FIX_VALID } = GNSS_FLAGS;
    expect(gnss.flags[0]).toBe(POSITION_VALID | VELOCITY_VALID | ACCURACY_VALID | FIX_VALID);
    expect(await gnss.sentence(0)).toBe(encodeSentence(...(gga(1) as [string, SentenceValues])).trim());
  });

  test('that are told seldom are held, with their age, until they are too old', async () => {
    const gsa: Line = ['GSA', { mode: 'A', fix: 3, satellite_ids: [1], pdop: 1.5, hdop: 1, vdop: 1.1 }];
    const gnss = await gnssOf([rmc(1), gsa, rmc(2), rmc(4), rmc(7)]);
    expect([0, 1, 2, 3].map((epoch) => told(gnss, 'pdop', epoch))).toEqual([
      [1.5, 'GSA[GP]', 0],
      [1.5, 'GSA[GP]', 1],
      [1.5, 'GSA[GP]', 3],
      [Number.NaN, '', Number.NaN],
    ]);
    const held = await gnssOf([rmc(1), gsa, rmc(7)], { maxAge: 10 });
    expect(told(held, 'pdop', 1)).toEqual([1.5, 'GSA[GP]', 6]);
  });

  test('a position is never held, and none without a fix', async () => {
    const gnss = await gnssOf([gga(1), rmc(1), gga(2, { quality: 0 }), rmc(2, { status: 'V' })]);
    expect(told(gnss, 'latitude', 1)).toEqual([Number.NaN, '', Number.NaN]);
    expect(told(gnss, 'fix_type', 1)).toEqual([GNSS_FIX.NONE, 'GGA[GP]', 0]);
    expect(gnss.flags[1]).toBe(0);
  });

  test('satellites in view are counted once, by whatever signals they are told', async () => {
    const view = (talker: string, signal_id: number, ...prns: number[]): string =>
      encodeSatellites(
        prns.map((prn) => ({ prn })),
        { talker, signal_id },
      ).join('');
    const gnss = await gnssOf([rmc(1), view('GP', 1, 1, 2, 3, 4, 5), view('GP', 5, 1, 2), view('GL', 1, 65), rmc(2)]);
    expect(told(gnss, 'satellites_visible', 0)).toEqual([6, 'GSV', 0]);
    expect(told(gnss, 'satellites_visible', 1)).toEqual([6, 'GSV', 1]);
  });
});

describe('heading', () => {
  test('is not the course over ground', async () => {
    const gnss = await gnssOf([
      rmc(1),
      ['VTG', { course: 45, speed_kn: 1 }],
      ['HDM', { heading: 12 }],
      ['HDG', { heading: 12 }],
    ]);
    expect(told(gnss, 'gnss_heading')).toEqual([Number.NaN, '', Number.NaN]);
    expect(gnss.flags[0] & GNSS_FLAGS.HEADING_VALID).toBe(0);
  });

  test.each<[string, SentenceValues, number, number]>([
    ['HDT', { heading: 90 }, Math.PI / 2, Number.NaN],
    ['THS', { heading: 90, mode: 'A' }, Math.PI / 2, Number.NaN],
    ['THS', { heading: 90, mode: 'V' }, Number.NaN, Number.NaN],
    ['PLSHD', { status: 1, baseline: 2.5, heading: 180, pitch: 0 }, Math.PI, 0.1],
    ['PLSHD', { status: 1, baseline: 1, heading: 180, pitch: 0 }, Math.PI, 0.2],
    ['PLSHD', { status: 9, baseline: 0.5, heading: 180, pitch: 0 }, Math.PI, 0.4],
    ['PLSHD', { status: 1, baseline: 0.4, heading: 180, pitch: 0 }, Math.PI, 2],
    ['PLSHD', { status: 0, baseline: 2, heading: 180, pitch: 0 }, Number.NaN, Number.NaN],
  ])('is told by %s %j', async (name, values, heading, accuracy) => {
    const gnss = await gnssOf([rmc(1), [name, values]]);
    expect(gnss.fields.gnss_heading.values[0]).toBe(heading);
    const degrees = (gnss.fields.heading_accuracy.values[0] * 180) / Math.PI;
    expect(degrees).toEqual(Number.isNaN(accuracy) ? Number.NaN : expect.closeTo(accuracy, 9));
  });

  test('of PLSHD with two cells has its own accuracy', async () => {
    const gnss = await gnssOf([rmc(1), '$PLSHD,90.0,0.5\r\n']);
    expect(gnss.fields.gnss_heading.values[0]).toBe(Math.PI / 2);
    expect(gnss.fields.heading_accuracy.values[0]).toBe((0.5 * Math.PI) / 180);
  });
});

describe('kinds of fix', () => {
  const none = { quality: Number.NaN, mode: Number.NaN, status: Number.NaN, dimensions: Number.NaN, hasAltitude: true };
  const letter = (text: string): number => text.charCodeAt(0);

  test.each([
    ['nothing said', {}, Number.NaN],
    ['quality 0', { quality: 0 }, GNSS_FIX.NONE],
    ['quality 1', { quality: 1 }, GNSS_FIX['3D']],
    ['quality 1 in two dimensions', { quality: 1, dimensions: 2 }, GNSS_FIX['2D']],
    ['quality 2', { quality: 2 }, GNSS_FIX.DGPS],
    ['quality 3', { quality: 3 }, GNSS_FIX['3D']],
    ['quality 4', { quality: 4 }, GNSS_FIX.RTK_FIXED],
    ['quality 5', { quality: 5 }, GNSS_FIX.RTK_FLOAT],
    ['quality 7', { quality: 7 }, GNSS_FIX.STATIC],
    ['quality 1 without an altitude', { quality: 1, hasAltitude: false }, GNSS_FIX['2D']],
    ['mode A, which says nothing of dimensions', { mode: letter('A'), hasAltitude: false }, Number.NaN],
    ['mode A and GSA', { mode: letter('A'), dimensions: 2 }, GNSS_FIX['2D']],
    ['status A, which says nothing of dimensions', { status: letter('A'), hasAltitude: false }, Number.NaN],
    ['a status that is neither A nor V', { status: letter('N') }, Number.NaN],
    ['mode D', { mode: letter('D') }, GNSS_FIX.DGPS],
    ['mode P', { mode: letter('P') }, GNSS_FIX.PPP],
    ['mode R', { mode: letter('R') }, GNSS_FIX.RTK_FIXED],
    ['mode N', { mode: letter('N') }, GNSS_FIX.NONE],
    ['status A', { status: letter('A'), dimensions: 3 }, GNSS_FIX['3D']],
    ['status V', { status: letter('V'), mode: letter('A') }, GNSS_FIX.NONE],
    ['GSA alone', { dimensions: 3 }, GNSS_FIX['3D']],
    ['GSA without a fix', { dimensions: 1 }, GNSS_FIX.NONE],
  ])('%s', (_, hints, kind) => expect(fixType({ ...none, ...hints })).toBe(kind));

  test('the best mode of several systems counts', async () => {
    const gnss = await gnssOf([['GNS', { time: 1, lat: 1, lon: 2, mode: 'NARN', satellites: 9 }], rmc(1)]);
    expect(told(gnss, 'fix_type')).toEqual([GNSS_FIX.RTK_FIXED, 'GNS[GP]', 0]);
    expect(gnss.flags[0] & GNSS_FLAGS.RTK_FIXED).toBe(GNSS_FLAGS.RTK_FIXED);
  });
});

test('a log that never learned the date has its epochs by the time of the day', async () => {
  const gnss = await gnssOf([gga(1), gga(2)]);
  expect([...gnss.time]).toEqual([1e6, 2e6]);
  expect([...gnss.unix_time_us, ...gnss.gps_week].every(Number.isNaN)).toBe(true);
});

test('a log without sentences has no epochs', async () => {
  expect((await gnssOf(['$HEHDT,4.0,T*2B\r\n'])).epochs).toBe(0);
});

test.each([
  ['NF', Number.NaN, GNSS_FIX.NONE],
  ['G2', 48, GNSS_FIX['2D']],
  ['G3', 48, GNSS_FIX['3D']],
  ['D3', 48, GNSS_FIX.DGPS],
  ['DR', 48, GNSS_FIX['2D']],
])('PUBX,00 with status %s', async (nav_status, latitude, kind) => {
  const gnss = await gnssOf([
    ['PUBX00', { time: 1, lat: 48, lon: 11, nav_status, speed_kmh: 36, course: 90, velocity_down: -1 }],
  ]);
  expect(told(gnss, 'latitude')[0]).toBe(latitude);
  expect(told(gnss, 'fix_type')).toEqual([kind, 'PUBX00', 0]);
  expect(told(gnss, 'velocity_down')[0]).toBe(Number.isNaN(latitude) ? Number.NaN : -1);
});

test.each([
  [0, GNSS_FIX.NONE],
  [1, GNSS_FIX['2D']],
  [2, GNSS_FIX.RTK_FLOAT],
  [3, GNSS_FIX.RTK_FIXED],
  [4, GNSS_FIX.DGPS],
])('PTNL,GGK with solution %i', async (solution, kind) => {
  const gnss = await gnssOf([['PTNLGGK', { time: 1, lat: 48, lon: 11, date: '2026-11-15', solution, satellites: 9 }]]);
  expect(told(gnss, 'fix_type')).toEqual([kind, 'PTNLGGK', 0]);
});
