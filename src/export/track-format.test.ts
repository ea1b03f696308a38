import { expect, test } from 'vitest';
import { pieces } from './track-format.ts';

test.each([0, 1, 2, 511, 512, 513, 1024, 3000])('%d items with a separator between them and nowhere else', (count) => {
  const all = [...pieces(count, String, ',')];
  expect(all.join('')).toBe(Array.from({ length: count }, (_, i) => i).join(','));
  expect(all).toHaveLength(Math.ceil(count / 512));
});

test('no piece grows with the number of items', () => {
  for (const piece of pieces(100_000, () => 'x'.repeat(10))) expect(piece.length).toBeLessThanOrEqual(5120);
});

test('nothing is made before it is asked for', () => {
  let made = 0;
  const all = pieces(10_000, () => String(made++));
  expect(made).toBe(0);
  all.next();
  expect(made).toBe(512);
});
