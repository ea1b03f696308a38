import { expect, test } from 'vitest';
import { fixed } from '../shared/format.ts';
import { oldText } from './words.ts';

test('a number is never minus zero', () => {
  expect(fixed(-0.04, 1, 'm')).toBe('0.0 m');
  expect(fixed(-0.06, 1, 'm')).toBe('−0.1 m');
  expect(fixed(null, 1, 'm')).toBe('–');
});

test('an age is in seconds, then as a clock', () => {
  expect([12.9, 0.2, 187, Number.NaN].map(oldText)).toEqual(['12 s old', '0 s old', '3:07 old', 'old']);
});
