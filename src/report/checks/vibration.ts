import { PX4 } from '../../facts/heartbeat.ts';
import { extremeRow, findExceedances, increases, mean, smoothed, usualStep, valuesBefore } from '../../series/holds.ts';
import { HIGHRES_ACCEL, IMUS, type ImuKey, RAW_ACCEL, type RawKey, VIBRATION } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { during, judgeLevel, limitsOf, linesOf } from './judge.ts';

const AXES = ['x', 'y', 'z'] as const;

const MEANING = 'Strong vibration makes altitude and position estimates drift.';
const ADVICE =
  'Check for loose or bent propellers, worn bearings and loose arms, and how the autopilot is mounted and damped.';

/** Vibration of the accelerometers, and whether they clipped. */
export async function checkVibration(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const readings = await facts.read(VIBRATION);
  facts.forget(VIBRATION);
  if (readings.length === 0) {
    await checkComputedVibration(facts, report);
    return;
  }
  for (const reading of readings) {
    const { times, instance } = reading;
    // PX4 sends metrics of the gyros as x and y
    const axes = facts.autopilot === PX4 ? (['z'] as const) : AXES;
    checkMetric(facts, report, reading);
    const lines = linesOf(reading, axes);
    if (lines.length > 0) {
      const severity = judgeLevel(report, {
        check: 'vibration',
        title: titleOf(reading),
        instance,
        times,
        lines,
        unit: 'm/s²',
        warn: report.rule('vibration', 'warn'),
        fail: report.rule('vibration', 'fail'),
        hold: report.micros('vibration', 'hold'),
        meaning: MEANING,
        advice: ADVICE,
      });
      if (severity === 'ok') checkRise(facts, report, reading, lines);
    }
    checkClips(facts, report, reading);
  }
  const limits = limitsOf(report.rule('vibration', 'warn'), report.rule('vibration', 'fail'));
  report.plot(
    { check: 'vibration', title: 'Vibration', unit: 'm/s²', limits },
    readings.flatMap((reading) => linesOf(reading, [...AXES, ...(reading.values.coning ? (['metric'] as const) : [])])),
  );
}

function titleOf({ instance }: QuantityRows<string>): string {
  return instance === '' ? 'Vibration' : `Vibration of IMU ${instance}`;
}

/** Microseconds of flight that say what is usual, between them and what is compared, and for which it stays. */
const USUAL_TIME = 20e6;
const USUAL_LEAST = 5e6;
const BETWEEN = 3e6;
const STAYS = 3e6;

/** Whether vibration below the limit rose to many times what it was in the same flight: something came loose. */
function checkRise(
  facts: VehicleFacts,
  report: ReportBuilder,
  reading: QuantityRows<string>,
  lines: readonly { readonly name: string; readonly times: Float64Array; readonly values: Float64Array }[],
): void {
  if (facts.flight.isGround) return;
  const [least, rise] = [report.limit('vibration', 'riseLeast'), report.rule('vibration', 'rise')];
  const found = lines.flatMap(({ name, times, values }) => {
    if (!values.some((value) => value > least)) return [];
    const flown = facts.flight.mask(times, BETWEEN);
    const own = values.map((value, row) => (flown[row] === 1 ? value : Number.NaN));
    const begun = valuesBefore(times, Float64Array.from(flown), BETWEEN + USUAL_LEAST, BETWEEN);
    const usual = valuesBefore(times, smoothed(times, own, USUAL_TIME), BETWEEN);
    const isHigh = values.map((value, row) => (value > least && value > rise.value * usual[row] ? 1 : 0));
    const mask = flown.map((isIn, row) => (isIn === 1 && begun[row] === 1 ? 1 : 0));
    const holds = findExceedances(times, isHigh, mask, 0.5, STAYS);
    return holds.map((hold) => ({
      ...hold,
      name,
      from: usual[hold.first],
      to: mean(values.slice(hold.first, hold.last + 1)),
    }));
  });
  const [first] = found.sort((a, b) => a.start - b.start);
  if (!first) return;
  report.add({
    check: 'vibration',
    severity: 'warn',
    title: `${titleOf(reading)}: rise`,
    instance: reading.instance,
    text: `${first.name} rose from ${short(first.from)} to ${short(first.to)} m/s² ${facts.flight.words} and stayed there. Something came loose or broke.`,
    advice: ADVICE,
    ...during(found),
    value: first.to / first.from,
    unit: 'times',
    rule: rise,
    fields: [...new Set(found.map(({ name }) => name))],
  });
}

