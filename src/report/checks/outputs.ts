import { chosen, mean } from '../../series/holds.ts';
import { MOTORS, OUTPUT_CHANNELS, OUTPUTS } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';

/** One motor: its number, its channel, its field in the log, and what was sent to it. */
interface Motor {
  readonly number: number;
  readonly channel: number;
  readonly name: string;
  readonly times: Float64Array;
  /** Pulse lengths, or what stands for them. */
  readonly values: Float64Array;
}

/** The motors of a multicopter with the ends of what is sent to them. */
export interface Motors {
  readonly motors: readonly Motor[];
  readonly low: number;
  readonly high: number;
  /** How it was told which channels they are. */
  readonly told: string;
}

/** FRAME_CLASS of frames that do not hover on equal motors: helicopters, single and coaxial copters, bicopters. */
const UNEQUAL_FRAMES: ReadonlySet<number> = new Set([6, 8, 9, 10, 11, 13]);

/** The number of a motor by SERVOn_FUNCTION, or undefined for other functions. */
export function motorNumber(servoFunction: number): number | undefined {
  if (servoFunction >= 33 && servoFunction <= 40) return servoFunction - 32;
  if (servoFunction >= 82 && servoFunction <= 85) return servoFunction - 73;
  if (servoFunction >= 160 && servoFunction <= 179) return servoFunction - 147;
  return undefined;
}

/** PX4: output functions 101 and on are motors; which family of parameters it is depends on the board. */
const PX4_FAMILIES: readonly string[] = ['PWM_MAIN_FUNC', 'HIL_ACT_FUNC', 'SIM_GZ_EC_FUNC'];

/** Which channels are motors, by number of the motor, and how that was told. */
interface Assignment {
  readonly channels: ReadonlyMap<number, number>;
  readonly told: string;
}

/** The motors of the vehicle with what was sent to them, or a sentence why there are none. */
export async function motorOutputs(exam: Examination): Promise<Motors | string> {
  const frame = exam.parameter('FRAME_CLASS');
  if (frame !== undefined && UNEQUAL_FRAMES.has(frame))
    return 'Frames of this class do not hover on motors that work alike.';
  if (exam.parameter('H_SWASH_TYPE') !== undefined || exam.parameter('H_RSC_MODE') !== undefined)
    return 'A helicopter has no motors to compare.';
  const [own] = await exam.read(MOTORS);
  if (own) {
    const motors = Object.keys(own.values).flatMap((key) => motorOf(own, Number(key), Number(key)) ?? []);
    exam.forget(MOTORS);
    if (motors.length >= 3) return { motors, ...ends(exam), told: 'by MOT' };
  }
  const readings = await exam.read(OUTPUTS);
  exam.forget(OUTPUTS);
  if (readings.length === 0) return 'The log has no outputs to motors (RCOU, MOT or SERVO_OUTPUT_RAW).';
  const assigned = byFunction(exam) ?? byPx4(exam) ?? byHabit(exam, readings);
  if (!assigned) return 'Motor outputs unknown: no SERVOn_FUNCTION in the log.';
  const motors = [...assigned.channels].flatMap(([number, channel]) => {
    const reading = readings.find(({ values }) => values[`${channel}`]);
    return (reading && motorOf(reading, number, channel)) ?? [];
  });
  if (motors.length < 3) return `Only ${motors.length} of the motors are in the log.`;
  return { motors: motors.sort((a, b) => a.number - b.number), ...ends(exam), told: assigned.told };
}

function motorOf(reading: Reading<string>, number: number, channel: number): Motor | undefined {
  const key = `${channel}`;
  const values = reading.values[key];
  if (!values?.some((value) => value > 0)) return undefined;
  const { port } = reading.values;
  // channels above 16 come under another port
  const own = port ? values.map((value, row) => (port[row] > 0 ? Number.NaN : value)) : values;
  return { number, channel, name: reading.names[key] as string, times: reading.times, values: own };
}

function byFunction(exam: Examination): Assignment | undefined {
  const found = new Map<number, number>();
  for (let channel = 1; channel <= OUTPUT_CHANNELS; channel++) {
    const motor = motorNumber(exam.parameter(`SERVO${channel}_FUNCTION`) ?? 0);
    if (motor !== undefined) found.set(motor, channel);
  }
  return found.size > 0 ? { channels: found, told: 'by SERVOn_FUNCTION' } : undefined;
}

function byPx4(exam: Examination): Assignment | undefined {
  for (const family of PX4_FAMILIES) {
    const found = new Map<number, number>();
    for (let channel = 1; channel <= 16; channel++) {
      const motor = (exam.parameter(`${family}${channel}`) ?? 0) - 100;
      if (motor >= 1 && motor <= 12) found.set(motor, channel);
    }
    if (found.size > 0) return { channels: found, told: `by ${family}n` };
  }
  return undefined;
}

/**
 * Before there were SERVOn_FUNCTION the motors of a copter were its first channels, and those behind the fourth served
 * as others unless the frame had so many: they are motors where no RCn_FUNCTION says otherwise and they run as the
 * first four do.
 */
function byHabit(exam: Examination, readings: readonly Reading<string>[]): Assignment | undefined {
  const [reading] = readings;
  const mask = exam.flight.mask(reading.times);
  const averageOf = (channel: number): number =>
    mean(chosen(reading.values[`${channel}`] ?? new Float64Array(0), mask));
  const first = [1, 2, 3, 4].map(averageOf);
  if (first.some((value) => !(value > 0))) return undefined;
  const middle = first.reduce((sum, value) => sum + value, 0) / first.length;
  const found = new Map([1, 2, 3, 4].map((channel) => [channel, channel]));
  for (const pair of [
    [5, 6],
    [7, 8],
  ]) {
    const isMotor = (channel: number): boolean =>
      !exam.parameter(`RC${channel}_FUNCTION`) &&
      Math.abs(averageOf(channel) - middle) < ALIKE &&
      isMoving(reading, channel, mask);
    if (!pair.every(isMotor)) break;
    for (const channel of pair) found.set(channel, channel);
  }
  return { channels: found, told: 'by the habit of old firmwares: the first channels' };
}

/** Microseconds of pulses within which the averages of motors are. */
const ALIKE = 150;
/** Microseconds by which what is sent to a motor changes at least. */
const MOVING = 20;

function isMoving({ values }: Reading<string>, channel: number, mask: Uint8Array): boolean {
  const rows = chosen(values[`${channel}`] ?? new Float64Array(0), mask);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of rows) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high - low > MOVING;
}

/** The ends of what is sent to motors: by parameters of today, by those of the throttle channel, or as is usual. */
function ends(exam: Examination): { low: number; high: number } {
  const first = (...names: readonly string[]): number | undefined =>
    names.map((name) => exam.parameter(name)).find((value) => value !== undefined && value >= 500 && value <= 2500);
  const low = first('MOT_PWM_MIN', 'RC3_MIN', 'PWM_MAIN_MIN1', 'PWM_MIN') ?? 1000;
  const high = first('MOT_PWM_MAX', 'RC3_MAX', 'PWM_MAIN_MAX1', 'PWM_MAX') ?? 2000;
  if (!(high > low + 100)) return { low: 1000, high: 2000 };
  const spin = exam.parameter('MOT_SPIN_MAX');
  const curve = exam.parameter('MOT_TCRV_ENABLE') ? (exam.parameter('MOT_TCRV_MAXPCT') ?? 100) / 100 : 1;
  const part = spin ?? curve;
  // the part of the range that the firmware uses at most
  return { low, high: part > 0.5 && part < 1 ? low + part * (high - low) : high };
}
