import { concat, type Random } from './random.ts';

/** Changes bytes in one way; what it is given stays as it is. */
type Change = (random: Random, bytes: Uint8Array, other: Uint8Array) => Uint8Array;

const LONGEST_BLOCK = 600;

/** Random bytes, with those that mean something to the format more often than chance would have them. */
export function rawBytes(random: Random, most: number, alphabet: ArrayLike<number>): Uint8Array {
  const bytes = random.bytes(random.below(most + 1));
  const share = random.pick([0, 0.1, 0.5, 0.9]);
  for (let i = 0; i < bytes.length; i++) if (random.chance(share)) bytes[i] = random.pick(alphabet);
  return bytes;
}

/** A slice of a real input with one to four damages. */
export function corrupt(random: Random, samples: readonly Uint8Array[], most: number): Uint8Array {
  let bytes = slice(random, random.pick(samples), most);
  for (let n = random.between(1, 4); n > 0; n--) {
    bytes = random.pick(CHANGES)(random, bytes, slice(random, random.pick(samples), most));
  }
  return bytes;
}

/** The beginning more often than another part: it holds the definitions. */
function slice(random: Random, bytes: Uint8Array, most: number): Uint8Array {
  const from = random.chance(0.7) ? 0 : random.below(bytes.length);
  return bytes.slice(from, from + random.between(1, most));
}

const flipBit: Change = (random, bytes) => {
  const changed = bytes.slice();
  changed[random.below(bytes.length)] ^= 1 << random.below(8);
  return changed;
};

const setByte: Change = (random, bytes) => {
  const changed = bytes.slice();
  changed[random.below(bytes.length)] = random.bits();
  return changed;
};

const setBlock: Change = (random, bytes) => {
  const changed = bytes.slice();
  const from = random.below(bytes.length);
  const to = from + random.below(LONGEST_BLOCK);
  if (random.chance(0.5)) changed.fill(random.pick([0, 0xff, random.bits() & 0xff]), from, to);
  else changed.set(random.bytes(Math.min(to, bytes.length) - from), from);
  return changed;
};

const removeBlock: Change = (random, bytes) => {
  const from = random.below(bytes.length);
  return concat(bytes.subarray(0, from), bytes.subarray(from + random.below(LONGEST_BLOCK)));
};

const insertBlock: Change = (random, bytes) => {
  const at = random.below(bytes.length + 1);
  return concat(bytes.subarray(0, at), random.bytes(random.below(LONGEST_BLOCK)), bytes.subarray(at));
};

const splice: Change = (random, bytes, other) =>
  concat(bytes.subarray(0, random.below(bytes.length + 1)), other.subarray(random.below(other.length)));

const truncate: Change = (random, bytes) => bytes.slice(0, random.below(bytes.length + 1));

const duplicate: Change = (random, bytes) => {
  const from = random.below(bytes.length);
  const to = from + random.below(LONGEST_BLOCK);
  return concat(bytes.subarray(0, to), bytes.subarray(from, to), bytes.subarray(to));
};

const CHANGES: readonly Change[] = [
  flipBit,
  setByte,
  setBlock,
  removeBlock,
  insertBlock,
  splice,
  truncate,
  duplicate,
].map(
  (change): Change =>
    (random, bytes, other) =>
      bytes.length === 0 ? other : change(random, bytes, other),
);
