import { PX4 } from '../../facts/heartbeat.ts';
import { extremeRow, usualStep } from '../../series/holds.ts';
import { HIGHRES_ACCEL, IMUS, type ImuKey, RAW_ACCEL, type RawKey, VIBRATION } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { judgeLevel, limitsOf, linesOf } from './judge.ts';

const AXES = ['x', 'y', 'z'] as const;

const MEANING = 'Strong vibration makes altitude and position estimates drift.';
const ADVICE =
  'Look for loose or bent propellers, worn bearings and loose arms, and at how the autopilot is mounted and damped.';

/** Vibration of the accelerometers, and whether they clipped. */
export async function checkVibration(exam: Examination): Promise<void> {
  const readings = await exam.read(VIBRATION);
  exam.forget(VIBRATION);
  if (readings.length === 0) {
    await checkComputedVibration(exam, MEANING, ADVICE);
    return;
  }
  for (const reading of readings) {
    const { times, instance } = reading;
    const mask = exam.flight.mask(times);
    // PX4 sends metrics of the gyros as x and y
    const axes = exam.ground.autopilot === PX4 ? (['z'] as const) : AXES;
    const lines = linesOf(reading, axes);
    if (lines.length > 0) {
      judgeLevel(exam, {
        check: 'vibration',
        title: instance === '' ? 'Vibration' : `Vibration of IMU ${instance}`,
        instance,
        times,
        lines,
        mask,
        scope: exam.flight,
        unit: 'm/s²',
        warn: exam.rule('vibration', 'warn'),
        fail: exam.rule('vibration', 'fail'),
        hold: exam.micros('vibration', 'hold'),
        meaning: MEANING,
        advice: ADVICE,
      });
    }
    checkClips(exam, reading, mask);
  }
  const limits = limitsOf(exam.rule('vibration', 'warn'), exam.rule('vibration', 'fail'));
  exam.plot(
    { check: 'vibration', title: 'Vibration', unit: 'm/s²', limits },
    readings.flatMap((reading) => linesOf(reading, AXES)),
  );
}

function checkClips(
  exam: Examination,
  { times, values, names, instance }: Reading<'clip' | 'clip0' | 'clip1' | 'clip2'>,
  mask: Uint8Array,
): void {
  const [warn, fail] = [exam.rule('vibration', 'clipWarn'), exam.rule('vibration', 'clipFail')];
  const flown = exam.ground.phases.flying.reduce((sum, { start, end }) => sum + end - start, 0) / 1e6;
  for (const [key, which] of [
    ['clip', instance],
    ['clip0', '0'],
    ['clip1', '1'],
    ['clip2', '2'],
  ] as const) {
    const counts = values[key];
    if (!counts) continue;
    const { clips, seconds, from, to } = increases(times, counts, mask);
    const title = which === '' ? 'Clipping' : `Clipping of IMU ${which}`;
    const common = { check: 'vibration', title, instance: which, fields: [names[key] as string], unit: '' };
    if (clips === 0) {
      if (mask.includes(1))
        exam.add({ ...common, severity: 'ok', text: `The accelerometer did not clip ${exam.flight.words}.`, value: 0 });
      continue;
    }
    exam.add({
      ...common,
      severity: seconds < warn.value ? 'info' : (100 * seconds) / flown >= fail.value ? 'fail' : 'warn',
      text:
        `The accelerometer reached the end of its range ${clips === 1 ? 'once' : `${short(clips)} times`} ${exam.flight.words}, ` +
        `in ${seconds} different second${seconds === 1 ? '' : 's'}. What it measures then is wrong.`,
      advice: seconds < warn.value ? 'A few clips are those of hard landings and gusts.' : ADVICE,
      from,
      to,
      value: seconds,
      unit: 's',
      threshold: warn.value,
      source: warn.source,
    });
  }
}

/** How much a counter grew, and in how many different seconds; one that starts again has not grown. */
export function increases(
  times: Float64Array,
  counts: Float64Array,
  mask: Uint8Array,
): { clips: number; seconds: number; from: number; to: number } {
  const seconds = new Set<number>();
  let clips = 0;
  let [from, to] = [Number.NaN, Number.NaN];
  let before = Number.NaN;
  for (let row = 0; row < counts.length; row++) {
    const grown = counts[row] - before;
    if (!Number.isNaN(counts[row])) before = counts[row];
    if (mask[row] === 0 || !(grown > 0)) continue;
    clips += grown;
    seconds.add(Math.floor(times[row] / 1e6));
    if (Number.isNaN(from)) from = times[row];
    to = times[row];
  }
  return { clips, seconds: seconds.size, from, to };
}

