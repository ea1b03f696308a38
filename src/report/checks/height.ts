import { median, valuesAt } from '../../series/holds.ts';
import { BARO_HEIGHT, HEIGHT } from '../../series/quantities.ts';
import type { Examination } from '../examination.ts';

/** Microseconds around the take-off whose median is the ground. */
const GROUND_TIME = 3e6;

/**
 * The height above the last take-off, or above where it was at another time, and the field that told it.
 * @param isMeasured whether only a barometer counts
 */
export async function heightAt(
  exam: Examination,
  time: number,
  since?: number,
  isMeasured = false,
): Promise<{ value: number; name: string } | undefined> {
  const [reading] = await exam.read(isMeasured ? BARO_HEIGHT : HEIGHT);
  const height = reading?.values.height;
  if (!height) return undefined;
  const { times, names } = reading;
  const start = since ?? exam.ground.phases.flying.findLast((stretch) => stretch.start <= time)?.start;
  const ground =
    start === undefined
      ? 0
      : median(height.filter((_, row) => times[row] > start - GROUND_TIME && times[row] < start + GROUND_TIME / 10));
  const [now] = valuesAt(Float64Array.of(time), times, height);
  const value = now - (Number.isNaN(ground) ? 0 : ground);
  return Number.isNaN(value) ? undefined : { value, name: names.height as string };
}
