import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { UsageError } from './failure.ts';
import { notice } from './output.ts';

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
