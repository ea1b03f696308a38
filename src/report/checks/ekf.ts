import { chosen, findExceedances, lastedInAll, longestOf, median, valuesAt } from '../../series/holds.ts';
import { AIDING, type AidingKey, EKF_PRIMARY, EKF2_FLIES, EKF3_FLIES, type EkfKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { often, secondsOf } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { during, judgeLevel, limitsOf, linesOf } from './judge.ts';

const KEYS: readonly EkfKey[] = ['velocity', 'position', 'height', 'compass', 'compassX', 'compassY', 'compassZ'];

/** How far measurements are from what the estimator expects, as parts of what it takes. */
export async function checkEkf(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const quantity = facts.parameter('AHRS_EKF_TYPE') === 2 ? EKF2_FLIES : EKF3_FLIES;
  const readings = await facts.read(quantity);
  facts.forget(quantity);
  if (readings.length === 0) {
    report.noData('ekf', 'EKF', 'No EKF variances in the log (XKF4, NKF4, EKF4, estimator_status or messages).');
    return;
  }
  const [selector] = await facts.read(EKF_PRIMARY);
  const primary = primaryOf(facts, selector ? [selector] : readings);
  for (const reading of readings) {
    const { times, values, instance } = reading;
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
      soften: (severity, { first }) => {
        if (severity === 'fail' && !isPrimary)
          // PX4 runs several so that one may be wrong
          return {
            severity: reading.table === 'estimator_status' ? 'info' : 'warn',
            because: `Another core (${primary}) was in use.`,
          };
        if (reading.table !== 'estimator_status') return undefined;
        // PX4 takes all that is below 1
        if (severity === 'warn') return { severity: 'info', because: 'PX4 uses measurements up to 1.' };
        const mask = facts.flight.mask(times);
        const wasSane = KEYS.some((key) =>
          values[key]?.some((ratio, row) => row < first && mask[row] === 1 && ratio < 1),
        );
        return wasSane ? undefined : { severity: 'info', because: 'It was like this from the start.' };
      },
    });
  }
  const limits = limitsOf(report.rule('ekf', 'warn'), report.rule('ekf', 'fail'));
  report.plot(
    { check: 'ekf', title: 'EKF variances', unit: '', limits },
    readings.flatMap((reading) => linesOf(reading, KEYS)),
  );
}

/** The core that was in use most of the time. */
function primaryOf(facts: VehicleFacts, readings: readonly QuantityRows<'primary'>[]): number | undefined {
  const told = readings.find(({ values }) => values.primary);
  const values = told?.values.primary;
  if (!told || !values) return undefined;
  const middle = median(chosen(values, facts.flight.mask(told.times)));
  // -1: none was chosen yet
  return middle >= 0 ? middle : undefined;
}

/** Changes of the estimator that flies, where several run. */
export async function checkPrimary(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const [selector] = await facts.read(EKF_PRIMARY);
  const primary = selector?.values.primary;
  if (!selector || !primary) return;
  const { times, names } = selector;
  const mask = facts.flight.mask(times);
  const told = [...mask.keys()].filter((row) => primary[row] >= 0);
  const changes = told.filter((row, i) => mask[row] === 1 && i > 0 && primary[row] !== primary[told[i - 1]]);
  const common = { check: 'ekf', title: 'EKF: primary', fields: [names.primary] };
  if (changes.length === 0) {
    if (mask.includes(1))
      report.add({ ...common, severity: 'ok', text: 'The same estimator flew all the time.', ...facts.flight.when });
    return;
  }
  report.add({
    ...common,
    severity: 'warn',
    text: `Another estimator took over ${often(changes.length)} ${facts.flight.words}: ${[primary[told[told.indexOf(changes[0]) - 1]], ...changes.map((row) => primary[row])].slice(0, SHOWN).join(', ')}.`,
    advice: 'Look at what the sensors of the estimator that was left say: vibration, gyro, accelerometer, compass.',
    ...during(changes.map((row) => ({ start: times[row], end: times[row] }))),
    value: changes.length,
  });
}

/** Estimators that are named in a text. */
const SHOWN = 12;

/** estimator_status.control_mode_flags: bits of what the position comes from. */
const AIDING_BITS = [2, 3, 12, 24] as const;
const AIDING_KEYS: readonly AidingKey[] = ['gps', 'gpsSpeed', 'flow', 'vision', 'visionSpeed', 'other'];

/** Whether each row has anything that the position comes from. */
function aidedOf({ times, values }: QuantityRows<AidingKey>): Float64Array {
  const { modes, inertial, wind } = values;
  const sources = AIDING_KEYS.flatMap((key) => values[key] ?? []);
  return times.map((_, row) => {
    const isAided = modes
      ? AIDING_BITS.some((bit) => Math.floor(modes[row] / 2 ** bit) % 2 === 1)
      : sources.length === 0 || sources.some((flags) => flags[row] > 0);
    return isAided && !(inertial && inertial[row] > 0) && !(wind && wind[row] > 0) ? 1 : 0;
  });
}

/** Whether the estimator that flew lost all position aiding in the air, after it had some. */
export async function checkAiding(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const readings = await facts.read(AIDING);
  facts.forget(AIDING);
  const [selector] = await facts.read(EKF_PRIMARY);
  const isLone = readings.length < 2;
  for (const reading of readings) {
    const { times, instance } = reading;
    const mask = facts.flight.mask(times).slice();
    const { primary } = selector?.values ?? {};
    if (!isLone && selector && primary) {
      const flew = valuesAt(times, selector.times, primary);
      for (let row = 0; row < mask.length; row++) if (flew[row] !== Number(instance)) mask[row] = 0;
    }
    // another estimator than PX4's EKF has no flags at all
    if (!mask.includes(1) || reading.values.modes?.every((bits) => !(bits > 0))) continue;
    const aided = aidedOf(reading);
    const first = aided.findIndex((value, row) => value > 0 && mask[row] === 1);
    const title = isLone ? 'Position aiding' : `Position aiding of EKF ${instance}`;
    const fields = Object.values(reading.names) as string[];
    const common = { check: 'ekf', title, instance: isLone ? '' : instance, fields };
    if (first < 0) {
      report.add({
        ...common,
        severity: 'info',
        text: `Nothing told the estimator its position ${facts.flight.words}: it flew without one.`,
        ...facts.flight.when,
      });
      continue;
    }
    mask.fill(0, 0, first);
    const rule = report.rule('ekf', 'aidingHold');
    const holds = findExceedances(times, aided, mask, 0.5, rule.value * 1e6, -1);
    report.add({
      ...common,
      severity: holds.length > 0 ? 'fail' : 'ok',
      text:
        holds.length === 0
          ? `The estimator knew its position all the time ${facts.flight.words}.`
          : `The estimator lost all that told it the position, ${often(holds.length)} ${facts.flight.words}, for ${secondsOf(lastedInAll(holds))} in all: it guessed from accelerations.`,
      advice: 'Check the GPS receiver, or what else gives the position, just before it.',
      ...(holds.length === 0 ? facts.flight.when : during(holds)),
      value: longestOf(holds) / 1e6,
      unit: 's',
      rule,
    });
  }
}
