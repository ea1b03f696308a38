import { describe, expect, test } from 'vitest';
import { timeText } from './format.ts';
import { axisOrigin, tickTexts } from './plot/time-axis.ts';

/** 10 s into GPS week 2400, 18 s of leap before it. */
const TIME = Date.UTC(1980, 0, 6) * 1000 + 2400 * 604_800e6 - 18e6 + 10e6;

describe('times as text', () => {
  test.each([
    ['start', '1:05.250'],
    ['boot', '1:05.250'],
    ['arm', '1:05.250'],
    ['gps', '2400:10.000'],
    ['utc', '23:59:52.000'],
  ] as const)('from %s', (base, text) => {
    expect(timeText(TIME, base, TIME - 65.25e6)).toBe(text);
  });

  test('before the moment that they count from', () => {
    expect(timeText(TIME, 'arm', TIME + 2.5e6, 1)).toBe('−0:02.5');
  });

  test('axes are round from the beginning of the week or the moment on', () => {
    expect(TIME - axisOrigin('gps', TIME)).toBe(10e6);
    expect(axisOrigin('arm', TIME)).toBe(TIME);
    expect(tickTexts([345_600, 345_600.5], 0.5, 'gps')).toEqual(['345600.0', '345600.5']);
    expect(tickTexts([-30, 0, 30], 30, 'boot')).toEqual(['−0:30', '0:00', '0:30']);
    expect(tickTexts([-30, 0], 30, 'guessed')).toEqual(['≈−0:30', '≈0:00']);
    expect(timeText(62.5e6, 'guessed', 1e6, 1)).toBe('≈1:01.5');
  });
});
