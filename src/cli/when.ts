import type { Span } from '../core/log.ts';
import { UsageError } from './failure.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1e3, s: 1e6, m: 60e6, min: 60e6, h: 3600e6 };

/**
 * A point in time as people type it, in microseconds: `+90s` or `+1m30s` after the start of the log, `-10s` before its
 * end, a date in ISO form (UTC unless it says otherwise), or seconds as `dump` prints them.
 */
export function parseWhen(text: string, { start, end }: Span): number {
  // only the last number may do without a unit: of two in a row nobody could tell where the second begins
  const relative = /^([+-])(?=\d)((?:\d+(?:\.\d+)?(?:ms|s|min|m|h))*(?:\d+(?:\.\d+)?)?)$/.exec(text);
  if (relative) {
    const from = relative[1] === '+' ? start : end;
    if (from === null) throw new UsageError(`'${text}' is relative to a time, and the log has none`);
    return finite(from + (relative[1] === '+' ? 1 : -1) * Math.round(parseDuration(relative[2])), text);
  }
  if (/^\d+(\.\d+)?$/.test(text)) return finite(Math.round(Number(text) * 1e6), text);
  const iso = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const millis = Date.parse(withZone(text, iso?.[1], iso?.[4]));
  if (!iso || !isDay(text.slice(0, 10))) throw noTime(text);
  // Date keeps milliseconds only
  return finite(Math.floor(millis / 1000) * 1e6 + Math.round(Number(`0.${fraction || '0'}`) * 1e6), text);
}

function finite(micros: number, text: string): number {
  if (!Number.isFinite(micros)) throw noTime(text);
  return micros;
}

function noTime(text: string): UsageError {
  return new UsageError(`'${text}' is not a time: use +90s, -10s, seconds, or a date like 2026-11-15T18:12:33Z`);
}

/** Whether a month has that day: Date takes February 30 for March 2. */
function isDay(date: string): boolean {
  const millis = Date.parse(date);
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(date);
}

function withZone(text: string, clock: string | undefined, zone: string | undefined): string {
  return `${text.replace(' ', 'T')}${zone || clock === undefined ? '' : 'Z'}`;
}

function parseDuration(text: string): number {
  let micros = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|min|m|h)?/g))
    micros += Number(number) * UNITS[unit ?? 's'];
  return micros;
}
