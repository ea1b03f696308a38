import { expect, test } from 'vitest';
import { motorNumber } from './motors.ts';

test('functions of outputs that are motors', () => {
  expect([33, 40, 82, 85, 160, 179].map(motorNumber)).toEqual([1, 8, 9, 12, 13, 32]);
  expect([0, 1, 32, 41, 81, 86, 159, 180].map(motorNumber)).toEqual(Array(8).fill(undefined));
});
