import { expect, test } from 'vitest';
import { half } from '../../test/formats/dataflash/record.ts';
import { halfToNumber, numberToHalf } from './codec.ts';

const ALL = Array.from({ length: 65_536 }, (_, bits) => bits);

test('all 65,536 halves are what the bits of a float make of them', () => {
  expect(ALL.filter((bits) => !Object.is(halfToNumber(bits), half(bits)))).toEqual([]);
});

test('all but the many ways to say NaN come back', () => {
  const isNumber = (bits: number): boolean => (bits & 0x7c00) !== 0x7c00 || (bits & 0x3ff) === 0;
  expect(ALL.filter((bits) => isNumber(bits) && numberToHalf(halfToNumber(bits)) !== bits)).toEqual([]);
  expect(Number.isNaN(halfToNumber(numberToHalf(Number.NaN)))).toBe(true);
});

test('a number between two halves goes to the nearer one, from the middle to the even one', () => {
  for (let bits = 0; bits < 0x7bff; bits++) {
    const [low, high] = [halfToNumber(bits), halfToNumber(bits + 1)];
    const middle = (low + high) / 2;
    const even = bits % 2 === 0 ? bits : bits + 1;
    const step = (high - low) / 1024;
    const rounded = [middle, middle - step, middle + step, -middle].map(numberToHalf);
    const expected = [even, bits, bits + 1, even | 0x8000];
    if (rounded.join() !== expected.join()) expect.fail(`between ${low} and ${high}: ${rounded}, not ${expected}`);
  }
});

test('what is too large is infinite, what is too small zero', () => {
  expect(numberToHalf(65_519.99)).toBe(0x7bff);
  expect(numberToHalf(65_520)).toBe(0x7c00);
  expect(numberToHalf(-1e300)).toBe(0xfc00);
  expect(numberToHalf(Number.POSITIVE_INFINITY)).toBe(0x7c00);
  expect(numberToHalf(2 ** -25)).toBe(0);
  expect(numberToHalf(-1e-300)).toBe(0x8000);
  expect(numberToHalf(Number.MIN_VALUE)).toBe(0);
});
