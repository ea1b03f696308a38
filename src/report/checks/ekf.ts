import { chosen, median } from '../../series/holds.ts';
import { EKF2_FLIES, EKF3_FLIES, type EkfKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { judgeLevel, limitsOf, linesOf } from './judge.ts';

const KEYS: readonly EkfKey[] = ['velocity', 'position', 'height', 'compass', 'compassX', 'compassY', 'compassZ'];

/** How far measurements are from what the estimator expects, as parts of what it takes. */
export async function checkEkf(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const quantity = facts.parameter('AHRS_EKF_TYPE') === 2 ? EKF2_FLIES : EKF3_FLIES;
  const readings = await facts.read(quantity);
  facts.forget(quantity);
  if (readings.length === 0) {
    report.noData('ekf', 'EKF', 'No EKF variances in the log (XKF4, NKF4, EKF4 or messages).');
    return;
  }
  const primary = primaryOf(facts, readings);
  for (const reading of readings) {
    const { times, instance } = reading;
    const isPrimary = primary === undefined || instance === '' || Number(instance) === primary;
    judgeLevel(report, {
      check: 'ekf',
      title: instance === '' ? 'EKF variances' : `EKF variances of core ${instance}`,
      instance,
      times,
      lines: linesOf(reading, KEYS),
      unit: '',
      warn: report.rule('ekf', 'warn'),
      fail: report.rule('ekf', 'fail'),
      hold: report.micros('ekf', 'hold'),
      warnHold: report.micros('ekf', 'warnHold'),
      meaning: 'Sensors contradict the EKF; from 1 on it rejects their measurements.',
      advice: 'SV and SP point to the GPS, SH to the barometer, SM to the compass; check vibration too.',
      soften: (severity) =>
        severity === 'fail' && !isPrimary
          ? { severity: 'warn', because: `Another core (${primary}) was in use.` }
          : undefined,
    });
  }
  const limits = limitsOf(report.rule('ekf', 'warn'), report.rule('ekf', 'fail'));
  report.plot(
    { check: 'ekf', title: 'EKF variances', unit: '', limits },
    readings.flatMap((reading) => linesOf(reading, KEYS)),
  );
}

/** The core that was in use most of the time. */
function primaryOf(facts: VehicleFacts, readings: readonly QuantityRows<EkfKey>[]): number | undefined {
  const told = readings.find(({ values }) => values.primary);
  const values = told?.values.primary;
  if (!told || !values) return undefined;
  const middle = median(chosen(values, facts.flight.mask(told.times)));
  // -1: none was chosen yet
  return middle >= 0 ? middle : undefined;
}
