import { expect, test } from 'vitest';
import { endOfFill } from './bytes.ts';

test.each([0, 0xff])('a stretch of %i ends where another byte stands, wherever it begins', (fill) => {
  const memory = new Uint8Array(200);
  for (let from = 0; from < 40; from++) {
    for (let length = 0; length < 150; length += 1 + (length >> 3)) {
      memory.fill(fill ^ 0x10).fill(fill, from, from + length);
      // bytes may begin anywhere in their memory
      const bytes = memory.subarray(from);
      expect(endOfFill(bytes, 0, bytes.length, fill)).toBe(length);
      expect(endOfFill(bytes, 0, length >> 1, fill)).toBe(length >> 1);
      expect(endOfFill(memory, from, memory.length, fill)).toBe(from + length);
    }
  }
});
