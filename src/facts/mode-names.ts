/** Kinds of vehicle with different mode numbers. */
export type VehicleClass = 'Copter' | 'Plane' | 'Rover' | 'Sub' | 'Tracker' | 'Blimp';

/** ArduPilot's mode numbers as its users know them. */
const MODES: Readonly<Record<VehicleClass, readonly string[]>> = {
  Copter: numbered(`
    0 STABILIZE, 1 ACRO, 2 ALT_HOLD, 3 AUTO, 4 GUIDED, 5 LOITER, 6 RTL, 7 CIRCLE, 8 POSITION, 9 LAND, 10 OF_LOITER,
    11 DRIFT, 13 SPORT, 14 FLIP, 15 AUTOTUNE, 16 POSHOLD, 17 BRAKE, 18 THROW, 19 AVOID_ADSB, 20 GUIDED_NOGPS,
    21 SMART_RTL, 22 FLOWHOLD, 23 FOLLOW, 24 ZIGZAG, 25 SYSTEMID, 26 AUTOROTATE, 27 AUTO_RTL, 28 TURTLE, 29 RATE_ACRO`),
  Plane: numbered(`
    0 MANUAL, 1 CIRCLE, 2 STABILIZE, 3 TRAINING, 4 ACRO, 5 FBWA, 6 FBWB, 7 CRUISE, 8 AUTOTUNE, 10 AUTO, 11 RTL,
    12 LOITER, 13 TAKEOFF, 14 AVOID_ADSB, 15 GUIDED, 16 INITIALISING, 17 QSTABILIZE, 18 QHOVER, 19 QLOITER, 20 QLAND,
    21 QRTL, 22 QAUTOTUNE, 23 QACRO, 24 THERMAL, 25 LOITER_ALT_QLAND, 26 AUTOLAND`),
  Rover: numbered(`
    0 MANUAL, 1 ACRO, 2 LEARNING, 3 STEERING, 4 HOLD, 5 LOITER, 6 FOLLOW, 7 SIMPLE, 8 DOCK, 9 CIRCLE, 10 AUTO, 11 RTL,
    12 SMART_RTL, 15 GUIDED, 16 INITIALISING`),
  Sub: numbered(`
    0 STABILIZE, 1 ACRO, 2 ALT_HOLD, 3 AUTO, 4 GUIDED, 7 CIRCLE, 9 SURFACE, 16 POSHOLD, 19 MANUAL, 20 MOTOR_DETECT,
    21 SURFTRAK`),
  Tracker: numbered(`
    0 MANUAL, 1 STOP, 2 SCAN, 3 SERVOTEST, 4 GUIDED, 10 AUTO, 16 INITIALISING`),
  Blimp: numbered(`
    0 LAND, 1 MANUAL, 2 VELOCITY, 3 LOITER, 4 RTL, 5 AUTO, 6 HOLD`),
};

/** Names with their numbers, as a list. */
function numbered(text: string): string[] {
  const names: string[] = [];
  for (const [, number, name] of text.matchAll(/(\d+) ([^,]+)/g)) names[Number(number)] = name;
  return names;
}

/** The name of a mode; a number that is not known stays visible as it is. */
export function modeName(vehicle: VehicleClass | null, mode: number): string {
  return (vehicle && MODES[vehicle][mode]) ?? `MODE(${mode})`;
}

/*
 * PX4 packs two numbers into its mode, https://docs.px4.io/main/en/mavlink/
 *
 *     bits 0 ... 15   16 ... 23   24 ... 31
 *     reserved        main mode   what it does within that
 */
const PX4_MODES: readonly string[] = numbered(`
  1 MANUAL, 2 ALTCTL, 3 POSCTL, 4 AUTO, 5 ACRO, 6 OFFBOARD, 7 STABILIZED, 8 RATTITUDE, 9 SIMPLE, 10 TERMINATION,
  11 ALTITUDE_CRUISE`);
const PX4_AUTO: readonly string[] = numbered(`
  1 READY, 2 TAKEOFF, 3 LOITER, 4 MISSION, 5 RTL, 6 LAND, 7 RTGS, 8 FOLLOW_TARGET, 9 PRECLAND, 10 VTOL_TAKEOFF,
  11 EXTERNAL1, 12 EXTERNAL2, 13 EXTERNAL3, 14 EXTERNAL4, 15 EXTERNAL5, 16 EXTERNAL6, 17 EXTERNAL7, 18 EXTERNAL8,
  19 GUIDED_COURSE, 20 DESCEND`);
const PX4_POSITION: readonly string[] = ['', 'ORBIT', 'Position Slow'];

/** vehicle_status.nav_state, by the names of the same modes in heartbeats. */
const PX4_STATES: readonly string[] = numbered(`
  0 MANUAL, 1 ALTCTL, 2 POSCTL, 3 AUTO_MISSION, 4 AUTO_LOITER, 5 AUTO_RTL, 6 Position Slow, 7 AUTO_GUIDED_COURSE,
  8 ALTITUDE_CRUISE, 10 ACRO, 12 AUTO_DESCEND, 13 TERMINATION, 14 OFFBOARD, 15 STABILIZED, 17 AUTO_TAKEOFF,
  18 AUTO_LAND, 19 AUTO_FOLLOW_TARGET, 20 AUTO_PRECLAND, 21 ORBIT, 22 AUTO_VTOL_TAKEOFF, 23 AUTO_EXTERNAL1,
  24 AUTO_EXTERNAL2, 25 AUTO_EXTERNAL3, 26 AUTO_EXTERNAL4, 27 AUTO_EXTERNAL5, 28 AUTO_EXTERNAL6, 29 AUTO_EXTERNAL7,
  30 AUTO_EXTERNAL8`);
/** What the numbers were before the version in thousands: 1010 is 1.10. */
const PX4_OLD_STATES: readonly (readonly [state: number, until: number, name: string])[] = [
  [6, 1010, 'AUTO_RCRECOVER'],
  [7, 1010, 'AUTO_RTGS'],
  [8, 1013, 'AUTO_LANDENGFAIL'],
  [9, 1012, 'AUTO_LANDGPSFAIL'],
  [16, 1011, 'RATTITUDE'],
];

/** The name of a PX4 navigation state, else its number. @param version '1.13.1'; null means a new one */
export function px4StateName(state: number, version: string | null): string {
  const [major, minor] = (version ?? '').split('.').map(Number);
  const release =
    Number.isNaN(major * 1000 + minor) || minor === undefined ? Number.POSITIVE_INFINITY : major * 1000 + minor;
  const old = PX4_OLD_STATES.find(([number, until]) => number === state && release <= until);
  return old?.[2] ?? (PX4_STATES[state] || modeName(null, state));
}

/** The name of a mode of PX4; what is not known stays visible as a number. */
export function px4ModeName(mode: number): string {
  const sub = mode >>> 24;
  const name = PX4_MODES[(mode >>> 16) & 0xff];
  if (!name) return modeName(null, mode);
  if (name === 'AUTO') return PX4_AUTO[sub] ? `AUTO_${PX4_AUTO[sub]}` : `AUTO(${sub})`;
  return (name === 'POSCTL' && PX4_POSITION[sub]) || name;
}
