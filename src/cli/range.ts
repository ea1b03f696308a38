import type { Command } from 'commander';
import type { Log, Span } from '../core/log.ts';
import { factsOf } from '../facts/facts.ts';
import type { Flight } from '../facts/flights.ts';
import { UsageError } from './failure.ts';
import { counted } from './words.ts';

/** A range of time, as it is typed. */
export interface RangeOptions {
  readonly from?: string;
  readonly until?: string;
  readonly flight?: string;
}

const TIMES_HELP =
  'Times: +90s or +1m30s after the start, -10s before the end, 2026-11-15T18:12:33Z, or seconds as printed.';

export function addRangeOptions(command: Command): Command {
  return command
    .option('--from <time>', 'only at or after this time')
    .option('--until <time>', 'only before this time')
    .option('--flight <n>', 'only this flight, from arming to disarming; +10s then counts from its start')
    .addHelpText('after', `\n${TIMES_HELP}`);
}

/** The range of time in microseconds that the options mean in this log. */
export async function rangeOf(
  log: Log,
  { from, until, flight }: RangeOptions,
): Promise<{ from?: number; to?: number }> {
  if (from === undefined && until === undefined && flight === undefined) return {};
  const flown = flight === undefined ? undefined : chooseFlight(await factsOf(log).flights(), flight);
  const span: Span = flown ?? (await factsOf(log).span());
  const start = from === undefined ? flown?.start : parseWhen(from, span);
  // the record of the disarming is one of the flight
  const end = until === undefined ? flown && flown.end + 1 : parseWhen(until, span);
  return { ...(start === undefined ? {} : { from: start }), ...(end === undefined ? {} : { to: end }) };
}

/** The flight of a number that was typed. */
function chooseFlight(flights: readonly Flight[], typed: string): Flight {
  if (!/^\d{1,6}$/.test(typed)) throw new UsageError(`--flight ${typed}: expected a flight number, such as 1`);
  const found = flights.find(({ number }) => number === Number(typed));
  if (found) return found;
  throw new UsageError(`--flight ${typed}: the log has ${counted(flights.length, 'flight')}`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1e3, s: 1e6, m: 60e6, min: 60e6, h: 3600e6 };

/** Microseconds of `+1m30s` after the start, `-10s` before the end, an ISO date (UTC), or seconds as in `dump`. */
export function parseWhen(text: string, { start, end }: Span): number {
  // only the last number may do without a unit: two in a row would be ambiguous
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
