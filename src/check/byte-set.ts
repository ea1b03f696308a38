/** Some of the 256 bytes: 1 for each that is in it. */
export type ByteSet = Uint8Array;

export function setOf(from: number, to: number = from): ByteSet {
  return new Uint8Array(256).fill(1, from, to + 1);
}

export const ANY_BYTE: ByteSet = setOf(0, 255);

/** Bytes written as `02 00 00 00` or `02000000`; undefined if they are not. */
export function parseBytes(text: string): number[] | undefined {
  if (!/^([0-9a-f]{2}\s*)+$/i.test(text)) return undefined;
  return (text.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16));
}

/** A set written as `01 33 40-7f`; undefined if it is not, or ends before it begins. */
export function parseSet(text: string): ByteSet | undefined {
  const set: ByteSet = new Uint8Array(256);
  const words = text.split(/\s+/).filter((word) => word !== '');
  for (const word of words) {
    const found = /^([0-9a-f]{2})(?:-([0-9a-f]{2}))?$/i.exec(word);
    if (!found) return undefined;
    const from = Number.parseInt(found[1], 16);
    const to = found[2] === undefined ? from : Number.parseInt(found[2], 16);
    if (to < from) return undefined;
    set.fill(1, from, to + 1);
  }
  return words.length > 0 ? set : undefined;
}

export function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** The set as people read it: `02`, `one of 01 33 ff`, `one of 00-35 ca-ff`, `any byte`. */
export function describeSet(set: ByteSet): string {
  const words: string[] = [];
  let count = 0;
  for (let from = 0; from < 256; from++) {
    if (set[from] === 0) continue;
    let to = from;
    while (to < 255 && set[to + 1] === 1) to++;
    count += to - from + 1;
    if (to > from + 1) words.push(`${hexByte(from)}-${hexByte(to)}`);
    else for (let byte = from; byte <= to; byte++) words.push(hexByte(byte));
    from = to;
  }
  if (count === 256) return 'any byte';
  return count === 1 ? words[0] : `one of ${words.join(' ')}`;
}

/** The numbers `min` to `max` as alternatives of byte sets: 0x1234 to 0x5678 is 12 34-ff, 13-55 any, and 56 00-78. */
export function numberSets(min: bigint, max: bigint, bytes: number): ByteSet[][] {
  const modulus = 1n << BigInt(8 * bytes);
  // in two's complement the negative ones come after the others
  if (min < 0n && max >= 0n) return [...between(0n, max, bytes), ...between(min + modulus, modulus - 1n, bytes)];
  return min < 0n ? between(min + modulus, max + modulus, bytes) : between(min, max, bytes);
}

function between(min: bigint, max: bigint, bytes: number): ByteSet[][] {
  if (bytes === 0) return [[]];
  const unit = 1n << BigInt(8 * (bytes - 1));
  const [low, high] = [Number(min / unit), Number(max / unit)];
  const [fromLow, toHigh] = [min % unit, max % unit];
  if (low === high) return behind(low, between(fromLow, toHigh, bytes - 1));
  const isLowWhole = fromLow === 0n;
  const isHighWhole = toHigh === unit - 1n;
  const [first, last] = [isLowWhole ? low : low + 1, isHighWhole ? high : high - 1];
  const found: ByteSet[][] = [];
  if (!isLowWhole) found.push(...behind(low, between(fromLow, unit - 1n, bytes - 1)));
  if (first <= last) found.push([setOf(first, last), ...new Array<ByteSet>(bytes - 1).fill(ANY_BYTE)]);
  if (!isHighWhole) found.push(...behind(high, between(0n, toHigh, bytes - 1)));
  return found;
}

function behind(byte: number, rest: readonly ByteSet[][]): ByteSet[][] {
  return rest.map((sets) => [setOf(byte), ...sets]);
}