type MetricKey = 'metric' | 'coning' | 'clipX' | 'clipY' | 'clipZ';

/** PX4's own metric of an IMU; the same field was in other units until 1.12. */
function checkMetric(facts: VehicleFacts, report: ReportBuilder, reading: QuantityRows<MetricKey>): void {
  const { times, values, names, instance } = reading;
  const { metric, coning } = values;
  if (!metric) return;
  const title = titleOf(reading);
  if (!coning) {
    report.noData('vibration', title, `${names.metric} of this firmware is not in m/s²: it cannot be judged.`);
    return;
  }
  judgeLevel(report, {
    check: 'vibration',
    title,
    instance,
    times,
    lines: [{ name: names.metric as string, values: metric }],
    unit: 'm/s²',
    warn: report.rule('vibration', 'metricWarn'),
    fail: report.rule('vibration', 'metricFail'),
    // one sample of a slow log may be the touch-down
    hold: Math.max(report.micros('vibration', 'hold'), 1.5 * usualStep(times)),
    meaning: MEANING,
    advice: ADVICE,
    soften: () =>
      facts.flight.isGround ? { severity: 'info', because: 'The vehicle did not leave the ground.' } : undefined,
  });
}

/** The clips of all axes together. */
function clipsOf({ clipX, clipY, clipZ }: QuantityRows<MetricKey>['values']): Float64Array | undefined {
  return clipX && clipY && clipZ && clipX.map((clips, row) => clips + clipY[row] + clipZ[row]);
}

function checkClips(
  facts: VehicleFacts,
  report: ReportBuilder,
  { times, values, names, instance }: QuantityRows<'clip' | 'clip0' | 'clip1' | 'clip2' | MetricKey>,
): void {
  const mask = facts.flight.mask(times);
  const [warn, fail] = [report.rule('vibration', 'clipWarn'), report.rule('vibration', 'clipFail')];
  const flown = facts.phases.flying.reduce((sum, { start, end }) => sum + end - start, 0) / 1e6;
  for (const [key, which] of [
    ['clip', instance],
    ['clip0', '0'],
    ['clip1', '1'],
    ['clip2', '2'],
  ] as const) {
    const counts = values[key] ?? (key === 'clip' ? clipsOf(values) : undefined);
    if (!counts) continue;
    const { grown: clips, seconds, start: from, end: to } = increases(times, counts, mask);
    const title = which === '' ? 'Clipping' : `Clipping of IMU ${which}`;
    const common = {
      check: 'vibration',
      title,
      instance: which,
      fields: [(names[key] ?? names.clipX) as string],
      unit: '',
    };
    if (clips === 0) {
      const text = `The accelerometer did not clip ${facts.flight.words}.`;
      if (mask.includes(1)) report.add({ ...common, severity: 'ok', text, value: 0 });
      continue;
    }
    report.add({
      ...common,
      severity: seconds < warn.value ? 'info' : (100 * seconds) / flown >= fail.value ? 'fail' : 'warn',
      text:
        `The accelerometer clipped ${clips === 1 ? 'once' : `${short(clips)} times`} ${facts.flight.words}, ` +
        `in ${seconds} different second${seconds === 1 ? '' : 's'}. Its values are wrong then.`,
      advice: seconds < warn.value ? 'A few clips come from hard landings and gusts.' : ADVICE,
      from,
      to,
      value: seconds,
      unit: 's',
      rule: warn,
    });
  }
}

const ACCEL_AXES = ['ax', 'ay', 'az'] as const;
/** ArduPilot: what is slower than the first frequency is the motion of the vehicle; the second one smooths squares. */
const FLOOR_HZ = 5;
const LEVEL_HZ = 2;
/** Microseconds without a sample after which the filters restart. */
const PAUSE = 1_000_000;

