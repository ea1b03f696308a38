import { median, quantile, valuesAt } from '../../series/holds.ts';
import { BARO_HEIGHT, CELL_KEYS, CONTROL, HEIGHT, type PackKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';

/** The throttle from 0 to 1. Firmwares have counted it to 1, to 100 and to 1000, and mostly do not say which. */
export function throttleOf({ values }: QuantityRows<'throttle'>): Float64Array | undefined {
  const { throttle } = values;
  if (!throttle) return undefined;
  const most = quantile(throttle, 0.999);
  const scale = most > 150 ? 1000 : most > 1.5 ? 100 : 1;
  return scale === 1 ? throttle : throttle.map((value) => value / scale);
}

/** Throttle and climb at the same times. */
export interface Control {
  readonly times: Float64Array;
  readonly throttle: Float64Array;
  readonly climb: Float64Array;
  readonly climbWish: Float64Array | undefined;
  readonly names: Readonly<Partial<Record<'throttle' | 'climb' | 'climbWish', string>>>;
}

/** Microseconds for which a climb of another table counts. */
const AGE = 1e6;

/** The first throttle that the log has with the climb: in some logs they are in separate tables. */
export async function controlOf(facts: VehicleFacts): Promise<Control | undefined> {
  const readings = await facts.read(CONTROL);
  const whole = readings.find(({ values }) => values.throttle && values.climb);
  const first = whole ?? readings.find(({ values }) => values.throttle);
  const throttle = first && throttleOf(first);
  if (!first || !throttle) return undefined;
  const at = (key: 'climb' | 'climbWish'): [values: Float64Array | undefined, name: string | undefined] => {
    const reading = whole ?? readings.find(({ values }) => values[key]);
    const values = reading?.values[key];
    if (!reading || !values) return [undefined, undefined];
    return [whole ? values : valuesAt(first.times, reading.times, values, AGE), reading.names[key]];
  };
  const [climb, climbName] = at('climb');
  const [climbWish, wishName] = at('climbWish');
  if (!climb) return undefined;
  const names = {
    ...(first.names.throttle === undefined ? {} : { throttle: first.names.throttle }),
    ...(climbName === undefined ? {} : { climb: climbName }),
    ...(wishName === undefined ? {} : { climbWish: wishName }),
  };
  return { times: first.times, throttle, climb, climbWish, names };
}

/** The voltage of the pack: as logged, or the sum of its cells. */
export function packVoltage({ values, times }: QuantityRows<PackKey>): Float64Array | undefined {
  if (values.volts) return values.volts;
  const cells = CELL_KEYS.flatMap((key) => values[key] ?? []);
  if (cells.length === 0) return undefined;
  return times.map((_, row) => cells.reduce((sum, volts) => sum + (volts[row] > 0 ? volts[row] : 0), 0));
}

/** Microseconds around the take-off whose median is the ground. */
const GROUND_TIME = 3e6;

/** Height above the last take-off, or above a given time, with its field. @param isMeasured barometers only */
export async function heightAt(
  facts: VehicleFacts,
  time: number,
  since?: number,
  isMeasured = false,
): Promise<{ value: number; name: string } | undefined> {
  const [reading] = await facts.read(isMeasured ? BARO_HEIGHT : HEIGHT);
  const height = reading?.values.height;
  if (!height) return undefined;
  const { times, names } = reading;
  const start = since ?? facts.phases.flying.findLast((stretch) => stretch.start <= time)?.start;
  const ground =
    start === undefined
      ? 0
      : median(height.filter((_, row) => times[row] > start - GROUND_TIME && times[row] < start + GROUND_TIME / 10));
  const [now] = valuesAt(Float64Array.of(time), times, height);
  const value = now - (Number.isNaN(ground) ? 0 : ground);
  return Number.isNaN(value) ? undefined : { value, name: names.height as string };
}
