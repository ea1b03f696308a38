import { describe, expect, test } from 'vitest';
import { Random } from '../../../test/suite/random.ts';
import { eulerOfMatrix, IMU_FLAGS, type ImuInput, imuOf, isValidImu, normalize, qualityOf, turn } from './imu.ts';

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
  eulerFrame: 'NED',
  matrix: [...NO, ...NO, ...NO],
  matrixFrame: 'NED',
  isFresh: true,
};

/** The matrix of roll, pitch and yaw, column by column as on the wire. */
function matrixOf(roll: number, pitch: number, yaw: number): number[] {
  const [sr, cr, sp, cp, sy, cy] = [roll, pitch, yaw].flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
  return [
    ...[cp * cy, cp * sy, -sp],
    ...[sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp],
    ...[cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp],
  ];
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
    turn(q, frame, 'NED');
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
    eulerOfMatrix(angles, matrixOf(0, -Math.PI / 2, 0).with(2, 1.0000001));
    expect(angles[1]).toBe(-Math.PI / 2);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('number %i of it that is none leaves no angles', (k) => {
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const row = imuOf({ ...empty, matrix: matrixOf(0.3, -0.7, 2.1).with(k, wrong) });
      expect(row.flags & IMU_FLAGS.EULER_VALID).toBe(0);
      expect(row.euler_roll).toBeNaN();
    }
  });

  test('angles that are sent come before those of the matrix', () => {
    const row = imuOf({ ...empty, euler: [1, 2, 3], matrix: matrixOf(1, 1, 1) });
    expect(row.euler_pitch).toBeCloseTo((2 * Math.PI) / 180, 12);
    expect(imuOf({ ...empty, matrix: matrixOf(1, 1, 1) }).flags & IMU_FLAGS.EULER_VALID).not.toBe(0);
  });
});

describe('quaternion and angles of one row are in one frame', () => {
  const [roll, pitch, yaw] = [0.3, -0.7, 2.1];
  const quaternion = quaternionOf(roll, pitch, yaw);
  const euler = [roll, pitch, yaw].map((angle) => (angle * 180) / Math.PI);
  const matrix = matrixOf(roll, pitch, yaw);
  const frames = ['ENU', 'NED', 'NWU'] as const;
  const cases = frames.flatMap((quaternionFrame) =>
    frames.flatMap((frame) =>
      [undefined, 'ned' as const, 'as-sent' as const].map((option) => ({ quaternionFrame, frame, option })),
    ),
  );

  test.each(cases)('$quaternionFrame beside $frame, $option', ({ quaternionFrame, frame, option }) => {
    // the same attitude, told in two frames
    const told = Float64Array.from(quaternion);
    turn(told, frame, quaternionFrame);
    const sent = { ...empty, quaternion: told, quaternionFrame, eulerFrame: frame, matrixFrame: frame };
    for (const more of [{ euler }, { matrix }]) {
      const row = imuOf({ ...sent, ...more }, { quaternion: option });
      expect(row.flags & (IMU_FLAGS.QUATERNION_VALID | IMU_FLAGS.EULER_VALID)).toBe(0x90);
      const again = quaternionOf(row.euler_roll, row.euler_pitch, row.euler_yaw);
      const found = [row.quat_w, row.quat_x, row.quat_y, row.quat_z];
      const dot = again.reduce((sum, value, k) => sum + value * found[k], 0);
      expect(Math.abs(dot)).toBeCloseTo(1, 12);
      // and in the frame that was asked for
      const expected = Float64Array.from(quaternion);
      turn(expected, frame, option === 'ned' ? 'NED' : option === 'as-sent' ? quaternionFrame : frame);
      expect(Math.abs(found.reduce((sum, value, k) => sum + value * expected[k], 0))).toBeCloseTo(1, 12);
    }
  });

  test('angles alone stay as they are sent', () => {
    expect(imuOf({ ...empty, euler, eulerFrame: 'ENU' }, { quaternion: 'ned' }).euler_roll).toBeCloseTo(roll, 12);
  });
});

test('angles and a quaternion of one attitude are turned to the same frame, or kept', () => {
  const random = new Random(3);
  for (let run = 0; run < 200; run++) {
    const sent = Array.from({ length: 3 }, (_, k) => (random.below(2001) / 1000 - 1) * (k === 1 ? 1.4 : Math.PI));
    const quaternion = quaternionOf(sent[0], sent[1], sent[2]);
    const euler = sent.map((angle) => (angle * 180) / Math.PI);
    for (const frame of ['ENU', 'NED', 'NWU'] as const) {
      const input = { ...empty, quaternion, quaternionFrame: frame, euler, eulerFrame: frame };
      const row = imuOf(input, { quaternion: 'ned' });
      const [w, x, y, z] = [row.quat_w, row.quat_x, row.quat_y, row.quat_z];
      expect(Math.sin(row.euler_pitch)).toBeCloseTo(2 * (w * y - z * x), 9);
      const tangents = [
        [row.euler_roll, 2 * (w * x + y * z), 1 - 2 * (x * x + y * y)],
        [row.euler_yaw, 2 * (w * z + x * y), 1 - 2 * (y * y + z * z)],
      ];
      for (const [angle, sine, cosine] of tangents) {
        expect(Math.cos(angle - Math.atan2(sine, cosine))).toBeCloseTo(1, 9);
      }
      const kept = imuOf(input, { quaternion: 'as-sent' });
      expect([kept.euler_roll, kept.euler_pitch, kept.euler_yaw]).toEqual(
        sent.map((angle) => expect.closeTo(angle, 9)),
      );
      expect([kept.quat_w, kept.quat_z]).toEqual([expect.closeTo(quaternion[0], 9), expect.closeTo(quaternion[3], 9)]);
    }
  }
});

test('any part of a motion is enough for a row to be valid, and nothing else is', () => {
  const valid = Object.entries(IMU_FLAGS).filter(([, flags]) => isValidImu({ flags }));
  expect(valid.map(([name]) => name).join(' ')).toBe('ACCEL_VALID GYRO_VALID MAG_VALID QUATERNION_VALID EULER_VALID');
  expect(Object.values(IMU_FLAGS)).toEqual([1, 2, 4, 8, 16, 32, 64, 128]);
  expect(Object.values(IMU_FLAGS).map(qualityOf)).toEqual([30, 30, 20, 0, 15, 5, 0, 0]);
});
