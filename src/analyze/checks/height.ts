import type { Examination } from '../examination.ts';
import { median, valuesAt } from '../holds.ts';
import type { Quantity } from '../series.ts';

/** Ways to tell the height, the best first: metres above home or take-off, else above the sea. */
const HEIGHT: Quantity<'height'> = [
  [{ table: 'POS', fields: { height: ['RelHomeAlt', 'RelAlt'] } }],
  [{ table: 'CTUN', fields: { height: ['Alt', 'BAlt', 'BarAlt'] } }],
  [{ table: 'GLOBAL_POSITION_INT', fields: { height: 'relative_alt' } }],
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'GPS', fields: { height: ['RelAlt', 'Alt'] } }],
  [{ table: 'SENS', fields: { height: 'BaroAlt' } }],
  [{ table: 'LPOS', fields: { height: { name: 'Z', factor: -1 } } }],
  [{ table: 'VFR_HUD', fields: { height: 'alt' } }],
];

/** Microseconds around the take-off whose median is the ground. */
const GROUND_TIME = 3e6;

/** The height above the last take-off at a time, and the field that told it. */
export async function heightAt(exam: Examination, time: number): Promise<{ value: number; name: string } | undefined> {
  const [reading] = await exam.read(HEIGHT);
  const height = reading?.values.height;
  if (!height) return undefined;
  const { times, names } = reading;
  const start = exam.ground.phases.flying.findLast((stretch) => stretch.start <= time)?.start;
  const ground =
    start === undefined
      ? 0
      : median(height.filter((_, row) => times[row] > start - GROUND_TIME && times[row] < start + GROUND_TIME / 10));
  const [now] = valuesAt(Float64Array.of(time), times, height);
  const value = now - (Number.isNaN(ground) ? 0 : ground);
  return Number.isNaN(value) ? undefined : { value, name: names.height as string };
}
