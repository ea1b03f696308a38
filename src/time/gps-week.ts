import { leapSeconds } from './gps.ts';

const GPS_EPOCH = Date.UTC(1980, 0, 6) * 1000;
const WEEK = 604_800e6;
const SECOND = 1e6;
const MINUTE = 60e6;

/** A time as GPS counts it. */
export interface GpsTime {
  readonly week: number;
  /** Milliseconds of the week. */
  readonly milliseconds: number;
}

/** The GPS week and the milliseconds in it of UTC in microseconds since 1970. */
export function utcToGps(utc: number): GpsTime {
  const gps = utc + aheadAt(utc) * SECOND - GPS_EPOCH;
  const week = Math.floor(gps / WEEK);
  return { week, milliseconds: Math.round((gps - week * WEEK) / 1000) };
}

/** Seconds by which GPS is ahead at a UTC time: the count of a minute later, if it holds already. */
function aheadAt(utc: number): number {
  const soon = leapSeconds(utc + MINUTE);
  return leapSeconds(utc + soon * SECOND) === soon ? soon : leapSeconds(utc);
}
