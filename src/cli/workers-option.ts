import { availableParallelism } from 'node:os';
import { UsageError } from './failure.ts';

export const WORKERS_OPTION = ['--workers <n>', 'logs to read at a time (default: number of cores)'] as const;

export function workersOf(word: string | undefined): number {
  if (word === undefined) return availableParallelism();
  if (!/^[1-9]\d?$/.test(word)) throw new UsageError(`--workers ${word}: must be 1 to 99`);
  return Number(word);
}
