import { PX4 } from '../../facts/heartbeat.ts';
import { VIBRATION } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { judgeLevel, limitsOf, linesOf } from './level.ts';
import { checkComputedVibration } from './vibration-imu.ts';

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
