import { describe, expect, test } from 'vitest';
import { errorText, hex, hexOf, shortest, textOf } from './text.ts';

describe('the text of a field', () => {
  test.each<[string, number[], string]>([
    ['ends before a NUL', [0x61, 0x62, 0, 0x63], 'ab'],
    ['may fill the field', [0x61, 0x62, 0x7f], 'ab\x7f'],
    ['may be empty', [0, 0x61], ''],
    ['is UTF-8', [0xc3, 0xa9, 0x21], 'é!'],
    ['is Latin-1 where it is no UTF-8', [0x61, 0xe9, 0x62], 'aéb'],
    ['keeps a mark of byte order', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
    ['is Latin-1 beyond the short ones', [0x61, 0x62, 0x63, 0x64, 0x65, 0xff], 'abcdeÿ'],
  ])('%s', (_, bytes, text) => {
    expect(textOf(Uint8Array.from([0x58, ...bytes]), 1, 1 + bytes.length)).toBe(text);
  });

  test('is whole at any length', () => {
    for (const length of [0, 1, 2, 3, 4, 5, 6, 7, 4095, 4096, 4097, 8192, 8193, 10_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => 33 + (i % 90));
      expect(textOf(bytes, 0, length), `${length} bytes`).toBe(Buffer.from(bytes).toString('latin1'));
    }
  });
});

describe('the shortest decimal of 32 bits', () => {
  test.each([
    [0.1, '0.1'],
    [Math.fround(0.1), '0.1'],
    [Math.fround(4.45), '4.45'],
    [Math.fround(16_777_215), '16777215'],
    [Math.fround(1 / 3), '0.33333334'],
    [1 / 3, '0.3333333333333333'],
    [-0.25, '-0.25'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ])('of %d', (value, text) => {
    expect(shortest(value)).toBe(text);
  });

  test('reads as the same number again', () => {
    for (let i = 1; i < 2000; i++) {
      const value = Math.fround(Math.sin(i) * 10 ** ((i % 60) - 30));
      expect(Math.fround(Number(shortest(value)))).toBe(value);
    }
  });
});

test('bytes and numbers as hexadecimal digits', () => {
  expect(hexOf(Uint8Array.of(0, 9, 15, 16, 0xab, 255))).toBe('00090f10abff');
  expect([hex(10), hex(0x1234), hex(10, 4), hex(0)]).toEqual(['0x0a', '0x1234', '0x000a', '0x00']);
});

test('what was thrown is told as text', () => {
  expect([errorText(new RangeError('too far')), errorText('a word'), errorText(7)]).toEqual(['too far', 'a word', '7']);
});
