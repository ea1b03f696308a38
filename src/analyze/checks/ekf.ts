import type { Examination } from '../examination.ts';
import { chosen, median } from '../holds.ts';
import type { Quantity, Reading } from '../series.ts';
import { judgeLevel, limitsOf, linesOf } from './level.ts';

const FIELDS = {
  velocity: 'SV',
  position: 'SP',
  height: 'SH',
  compass: 'SM',
  compassX: 'SMX',
  compassY: 'SMY',
  compassZ: 'SMZ',
  primary: 'PI',
} as const;

type EkfKey = keyof typeof FIELDS;

const KEYS: readonly EkfKey[] = ['velocity', 'position', 'height', 'compass', 'compassX', 'compassY', 'compassZ'];

const EKF3: Quantity<EkfKey>[number] = [
  { table: 'XKF4', fields: FIELDS },
  { table: 'XKF9', instance: '1', fields: FIELDS },
];
const EKF2: Quantity<EkfKey>[number] = [
  { table: 'NKF4', fields: FIELDS },
  { table: 'NKF9', instance: '1', fields: FIELDS },
];
const MESSAGES: Quantity<EkfKey> = [
  [
    {
      table: 'EKF_STATUS_REPORT',
      fields: {
        velocity: 'velocity_variance',
        position: 'pos_horiz_variance',
        height: 'pos_vert_variance',
        compass: 'compass_variance',
      },
    },
  ],
  [
    {
      table: 'ESTIMATOR_STATUS',
      fields: { velocity: 'vel_ratio', position: 'pos_horiz_ratio', height: 'pos_vert_ratio', compass: 'mag_ratio' },
    },
  ],
];

/** Both estimators may run; a parameter tells which one flies. */
const EKF3_FLIES: Quantity<EkfKey> = [EKF3, EKF2, [{ table: 'EKF4', fields: FIELDS }], ...MESSAGES];
const EKF2_FLIES: Quantity<EkfKey> = [EKF2, EKF3, [{ table: 'EKF4', fields: FIELDS }], ...MESSAGES];

/** How far measurements are from what the estimator expects, as parts of what it takes. */
export async function checkEkf(exam: Examination): Promise<void> {
  const quantity = exam.parameter('AHRS_EKF_TYPE') === 2 ? EKF2_FLIES : EKF3_FLIES;
  const readings = await exam.read(quantity);
  exam.forget(quantity);
  if (readings.length === 0) {
    exam.noData('ekf', 'Estimator', 'The log has no variances of a position estimator (XKF4, NKF4, EKF4 or messages).');
    return;
  }
  const primary = primaryOf(exam, readings);
  for (const reading of readings) {
    const { times, instance } = reading;
    const isPrimary = primary === undefined || instance === '' || Number(instance) === primary;
    judgeLevel(exam, {
      check: 'ekf',
      title: instance === '' ? 'Estimator variances' : `Estimator variances of core ${instance}`,
      instance,
      times,
      lines: linesOf(reading, KEYS),
      mask: exam.flight.mask(times),
      scope: exam.flight,
      unit: '',
      warn: exam.rule('ekf', 'warn'),
      fail: exam.rule('ekf', 'fail'),
      hold: exam.micros('ekf', 'hold'),
      meaning: 'Sensors contradict what the estimator expects; from 1 on it refuses their measurements.',
      advice: 'SV and SP point to the GPS, SH to the barometer, SM to the compass; look at vibration too.',
      soften: (severity) =>
        severity === 'fail' && !isPrimary
          ? { severity: 'warn', because: `Another core (${primary}) was in use.` }
          : undefined,
    });
  }
  const limits = limitsOf(exam.rule('ekf', 'warn'), exam.rule('ekf', 'fail'));
  exam.plot(
    { check: 'ekf', title: 'Estimator variances', unit: '', limits },
    readings.flatMap((reading) => linesOf(reading, KEYS)),
  );
}

/** The core that was in use most of the time. */
function primaryOf(exam: Examination, readings: readonly Reading<EkfKey>[]): number | undefined {
  const told = readings.find(({ values }) => values.primary);
  const values = told?.values.primary;
  if (!told || !values) return undefined;
  const middle = median(chosen(values, exam.flight.mask(told.times)));
  // -1: none was chosen yet
  return middle >= 0 ? middle : undefined;
}
