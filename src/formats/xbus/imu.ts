import type { LocalFrame } from './schema.ts';
import { FILTER_VALID } from './status.ts';

/** What a row of IMU data says is valid. */
export const IMU_FLAGS = {
  ACCEL_VALID: 0x01,
  GYRO_VALID: 0x02,
  MAG_VALID: 0x04,
  TEMPERATURE_VALID: 0x08,
  QUATERNION_VALID: 0x10,
  CALIBRATED: 0x20,
  DATA_FRESH: 0x40,
  EULER_VALID: 0x80,
} as const;

/** What each valid part of a row is worth, 100 in all. */
const QUALITY: readonly (readonly [flag: number, points: number])[] = [
  [IMU_FLAGS.ACCEL_VALID, 30],
  [IMU_FLAGS.GYRO_VALID, 30],
  [IMU_FLAGS.MAG_VALID, 20],
  [IMU_FLAGS.QUATERNION_VALID, 15],
  [IMU_FLAGS.CALIBRATED, 5],
];

const MOTION =
  IMU_FLAGS.ACCEL_VALID |
  IMU_FLAGS.GYRO_VALID |
  IMU_FLAGS.MAG_VALID |
  IMU_FLAGS.QUATERNION_VALID |
  IMU_FLAGS.EULER_VALID;

export const IMU_SCHEMA = 1;

/** The fields of a row of IMU data, in order. */
export const IMU_FIELDS = [
  'schema',
  'timestamp_us',
  'packet_counter',
  'flags',
  'accel_x',
  'accel_y',
  'accel_z',
  'gyro_x',
  'gyro_y',
  'gyro_z',
  'mag_x',
  'mag_y',
  'mag_z',
  'temperature',
  'quat_w',
  'quat_x',
  'quat_y',
  'quat_z',
  'euler_roll',
  'euler_pitch',
  'euler_yaw',
  'data_quality',
] as const;

export type ImuField = (typeof IMU_FIELDS)[number];

/**
 * One packet as a row of IMU data: m/s², rad/s, °C, radians; NaN for what the packet does not hold. The timestamp is the
 * device's own, in microseconds, which are more than 32 bits hold after seven minutes.
 */
export type ImuData = Readonly<Record<ImuField, number>>;

export interface ImuOptions {
  /**
   * The frame that the quaternion leads to: 'ned' turns quaternions that are sent in another local frame, 'as-sent' leaves
   * them. Euler angles stay in the frame that they are sent in.
   */
  readonly quaternion?: 'ned' | 'as-sent' | undefined;
  /** Microtesla of one unit of the magnetic field, which devices send relative to where they were calibrated. */
  readonly magneticScale?: number | undefined;
}

/** The numbers of a rotation matrix that its angles follow from. */
export type MatrixInput = Readonly<Record<'a' | 'b' | 'c' | 'e' | 'f' | 'h' | 'i', number>>;

/** What one packet says, as it says it: NaN for what it does not. */
export interface ImuInput {
  readonly ticks: number;
  readonly counter: number;
  readonly status: number;
  readonly acceleration: ArrayLike<number>;
  readonly rateOfTurn: ArrayLike<number>;
  readonly magneticField: ArrayLike<number>;
  readonly temperature: number;
  readonly quaternion: ArrayLike<number>;
  readonly quaternionFrame: LocalFrame;
  /** Degrees. */
  readonly euler: ArrayLike<number>;
  /** The nine numbers by their names. */
  readonly matrix: MatrixInput;
  readonly isFresh: boolean;
}

/** Degrees to radians. */
export const RADIANS: number = Math.PI / 180;
const TICK_MICROS = 100;

