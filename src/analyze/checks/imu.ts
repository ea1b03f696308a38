import type { Examination } from '../examination.ts';
import { findHolds, usualStep, valuesAt } from '../holds.ts';
import type { Place, Quantity, Reading } from '../series.ts';
import { judgeLevel } from './level.ts';
import { smoothed } from './thrust.ts';

export type ImuKey = 'gx' | 'gy' | 'gz' | 'ax' | 'ay' | 'az' | 'gyroHealth' | 'accelHealth';

const FIELDS = {
  gx: ['GyrX', 'GyroX'],
  gy: ['GyrY', 'GyroY'],
  gz: ['GyrZ', 'GyroZ'],
  ax: 'AccX',
  ay: 'AccY',
  az: 'AccZ',
  gyroHealth: ['GH', 'GyHlt'],
  accelHealth: ['AH', 'AcHlt'],
} as const;

/** ArduPilot sends thousandths in all of these messages, of which RAW_IMU names no unit. */
function message(table: string, instance: string): Place<ImuKey> {
  const gyro = (name: string): { name: string; plain: number } => ({ name, plain: 1e-3 });
  const accel = (name: string): { name: string; plain: number } => ({ name, plain: 9.80665e-3 });
  return {
    table,
    instance,
    fields: {
      gx: gyro('xgyro'),
      gy: gyro('ygyro'),
      gz: gyro('zgyro'),
      ax: accel('xacc'),
      ay: accel('yacc'),
      az: accel('zacc'),
    },
  };
}

/** Accelerometers and gyros, behind the filters of the autopilot. */
export const IMUS: Quantity<ImuKey> = [
  [
    { table: 'IMU', fields: FIELDS },
    { table: 'IMU1', instance: '1', fields: FIELDS },
    { table: 'IMU2', instance: '1', fields: FIELDS },
    { table: 'IMU3', instance: '2', fields: FIELDS },
  ],
  [message('RAW_IMU', '0'), message('SCALED_IMU2', '1'), message('SCALED_IMU3', '2')],
];

/** Samples over which an average says something. */
const ENOUGH = 40;

const GYRO = ['gx', 'gy', 'gz'] as const;
const ACCEL = ['ax', 'ay', 'az'] as const;

/** Whether several IMUs agree with each other, and whether each says that it is healthy. */
export async function checkImu(exam: Examination): Promise<void> {
  const readings = (await exam.read(IMUS)).filter(({ values }) =>
    // a sensor that is not there says 0
    [...GYRO, ...ACCEL].some((key) => values[key]?.some((value) => value !== 0)),
  );
  exam.forget(IMUS);
  if (readings.length === 0) {
    exam.noData('imu', 'IMUs', 'The log has no accelerometers or gyros.');
    return;
  }
  for (const reading of readings) checkHealth(exam, reading);
  if (readings.length < 2) {
    exam.noData('imu', 'IMUs', 'There is one IMU only: nothing to compare it with.');
    return;
  }
  const [first, ...others] = readings;
  for (const other of others) {
    compare(exam, first, other, GYRO, 'gyro');
    compare(exam, first, other, ACCEL, 'accel');
  }
}

function nameOf({ instance, title }: Reading<ImuKey>): string {
  return instance === '' ? title : `IMU ${instance}`;
}

function compare(
  exam: Examination,
  a: Reading<ImuKey>,
  b: Reading<ImuKey>,
  axes: readonly ImuKey[],
  what: 'gyro' | 'accel',
): void {
  const step = Math.max(usualStep(a.times), usualStep(b.times));
  // samples that are few and of different moments differ by themselves
  const window = Math.max(exam.micros('imu', 'window'), ENOUGH * step);
  const lines = axes.flatMap((axis) => {
    const [mine, theirs] = [a.values[axis], b.values[axis]];
    if (!mine?.some((value) => value !== 0) || !theirs?.some((value) => value !== 0)) return [];
    // averages first: samples of the two are not of the same moment
    const at = valuesAt(a.times, b.times, smoothed(b.times, theirs, window), 5 * step);
    const own = smoothed(a.times, mine, window);
    return [
      {
        name: `the distance of ${a.names[axis]} from ${b.names[axis]}`,
        values: own.map((v, row) => Math.abs(v - at[row])),
      },
    ];
  });
  if (lines.length === 0) return;
  judgeLevel(exam, {
    check: 'imu',
    title: `${what === 'gyro' ? 'Gyros' : 'Accelerometers'} of ${nameOf(a)} and ${nameOf(b)}`,
    instance: b.instance,
    times: a.times,
    lines,
    fields: axes.flatMap((axis) => [a.names[axis], b.names[axis]].flatMap((name) => name ?? [])),
    mask: exam.flight.mask(a.times, window),
    scope: exam.flight,
    unit: exam.rule('imu', `${what}Warn`).unit,
    warn: exam.rule('imu', `${what}Warn`),
    fail: exam.rule('imu', `${what}Fail`),
    hold: window,
    meaning: 'Sensors of one vehicle must measure the same; one of them drifts or is badly calibrated.',
    advice: 'Calibrate them anew, level and at the temperature of use; look at vibration and at heat.',
  });
}

function checkHealth(exam: Examination, reading: Reading<ImuKey>): void {
  for (const [key, what] of [
    ['gyroHealth', 'gyro'],
    ['accelHealth', 'accelerometer'],
  ] as const) {
    const health = reading.values[key];
    const holds = health ? findHolds(reading.times, health, exam.flight.mask(reading.times), 0.5, 0, -1) : [];
    if (holds.length === 0) continue;
    exam.add({
      check: 'imu',
      severity: 'fail',
      title: `${nameOf(reading)}: health`,
      instance: reading.instance,
      text: `The ${what} was not healthy ${exam.flight.words}.`,
      advice: 'Look at whether the sensor fails on the ground, too, and with what temperature or vibration.',
      from: holds[0].from,
      to: holds[holds.length - 1].to,
      fields: [reading.names[key] as string],
    });
  }
}
