import { expect, test } from 'vitest';
import { fixedText } from './text.ts';

test('a number that rounds to 0 has no sign', () => {
  expect([-0.04, -0, 0.04, -0.05, -12.34].map((value) => fixedText(value, 1))).toEqual([
    ...['0.0', '0.0', '0.0', '-0.1', '-12.3'],
  ]);
  expect([-0.4, -0.6].map((value) => fixedText(value, 0))).toEqual(['0', '-1']);
});
