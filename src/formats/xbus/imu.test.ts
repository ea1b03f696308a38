import { describe, expect, test } from 'vitest';
import { eulerOfMatrix, IMU_FLAGS, type ImuInput, imuOf, isValidImu, normalize, qualityOf, turnToNed } from './imu.ts';

const NO = [Number.NaN, Number.NaN, Number.NaN];

const empty: ImuInput = {
  ticks: Number.NaN,
  counter: Number.NaN,
  status: Number.NaN,
  acceleration: NO,
  rateOfTurn: NO,
  magneticField: NO,
  temperature: Number.NaN,
  quaternion: [...NO, Number.NaN],
  quaternionFrame: 'NED',
  euler: NO,
  matrix: { a: Number.NaN, b: Number.NaN, c: Number.NaN, e: Number.NaN, f: Number.NaN, h: Number.NaN, i: Number.NaN },
  isFresh: true,
};

/** The matrix of roll, pitch and yaw, as the wire names its numbers. */
function matrixOf(roll: number, pitch: number, yaw: number): ImuInput['matrix'] {
  const [sr, cr, sp, cp, sy, cy] = [roll, pitch, yaw].flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
  return {
    a: cp * cy,
    b: cp * sy,
    c: -sp,
    e: sr * sp * sy + cr * cy,
    f: sr * cp,
    h: cr * sp * sy - sr * cy,
    i: cr * cp,
  };
}

/** The quaternion of roll, pitch and yaw. */
function quaternionOf(roll: number, pitch: number, yaw: number): number[] {
  const [sr, cr, sp, cp, sy, cy] = [roll, pitch, yaw].flatMap((angle) => [Math.sin(angle / 2), Math.cos(angle / 2)]);
  return [
    cr * cp * cy + sr * sp * sy,
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
  ];
}

/** A vector of the body in the local frame. */
function rotate([w, x, y, z]: ArrayLike<number> & Iterable<number>, [a, b, c]: readonly number[]): number[] {
  return [
    (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - w * z) * b + 2 * (x * z + w * y) * c,
    2 * (x * y + w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - w * x) * c,
    2 * (x * z - w * y) * a + 2 * (y * z + w * x) * b + (1 - 2 * (x * x + y * y)) * c,
  ];
}

describe('flags and quality', () => {
  test('nothing is nothing', () => {
    const row = imuOf(empty);
    expect(row.flags).toBe(IMU_FLAGS.DATA_FRESH);
    expect(row.data_quality).toBe(0);
    expect(isValidImu(row)).toBe(false);
    expect(row.accel_x).toBeNaN();
    expect(row.euler_yaw).toBeNaN();
  });

  test('all of it is 100', () => {
    const row = imuOf({
      ...empty,
      ticks: 51_703_123,
      counter: 43_398,
      status: 3,
      acceleration: [1, 2, 3],
      rateOfTurn: [4, 5, 6],
      magneticField: [0.1, 0.2, 0.3],
      temperature: 25,
      quaternion: [2, 0, 0, 0],
      euler: [180, 90, -90],
    });
    expect(row).toEqual({
      schema: 1,
      timestamp_us: 5_170_312_300,
      packet_counter: 43_398,
      flags: 0xff,
      accel_x: 1,
      accel_y: 2,
      accel_z: 3,
      gyro_x: 4,
      gyro_y: 5,
      gyro_z: 6,
      mag_x: 0.1,
      mag_y: 0.2,
      mag_z: 0.3,
      temperature: 25,
      quat_w: 1,
      quat_x: 0,
      quat_y: 0,
      quat_z: 0,
      euler_roll: Math.PI,
      euler_pitch: Math.PI / 2,
      euler_yaw: -Math.PI / 2,
      data_quality: 100,
    });
    expect(isValidImu(row)).toBe(true);
  });

  test.each([
    [IMU_FLAGS.ACCEL_VALID, 30],
    [IMU_FLAGS.GYRO_VALID, 30],
    [IMU_FLAGS.MAG_VALID, 20],
    [IMU_FLAGS.QUATERNION_VALID, 15],
    [IMU_FLAGS.CALIBRATED, 5],
    [IMU_FLAGS.TEMPERATURE_VALID | IMU_FLAGS.DATA_FRESH | IMU_FLAGS.EULER_VALID, 0],
  ])('flags %i are worth %i', (flags, points) => {
    expect(qualityOf(flags)).toBe(points);
  });

  test('one number that is none makes a vector invalid', () => {
    const row = imuOf({ ...empty, acceleration: [1, Number.POSITIVE_INFINITY, 3] });
    expect(row.flags & IMU_FLAGS.ACCEL_VALID).toBe(0);
  });

  test('the magnetic field can be scaled', () => {
    expect(imuOf({ ...empty, magneticField: [1, 0, -1] }, { magneticScale: 48 })).toMatchObject({
      mag_x: 48,
      mag_z: -48,
    });
  });
});

