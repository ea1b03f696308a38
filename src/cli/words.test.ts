import { describe, expect, test } from 'vitest';
import { nearest } from '../core/search.ts';
import { counted, dateOf, grouped, lasting, perSecond } from './words.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567, '1,234,567'],
  [6442450944, '6,442,450,944'],
])('%d is written %s', (value, text) => {
  expect(grouped(value)).toBe(text);
});

test('one is not several', () => {
  expect(counted(1, 'record')).toBe('1 record');
  expect(counted(0, 'record')).toBe('0 records');
  expect(counted(2500, 'byte')).toBe('2,500 bytes');
});

describe('how long', () => {
  test.each([
    [0, '0 µs'],
    [87, '87 µs'],
    [999.4, '999 µs'],
    [999.6, '1.0 ms'],
    [19_493, '19.5 ms'],
    [999_949, '999.9 ms'],
    [999_950, '1.0 s'],
    [12_340_000, '12.3 s'],
    [59_940_000, '59.9 s'],
    [59_960_000, '1 min 0.0 s'],
    [119_970_000, '2 min 0.0 s'],
    [133_714_826, '2 min 13.7 s'],
    [3_599_940_000, '59 min 59.9 s'],
    [3_599_960_000, '1 h 00 min'],
    [3_720_000_000, '1 h 02 min'],
    [115_862_713_979, '32 h 11 min'],
    [-523, '-523 µs'],
    [-2_500_000, '-2.5 s'],
    [-61_000_000, '-1 min 1.0 s'],
  ])('%d µs is %s', (micros, text) => {
    expect(lasting(micros)).toBe(text);
  });
});

test('dates are UTC to the millisecond, and what no calendar has is seconds', () => {
  expect(dateOf(1_794_766_353_255_519)).toBe('2026-11-15 18:12:33.255 UTC');
  expect(dateOf(-1)).toBe('1969-12-31 23:59:59.999 UTC');
  expect(dateOf(1e19)).toBe('10000000000000 s');
});

test.each([
  [2, 1e6, '1.0 Hz'],
  [1001, 1e6, '1000 Hz'],
  [11, 1e6, '10 Hz'],
  [2, 2e6, '0.50 Hz'],
  [2, 80e6, '0.013 Hz'],
  [1, 1e6, ''],
  [5, 0, ''],
  [5, -1, ''],
  [5, Number.NaN, ''],
])('%d rows in %d µs come at %s', (rows, micros, text) => {
  expect(perSecond(rows, micros)).toBe(text);
});

describe('the word that was meant', () => {
  const known = ['GPS', 'ATT', 'IMU', 'PARM'];
  test.each([
    ['GSP', 'GPS'],
    ['gps', 'GPS'],
    ['ATTT', 'ATT'],
    ['PRM', 'PARM'],
    ['PARAM', 'PARM'],
  ])('%s: %s', (word, meant) => {
    expect(nearest(word, known)).toBe(meant);
  });

  test('is none of them where none is like it', () => {
    expect(nearest('BATTERY', known)).toBeUndefined();
    expect(nearest('x', [])).toBeUndefined();
  });
});
