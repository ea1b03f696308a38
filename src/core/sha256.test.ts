import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Sha256, sha256 } from './sha256.ts';
import { hexOf } from './text.ts';

it('gives the example of the standard', () => {
  const hash = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(hexOf(sha256(new TextEncoder().encode('abc')))).toBe(hash);
});

it('gives what OpenSSL gives for every length around the edges of its blocks', () => {
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7 + length);
    expect(hexOf(sha256(bytes)), `${length} bytes`).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});

it('gives the same whatever the pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (pieces) => {
      const hash = new Sha256();
      const expected = createHash('sha256');
      for (const piece of pieces) {
        hash.update(piece);
        expected.update(piece);
      }
      expect(hexOf(hash.digest())).toBe(expected.digest('hex'));
    }),
  );
});