describe('quaternions', () => {
  test.each([
    [[3, 0, 4, 0], [0.6, 0, 0.8, 0], true],
    [[0.05, 0, 0, 0.05], [0.05, 0, 0, 0.05], false],
    [[0, 0, 0, 0], [0, 0, 0, 0], false],
  ])('%j becomes %j', (given, expected, isGood) => {
    const q = new Float64Array(4);
    expect(normalize(q, given[0], given[1], given[2], given[3])).toBe(isGood);
    expect([...q]).toEqual(expected);
  });

  test.each([
    ['ENU', ([east, north, up]: readonly number[]) => [north, east, -up]],
    ['NWU', ([north, west, up]: readonly number[]) => [north, -west, -up]],
    ['NED', (ned: readonly number[]) => [...ned]],
  ] as const)('that lead to %s are turned to north, east, down', (frame, toNed) => {
    const sent = quaternionOf(0.3, -0.7, 2.1);
    const q = Float64Array.from(sent);
    turnToNed(q, frame);
    for (const vector of [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]) {
      const expected = toNed(rotate(sent, vector));
      rotate(q, vector).forEach((value, k) => {
        expect(value).toBeCloseTo(expected[k], 12);
      });
    }
  });

  test('stay as they are sent on request', () => {
    const input: ImuInput = { ...empty, quaternion: [1, 0, 0, 0], quaternionFrame: 'ENU' };
    expect(imuOf(input, { quaternion: 'as-sent' })).toMatchObject({ quat_w: 1, quat_x: 0 });
    expect(imuOf(input).quat_w).toBeCloseTo(0, 12);
    expect(imuOf(input).quat_x).toBeCloseTo(Math.SQRT1_2, 12);
  });
});

describe('angles of a matrix', () => {
  test.each([
    [0, 0, 0],
    [0.3, -0.7, 2.1],
    [-3, 1.5, -2],
    [1, 0.2, 3],
  ])('roll %d, pitch %d, yaw %d come back', (roll, pitch, yaw) => {
    const angles = new Float64Array(3);
    eulerOfMatrix(angles, matrixOf(roll, pitch, yaw));
    [roll, pitch, yaw].forEach((angle, k) => {
      expect(angles[k]).toBeCloseTo(angle, 9);
    });
  });

  test.each([Math.PI / 2, -Math.PI / 2])('at pitch %d all turning is roll', (pitch) => {
    const angles = new Float64Array(3);
    eulerOfMatrix(angles, matrixOf(0.4, pitch, 0));
    expect(angles[0]).toBeCloseTo(0.4, 9);
    expect(angles[1]).toBeCloseTo(pitch, 6);
    expect(angles[2]).toBe(0);
  });

  test('a number just beyond 1 is 1', () => {
    const angles = new Float64Array(3);
    eulerOfMatrix(angles, { ...matrixOf(0, -Math.PI / 2, 0), c: 1.0000001 });
    expect(angles[1]).toBe(-Math.PI / 2);
  });

  test('angles that are sent come before those of the matrix', () => {
    const row = imuOf({ ...empty, euler: [1, 2, 3], matrix: matrixOf(1, 1, 1) });
    expect(row.euler_pitch).toBeCloseTo((2 * Math.PI) / 180, 12);
    expect(imuOf({ ...empty, matrix: matrixOf(1, 1, 1) }).flags & IMU_FLAGS.EULER_VALID).not.toBe(0);
  });
});
