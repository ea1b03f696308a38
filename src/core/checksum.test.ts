import fc from 'fast-check';
import { expect, it } from 'vitest';
import { X25_SEED, x25, x25Byte, x25Sliced } from './checksum.ts';

/** By the bit, with no table: slow and plain. */
function reference(bytes: Uint8Array, seed: number): number {
  let sum = seed;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const carry = (sum ^ (byte >>> bit)) & 1;
      sum = (sum >>> 1) ^ (carry ? 0x8408 : 0);
    }
  }
  return sum;
}

it('gives the check value of CRC-16/MCRF4XX', () => {
  const digits = new TextEncoder().encode('123456789');
  expect(x25(digits)).toBe(0x6f91);
  expect(x25Sliced(digits, 0, 9, X25_SEED)).toBe(0x6f91);
});

it('gives the same by all ways, for any bytes, place and seed', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(300),
      fc.nat(300),
      fc.integer({ min: 0, max: 0xffff }),
      (bytes, a, b, seed) => {
        const from = Math.min(a, b, bytes.length);
        const to = Math.min(Math.max(a, b), bytes.length);
        const wanted = reference(bytes.subarray(from, to), seed);
        expect(x25(bytes, from, to, seed)).toBe(wanted);
        expect(x25Sliced(bytes, from, to, seed)).toBe(wanted);
        expect(bytes.subarray(from, to).reduce(x25Byte, seed)).toBe(wanted);
      },
    ),
    { numRuns: 2000 },
  );
});
