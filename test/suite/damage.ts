import type { Format } from '../../src/core/format.ts';
import { decode, type Found, uncovered } from './found.ts';
import { concat, type Random } from './random.ts';

/** What one wrong byte may cost. */
export interface WrongByte {
  /** Records, the one that the byte stands in included. */
  readonly most: number;
  /** The type of which all records may be lost when a byte of this record is wrong, for records that define others. */
  readonly defines?: ((name: string, record: Uint8Array) => string | undefined) | undefined;
  /** Bytes at the beginning on which all else depends and that nothing can make up for: the header of a capture. */
  readonly head?: number | undefined;
  /** Bytes before a record that it needs too: the line break before a line. */
  readonly before?: number | undefined;
}

/** Sets one byte to another value and counts what is gone: records that are not found as they were. */
export function wrongByteCost(
  format: Format,
  bytes: Uint8Array,
  whole: Found,
  random: Random,
  wrong: WrongByte,
): { readonly cost: number; readonly text: string } {
  const { head = 0 } = wrong;
  const place = head + random.below(bytes.length - head);
  const value = (bytes[place] + random.between(1, 255)) & 0xff;
  const damaged = bytes.slice();
  damaged[place] = value;
  const found = decode(format, damaged);
  const gap = uncovered(found, bytes.length);
  if (gap !== undefined) return { cost: Number.POSITIVE_INFINITY, text: `byte ${place} set to ${value}: ${gap}` };
  let cost = 0;
  const lost: string[] = [];
  const touched = touchedBy(whole, place, wrong.before ?? 0);
  const allowed = new Set(touched.map((i) => wrong.defines?.(whole.name(i), recordOf(bytes, whole, i))));
  for (let i = 0, k = 0; i < whole.count; i++) {
    while (k < found.count && found.offsets[k] < whole.offsets[i]) k++;
    const isThere =
      found.offsets[k] === whole.offsets[i] && found.sizes[k] === whole.sizes[i] && found.name(k) === whole.name(i);
    if (isThere && !touched.includes(i)) continue;
    if (!allowed.has(whole.name(i))) cost++;
    if (lost.length <= wrong.most) lost.push(whole.label(i));
  }
  return { cost, text: `byte ${place} set to ${value} cost ${cost} records: ${lost.join(', ')}` };
}

/** Records that a place belongs to. */
function touchedBy(whole: Found, place: number, before: number): number[] {
  const touched: number[] = [];
  for (let i = 0; i < whole.count && whole.offsets[i] - before <= place; i++) {
    if (place < whole.offsets[i] + whole.sizes[i]) touched.push(i);
  }
  return touched;
}

function recordOf(bytes: Uint8Array, whole: Found, i: number): Uint8Array {
  return bytes.subarray(whole.offsets[i], whole.offsets[i] + whole.sizes[i]);
}

/** Puts garbage where a record begins, or at the end, and says what else than a fault over just these bytes came of it. */
export function garbageDifference(
  format: Format,
  bytes: Uint8Array,
  whole: Found,
  at: number,
  garbage: Uint8Array,
): string | undefined {
  const found = decode(format, concat(bytes.subarray(0, at), garbage, bytes.subarray(at)));
  const gap = uncovered(found, bytes.length + garbage.length);
  const where = `${garbage.length} bytes of garbage at ${at}`;
  if (gap !== undefined) return `${where}: ${gap}`;
  for (let i = 0; i < whole.count; i++) {
    const place = whole.offsets[i] + (whole.offsets[i] >= at ? garbage.length : 0);
    const isSame = found.offsets[i] === place && found.sizes[i] === whole.sizes[i] && found.name(i) === whole.name(i);
    if (!isSame) return `${where}: ${whole.label(i)} became ${i < found.count ? found.label(i) : 'nothing'}`;
  }
  if (found.count !== whole.count) return `${where}: ${found.label(whole.count)} came from nowhere`;
  const inside = found.faults.filter(({ offset, length }) => offset >= at && offset + length <= at + garbage.length);
  const covered = inside.reduce((sum, fault) => sum + fault.length, 0);
  return covered === garbage.length ? undefined : `${where}: faults name ${covered} of them`;
}
