import type { WireRow } from './wire.ts';

/** How a vehicle moves: degrees, metres, metres a second; NaN where it is not known. */
export interface Motion {
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
  /** Whether the speed over ground is what the vehicle itself says. */
  readonly isSpeedTold: boolean;
  /** When a position came that is better than that of the GPS alone, seconds. */
  readonly placedAt: number;
}

const UNKNOWN = Number.NaN;

export const NO_MOTION: Motion = {
  ...{ lat: UNKNOWN, lon: UNKNOWN, altitude: UNKNOWN, height: UNKNOWN, roll: UNKNOWN, pitch: UNKNOWN, yaw: UNKNOWN },
  ...{ heading: UNKNOWN, course: UNKNOWN, groundSpeed: UNKNOWN, airSpeed: UNKNOWN, climb: UNKNOWN },
  isSpeedTold: false,
  placedAt: Number.NEGATIVE_INFINITY,
};

const DEGREES = 180 / Math.PI;
/** What messages say where they do not know a heading. */
const NO_HEADING = 65535;
const FIX_2D = 2;
/** Seconds after which the position of the GPS is taken where the better one is missing. */
const STALE = 3;
/** Metres a second below which a course is noise. */
const MOVING = 0.5;

/** The motion after one more message, https://mavlink.io/en/messages/common.html */
export function withMessage(motion: Motion, message: string, row: WireRow, time: number): Motion {
  switch (message) {
    case 'ATTITUDE':
      return { ...motion, roll: of(row.roll, DEGREES), pitch: of(row.pitch, DEGREES), yaw: of(row.yaw, DEGREES) };
    case 'GLOBAL_POSITION_INT':
      return positioned(motion, row, time);
    case 'VFR_HUD': {
      const [groundSpeed, airSpeed, climb] = [of(row.groundspeed), of(row.airspeed), of(row.climb)];
      return { ...motion, groundSpeed, airSpeed, climb, isSpeedTold: true };
    }
    case 'GPS_RAW_INT':
      if (time - motion.placedAt < STALE || !(of(row.fix_type) >= FIX_2D)) return motion;
      return { ...motion, ...place(row), altitude: of(row.alt, 1e-3) };
    default:
      return motion;
  }
}

function positioned(motion: Motion, row: WireRow, time: number): Motion {
  const at = place(row);
  if (Number.isNaN(at.lat)) return motion;
  const [north, east] = [of(row.vx, 0.01), of(row.vy, 0.01)];
  const speed = Math.hypot(north, east);
  return {
    ...motion,
    ...at,
    altitude: of(row.alt, 1e-3),
    height: of(row.relative_alt, 1e-3),
    heading: row.hdg === NO_HEADING ? UNKNOWN : of(row.hdg, 0.01),
    course: speed > MOVING ? (Math.atan2(east, north) * DEGREES + 360) % 360 : UNKNOWN,
    groundSpeed: motion.isSpeedTold ? motion.groundSpeed : speed,
    placedAt: time,
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
export function headingOf({ yaw, heading }: Motion): number {
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
