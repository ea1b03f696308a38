import { expect, test } from 'vitest';
import { gpsToUtc } from './gps.ts';
import { utcToGps } from './gps-week.ts';

test.each([
  ['1980-01-06T00:00:00Z', 0, 0],
  ['2016-12-31T23:59:59Z', 1930, 16_000],
  ['2017-01-01T00:00:00Z', 1930, 18_000],
  ['2026-11-15T18:12:40.900Z', 2445, 65_578_900],
])('%s', (date, week, milliseconds) => {
  const utc = Date.parse(date) * 1000;
  expect(utcToGps(utc)).toEqual({ week, milliseconds });
  expect(gpsToUtc(week, milliseconds)).toBe(utc);
});
