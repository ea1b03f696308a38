import { chosen, median, quantile, regression, valuesAt } from '../../series/holds.ts';
import { ATTITUDE, COMPASS_USED, CONTROL, type CompassKey, MAGNETIC_FIELD } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { Series } from '../../series/series.ts';
import { type FieldNames, type Severity, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { throttleOf } from './computed.ts';
import { graded, judgeFrozen, judgeHealth, judgeLevel, limitsOf, rangedOver, type Softened } from './judge.ts';

/** Thousandths of a gauss: the earth has nowhere more. */
const EARTH_MOST = 670;

/** Rows that are needed to compare with the throttle, and how far it must range. */
const ENOUGH_ROWS = 50;
const ENOUGH_RANGE = 0.15;

const ADVICE =
  'Move the compass away from motors, wires and magnets, or use an external one; then calibrate it again, and set up ' +
  'motor compensation if the field follows the throttle.';

/** Strength of the field that each compass sees, how steady it is, and whether it goes with the throttle. */
export async function checkCompass(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const readings = (await facts.read(MAGNETIC_FIELD)).flatMap((reading) => {
    const length = lengthOf(reading, 'x', 'y', 'z');
    // a compass that is not there says 0
    return length?.some((value) => value > 0) ? [{ ...reading, length }] : [];
  });
  facts.forget(MAGNETIC_FIELD);
  if (readings.length === 0) {
    report.noData('compass', 'Compass', 'No compass in the log.');
    return;
  }
  const isUsed = await wasUsed(facts);
  const control = (await facts.read(CONTROL)).find(({ values }) => values.throttle);
  const throttle = control && throttleOf(control);
  const [attitude] = await facts.read(ATTITUDE);
  const heading = attitude?.values.yaw && new Series(attitude.times, attitude.values.yaw).ordered();
  for (const reading of readings) {
    const isOff = facts.parameter(useParameter(reading.instance)) === 0;
    if (isOff || !isUsed) {
      const why = isOff ? `Disabled by ${useParameter(reading.instance)}` : 'The estimator never used a compass';
      const text = `${why}, so it was not judged.`;
      report.add({ check: 'compass', severity: 'info', title: nameOf(reading), instance: reading.instance, text });
      continue;
    }
    checkAlive(facts, report, reading, heading);
    checkStrength(facts, report, reading);
    checkThrottle(facts, report, reading, control, throttle);
    checkOffsets(facts, report, reading);
  }
  const limits = ['low', 'high'].flatMap((side) =>
    limitsOf(report.rule('compass', `${side}Warn`), report.rule('compass', `${side}Fail`)),
  );
  report.plot(
    { check: 'compass', title: 'Magnetic field', unit: 'mGauss', limits },
    readings.map(({ title, times, length }) => ({ name: `${title} field`, times, values: length })),
  );
}

/** Whether an estimator of PX4 took anything from a compass; true if the log does not tell. */
async function wasUsed(facts: VehicleFacts): Promise<boolean> {
  const readings = await facts.read(COMPASS_USED);
  facts.forget(COMPASS_USED);
  if (readings.length === 0) return true;
  return readings.some(({ values: { heading, field } }) =>
    heading && field ? heading.some((flag) => flag > 0) || field.some((flag) => flag > 0) : true,
  );
}

/** Degrees by which a vehicle turned for a compass to show it. */
const TURNED = 10;

function checkAlive(
  facts: VehicleFacts,
  report: ReportBuilder,
  reading: FieldReading,
  heading: Series | undefined,
): void {
  const { times, values, instance, names } = reading;
  const severity = Number(instance) > 0 ? ('warn' as const) : ('fail' as const);
  const sensor = { check: 'compass', name: nameOf(reading), instance, times, severity };
  judgeHealth(report, { ...sensor, fields: [names.health] }, values.health);
  if (!heading) return;
  const frozen = { ...sensor, fields: fieldNames(reading), isAveraged: reading.table === 'vehicle_magnetometer' };
  judgeFrozen(report, frozen, [values.x, values.y, values.z], facts.flight.mask(times), (hold) =>
    rangedOver(heading, hold, TURNED),
  );
}

type FieldReading = QuantityRows<CompassKey> & { readonly length: Float64Array };

function useParameter(instance: string): string {
  return `COMPASS_USE${Number(instance) > 0 ? Number(instance) + 1 : ''}`;
}

function nameOf({ instance }: FieldReading): string {
  return instance === '' ? 'Compass' : `Compass ${instance}`;
}

function lengthOf(
  { values }: QuantityRows<CompassKey>,
  ...axes: readonly [CompassKey, CompassKey, CompassKey]
): Float64Array | undefined {
  const [x, y, z] = axes.map((axis) => values[axis]);
  if (!x || !y || !z) return undefined;
  const out = new Float64Array(x.length);
  for (let row = 0; row < out.length; row++) {
    // rows come faster than a compass measures, and offsets hardly change
    const isSame = row > 0 && x[row] === x[row - 1] && y[row] === y[row - 1] && z[row] === z[row - 1];
    out[row] = isSame ? out[row - 1] : Math.hypot(x[row], y[row], z[row]);
  }
  return out;
}

function checkStrength(facts: VehicleFacts, report: ReportBuilder, reading: FieldReading): void {
  const { times, length, instance } = reading;
  const mask = facts.flight.mask(times);
  const middle = usualField(facts, reading, mask);
  const isSecond = Number(instance) > 0;
  const common = {
    check: 'compass',
    instance,
    times,
    mask,
    hold: report.micros('compass', 'hold'),
    advice: ADVICE,
    fields: fieldNames(reading),
  };
  const soften = (severity: Severity): Softened | undefined =>
    severity === 'fail' && isSecond ? { severity: 'warn', because: 'It is not the first compass.' } : undefined;
  const steadiness = judgeLevel(report, {
    ...common,
    title: `${nameOf(reading)}: steadiness`,
    lines: [
      {
        name: `the change of the field of ${reading.title} from ${short(middle)} mGauss after take-off`,
        values: length.map((value) => (100 * Math.abs(value - middle)) / middle),
      },
    ],
    unit: '%',
    warn: report.rule('compass', 'changeWarn'),
    fail: report.rule('compass', 'changeFail'),
    meaning: 'Field strength should depend neither on attitude nor on the motors.',
    overall: isSecond,
    soften,
  });
  const isLow = middle < (report.limit('compass', 'lowWarn') + report.limit('compass', 'highWarn')) / 2;
  const side = isLow ? 'low' : 'high';
  judgeLevel(report, {
    ...common,
    title: `${nameOf(reading)}: field strength`,
    lines: [{ name: `the field of ${reading.title}`, values: length }],
    unit: 'mGauss',
    sign: isLow ? -1 : 1,
    warn: report.rule('compass', `${side}Warn`),
    fail: report.rule('compass', `${side}Fail`),
    meaning: "A field other than the earth's comes from the vehicle or a bad calibration.",
    // one that is steady was so before the flight
    overall: steadiness === 'ok' || isSecond,
    soften: (severity, { peak }) => {
      if (steadiness !== 'ok') return soften(severity);
      // PX4 flies by a scaled field, whose size may be any
      const isScaled = reading.table === 'vehicle_magnetometer';
      return {
        severity: severity === 'fail' && !(peak < EARTH_MOST) && !isScaled ? 'warn' : 'info',
        because: 'It was steady all the time.',
      };
    },
  });
}

/** Microseconds after take-off that show the undisturbed field. */
const SETTLE = 2e6;
const BASE = 10e6;
const BASE_ROWS = 10;

/** The field of the first seconds in the air that the log has: a disturbance that comes later does not change it. */
function usualField(facts: VehicleFacts, { times, length }: FieldReading, mask: Uint8Array): number {
  const start = Math.max((facts.flight.when.from ?? Number.NaN) + SETTLE, times[mask.indexOf(1)]);
  const isEarly = mask.map((isIn, row) => (isIn && times[row] >= start && times[row] <= start + BASE ? 1 : 0));
  const early = chosen(length, isEarly);
  return median(early.length >= BASE_ROWS ? early : chosen(length, mask));
}

/** How much of the field goes with the throttle: the slope of a line through both, over the throttle that was used. */
function checkThrottle(
  facts: VehicleFacts,
  report: ReportBuilder,
  reading: FieldReading,
  control: QuantityRows<'throttle'> | undefined,
  throttle: Float64Array | undefined,
): void {
  const title = `${nameOf(reading)}: motors`;
  if (!control || !throttle) {
    report.noData('compass', title, 'No throttle in the log to compare with.');
    return;
  }
  const at = valuesAt(reading.times, control.times, throttle, 1e6);
  const mask = facts.flight.mask(reading.times);
  const both = mask.map((isIn, row) => (isIn && !Number.isNaN(at[row]) && reading.length[row] > 0 ? 1 : 0));
  const [x, y] = [chosen(at, both), chosen(reading.length, both)];
  const range = quantile(x, 0.98) - quantile(x, 0.02);
  if (x.length < ENOUGH_ROWS || !(range >= ENOUGH_RANGE)) {
    report.noData('compass', title, `Throttle changed too little ${facts.flight.words} to compare with.`);
    return;
  }
  const { slope, correlation } = regression(x, y);
  const change = (100 * Math.abs(slope) * range) / median(y);
  const counts = Math.abs(correlation) >= report.limit('compass', 'correlation');
  const grade = graded(
    counts ? change : 0,
    report.rule('compass', 'throttleWarn'),
    report.rule('compass', 'throttleFail'),
  );
  const fit = `correlation ${short(correlation)}`;
  report.add({
    check: 'compass',
    title,
    instance: reading.instance,
    ...grade,
    text: counts
      ? `The field changes by ${short(change)} % with the throttle (${fit}): motor currents disturb this compass.`
      : `The field does not follow the throttle (${fit}).`,
    advice: ADVICE,
    ...facts.flight.when,
    overall: true,
    value: counts ? change : 0,
    unit: '%',
    fields: [...fieldNames(reading), control.names.throttle],
  });
}

function fieldNames({ names }: FieldReading): FieldNames {
  return [names.x, names.y, names.z];
}

function checkOffsets(facts: VehicleFacts, report: ReportBuilder, reading: FieldReading): void {
  const offsets = lengthOf(reading, 'ox', 'oy', 'oz');
  if (!offsets) return;
  const most = offsets.reduce((a, b) => (b > a ? b : a), 0);
  const rule = report.rule('compass', 'offsets');
  const own = facts.parameter('COMPASS_OFFS_MAX');
  const limit = own && own > 0 ? own : rule.value;
  if (!(most > limit)) return;
  report.add({
    check: 'compass',
    severity: 'warn',
    title: `${nameOf(reading)}: offsets`,
    instance: reading.instance,
    text: `Compass offsets are ${short(most)} mGauss, above ${short(limit)}.`,
    advice: ADVICE,
    overall: true,
    value: most,
    unit: 'mGauss',
    threshold: limit,
    source: own && own > 0 ? 'COMPASS_OFFS_MAX of this log' : rule.source,
    fields: [reading.names.ox, reading.names.oy, reading.names.oz],
  });
}
