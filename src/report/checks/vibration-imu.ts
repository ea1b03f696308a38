import { PX4 } from '../../facts/heartbeat.ts';
import { extremeRow, usualStep } from '../../series/holds.ts';
import { HIGHRES_ACCEL, IMUS, type ImuKey, RAW_ACCEL, type RawKey } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { judgeLevel } from './level.ts';

const AXES = ['ax', 'ay', 'az'] as const;
/** ArduPilot: what is slower than the first frequency is the motion of the vehicle; the second one smooths squares. */
const FLOOR_HZ = 5;
const LEVEL_HZ = 2;
/** Microseconds without a sample after which the filters begin anew. */
const PAUSE = 1_000_000;

/**
 * The vibration of each IMU, computed from its samples, for logs in which the autopilot does not tell it. Samples that
 * went through the autopilot's filter hold little of it: what is too much in them is too much, the rest says nothing.
 */
export async function checkComputedVibration(exam: Examination, meaning: string, advice: string): Promise<void> {
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
  const lines = AXES.flatMap((axis) => {
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
