import { quantile } from '../../series/holds.ts';
import type { Reading } from '../../series/quantity-rows.ts';

/** The throttle from 0 to 1. Firmwares have counted it to 1, to 100 and to 1000, and mostly do not say which. */
export function throttleOf({ values }: Reading<'throttle'>): Float64Array | undefined {
  const { throttle } = values;
  if (!throttle) return undefined;
  const most = quantile(
    throttle.filter((value) => !Number.isNaN(value)),
    0.999,
  );
  const scale = most > 150 ? 1000 : most > 1.5 ? 100 : 1;
  return scale === 1 ? throttle : throttle.map((value) => value / scale);
}
