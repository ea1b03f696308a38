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

/** One packet as a row of IMU data: m/s², rad/s, °C, radians, device time in microseconds; NaN if missing. */
export type ImuData = Readonly<Record<ImuField, number>>;

export interface ImuOptions {
  /**
   * The local frame that the quaternion leads to: NED, or the one that it is sent in. Angles beside it are turned to the
   * same. Without this option, angles and matrices stay as they are sent, and a quaternion leads to the frame of those
   * beside it, or to NED if it is alone.
   */
  readonly quaternion?: 'ned' | 'as-sent' | undefined;
  /** Microtesla of one unit of the magnetic field, which devices send relative to where they were calibrated. */
  readonly magneticScale?: number | undefined;
}

/** What one packet says of the attitude, as it says it: NaN for what it does not. */
interface AttitudeInput {
  readonly quaternion: ArrayLike<number>;
  readonly quaternionFrame: LocalFrame;
  /** Degrees. */
  readonly euler: ArrayLike<number>;
  readonly eulerFrame: LocalFrame;
  /** Nine numbers, column by column, as the wire has them. */
  readonly matrix: ArrayLike<number>;
  readonly matrixFrame: LocalFrame;
}

/** What one packet says, as it says it: NaN for what it does not. */
export interface ImuInput extends AttitudeInput {
  readonly ticks: number;
  readonly counter: number;
  readonly status: number;
  readonly acceleration: ArrayLike<number>;
  readonly rateOfTurn: ArrayLike<number>;
  readonly magneticField: ArrayLike<number>;
  readonly temperature: number;
  readonly isFresh: boolean;
}

const RADIANS = Math.PI / 180;
const TICK_MICROS = 100;

export function imuOf(input: ImuInput, { quaternion, magneticScale = 1 }: ImuOptions = {}): ImuData {
  const { acceleration, rateOfTurn, magneticField, temperature } = input;
  const q = new Float64Array(4);
  const angles = new Float64Array(3);
  let flags = attitudeOf(q, angles, input, quaternion);
  if (input.isFresh) flags |= IMU_FLAGS.DATA_FRESH;
  if (areFinite(acceleration)) flags |= IMU_FLAGS.ACCEL_VALID;
  if (areFinite(rateOfTurn)) flags |= IMU_FLAGS.GYRO_VALID;
  if (areFinite(magneticField)) flags |= IMU_FLAGS.MAG_VALID;
  if (Number.isFinite(temperature)) flags |= IMU_FLAGS.TEMPERATURE_VALID;
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

/** The attitude of a packet in one frame: unit quaternion, and Euler angles in radians. Returns the valid flags. */
export function attitudeOf(q: Out, angles: Out, input: AttitudeInput, option: ImuOptions['quaternion']): number {
  const { quaternion, quaternionFrame, euler, matrix } = input;
  const isUnit = normalize(q, quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
  const isSent = areFinite(euler);
  if (isSent) for (let k = 0; k < 3; k++) angles[k] = euler[k] * RADIANS;
  else eulerOfMatrix(angles, matrix);
  const hasAngles = areFinite(angles);
  if (isUnit) {
    const frame = isSent ? input.eulerFrame : input.matrixFrame;
    const target = option === 'ned' ? 'NED' : option === 'as-sent' ? quaternionFrame : hasAngles ? frame : 'NED';
    if (hasAngles && frame !== target) turnAngles(angles, frame, target);
    turn(q, quaternionFrame, target);
  }
  return (isUnit ? IMU_FLAGS.QUATERNION_VALID : 0) | (hasAngles ? IMU_FLAGS.EULER_VALID : 0);
}

function areFinite(values: ArrayLike<number>): boolean {
  for (let k = 0; k < values.length; k++) if (!Number.isFinite(values[k])) return false;
  return true;
}

/** Whether a row says anything about how the device moves or is oriented. */
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

/** Makes a quaternion of length 1; false if it is too short, or no quaternion, to be made one. */
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

/** Turns a rotation from the body to a local frame into one to another. */
export function turn(q: Out, from: LocalFrame, to: LocalFrame): void {
  if (from === to) return;
  turnNed(q, from);
  turnNed(q, to);
}

/** Turns a rotation to a local frame into one to NED, or back: half a turn about north-east, or north. */
function turnNed(q: Out, frame: LocalFrame): void {
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

/** The same for roll, pitch and yaw. */
function turnAngles(angles: Out, from: LocalFrame, to: LocalFrame): void {
  const [sr, sp, sy] = Array.from(angles, (angle) => Math.sin(angle / 2));
  const [cr, cp, cy] = Array.from(angles, (angle) => Math.cos(angle / 2));
  const q = Float64Array.of(
    cr * cp * cy + sr * sp * sy,
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
  );
  turn(q, from, to);
  const [w, x, y, z] = q;
  eulerOfMatrix(angles, [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    ...[2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    ...[2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ]);
}

/**
 * Roll, pitch and yaw (turned in the order yaw, pitch, roll) of a rotation matrix, in radians; NaN unless all nine numbers
 * are finite. The wire has it column by column:
 *
 *     r11 r12 r13     a d g     0 3 6
 *     r21 r22 r23  =  b e h  =  1 4 7
 *     r31 r32 r33     c f i     2 5 8
 */
export function eulerOfMatrix(out: Out, matrix: ArrayLike<number>): void {
  if (!areFinite(matrix)) {
    out.fill(Number.NaN);
    return;
  }
  const pitch = Math.asin(Math.min(1, Math.max(-1, -matrix[2])));
  out[1] = pitch;
  if (Math.cos(pitch) > 1e-6) {
    out[0] = Math.atan2(matrix[5], matrix[8]);
    out[2] = Math.atan2(matrix[1], matrix[0]);
  } else {
    // straight up or down, roll and yaw turn about the same line: all of it is called roll
    out[0] = Math.atan2(-matrix[7], matrix[4]);
    out[2] = 0;
  }
}
