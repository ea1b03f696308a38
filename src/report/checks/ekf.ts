import { chosen, median } from '../../series/holds.ts';
import { EKF2_FLIES, EKF3_FLIES, type EkfKey } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { judgeLevel, limitsOf, linesOf } from './judge.ts';

const KEYS: readonly EkfKey[] = ['velocity', 'position', 'height', 'compass', 'compassX', 'compassY', 'compassZ'];

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
      warnHold: exam.micros('ekf', 'warnHold'),
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
