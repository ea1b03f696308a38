import { chosen, median, quantile, regression, valuesAt } from '../../series/holds.ts';
import { ATTITUDE, CONTROL, type CompassKey, MAGNETIC_FIELD } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import { Series } from '../../series/series.ts';
import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { throttleOf } from './computed.ts';
import { graded, judgeFrozen, judgeHealth, judgeLevel, limitsOf, rangedOver } from './judge.ts';

/** Thousandths of a gauss: the earth has nowhere more. */
const EARTH_MOST = 670;

/** Rows that are needed to compare with the throttle, and how far it must range. */
const ENOUGH_ROWS = 50;
const ENOUGH_RANGE = 0.15;

const ADVICE =
  'Move the compass away from motors, wires and magnets, or use an external one; then calibrate it again, and set up ' +
  'motor compensation if the field goes with the throttle.';

/** Strength of the field that each compass sees, how steady it is, and whether it goes with the throttle. */
export async function checkCompass(exam: Examination): Promise<void> {
  const readings = (await exam.read(MAGNETIC_FIELD)).flatMap((reading) => {
    const length = lengthOf(reading, 'x', 'y', 'z');
    // a compass that is not there says 0
    return length?.some((value) => value > 0) ? [{ ...reading, length }] : [];
  });
  exam.forget(MAGNETIC_FIELD);
  if (readings.length === 0) {
    exam.noData('compass', 'Compass', 'The log has no measurements of a compass.');
    return;
  }
  for (const reading of readings) {
    if (exam.parameter(useParameter(reading.instance)) === 0) {
      exam.add({
        check: 'compass',
        severity: 'info',
        title: nameOf(reading),
        instance: reading.instance,
        text: `This compass is switched off by ${useParameter(reading.instance)}, so it was not judged.`,
      });
      continue;
    }
    await checkAlive(exam, reading);
    checkStrength(exam, reading);
    await checkThrottle(exam, reading);
    checkOffsets(exam, reading);
  }
  const limits = ['low', 'high'].flatMap((side) =>
    limitsOf(exam.rule('compass', `${side}Warn`), exam.rule('compass', `${side}Fail`)),
  );
  exam.plot(
    { check: 'compass', title: 'Magnetic field', unit: 'mGauss', limits },
    readings.map(({ title, times, length }) => ({ name: `${title} field`, times, values: length })),
  );
}

/** Degrees by which a vehicle turned for a compass to show it. */
const TURNED = 10;

async function checkAlive(exam: Examination, reading: FieldReading): Promise<void> {
  const { times, values, instance, names } = reading;
  const severity = Number(instance) > 0 ? ('warn' as const) : ('fail' as const);
  const sensor = { check: 'compass', name: nameOf(reading), instance, times, severity };
  judgeHealth(exam, { ...sensor, fields: [names.health].flatMap((name) => name ?? []) }, values.health);
  const [attitude] = await exam.read(ATTITUDE);
  const yaw = attitude?.values.yaw;
  if (!yaw) return;
  const frozen = { ...sensor, fields: fieldNames(reading) };
  const heading = new Series(attitude.times, yaw);
  judgeFrozen(exam, frozen, [values.x, values.y, values.z], exam.flight.mask(times), (hold) =>
    rangedOver(heading, hold, TURNED),
  );
}

type FieldReading = Reading<CompassKey> & { readonly length: Float64Array };

function useParameter(instance: string): string {
  return `COMPASS_USE${Number(instance) > 0 ? Number(instance) + 1 : ''}`;
}

function nameOf({ instance }: FieldReading): string {
  return instance === '' ? 'Compass' : `Compass ${instance}`;
}

function lengthOf(
  { values }: Reading<CompassKey>,
  ...axes: readonly [CompassKey, CompassKey, CompassKey]
): Float64Array | undefined {
  const [x, y, z] = axes.map((axis) => values[axis]);
  return x && y && z && x.map((value, row) => Math.hypot(value, y[row], z[row]));
}

function checkStrength(exam: Examination, reading: FieldReading): void {
  const { times, length, instance } = reading;
  const mask = exam.flight.mask(times);
  const middle = usualField(exam, reading, mask);
  const isSecond = Number(instance) > 0;
  const common = {
    check: 'compass',
    instance,
    times,
    mask,
    scope: exam.flight,
    hold: exam.micros('compass', 'hold'),
    advice: ADVICE,
    fields: fieldNames(reading),
  };
  const steadiness = judgeLevel(exam, {
    ...common,
    title: `${nameOf(reading)}: steadiness`,
    lines: [
      {
        name: `the change of the field of ${reading.title} from ${short(middle)} mGauss after take-off`,
        values: length.map((value) => (100 * Math.abs(value - middle)) / middle),
      },
    ],
    unit: '%',
    warn: exam.rule('compass', 'changeWarn'),
    fail: exam.rule('compass', 'changeFail'),
    meaning: 'The strength of the field should not depend on how the vehicle is turned, nor on its motors.',
    overall: isSecond,
    soften: (severity) =>
      severity === 'fail' && isSecond ? { severity: 'warn', because: 'It is not the first compass.' } : undefined,
  });
  const isLow = middle < (exam.limit('compass', 'lowWarn') + exam.limit('compass', 'highWarn')) / 2;
  const side = isLow ? 'low' : 'high';
  judgeLevel(exam, {
    ...common,
    title: `${nameOf(reading)}: field strength`,
    lines: [{ name: `the field of ${reading.title}`, values: length }],
    unit: 'mGauss',
    sign: isLow ? -1 : 1,
    warn: exam.rule('compass', `${side}Warn`),
    fail: exam.rule('compass', `${side}Fail`),
    meaning: 'What is not the field of the earth comes from the vehicle, or from a bad calibration.',
    // one that is steady was so before the flight
    overall: steadiness === 'ok' || isSecond,
    soften: (severity, { peak }) => {
      if (steadiness !== 'ok')
        return severity === 'fail' && isSecond
          ? { severity: 'warn', because: 'It is not the first compass.' }
          : undefined;
      return {
        severity: severity === 'fail' && !(peak < EARTH_MOST) ? 'warn' : 'info',
        because: 'It was steady all the time.',
      };
    },
  });
}

