import { ANY_BYTE, type ByteSet, setOf } from './byte-set.ts';

/**
 * The numbers from `min` to `max`, as alternatives of one set a byte, the most significant byte first: 0x1234 to 0x5678
 * are 12 34-ff, 13-55 any, and 56 00-78.
 */
export function numberSets(min: bigint, max: bigint, bytes: number): ByteSet[][] {
  const modulus = 1n << BigInt(8 * bytes);
  // in two's complement the negative ones come behind the others
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
