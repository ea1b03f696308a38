import { describe, expect, test } from 'vitest';
import { gpsToUtc, leapSeconds, utcToGps } from './gps.ts';

const WEEK_MILLIS = 604_800_000;

/** The moment that a week and milliseconds mean, as a date. */
function dateOf(week: number, milliseconds: number, leap?: number): string {
  return new Date(gpsToUtc(week, milliseconds, leap) / 1000).toISOString();
}

/** Seconds of GPS ahead of UTC when GPS clocks show a date. */
function ahead(gpsDate: string): number {
  return leapSeconds(Date.parse(gpsDate) * 1000);
}

describe('UTC of a GPS week', () => {
  test('the weeks at which 10 bits overflow began when the whole world noted it', () => {
    expect(dateOf(0, 0)).toBe('1980-01-06T00:00:00.000Z');
    expect(dateOf(1024, 0)).toBe('1999-08-21T23:59:47.000Z');
    expect(dateOf(2048, 0)).toBe('2019-04-06T23:59:42.000Z');
  });

  test('milliseconds count within the week and beyond its end', () => {
    expect(dateOf(2048, 1234)).toBe('2019-04-06T23:59:43.234Z');
    expect(gpsToUtc(2047, WEEK_MILLIS)).toBe(gpsToUtc(2048, 0));
  });

  test('another count of leap seconds can be asked for, none at all included', () => {
    expect(dateOf(1024, 0, 18)).toBe('1999-08-21T23:59:42.000Z');
    expect(dateOf(1024, 0, 0)).toBe('1999-08-22T00:00:00.000Z');
  });
});

test('a UTC time has the week and seconds that give it', () => {
  for (const [week, millis] of [
    [0, 0],
    [1024, 0],
    [1929, 500_000],
    [2047, WEEK_MILLIS - 1],
    [2400, 345_678_901],
  ]) {
    const { week: found, seconds } = utcToGps(gpsToUtc(week, millis));
    expect([found, Math.round(seconds * 1000)]).toEqual([week, millis]);
  }
  // from the first second of 2017 on GPS is 18 s ahead
  expect(utcToGps(Date.UTC(2017, 0, 1) * 1000)).toEqual({ week: 1930, seconds: 18 });
});

describe('leap seconds by date', () => {
  // IERS Bulletin C: TAI - UTC at each date less the 19 s by which TAI is ahead of GPS
  test.each([
    ['1980-06-01', 0],
    ['1981-08-01', 1],
    ['1983-01-01', 2],
    ['1984-01-01', 3],
    ['1986-01-01', 4],
    ['1989-01-01', 5],
    ['1990-06-01', 6],
    ['1991-06-01', 7],
    ['1993-01-01', 8],
    ['1994-01-01', 9],
    ['1995-01-01', 10],
    ['1997-01-01', 11],
    ['1998-01-01', 12],
    ['2003-01-01', 13],
    ['2007-01-01', 14],
    ['2011-06-01', 15],
    ['2014-06-01', 16],
    ['2016-06-01', 17],
    ['2020-06-01', 18],
    ['2030-01-01', 18],
  ])('on %s GPS is %i s ahead', (date, seconds) => {
    expect(ahead(`${date}T00:00:00Z`)).toBe(seconds);
  });

  test('one begins to count when the second is over that was put in', () => {
    // 2016-12-31 23:59:60 UTC was 2017-01-01 00:00:17 on GPS clocks
    expect(ahead('2017-01-01T00:00:17.999Z')).toBe(17);
    expect(ahead('2017-01-01T00:00:18Z')).toBe(18);
    expect(ahead('2015-07-01T00:00:16.999Z')).toBe(16);
    expect(ahead('2015-07-01T00:00:17Z')).toBe(17);
  });
});

test.each([
  ['1980-01-06T00:00:00Z', 0, 0],
  ['2016-12-31T23:59:59Z', 1930, 16_000],
  ['2017-01-01T00:00:00Z', 1930, 18_000],
  ['2026-11-15T18:12:40.900Z', 2445, 65_578_900],
])('%s in weeks of GPS and back', (date, week, milliseconds) => {
  const utc = Date.parse(date) * 1000;
  expect(utcToGps(utc)).toEqual({ week, seconds: milliseconds / 1000 });
  expect(gpsToUtc(week, milliseconds)).toBe(utc);
});