/** Vibration of each IMU from its samples, if not logged. Filtered samples show too much, but never too little. */
async function checkComputedVibration(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const missing = 'No VIBE, VIBRATION or vehicle_imu_status records in the log; old firmware did not write them.';
  const raw = await facts.read(RAW_ACCEL);
  facts.forget(RAW_ACCEL);
  const filtered: readonly QuantityRows<ImuKey>[] = raw.length > 0 ? [] : await filteredSamples(facts);
  const readings = [...raw, ...filtered] as readonly QuantityRows<RawKey>[];
  const told = new Set(readings.flatMap((reading) => judge(facts, report, reading)));
  if (told.size > 0 || readings.length === 0) report.noData('vibration', 'Vibration', [missing, ...told].join(' '));
}

async function filteredSamples(facts: VehicleFacts): Promise<readonly QuantityRows<ImuKey>[]> {
  const precise = await facts.read(HIGHRES_ACCEL);
  facts.forget(HIGHRES_ACCEL);
  if (precise.length > 0 || facts.autopilot === PX4) return precise;
  // the check of the IMUs reads these again
  return facts.read(IMUS);
}

/** Adds a finding where the samples are enough for one, else gives sentences why not. */
function judge(facts: VehicleFacts, report: ReportBuilder, reading: QuantityRows<RawKey>): string[] {
  const { times, values, names, instance, title } = reading;
  const isRaw = values.sampled !== undefined;
  const clock = values.sampled ?? times;
  const step = usualStep(clock);
  const rate = `${short(1e6 / step)} Hz`;
  const least = report.limit('vibration', 'imuRate');
  if (!(step > 0)) return [`${title} has no times to compute it by.`];
  if (1e6 / step < least) return [`${title} at ${rate} is too slow to compute it: ${short(least)} Hz are needed.`];
  const mask = facts.flight.mask(times);
  if (!mask.includes(1)) return [`${title} has no samples ${facts.flight.words} to compute it by.`];
  const lines = ACCEL_AXES.flatMap((axis) => {
    const samples = values[axis];
    return samples ? [{ name: names[axis] as string, times, values: vibrationOf(clock, samples) }] : [];
  });
  report.plot({ check: 'vibration', title: `Vibration by ${title}`, unit: 'm/s²', limits: [] }, lines);
  const warn = report.rule('vibration', 'warn');
  const peak = lines.reduce((most, line) => Math.max(most, line.values[extremeRow(line.values, mask)] ?? 0), 0);
  if (!isRaw && peak <= warn.value) {
    return [
      `Computed from ${title} at ${rate}, it was at most ${short(peak)} m/s² ${facts.flight.words}.`,
      'These samples are filtered: low values do not prove low vibration.',
    ];
  }
  judgeLevel(report, {
    check: 'vibration',
    title: titleOf(reading),
    instance,
    times,
    lines: lines.map(({ name, values }) => ({ name: `the vibration computed from ${name} at ${rate}`, values })),
    fields: lines.map(({ name }) => name),
    unit: 'm/s²',
    warn,
    fail: report.rule('vibration', 'fail'),
    hold: report.micros('vibration', 'hold'),
    meaning: isRaw ? MEANING : `These samples are filtered: real vibration was higher. ${MEANING}`,
    advice: ADVICE,
  });
  return [];
}

/** ArduPilot's VIBE of an axis: the sample without its 5 Hz low pass, squared, 2 Hz low pass, root. */
function vibrationOf(clock: Float64Array, samples: Float64Array): Float64Array {
  const levels = new Float64Array(samples.length).fill(Number.NaN);
  let [floor, square, last] = [Number.NaN, 0, Number.NaN];
  for (let row = 0; row < samples.length; row++) {
    const sample = samples[row];
    if (Number.isNaN(sample)) continue;
    const step = clock[row] - last;
    last = clock[row];
    if (step >= 0 && step <= PAUSE) {
      floor += (sample - floor) * weight(step, FLOOR_HZ);
      square += ((sample - floor) ** 2 - square) * weight(step, LEVEL_HZ);
    } else [floor, square] = [sample, 0];
    levels[row] = Math.sqrt(square);
  }
  return levels;
}

/** How much of a step a first-order low pass takes on in `step` microseconds. */
function weight(step: number, hertz: number): number {
  const seconds = step / 1e6;
  return seconds / (seconds + 1 / (2 * Math.PI * hertz));
}
