import type { GnssField } from './gnss-reading.ts';

/** Kinds of a fix, as GNSSData numbers them. */
export const GNSS_FIX = {
  NONE: 0,
  '2D': 1,
  '3D': 2,
  DGPS: 3,
  RTK_FLOAT: 4,
  RTK_FIXED: 5,
  PPP: 6,
  /** Entered by hand or by a survey: quality 7, mode M. */
  STATIC: 7,
} as const;

/** Bits of the flags of GNSSData. */
export const GNSS_FLAGS = {
  /** Latitude and longitude of a fix. */
  POSITION_VALID: 0x01,
  /** A speed over ground, with or without a course. */
  VELOCITY_VALID: 0x02,
  /** A heading, which is not the course. */
  HEADING_VALID: 0x04,
  /** A horizontal accuracy in metres. */
  ACCURACY_VALID: 0x08,
  /** The receiver says that it has a fix, of whatever kind. */
  FIX_VALID: 0x10,
  RTK_FIXED: 0x20,
  RTK_FLOAT: 0x40,
  DGPS_CORRECTION: 0x80,
} as const;

const WORTH = GNSS_FLAGS.POSITION_VALID | GNSS_FLAGS.VELOCITY_VALID | GNSS_FLAGS.HEADING_VALID;

/** Whether a fix has a position, a velocity or a heading that the receiver calls valid. */
export function isValidGnss({ flags }: { readonly flags: number }): boolean {
  return (flags & WORTH) !== 0;
}

/** What sentences said of a fix; NaN if they said nothing. */
export interface FixHints {
  /** Of GGA. */
  readonly quality: number;
  /** The letter's code of RMC, GNS, VTG or GLL. */
  readonly mode: number;
  /** A or V, its code. */
  readonly status: number;
  /** Of GSA: 1 none, 2 or 3 dimensions. */
  readonly dimensions: number;
  readonly hasAltitude: boolean;
}

const BY_QUALITY: Readonly<Record<number, number>> = {
  0: GNSS_FIX.NONE,
  2: GNSS_FIX.DGPS,
  4: GNSS_FIX.RTK_FIXED,
  5: GNSS_FIX.RTK_FLOAT,
  7: GNSS_FIX.STATIC,
};

const BY_MODE: Readonly<Record<string, number>> = {
  N: GNSS_FIX.NONE,
  D: GNSS_FIX.DGPS,
  R: GNSS_FIX.RTK_FIXED,
  F: GNSS_FIX.RTK_FLOAT,
  P: GNSS_FIX.PPP,
  M: GNSS_FIX.STATIC,
};

const [LETTER_A, LETTER_N, LETTER_V] = [65, 78, 86];

/** The kind of a fix; NaN if unknown. Status and mode (RMC, VTG, GLL) say that there is one, not its dimensions. */
export function fixType({ quality, mode, status, dimensions, hasAltitude }: FixHints): number {
  const isFlat = dimensions === 2 || (dimensions !== 3 && !hasAltitude && !Number.isNaN(quality));
  const isSolid = dimensions === 3 || hasAltitude;
  const dimensional = isFlat ? GNSS_FIX['2D'] : isSolid ? GNSS_FIX['3D'] : Number.NaN;
  if (!Number.isNaN(quality)) return BY_QUALITY[quality] ?? dimensional;
  if (status === LETTER_V) return GNSS_FIX.NONE;
  if (!Number.isNaN(mode)) return BY_MODE[String.fromCharCode(mode)] ?? dimensional;
  if (status === LETTER_A) return dimensional;
  return dimensions === 1 ? GNSS_FIX.NONE : dimensions > 1 ? dimensional : Number.NaN;
}

/** Whether the receiver says that it has a fix, of whatever kind. */
export function isFixed({ quality, mode, status, dimensions }: FixHints): boolean {
  if (!Number.isNaN(quality)) return quality > 0;
  if (status === LETTER_V) return false;
  if (!Number.isNaN(mode)) return mode !== LETTER_N;
  return status === LETTER_A || dimensions > 1;
}

/** A field by its name; NaN if unknown. */
type ValueOf = (told: GnssField) => number;

/** What follows from speed and course, or from the velocities, where it is missing: the field, its value, and its source. */
export function projected(value: ValueOf): [told: GnssField, value: number, from: GnssField][] {
  const [speed, course] = [value('ground_speed'), value('course_over_ground')];
  const [north, east] = [value('velocity_north'), value('velocity_east')];
  if (Number.isNaN(north + east)) {
    // a receiver at rest has no course, and needs none
    const direction = speed === 0 && Number.isNaN(course) ? 0 : course;
    if (Number.isNaN(speed + direction)) return [];
    return [
      ['velocity_north', speed * Math.cos(direction), 'ground_speed'],
      ['velocity_east', speed * Math.sin(direction), 'ground_speed'],
    ];
  }
  const found: [GnssField, number, GnssField][] = [];
  if (Number.isNaN(speed)) found.push(['ground_speed', Math.hypot(north, east), 'velocity_north']);
  if (Number.isNaN(course) && (north !== 0 || east !== 0)) {
    const angle = Math.atan2(east, north);
    found.push(['course_over_ground', angle < 0 ? angle + 2 * Math.PI : angle, 'velocity_north']);
  }
  return found;
}

export function flagsOf(value: ValueOf, hasFix: boolean): number {
  const knows = (...told: GnssField[]): boolean => told.every((each) => !Number.isNaN(value(each)));
  const kind = value('fix_type');
  let flags = 0;
  if (knows('latitude', 'longitude')) flags |= GNSS_FLAGS.POSITION_VALID;
  if (knows('ground_speed')) flags |= GNSS_FLAGS.VELOCITY_VALID;
  if (knows('gnss_heading')) flags |= GNSS_FLAGS.HEADING_VALID;
  if (knows('horizontal_accuracy')) flags |= GNSS_FLAGS.ACCURACY_VALID;
  if (hasFix) flags |= GNSS_FLAGS.FIX_VALID;
  if (kind === GNSS_FIX.RTK_FIXED) flags |= GNSS_FLAGS.RTK_FIXED;
  if (kind === GNSS_FIX.RTK_FLOAT) flags |= GNSS_FLAGS.RTK_FLOAT;
  if (kind === GNSS_FIX.DGPS) flags |= GNSS_FLAGS.DGPS_CORRECTION;
  return flags;
}