/** Makes the row of a packet. */
export function imuOf(input: ImuInput, { quaternion = 'ned', magneticScale = 1 }: ImuOptions = {}): ImuData {
  const { acceleration, rateOfTurn, magneticField, temperature } = input;
  const q = new Float64Array(4);
  const isUnit = normalize(q, input.quaternion[0], input.quaternion[1], input.quaternion[2], input.quaternion[3]);
  if (isUnit && quaternion === 'ned') turnToNed(q, input.quaternionFrame);
  const angles = new Float64Array(3);
  if (areFinite(input.euler)) angles.set(Array.from(input.euler, (angle) => angle * RADIANS));
  else eulerOfMatrix(angles, input.matrix);
  let flags = input.isFresh ? IMU_FLAGS.DATA_FRESH : 0;
  if (areFinite(acceleration)) flags |= IMU_FLAGS.ACCEL_VALID;
  if (areFinite(rateOfTurn)) flags |= IMU_FLAGS.GYRO_VALID;
  if (areFinite(magneticField)) flags |= IMU_FLAGS.MAG_VALID;
  if (Number.isFinite(temperature)) flags |= IMU_FLAGS.TEMPERATURE_VALID;
  if (isUnit) flags |= IMU_FLAGS.QUATERNION_VALID;
  if (areFinite(angles)) flags |= IMU_FLAGS.EULER_VALID;
  if (input.status & FILTER_VALID) flags |= IMU_FLAGS.CALIBRATED;
  return {
    schema: IMU_SCHEMA,
    timestamp_us: input.ticks * TICK_MICROS,
    packet_counter: input.counter,
    flags,
    accel_x: acceleration[0],
    accel_y: acceleration[1],
    accel_z: acceleration[2],
    gyro_x: rateOfTurn[0],
    gyro_y: rateOfTurn[1],
    gyro_z: rateOfTurn[2],
    mag_x: magneticField[0] * magneticScale,
    mag_y: magneticField[1] * magneticScale,
    mag_z: magneticField[2] * magneticScale,
    temperature,
    quat_w: q[0],
    quat_x: q[1],
    quat_y: q[2],
    quat_z: q[3],
    euler_roll: angles[0],
    euler_pitch: angles[1],
    euler_yaw: angles[2],
    data_quality: qualityOf(flags),
  };
}

function areFinite(values: ArrayLike<number>): boolean {
  for (let k = 0; k < values.length; k++) if (!Number.isFinite(values[k])) return false;
  return true;
}

/** Whether a row says anything about how the device moves or stands. */
export function isValidImu({ flags }: Pick<ImuData, 'flags'>): boolean {
  return (flags & MOTION) !== 0;
}

/** How much of a row is there: from 0 to 100. */
export function qualityOf(flags: number): number {
  let sum = 0;
  for (const [flag, points] of QUALITY) if (flags & flag) sum += points;
  return sum;
}

/** Numbers that a kernel writes to, used again for every row. */
export type Out = Float64Array;

/** Makes a quaternion of length 1; false where it is too short, or no quaternion, to be made one. */
export function normalize(out: Out, w: number, x: number, y: number, z: number): boolean {
  const norm = Math.sqrt(w * w + x * x + y * y + z * z);
  const isGood = norm > 0.1 && Number.isFinite(norm);
  const divisor = isGood ? norm : 1;
  out[0] = w / divisor;
  out[1] = x / divisor;
  out[2] = y / divisor;
  out[3] = z / divisor;
  return isGood;
}

/**
 * Turns a rotation from the body to a local frame into one to north, east, down: by half a turn about the line between
 * north and east (ENU), or about north (NWU).
 */
export function turnToNed(q: Out, frame: LocalFrame): void {
  const [w, x, y, z] = q;
  if (frame === 'ENU') {
    q[0] = -Math.SQRT1_2 * (x + y);
    q[1] = Math.SQRT1_2 * (w + z);
    q[2] = Math.SQRT1_2 * (w - z);
    q[3] = Math.SQRT1_2 * (y - x);
  } else if (frame === 'NWU') {
    q[0] = -x;
    q[1] = w;
    q[2] = -z;
    q[3] = y;
  }
}

/**
 * Roll, pitch and yaw (turned in the order yaw, pitch, roll) of a rotation matrix, in radians. The wire has it by columns,
 * of which these are asked for:
 *
 *     r11 r12 r13     a d g
 *     r21 r22 r23  =  b e h
 *     r31 r32 r33     c f i
 */
export function eulerOfMatrix(out: Out, { a, b, c, e, f, h, i }: MatrixInput): void {
  const pitch = Math.asin(Math.min(1, Math.max(-1, -c)));
  out[1] = pitch;
  if (Math.cos(pitch) > 1e-6) {
    out[0] = Math.atan2(f, i);
    out[2] = Math.atan2(b, a);
  } else {
    // straight up or down, roll and yaw turn about the same line: all of it is called roll
    out[0] = Math.atan2(-h, e);
    out[2] = Number.isNaN(pitch) ? pitch : 0;
  }
}
