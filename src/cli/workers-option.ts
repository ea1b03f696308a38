import { availableParallelism } from 'node:os';
import { UsageError } from './failure.ts';

export const WORKERS_OPTION = [
  '--workers <n>',
  'logs that are read at a time; as many as there are cores by default',
] as const;

export function workersOf(word: string | undefined): number {
  if (word === undefined) return availableParallelism();
  if (!/^[1-9]\d?$/.test(word)) throw new UsageError(`--workers ${word}: a number from 1 to 99 is wanted`);
  return Number(word);
}
