import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { QUERY_LIMITS, type QueryLimits } from '../sql/limits.ts';
import { Sandbox } from '../sql/sandbox.ts';
import type { ReadingOptions } from './load.ts';
import { positiveNumber } from './options.ts';

/** What is queried. */
export interface SqlInput {
  readonly paths: readonly string[];
  readonly lake?: string | undefined;
  /** The only query, if known: no more is read than it needs. */
  readonly query?: string | undefined;
  readonly options: ReadingOptions & { readonly si?: boolean };
}

export interface LimitOptions {
  readonly maxMemory?: number;
  readonly maxTime?: number;
  readonly maxAnswer?: number;
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--max-memory <MiB>', 'memory limit of a query, beside the logs (1024)', positiveNumber('--max-memory'))
    .option('--max-time <seconds>', 'time limit of a query (30)', positiveNumber('--max-time'))
    .option('--max-answer <MiB>', 'size limit of an answer', positiveNumber('--max-answer'));
}

/** @param answerBytes default size limit of an answer */
export function limitsOf({ maxMemory, maxTime, maxAnswer }: LimitOptions, answerBytes?: number): QueryLimits {
  const scaled = (value: number | undefined, unit: number, usual: number): number =>
    value === undefined ? usual : Math.round(value * unit);
  return {
    ...QUERY_LIMITS,
    memoryBytes: scaled(maxMemory, 1 << 20, QUERY_LIMITS.memoryBytes),
    milliseconds: scaled(maxTime, 1000, QUERY_LIMITS.milliseconds),
    answerBytes: scaled(maxAnswer, 1 << 20, answerBytes ?? QUERY_LIMITS.answerBytes),
  };
}

/** A process for queries of logs or a lake. */
export function sqlSandbox(input: SqlInput, limits: QueryLimits): Sandbox<SqlInput> {
  const sizes = input.paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return new Sandbox(new URL('../../dist/cli/sql-child.js', import.meta.url), input, bytes, limits);
}
