import type { WireRow } from '../../src/server/wire.ts';

/** How a vehicle moves: degrees, metres, metres a second; NaN where it is not known. */
export interface VehiclePose {
  readonly lat: number;
  readonly lon: number;
  /** Above the sea, and above home. */
  readonly altitude: number;
  readonly height: number;
  readonly roll: number;
  readonly pitch: number;
  readonly yaw: number;
  /** Where the message about the position says that it points to. */
  readonly heading: number;
  readonly course: number;
  readonly groundSpeed: number;
  readonly airSpeed: number;
  readonly climb: number;
  /** When the vehicle itself sent its speed, and until when it holds, seconds. */
  readonly speedAt: number;
  readonly speedUntil: number;
  /** The same of a position that is better than that of the GPS alone. */
  readonly placedAt: number;
  readonly placedUntil: number;
}

const UNKNOWN = Number.NaN;

export const NO_POSE: VehiclePose = {
  ...{ lat: UNKNOWN, lon: UNKNOWN, altitude: UNKNOWN, height: UNKNOWN, roll: UNKNOWN, pitch: UNKNOWN, yaw: UNKNOWN },
  ...{ heading: UNKNOWN, course: UNKNOWN, groundSpeed: UNKNOWN, airSpeed: UNKNOWN, climb: UNKNOWN },
  ...{ speedAt: Number.NEGATIVE_INFINITY, speedUntil: Number.NEGATIVE_INFINITY },
  ...{ placedAt: Number.NEGATIVE_INFINITY, placedUntil: Number.NEGATIVE_INFINITY },
};

const DEGREES = 180 / Math.PI;
/** What messages say where they do not know a heading. */
const NO_HEADING = 65535;
const FIX_2D = 2;
/** Intervals, within these limits in seconds, after which the next best source of position and speed is taken. */
const INTERVALS = 3;
const SHORTEST = 0.3;
const LONGEST = 3;
/** Metres a second below which a course is noise. */
const MOVING = 0.5;

/** The motion after one more message, https://mavlink.io/en/messages/common.html */
export function withMessage(motion: VehiclePose, message: string, row: WireRow, time: number): VehiclePose {
  switch (message) {
    case 'ATTITUDE':
      return { ...motion, roll: of(row.roll, DEGREES), pitch: of(row.pitch, DEGREES), yaw: of(row.yaw, DEGREES) };
    case 'GLOBAL_POSITION_INT':
      return positioned(motion, row, time);
    case 'VFR_HUD': {
      const [groundSpeed, airSpeed, climb] = [of(row.groundspeed), of(row.airspeed), of(row.climb)];
      return { ...motion, groundSpeed, airSpeed, climb, speedAt: time, speedUntil: until(motion.speedAt, time) };
    }
    case 'GPS_RAW_INT':
      if (time < motion.placedUntil || !(of(row.fix_type) >= FIX_2D)) return motion;
      // it says nothing of the height above home, nor of where the vehicle points to
      return { ...motion, ...NO_PLACE, ...place(row), altitude: of(row.alt, 1e-3) };
    default:
      return motion;
  }
}

const NO_PLACE = { height: UNKNOWN, heading: UNKNOWN, course: UNKNOWN };

/** Until when what came now holds. */
function until(before: number, now: number): number {
  return now + Math.min(LONGEST, Math.max(SHORTEST, INTERVALS * (now - before)));
}

function positioned(motion: VehiclePose, row: WireRow, time: number): VehiclePose {
  const at = place(row);
  if (Number.isNaN(at.lat)) return motion;
  const [north, east] = [of(row.vx, 0.01), of(row.vy, 0.01)];
  const speed = Math.hypot(north, east);
  // without an air speed
  const velocity = { groundSpeed: speed, airSpeed: UNKNOWN, climb: 0 - of(row.vz, 0.01) };
  return {
    ...motion,
    ...at,
    altitude: of(row.alt, 1e-3),
    height: of(row.relative_alt, 1e-3),
    heading: row.hdg === NO_HEADING ? UNKNOWN : of(row.hdg, 0.01),
    course: speed > MOVING ? (Math.atan2(east, north) * DEGREES + 360) % 360 : UNKNOWN,
    ...(time < motion.speedUntil ? {} : velocity),
    placedAt: time,
    placedUntil: until(motion.placedAt, time),
  };
}

/** 0 and 0 are what a vehicle says that does not know where it is. */
function place({ lat, lon }: WireRow): { lat: number; lon: number } {
  const [north, east] = [of(lat, 1e-7), of(lon, 1e-7)];
  const isPlace = (north !== 0 || east !== 0) && Math.abs(north) <= 90 && Math.abs(east) <= 180;
  return isPlace ? { lat: north, lon: east } : { lat: UNKNOWN, lon: UNKNOWN };
}

function of(value: unknown, factor = 1): number {
  return typeof value === 'number' ? value * factor : UNKNOWN;
}

/** Where it points to, by the best that it says. */
export function headingOf({ yaw, heading }: VehiclePose): number {
  return Number.isNaN(yaw) ? heading : (yaw + 360) % 360;
}

/** Metres, and degrees from north, from one place to another over short ways; NaN where one is not known. */
export function wayTo(
  from: { readonly lat: number; readonly lon: number },
  to: { readonly lat: number; readonly lon: number },
): { distance: number; bearing: number } {
  const METRES = 111_194.9;
  const east = (((to.lon - from.lon + 540) % 360) - 180) * METRES * Math.cos((from.lat + to.lat) / 2 / DEGREES);
  const north = (to.lat - from.lat) * METRES;
  return { distance: Math.hypot(north, east), bearing: (Math.atan2(east, north) * DEGREES + 360) % 360 };
}
