import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { UsageError } from './failure.ts';
import { notice } from './output.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const BYTES: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** A time such as 30s, 10m, 2h or 7d, in seconds. */
export function durationOption(text: string, option: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new UsageError(`${option} ${text}: expected a time such as 30s, 10m, 2h or 7d`);
  return Number(count) * SECONDS[unit];
}

/** A size such as 500M or 2G, in bytes. */
export function sizeOption(text: string, option: string): number {
  const [, count, unit] = /^(\d{1,6})([KMGT])$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new UsageError(`${option} ${text}: expected a size such as 500M or 2G`);
  return Number(count) * BYTES[unit];
}

export const WORKERS_OPTION = ['--workers <n>', 'logs to read at a time (default: number of cores)'] as const;

export function workersOf(word: string | undefined): number {
  return wholeNumber('--workers', word, 1, 99) ?? availableParallelism();
}

/** A whole number in a range; undefined if the option was not given. */
export function wholeNumber(option: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
    throw new UsageError(`${option} ${text}: must be ${least} to ${most}`);
  return Number(text);
}

/** A number above 0; undefined if the option was not given. */
export function positiveNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d*\.?\d+$/.test(text.trim()) ? Number(text) : 0;
  if (value > 0 && value < 1e9) return value;
  throw new UsageError(`${option} ${text}: expected a number above 0`);
}

/** For options that may be repeated. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** An option under its former name, for one more version: not in the help, and a hint when it is used. */
export function addFormer(command: Command, flags: string, name: string, hint: string): Command {
  const option = new Option(flags).hideHelp();
  return command.addOption(option).on(`option:${option.name()}`, (value: string | null | undefined) => {
    notice(`${hint}; the old form will stop working in the next version`);
    command.setOptionValue(name, value ?? true);
  });
}
