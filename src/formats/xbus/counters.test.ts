import { expect, test } from 'vitest';
import { Counters } from './counters.ts';

const sum = (numbers: readonly number[]): object => {
  const counters = new Counters();
  for (const number of numbers) counters.pass(7, number);
  const [{ stream, ...rest }] = counters.statistics((bus) => `bus ${bus}`);
  expect(stream).toBe('bus 7');
  return rest;
};

const none = { lost: 0, duplicated: 0, reordered: 0, restarted: 0 };

test.each([
  ['in turn', [5, 6, 7], { ...none, received: 3 }],
  ['over the wrap', [65534, 65535, 0, 1], { ...none, received: 4 }],
  ['with a gap', [5, 6, 10], { ...none, received: 3, lost: 3 }],
  ['with a gap over the wrap', [65534, 2], { ...none, received: 2, lost: 3 }],
  ['repeated', [5, 6, 6, 7], { ...none, received: 4, duplicated: 1 }],
  ['late', [5, 7, 6, 8], { ...none, received: 4, reordered: 1 }],
  ['late and repeated', [5, 7, 6, 6, 8], { ...none, received: 5, reordered: 1, duplicated: 1 }],
  ['from 0 again', [40_000, 40_001, 0, 1], { ...none, received: 4, restarted: 1 }],
  ['far back', [40_000, 40_001, 30_000, 30_001], { ...none, received: 4, restarted: 1 }],
  ['after a long gap', [5, 5000], { ...none, received: 2, lost: 4994 }],
])('numbers %s', (_, numbers, expected) => {
  expect(sum(numbers)).toEqual(expected);
});

test('devices that sent nothing have no statistics', () => {
  expect(new Counters().statistics(String)).toEqual([]);
});
