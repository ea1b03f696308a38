import type { Command } from 'commander';
import { findSpan } from '../analyze/span.ts';
import type { Log } from '../core/log.ts';
import { parseWhen } from './when.ts';

/** A range of time, as it is typed. */
export interface RangeOptions {
  readonly from?: string;
  readonly until?: string;
}

export const TIMES_HELP =
  'Times: +90s or +1m30s after the start, -10s before the end, 2026-11-15T18:12:33Z, or seconds as printed.';

export function addRangeOptions(command: Command): Command {
  return command
    .option('--from <time>', 'only what is at or after this time')
    .option('--until <time>', 'only what is before this time')
    .addHelpText('after', `\n${TIMES_HELP}`);
}

/** The range of time in microseconds that the options mean in this log. */
export async function rangeOf(log: Log, { from, until }: RangeOptions): Promise<{ from?: number; to?: number }> {
  if (from === undefined && until === undefined) return {};
  const span = await findSpan(log);
  return {
    ...(from === undefined ? {} : { from: parseWhen(from, span) }),
    ...(until === undefined ? {} : { to: parseWhen(until, span) }),
  };
}
