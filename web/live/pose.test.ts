import { describe, expect, test } from 'vitest';
import { headingOf, NO_POSE, wayTo, withMessage } from './pose.ts';

describe('motion of a vehicle', () => {
  test('is in degrees, metres and metres a second', () => {
    let motion = withMessage(NO_POSE, 'ATTITUDE', { roll: Math.PI / 6, pitch: -Math.PI / 4, yaw: -Math.PI / 2 }, 1);
    const row = { lat: -353632620, lon: 1491652370, alt: 584_000, relative_alt: 12_340, vx: 0, vy: -300, hdg: 26_900 };
    motion = withMessage(motion, 'GLOBAL_POSITION_INT', row, 1);
    expect(motion.roll).toBeCloseTo(30, 9);
    expect(motion.pitch).toBeCloseTo(-45, 9);
    expect(headingOf(motion)).toBeCloseTo(270, 9);
    expect(motion.lat).toBeCloseTo(-35.363262, 9);
    expect([motion.altitude, motion.height, motion.groundSpeed, motion.course]).toEqual([584, 12.34, 3, 270]);
  });

  test('takes the position of the GPS only where there is no better one, and none of 0 and 0', () => {
    const gps = { fix_type: 3, lat: 10_000_000, lon: 20_000_000, alt: 5000 };
    expect(withMessage(NO_POSE, 'GPS_RAW_INT', gps, 1)).toMatchObject({ lat: 1, lon: 2, altitude: 5 });
    expect(withMessage(NO_POSE, 'GPS_RAW_INT', { ...gps, fix_type: 1 }, 1).lat).toBeNaN();
    expect(withMessage(NO_POSE, 'GLOBAL_POSITION_INT', { lat: 0, lon: 0 }, 1).lat).toBeNaN();
    const placed = withMessage(NO_POSE, 'GLOBAL_POSITION_INT', { lat: 5e7, lon: 6e7 }, 10);
    expect(withMessage(placed, 'GPS_RAW_INT', gps, 11).lat).toBeCloseTo(5, 12);
    expect(withMessage(placed, 'GPS_RAW_INT', gps, 14).lat).toBeCloseTo(1, 12);
  });

  test('forgets what the next best source does not say: no height, air speed or climb of before is shown', () => {
    const row = { lat: 5e7, lon: 6e7, alt: 500_000, relative_alt: 20_000, hdg: 9000, vx: 300, vy: 0, vz: -150 };
    const hud = { groundspeed: 2.1, airspeed: 3, climb: 0.5 };
    let motion = withMessage(withMessage(NO_POSE, 'VFR_HUD', hud, 9.75), 'GLOBAL_POSITION_INT', row, 9.75);
    motion = withMessage(withMessage(motion, 'VFR_HUD', hud, 10), 'GLOBAL_POSITION_INT', row, 10);
    // three intervals of 0.25 s
    expect(withMessage(motion, 'GLOBAL_POSITION_INT', row, 10.7)).toMatchObject({ groundSpeed: 2.1, airSpeed: 3 });
    expect(withMessage(motion, 'GLOBAL_POSITION_INT', row, 10.8)).toMatchObject({ airSpeed: Number.NaN, climb: 1.5 });
    const gps = { fix_type: 3, lat: 10_000_000, lon: 20_000_000, alt: 5000 };
    expect(withMessage(motion, 'GPS_RAW_INT', gps, 10.7)).toMatchObject({ altitude: 500, height: 20 });
    const alone = { altitude: 5, height: Number.NaN, heading: Number.NaN, course: Number.NaN };
    expect(withMessage(motion, 'GPS_RAW_INT', gps, 10.8)).toMatchObject(alone);
  });

  test('takes the speed that the vehicle says, and that of its position when it no longer says it', () => {
    const row = { lat: 1e7, lon: 1e7, vx: 590, vy: 0 };
    let motion = withMessage(NO_POSE, 'VFR_HUD', { groundspeed: 2.1, airspeed: 3, climb: 0 }, 10);
    motion = withMessage(motion, 'GLOBAL_POSITION_INT', row, 11);
    expect(motion.groundSpeed).toBe(2.1);
    expect(withMessage(motion, 'GLOBAL_POSITION_INT', row, 14).groundSpeed).toBeCloseTo(5.9, 9);
  });

  test('what a vehicle does not know is not known', () => {
    const row = { lat: 1e7, lon: 1e7, hdg: 65535, alt: null, vx: null, vy: null };
    const motion = withMessage(NO_POSE, 'GLOBAL_POSITION_INT', row, 1);
    expect([motion.altitude, motion.heading, motion.course, motion.groundSpeed]).toEqual(Array(4).fill(Number.NaN));
  });

  test('ways are those of the globe, across the date line too', () => {
    expect(wayTo({ lat: 0, lon: 0 }, { lat: 1, lon: 0 }).distance).toBeCloseTo(111_195, 0);
    const way = wayTo({ lat: 0, lon: 179.999 }, { lat: 0, lon: -179.999 });
    expect(way.distance).toBeCloseTo(222.4, 1);
    expect(way.bearing).toBeCloseTo(90, 6);
  });
});
