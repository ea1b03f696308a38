import { pairs } from '../core/text.ts';

/** Fields of GNSSData from sentences, and what else is needed to judge a fix. */
export const GNSS_FIELDS = [
  'latitude',
  'longitude',
  'altitude_msl',
  'altitude_ellipsoid',
  'velocity_north',
  'velocity_east',
  'velocity_down',
  'ground_speed',
  'course_over_ground',
  'gnss_heading',
  'horizontal_accuracy',
  'vertical_accuracy',
  'speed_accuracy',
  'heading_accuracy',
  'hdop',
  'vdop',
  'pdop',
  'satellites_used',
  'satellites_visible',
  'fix_type',
] as const;

export type GnssField = (typeof GNSS_FIELDS)[number];

/** What sentences say of the kind of a fix: it is judged when all of one time have come. */
export const FIX_HINTS = ['quality', 'mode', 'status', 'dimensions'] as const;

export type FixField = GnssField | (typeof FIX_HINTS)[number];

/** One value from a sentence: which, from which of its fields, and how. Texts come as their best letter's code. */
export interface GnssRule {
  readonly told: FixField;
  readonly fields: readonly string[];
  value(...fields: readonly number[]): number;
}

const KNOT = 1852 / 3600;
const RADIAN = Math.PI / 180;
const [LETTER_A, LETTER_N, LETTER_V] = [65, 78, 86];

function reading(told: FixField, fields: readonly string[], value: GnssRule['value'] = (first) => first): GnssRule {
  return { told, fields, value };
}

/** Rules as one text: a value and the field that has it, `hdop` where both have one name. */
function eachOf(text: string, rule: (told: FixField, field: string) => GnssRule): GnssRule[] {
  return pairs(text).map(([told, field]) => rule(told as FixField, field || told));
}

function plain(text: string): GnssRule[] {
  return eachOf(text, (told, field) => reading(told, [field]));
}

/** Values that count or not by another field of their sentence. */
function judged(value: GnssRule['value'], by: string, text: string): GnssRule[] {
  return eachOf(text, (told, field) => reading(told, [field, by], value));
}

/** Only what is said of a valid fix counts. */
const ofFix = (value: number, quality: number): number => (quality > 0 ? value : Number.NaN);
const ofStatus = (value: number, status: number): number => (status === LETTER_A ? value : Number.NaN);
const unlessN = (value: number, mode: number): number => (mode === LETTER_N ? Number.NaN : value);
const NO_FIX = wordOf('NF');
const unlessNF = (value: number, status: number): number => (status === NO_FIX ? Number.NaN : value);
const radians = (degrees: number): number => degrees * RADIAN;

/** Two letters as texts come. */
function wordOf(letters: string): number {
  return letters.charCodeAt(0) + 256 * letters.charCodeAt(1);
}

/** What u-blox calls a fix, as GGA numbers its quality, and its dimensions where it says them. */
const UBLOX_FIX: ReadonlyMap<number, readonly [quality: number, dimensions: number]> = new Map([
  [NO_FIX, [0, 1]],
  [wordOf('G2'), [1, 2]],
  [wordOf('G3'), [1, 3]],
  [wordOf('D2'), [2, 2]],
  [wordOf('D3'), [2, 3]],
  [wordOf('DR'), [6, Number.NaN]],
  [wordOf('RK'), [6, Number.NaN]],
  // the time only
  [wordOf('TT'), [0, 1]],
]);
const ubloxFix = (status: number): readonly [number, number] => UBLOX_FIX.get(status) ?? [Number.NaN, Number.NaN];

/** What Trimble calls a solution, as GGA numbers its quality: invalid, alone, and by what it is corrected. */
const TRIMBLE_QUALITY: readonly number[] = [0, 1, 5, 4, 2, 2, 5, 4, 5, 1, 2, 1, 2];
const trimbleQuality = (solution: number): number =>
  Number.isNaN(solution) ? Number.NaN : (TRIMBLE_QUALITY[solution] ?? 1);

/** The accuracy of a heading by the distance of the two antennas in metres, in degrees. */
function headingAccuracy(baseline: number): number {
  if (Number.isNaN(baseline)) return Number.NaN;
  return baseline >= 2 ? 0.1 : baseline >= 1 ? 0.2 : baseline >= 0.5 ? 0.4 : 2;
}

