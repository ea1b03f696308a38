import type { Command } from 'commander';
import type { Log } from '../core/log.ts';
import { openLog } from '../node/open.ts';
import { UsageError } from './failure.ts';
import { Progress } from './progress.ts';

/** Options of every command that reads a log. */
export interface ReadingOptions {
  readonly leapSeconds?: string;
}

export function addReadingOptions(command: Command): Command {
  return command.option(
    '--leap-seconds <n>',
    'seconds that GPS is ahead of UTC, instead of the count of the date (18 for the times of pymavlink)',
  );
}

export function leapSecondsOf({ leapSeconds }: ReadingOptions): number | undefined {
  if (leapSeconds === undefined) return undefined;
  if (!/^\d{1,3}$/.test(leapSeconds))
    throw new UsageError(`--leap-seconds ${leapSeconds}: a whole number of seconds is wanted`);
  return Number(leapSeconds);
}

/** Opens a log with a progress bar. */
export async function load(path: string, options: ReadingOptions): Promise<Log> {
  const progress = new Progress('reading');
  try {
    return await openLog(path, { leapSeconds: leapSecondsOf(options), onProgress: progress.update });
  } finally {
    progress.stop();
  }
}
