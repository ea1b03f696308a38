import { expect, test } from 'vitest';
import type { Enumeration } from '../core/schema.ts';
import { enumNames } from './json-line.ts';

const fix: Enumeration = {
  name: 'FIX',
  bitmask: false,
  names: new Map([
    [0, 'none'],
    [3, '3d'],
  ]),
};
const bits: Enumeration = {
  name: 'BITS',
  bitmask: true,
  names: new Map([
    [0, 'nothing'],
    [1, 'one'],
    [2, 'two'],
    [3, 'both'],
    [2 ** 31, 'high'],
    [2 ** 40, 'higher'],
  ]),
};

test('values have one name, or none', () => {
  expect([0, 3, 4, 3n, 0.5, null, 'text'].map((value) => enumNames(fix, value))).toEqual([
    'none',
    '3d',
    null,
    '3d',
    null,
    null,
    null,
  ]);
});

test('bitmasks have the names of all bits that are set', () => {
  expect(enumNames(bits, 0)).toEqual([]);
  expect(enumNames(bits, 2)).toEqual(['two']);
  expect(enumNames(bits, 3)).toEqual(['one', 'two', 'both']);
  expect(enumNames(bits, 2 ** 31 + 1)).toEqual(['one', 'high']);
  expect(enumNames(bits, 2 ** 40 + 2)).toEqual(['two', 'higher']);
  expect(enumNames(bits, 2n ** 63n + 2n ** 40n)).toEqual(['higher']);
  expect(enumNames(bits, -1)).toEqual(['one', 'two', 'both', 'high', 'higher']);
});

test('arrays have those of their elements', () => {
  expect(enumNames(fix, [3, null, 0])).toEqual(['3d', null, 'none']);
});
