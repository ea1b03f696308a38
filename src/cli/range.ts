import type { Command } from 'commander';
import type { Log, Span } from '../core/log.ts';
import { factsOf } from '../facts/facts.ts';
import type { Flight } from '../facts/flights.ts';
import { UsageError } from './failure.ts';
import { parseWhen } from './when.ts';
import { counted } from './words.ts';

/** A range of time, as it is typed. */
export interface RangeOptions {
  readonly from?: string;
  readonly until?: string;
  readonly flight?: string;
}

export const TIMES_HELP =
  'Times: +90s or +1m30s after the start, -10s before the end, 2026-11-15T18:12:33Z, or seconds as printed.';

const FLIGHT_HELP = 'only the flight of this number, from arming to disarming; +10s then counts from its start';

export function addRangeOptions(command: Command): Command {
  return addFlightOption(
    command
      .option('--from <time>', 'only what is at or after this time')
      .option('--until <time>', 'only what is before this time'),
  ).addHelpText('after', `\n${TIMES_HELP}`);
}

export function addFlightOption(command: Command): Command {
  return command.option('--flight <n>', FLIGHT_HELP);
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
  if (!/^\d{1,6}$/.test(typed)) throw new UsageError(`--flight ${typed}: expected the number of a flight, from 1 on`);
  const found = flights.find(({ number }) => number === Number(typed));
  if (found) return found;
  throw new UsageError(`--flight ${typed}: the log has ${counted(flights.length, 'flight')}`);
}