/** Microseconds after take-off that tell the field as it is without a disturbance. */
const SETTLE = 2e6;
const BASE = 10e6;
const BASE_ROWS = 10;

/** The field of the first seconds in the air: a disturbance that comes later does not change it. */
function usualField(exam: Examination, { times, length }: FieldReading, mask: Uint8Array): number {
  const start = exam.flight.from ?? Number.NaN;
  const early = length.filter(
    (_, row) => mask[row] === 1 && times[row] >= start + SETTLE && times[row] <= start + SETTLE + BASE,
  );
  return median(early.length >= BASE_ROWS ? early : chosen(length, mask));
}

/** How much of the field goes with the throttle: the slope of a line through both, over the throttle that was used. */
async function checkThrottle(exam: Examination, reading: FieldReading): Promise<void> {
  const { check, title, instance } = {
    check: 'compass',
    title: `${nameOf(reading)}: motors`,
    instance: reading.instance,
  };
  const control = (await exam.read(CONTROL)).find(({ values }) => values.throttle);
  const throttle = control && throttleOf(control);
  if (!control || !throttle) {
    exam.noData(check, title, 'The log has no throttle to compare the field with.');
    return;
  }
  const at = valuesAt(reading.times, control.times, throttle, 1e6);
  const mask = exam.flight.mask(reading.times);
  const rows = [...mask.keys()].filter((row) => mask[row] === 1 && !Number.isNaN(at[row]) && reading.length[row] > 0);
  const x = Float64Array.from(rows, (row) => at[row]);
  const y = Float64Array.from(rows, (row) => reading.length[row]);
  const range = quantile(x, 0.98) - quantile(x, 0.02);
  if (rows.length < ENOUGH_ROWS || !(range >= ENOUGH_RANGE)) {
    exam.noData(check, title, `The throttle did not change enough ${exam.flight.words} to compare the field with it.`);
    return;
  }
  const { slope, correlation } = regression(x, y);
  const change = (100 * Math.abs(slope) * range) / median(y);
  const counts = Math.abs(correlation) >= exam.limit('compass', 'correlation');
  const grade = graded(counts ? change : 0, exam.rule('compass', 'throttleWarn'), exam.rule('compass', 'throttleFail'));
  const fit = `correlation ${short(correlation)}`;
  exam.add({
    check,
    title,
    instance,
    ...grade,
    text: counts
      ? `The field changes by ${short(change)} % with the throttle (${fit}): currents to the motors disturb this compass.`
      : `The field does not go with the throttle (${fit}).`,
    advice: grade.severity === 'ok' ? '' : ADVICE,
    from: exam.flight.from,
    to: exam.flight.to,
    overall: true,
    value: counts ? change : 0,
    unit: '%',
    fields: [...fieldNames(reading), control.names.throttle as string],
  });
}

function fieldNames({ names }: FieldReading): string[] {
  return [names.x, names.y, names.z].flatMap((name) => (name === undefined ? [] : [name]));
}

function checkOffsets(exam: Examination, reading: FieldReading): void {
  const offsets = lengthOf(reading, 'ox', 'oy', 'oz');
  if (!offsets) return;
  const most = offsets.reduce((a, b) => (b > a ? b : a), 0);
  const rule = exam.rule('compass', 'offsets');
  const own = exam.parameter('COMPASS_OFFS_MAX');
  const limit = own && own > 0 ? own : rule.value;
  if (!(most > limit)) return;
  exam.add({
    check: 'compass',
    severity: 'warn',
    title: `${nameOf(reading)}: offsets`,
    instance: reading.instance,
    text: `The offsets of this compass are ${short(most)} mGauss long, more than ${short(limit)}.`,
    advice: ADVICE,
    overall: true,
    value: most,
    unit: 'mGauss',
    threshold: limit,
    source: own && own > 0 ? 'COMPASS_OFFS_MAX of this log' : rule.source,
    fields: [reading.names.ox, reading.names.oy, reading.names.oz].map((name) => name as string),
  });
}
