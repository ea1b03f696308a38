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
  readonly maxMemory?: string;
  readonly maxTime?: string;
  readonly maxAnswer?: string;
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--max-memory <MiB>', 'memory limit of a query, beside the logs (1024)')
    .option('--max-time <seconds>', 'time limit of a query (30)')
    .option('--max-answer <MiB>', 'size limit of an answer');
}

/** @param answerBytes default size limit of an answer */
export function limitsOf({ maxMemory, maxTime, maxAnswer }: LimitOptions, answerBytes?: number): QueryLimits {
  const { memoryBytes, milliseconds } = QUERY_LIMITS;
  return {
    ...QUERY_LIMITS,
    memoryBytes: scaled('--max-memory', maxMemory, 1 << 20) ?? memoryBytes,
    milliseconds: scaled('--max-time', maxTime, 1000) ?? milliseconds,
    answerBytes: scaled('--max-answer', maxAnswer, 1 << 20) ?? answerBytes ?? QUERY_LIMITS.answerBytes,
  };
}

function scaled(option: string, text: string | undefined, unit: number): number | undefined {
  const value = positiveNumber(option, text);
  return value === undefined ? undefined : Math.round(value * unit);
}

/** A process for queries of logs or a lake. */
export function sqlSandbox(input: SqlInput, limits: QueryLimits): Sandbox<SqlInput> {
  const sizes = input.paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return new Sandbox(new URL('../../dist/cli/sql-child.js', import.meta.url), input, bytes, limits);
}
