import type { Format } from '../../src/core/format.ts';
import { decode, type Found, uncovered } from './found.ts';

/**
 * Cuts bytes off at `cut` and says what that cost beyond the record that was cut: every record that ends before it
 * must be found as it is in the whole.
 * @param mayPass whether the record that is cut may be found too, shorter than it was
 */
export function tornDifference(
  format: Format,
  bytes: Uint8Array,
  whole: Found,
  cut: number,
  mayPass: boolean,
): string | undefined {
  const torn = decode(format, bytes.subarray(0, cut));
  const gap = uncovered(torn, cut);
  if (gap !== undefined) return `cut at ${cut}: ${gap}`;
  let i = 0;
  for (; i < whole.count && whole.offsets[i] + whole.sizes[i] <= cut; i++) {
    const isSame =
      whole.offsets[i] === torn.offsets[i] && whole.sizes[i] === torn.sizes[i] && whole.name(i) === torn.name(i);
    if (!isSame) return `cut at ${cut}: ${whole.label(i)} became ${i < torn.count ? torn.label(i) : 'nothing'}`;
  }
  const most = i + (mayPass && torn.offsets[i] === whole.offsets[i] ? 1 : 0);
  if (torn.count > most) return `cut at ${cut}: ${torn.label(most)} came from nowhere`;
  return undefined;
}