/** What each sentence gives; the first one here wins. Course over ground is not a heading. */
export const READINGS: Readonly<Record<string, readonly GnssRule[]>> = {
  GGA: [
    ...judged(ofFix, 'quality', 'latitude=lat longitude=lon altitude_msl=altitude'),
    reading('altitude_ellipsoid', ['altitude', 'geoid_separation', 'quality'], (a, g, q) => ofFix(a + g, q)),
    ...plain('hdop satellites_used=satellites quality'),
  ],
  GNS: [
    ...judged(unlessN, 'mode', 'latitude=lat longitude=lon altitude_msl=altitude'),
    reading('altitude_ellipsoid', ['altitude', 'geoid_separation', 'mode'], (a, g, m) => unlessN(a + g, m)),
    ...plain('hdop satellites_used=satellites mode'),
  ],
  RMC: [
    ...judged(ofStatus, 'status', 'latitude=lat longitude=lon'),
    reading('ground_speed', ['speed_kn', 'status'], (speed, status) => ofStatus(speed * KNOT, status)),
    reading('course_over_ground', ['course', 'status'], (course, status) => ofStatus(radians(course), status)),
    ...plain('mode status'),
  ],
  GLL: [...judged(ofStatus, 'status', 'latitude=lat longitude=lon'), ...plain('mode status')],
  PUBX00: [
    ...judged(unlessNF, 'nav_status', 'latitude=lat longitude=lon altitude_ellipsoid velocity_down'),
    reading('ground_speed', ['speed_kmh', 'nav_status'], (speed, status) => unlessNF(speed / 3.6, status)),
    reading('course_over_ground', ['course', 'nav_status'], (course, status) => unlessNF(radians(course), status)),
    reading('quality', ['nav_status'], (status) => ubloxFix(status)[0]),
    reading('dimensions', ['nav_status'], (status) => ubloxFix(status)[1]),
    ...plain('horizontal_accuracy vertical_accuracy hdop vdop satellites_used=satellites'),
  ],
  PSTI030: [
    ...judged(ofStatus, 'status', 'latitude=lat longitude=lon altitude_msl=altitude velocity_north velocity_east'),
    reading('velocity_down', ['velocity_up', 'status'], (up, status) => ofStatus(-up, status)),
    ...plain('mode status'),
  ],
  PTNLGGK: [
    ...judged(ofFix, 'solution', 'latitude=lat longitude=lon altitude_ellipsoid'),
    reading('quality', ['solution'], trimbleQuality),
    ...plain('pdop satellites_used=satellites'),
  ],
  VTG: [
    reading('ground_speed', ['speed_kmh', 'speed_kn', 'mode'], (kmh, knots, mode) =>
      unlessN(Number.isNaN(kmh) ? knots * KNOT : kmh / 3.6, mode),
    ),
    reading('course_over_ground', ['course', 'mode'], (course, mode) => unlessN(radians(course), mode)),
    ...plain('mode'),
  ],
  GSA: plain('pdop hdop vdop dimensions=fix'),
  GST: [
    reading('horizontal_accuracy', ['lat_error', 'lon_error'], Math.hypot),
    ...plain('vertical_accuracy=altitude_error'),
  ],
  GBS: [
    reading('horizontal_accuracy', ['lat_error', 'lon_error'], Math.hypot),
    ...plain('vertical_accuracy=altitude_error'),
  ],
  PGRME: plain('horizontal_accuracy vertical_accuracy'),
  PQTMEPE: plain('horizontal_accuracy vertical_accuracy=down_accuracy'),
  PGRMV: [reading('velocity_down', ['velocity_up'], (up) => -up), ...plain('velocity_north velocity_east')],
  PQTMVEL: plain('velocity_north velocity_east velocity_down speed_accuracy=ground_speed_accuracy'),
  PLSHD: [
    reading('gnss_heading', ['heading', 'status'], (heading, status) => (status === 0 ? Number.NaN : radians(heading))),
    reading('heading_accuracy', ['heading_accuracy', 'baseline', 'status'], (said, baseline, status) =>
      status === 0 ? Number.NaN : radians(Number.isNaN(said) ? headingAccuracy(baseline) : said),
    ),
  ],
  THS: [
    reading('gnss_heading', ['heading', 'mode'], (heading, mode) =>
      mode === LETTER_V ? Number.NaN : radians(heading),
    ),
  ],
  HDT: [reading('gnss_heading', ['heading'], radians)],
};

/** Sentences about a fix, in order of preference. */
export const GNSS_SENTENCES: readonly string[] = Object.keys(READINGS);
