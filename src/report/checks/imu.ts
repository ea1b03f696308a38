import { mean, smoothed, usualStep, valuesAt } from '../../series/holds.ts';
import { GPS, IMU_SPREAD, IMUS, type ImuKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { judgeFrozen, judgeHealth, judgeLevel } from './judge.ts';

/** Samples over which an average says something. */
const ENOUGH = 40;

const GYRO = ['gx', 'gy', 'gz'] as const;
const ACCEL = ['ax', 'ay', 'az'] as const;

/** Whether several IMUs agree with each other, and whether each says that it is healthy. */
export async function checkImu(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const readings = (await facts.read(IMUS)).filter(({ values }) =>
    // a sensor that is not there says 0
    [...GYRO, ...ACCEL].some((key) => values[key]?.some((value) => value !== 0)),
  );
  facts.forget(IMUS);
  if (readings.length === 0) {
    report.noData('imu', 'IMUs', 'No accelerometer or gyro in the log.');
    return;
  }
  for (const reading of readings) {
    const { values, names, times, instance } = reading;
    const sensor = { check: 'imu', name: nameOf(reading), instance, times, severity: 'fail' as const };
    const fields = [...GYRO, ...ACCEL].flatMap((key) => names[key] ?? []);
    const health = values.gyroHealth?.map((gyro, row) => Math.min(gyro, values.accelHealth?.[row] ?? gyro));
    judgeHealth(report, { ...sensor, fields: [names.gyroHealth, names.accelHealth] }, health);
    judgeFrozen(
      report,
      { ...sensor, fields, isAveraged: reading.table === 'sensor_combined' },
      [...GYRO, ...ACCEL].map((key) => values[key]),
      facts.flight.mask(times),
    );
    await checkOffset(facts, report, reading);
  }
  if (readings.length < 2) {
    report.noData('imu', 'IMUs', 'Only one IMU: nothing to compare it with.');
    return;
  }
  const [first, ...others] = readings;
  for (const other of others) {
    compare(report, first, other, GYRO, 'gyro');
    compare(report, first, other, ACCEL, 'accel');
  }
}

/** How far IMUs are from the mean of all, as PX4 computes it, and whether it holds them for healthy. */
export async function checkSpread(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const [reading] = await facts.read(IMU_SPREAD);
  facts.forget(IMU_SPREAD);
  if (!reading) return;
  const { times, values, names } = reading;
  for (const [what, title] of [
    ['gyro', 'Gyros'],
    ['accel', 'Accelerometers'],
  ] as const) {
    const window = report.micros('imu', 'window');
    const lines = [0, 1, 2, 3].flatMap((k) => {
      const line = values[`${what}${k}`];
      if (!line?.some((value) => value > 0)) return [];
      return [{ name: names[`${what}${k}`] as string, values: smoothed(times, line, window) }];
    });
    for (let k = 0; k < 4; k++) {
      judgeHealth(
        report,
        {
          check: 'imu',
          name: `${what === 'gyro' ? 'Gyro' : 'Accelerometer'} ${k}`,
          instance: `${k}`,
          times,
          severity: 'warn',
          fields: [names[`${what}Health${k}`]],
        },
        values[`${what}Health${k}`],
      );
    }
    if (lines.length < 2) continue;
    judgeLevel(report, { ...agreement(report, what, window), title: `${title}: agreement`, times, lines });
  }
}

/** What sensors that are compared have in common. @param window microseconds over which they are averaged */
function agreement(report: ReportBuilder, what: 'gyro' | 'accel', window: number) {
  const warn = report.rule('imu', `${what}Warn`);
  return {
    check: 'imu',
    unit: warn.unit,
    warn,
    fail: report.rule('imu', `${what}Fail`),
    hold: window,
    window,
    meaning: 'Sensors of one vehicle must measure the same; one of them drifts or is badly calibrated.',
    advice: 'Calibrate them again, level and at operating temperature; check vibration and heat.',
  };
}

function nameOf({ instance, title }: QuantityRows<ImuKey>): string {
  return instance === '' ? title : `IMU ${instance}`;
}

function compare(
  report: ReportBuilder,
  a: QuantityRows<ImuKey>,
  b: QuantityRows<ImuKey>,
  axes: readonly ImuKey[],
  what: 'gyro' | 'accel',
): void {
  const step = Math.max(usualStep(a.times), usualStep(b.times));
  // samples that are few and of different moments differ by themselves
  const window = Math.max(report.micros('imu', 'window'), ENOUGH * step);
  const lines = axes.flatMap((axis) => {
    const [mine, theirs] = [a.values[axis], b.values[axis]];
    if (!mine?.some((value) => value !== 0) || !theirs?.some((value) => value !== 0)) return [];
    // averages first: samples of the two are not of the same moment
    const at = valuesAt(a.times, b.times, smoothed(b.times, theirs, window), 5 * step);
    const values = smoothed(a.times, mine, window);
    // a loop, and no other memory: there may be millions of samples
    for (let row = 0; row < values.length; row++) values[row] = Math.abs(values[row] - at[row]);
    return [{ name: `the difference between ${a.names[axis]} and ${b.names[axis]}`, values }];
  });
  if (lines.length === 0) return;
  judgeLevel(report, {
    ...agreement(report, what, window),
    title: `${what === 'gyro' ? 'Gyros' : 'Accelerometers'} of ${nameOf(a)} and ${nameOf(b)}`,
    instance: b.instance,
    times: a.times,
    lines,
    fields: axes.flatMap((axis) => [a.names[axis], b.names[axis]]),
    mask: report.facts.flight.mask(a.times, window),
    // accelerometers that are not in use lead to nothing
    overall: what === 'accel' && Number(b.instance) > 1,
    soften: (severity) =>
      severity === 'fail' && Number(b.instance) > 1
        ? { severity: 'warn', because: 'It is not one of the first two.' }
        : undefined,
  });
}

/** Microseconds at rest over which a gyro is averaged, and how little all sensors may swing in that time. */
const STILL_TIME = 3e6;
const STILL_ACCEL = 0.3;
const STILL_GYRO = 0.02;
const STILL_ROWS = 20;

/** Metres a second over ground from which a vehicle is not at rest: it may turn steadily. */
const STILL_SPEED = 1;

/** A vehicle at rest does not turn: what its gyros measure then is their offset. */
async function checkOffset(facts: VehicleFacts, report: ReportBuilder, reading: QuantityRows<ImuKey>): Promise<void> {
  const { times, values, names } = reading;
  const rule = report.rule('imu', 'offset');
  const used = facts.phases.armed;
  if (used.length === 0) return;
  const flying = facts.flight.isGround ? new Uint8Array(times.length) : facts.flight.mask(times, -STILL_TIME);
  const axes = [...GYRO, ...ACCEL];
  if (axes.some((key) => !values[key])) return;
  const fixes = (await facts.read(GPS)).find((each) => each.values.speed);
  const isMoving = (start: number, end: number): boolean =>
    fixes?.values.speed?.some(
      (speed, row) => speed > STILL_SPEED && fixes.times[row] >= start && fixes.times[row] <= end,
    ) === true;
  for (let first = 0; first < times.length; ) {
    let last = first;
    while (last + 1 < times.length && times[last + 1] - times[first] <= STILL_TIME && flying[last + 1] === 0) last++;
    const rows = last + 1 - first;
    if (flying[first] === 0 && rows >= STILL_ROWS && times[last] - times[first] > STILL_TIME / 2) {
      const window = (key: ImuKey): Float64Array => (values[key] as Float64Array).subarray(first, last + 1);
      const isStill = (): boolean =>
        axes.every((key) => spreadOf(window(key)) < (key.startsWith('a') ? STILL_ACCEL : STILL_GYRO));
      const worst = GYRO.map((key) => ({ key, offset: mean(window(key)) })).sort(
        (a, b) => Math.abs(b.offset) - Math.abs(a.offset),
      )[0];
      // most gyros have none, and then it need not be known whether the vehicle was at rest
      if (Math.abs(worst.offset) > rule.value && isStill() && !isMoving(times[first], times[last])) {
        report.add({
          check: 'imu',
          severity: 'warn',
          title: `${nameOf(reading)}: gyro offset`,
          instance: reading.instance,
          text: `${names[worst.key]} read ${short(worst.offset)} rad/s at rest: the gyro has an offset, and the attitude drifts.`,
          advice: 'Keep the vehicle still while it starts, and calibrate the gyros; check their temperature.',
          from: times[first],
          to: times[last],
          overall: true,
          value: Math.abs(worst.offset),
          unit: 'rad/s',
          rule,
          fields: [names[worst.key]],
        });
        return;
      }
    }
    first = last + 1;
  }
}

/** Standard deviation. */
function spreadOf(values: Float64Array): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}
