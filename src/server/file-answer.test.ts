import { expect, test } from 'vitest';
import { rangeOf } from './file-answer.ts';

test.each([
  [undefined, 10, undefined],
  ['bytes=0-0', 10, { first: 0, last: 0 }],
  ['bytes=0-9', 10, { first: 0, last: 9 }],
  ['bytes=5-', 10, { first: 5, last: 9 }],
  ['bytes=5-99999999999999999999', 10, { first: 5, last: 9 }],
  ['bytes=-3', 10, { first: 7, last: 9 }],
  ['bytes=-99', 10, { first: 0, last: 9 }],
  ['Bytes= 1-2 ', 10, { first: 1, last: 2 }],
  ['bytes=10-', 10, 'none'],
  ['bytes=-0', 10, 'none'],
  ['bytes=0-', 0, 'none'],
  ['bytes=-5', 0, 'none'],
  ['bytes=99999999999999999999-', 10, 'none'],
  ['bytes=5-4', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['bytes=--1', 10, undefined],
  ['items=0-1', 10, undefined],
])('%s of %i bytes', (header, size, range) => {
  expect(rangeOf(header, size)).toEqual(range);
});
