import type { LogEvent } from '../facts/event.ts';
import type { Flight } from '../facts/flights.ts';
import { dateOf, lasting } from './words.ts';

/** Seconds with microseconds, or null where there is no time. */
export function secondsOf(micros: number | null): number | null {
  return micros === null || !Number.isFinite(micros) ? null : Math.round(micros) / 1e6;
}

/** A point in time as people read it: UTC, or seconds where the log does not know it. */
export function momentOf(micros: number, utc: boolean): string {
  if (!Number.isFinite(micros)) return '-';
  return utc ? dateOf(micros).replace(/ UTC$/, '') : `${(micros / 1e6).toFixed(3)} s`;
}

/** An event as plain data. */
export function eventData(event: LogEvent): Record<string, unknown> {
  return { ...event, time: secondsOf(event.time), end: secondsOf(event.end) };
}

/** A flight as plain data: times in seconds, the events only as their number. */
export function flightData(flight: Flight): Record<string, unknown> {
  return {
    ...flight,
    start: secondsOf(flight.start),
    end: secondsOf(flight.end),
    takeoff: secondsOf(flight.takeoff),
    landing: secondsOf(flight.landing),
    events: flight.events.length,
  };
}

/** A flight in one line. */
export function flightWords(flight: Flight, utc: boolean, isOneOfMany: boolean): string {
  const { number, stream, start, duration, inAir, distance, maxHeight, maxSpeed, open, begunBefore } = flight;
  const words = [`${momentOf(start, utc)} for ${lasting(duration * 1e6)}`, `${lasting(inAir * 1e6)} under way`];
  if (distance !== null) words.push(`${rounded(distance)} m`);
  if (maxHeight !== null) words.push(`up to ${maxHeight.toFixed(1)} m high`);
  if (maxSpeed !== null) words.push(`${maxSpeed.toFixed(1)} m/s`);
  if (begunBefore) words.push('begun before the log');
  if (open) words.push('not ended in the log');
  return `${number}: ${isOneOfMany ? `${stream} ` : ''}${words.join(', ')}`;
}

function rounded(metres: number): string {
  return metres < 100 ? metres.toFixed(1) : metres.toFixed(0);
}
