import { describe, expect, test } from 'vitest';
import { blobSource, bytesSource } from './source.ts';

const BYTES = Uint8Array.from({ length: 100 }, (_, i) => i);

describe.each([
  ['bytes', bytesSource(BYTES)],
  ['a blob', blobSource(new Blob([BYTES]))],
])('a source of %s', (_, source) => {
  test('has their size', () => {
    expect(source.size).toBe(100);
  });

  test.each([
    [0, 3, [0, 1, 2]],
    [98, 10, [98, 99]],
    [100, 1, []],
    [200, 5, []],
    [5, 0, []],
  ])('read at %i gives %i bytes at most', async (offset, length, expected) => {
    expect([...(await source.read(offset, length))]).toEqual(expected);
  });
});
