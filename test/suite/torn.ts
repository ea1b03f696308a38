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

/** Records of one kind that are cut at each of their bytes, and bytes at both ends of all others. */
const CUT_THROUGH = 2;
const ENDS = 2;

/**
 * Where to cut: anywhere in what is not a record and in the first records of each table, and at the ends of all others, which
 * are like them inside. SKEIN_ALL=1 cuts everywhere: each cut decodes all before it again.
 */
export function tornPlaces(whole: Found, length: number): number[] {
  const isLeftOut = new Uint8Array(length + 1);
  const seen = new Map<string, number>();
  for (let i = 0; i < whole.count && !process.env.SKEIN_ALL; i++) {
    const kind = `${whole.ids[i]} ${whole.sizes[i]}`;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    const [start, end] = [whole.offsets[i], whole.offsets[i] + whole.sizes[i]];
    if (count > CUT_THROUGH && end - start > 2 * ENDS) isLeftOut.fill(1, start + ENDS + 1, end - ENDS);
  }
  return Array.from(isLeftOut.keys()).filter((place) => isLeftOut[place] === 0);
}
