/*
 * The checksum of IP, UDP and TCP, https://www.rfc-editor.org/rfc/rfc1071: the sum of all 16-bit words in arithmetic
 * where the carry comes back in, turned over. The sum over words that include their right checksum is 0xffff.
 */

/** The sum of bytes [from, to), added to another. */
export function wordSum(bytes: Uint8Array, from: number, to: number, begin = 0): number {
  let sum = begin;
  const last = to - ((to - from) & 1);
  for (let at = from; at < last; at += 2) sum += word(bytes, at);
  if (last < to) sum += bytes[last] << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return sum;
}

/** All bits the other way round. */
export function turned(sum: number): number {
  return sum ^ 0xffff;
}

export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1];
}

export function hexWord(value: number): string {
  return value.toString(16).padStart(4, '0');
}
