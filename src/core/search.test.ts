import { expect, test } from 'vitest';
import { firstIndex, nearest } from './search.ts';

test('the first index from which on a test holds', () => {
  for (const length of [0, 1, 2, 3, 10, 17])
    for (let first = 0; first <= length; first++) expect(firstIndex(length, (i) => i >= first)).toBe(first);
  expect(firstIndex(2 ** 40, (i) => i >= 2 ** 39 + 7)).toBe(2 ** 39 + 7);
});

test.each([
  ['ATTITUDE', 'ATTITUDE'],
  ['attitude', 'ATTITUDE'],
  ['ATITUDE', 'ATTITUDE'],
  ['ATTTITUDE', 'ATTITUDE'],
  ['ATTIUTDE', 'ATTITUDE'],
  ['ATTIZUDE', 'ATTITUDE'],
  ['XTTITUDEX', 'ATTITUDE'],
  ['XXTTITUDEX', undefined],
  ['ATTITUDEXXX', undefined],
  ['GPS3', 'GPS2'],
  ['GSP', 'GPS'],
  ['GP', 'GPS'],
  ['X', undefined],
  ['XY', undefined],
  ['', undefined],
])('%s was %s', (word, meant) => {
  expect(nearest(word, ['ATTITUDE', 'GPS2', 'GPS', 'BARO'])).toBe(meant);
});
