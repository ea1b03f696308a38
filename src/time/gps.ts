/*
 * GPS time counts weeks from 1980-01-06 and knows no leap seconds; UTC has inserted these since then. From each date
 * on (UTC, microseconds) GPS is ahead by the number of seconds beside it.
 * https://hpiers.obspm.fr/eoppc/bul/bulc/Leap_Second.dat
 */
const GPS_EPOCH = Date.UTC(1980, 0, 6) * 1000;
const WEEK = 604_800e6;
const SECOND = 1e6;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;

const LEAPS: readonly (readonly [utc: number, seconds: number])[] = (
  [
    [1981, 6, 1],
    [1982, 6, 2],
    [1983, 6, 3],
    [1985, 6, 4],
    [1988, 0, 5],
    [1990, 0, 6],
    [1991, 0, 7],
    [1992, 6, 8],
    [1993, 6, 9],
    [1994, 6, 10],
    [1996, 0, 11],
    [1997, 6, 12],
    [1999, 0, 13],
    [2006, 0, 14],
    [2009, 0, 15],
    [2012, 6, 16],
    [2015, 6, 17],
    [2017, 0, 18],
  ] as const
).map(([year, month, seconds]) => [Date.UTC(year, month, 1) * 1000, seconds]);

/** Seconds by which GPS is ahead of UTC at a GPS time in microseconds since 1970. */
export function leapSeconds(gpsMicros: number): number {
  return LEAPS.findLast(([utc, count]) => gpsMicros >= utc + count * SECOND)?.[1] ?? 0;
}

/** The GPS week of a UTC time in microseconds since 1970, and the seconds in it. */
export function utcToGps(utc: number): { readonly week: number; readonly seconds: number } {
  const since = utc + aheadAt(utc) * SECOND - GPS_EPOCH;
  const week = Math.floor(since / WEEK);
  return { week, seconds: (since - week * WEEK) / SECOND };
}

/** Seconds by which GPS is ahead at a UTC time: the count of a minute later, if it holds already. */
function aheadAt(utc: number): number {
  const soon = leapSeconds(utc + MINUTE);
  return leapSeconds(utc + soon * SECOND) === soon ? soon : leapSeconds(utc);
}

/** UTC microseconds of a GPS week and milliseconds. @param leap seconds to subtract instead of the date's */
export function gpsToUtc(week: number, milliseconds: number, leap?: number): number {
  const gps = GPS_EPOCH + week * WEEK + milliseconds * 1000;
  return gps - (leap ?? leapSeconds(gps)) * SECOND;
}

/** No autopilot is older; and this project is not, whatever a machine without a clock takes for today. */
const EARLIEST = Date.UTC(2008, 0, 1) * 1000;
const NOT_FUTURE = Date.UTC(2027, 0, 1) * 1000;

/** Whether UTC in microseconds can be when an autopilot ran: after the first ones, and not in the future. */
export function isBelievableDate(utc: number): boolean {
  return utc >= EARLIEST && utc <= Math.max(NOT_FUTURE, Date.now() * 1000 + DAY);
}