const ACCEL_AXES = ['ax', 'ay', 'az'] as const;
/** ArduPilot: what is slower than the first frequency is the motion of the vehicle; the second one smooths squares. */
const FLOOR_HZ = 5;
const LEVEL_HZ = 2;
/** Microseconds without a sample after which the filters begin anew. */
const PAUSE = 1_000_000;

/**
 * The vibration of each IMU, computed from its samples, for logs in which the autopilot does not tell it. Samples that
 * went through the autopilot's filter hold little of it: what is too much in them is too much, the rest says nothing.
 */
async function checkComputedVibration(exam: Examination, meaning: string, advice: string): Promise<void> {
  const missing = 'The log has no VIBE or VIBRATION records; old firmwares did not write them.';
  const raw = await exam.read(RAW_ACCEL);
  exam.forget(RAW_ACCEL);
  const filtered: readonly Reading<ImuKey>[] = raw.length > 0 ? [] : await filteredSamples(exam);
  const readings = [...raw, ...filtered] as readonly Reading<RawKey>[];
  const told = new Set(readings.flatMap((reading) => judge(exam, reading, meaning, advice)));
  if (told.size > 0 || readings.length === 0) exam.noData('vibration', 'Vibration', [missing, ...told].join(' '));
}

async function filteredSamples(exam: Examination): Promise<readonly Reading<ImuKey>[]> {
  const precise = await exam.read(HIGHRES_ACCEL);
  exam.forget(HIGHRES_ACCEL);
  if (precise.length > 0 || exam.ground.autopilot === PX4) return precise;
  // the check of the IMUs reads these again
  return exam.read(IMUS);
}

/** Adds a finding where the samples are enough for one, else gives sentences why not. */
function judge(exam: Examination, reading: Reading<RawKey>, meaning: string, advice: string): string[] {
  const { times, values, names, instance, title } = reading;
  const isRaw = values.sampled !== undefined;
  const clock = values.sampled ?? times;
  const step = usualStep(clock);
  const rate = `${short(1e6 / step)} Hz`;
  const least = exam.limit('vibration', 'imuRate');
  if (!(step > 0)) return [`${title} has no times to compute it by.`];
  if (1e6 / step < least) return [`${title} at ${rate} is too slow to compute it: ${short(least)} Hz are needed.`];
  const mask = exam.flight.mask(times);
  if (!mask.includes(1)) return [`${title} has no samples ${exam.flight.words} to compute it by.`];
  const lines = ACCEL_AXES.flatMap((axis) => {
    const samples = values[axis];
    return samples ? [{ name: names[axis] as string, times, values: vibrationOf(clock, samples) }] : [];
  });
  exam.plot({ check: 'vibration', title: `Vibration by ${title}`, unit: 'm/s²', limits: [] }, lines);
  const warn = exam.rule('vibration', 'warn');
  const peak = lines.reduce((most, line) => Math.max(most, line.values[extremeRow(line.values, mask)] ?? 0), 0);
  if (!isRaw && peak <= warn.value) {
    return [
      `Computed from ${title} at ${rate}, it was at most ${short(peak)} m/s² ${exam.flight.words}.`,
      'The filter of the autopilot comes before these samples: little in them does not mean little.',
    ];
  }
  judgeLevel(exam, {
    check: 'vibration',
    title: instance === '' ? 'Vibration' : `Vibration of IMU ${instance}`,
    instance,
    times,
    lines: lines.map(({ name, values }) => ({ name: `the vibration computed from ${name} at ${rate}`, values })),
    fields: lines.map(({ name }) => name),
    mask,
    scope: exam.flight,
    unit: 'm/s²',
    warn,
    fail: exam.rule('vibration', 'fail'),
    hold: exam.micros('vibration', 'hold'),
    meaning: isRaw ? meaning : `The filter of the autopilot comes before these samples: it was more. ${meaning}`,
    advice,
  });
  return [];
}

/**
 * The standard deviation of an axis around its own motion, as ArduPilot computes VIBE: the sample without its low pass
 * at 5 Hz, squared, and of that the root of the low pass at 2 Hz.
 */
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

/** How much of a step a low pass of the first order takes on in so many microseconds. */
function weight(step: number, hertz: number): number {
  const seconds = step / 1e6;
  return seconds / (seconds + 1 / (2 * Math.PI * hertz));
}
