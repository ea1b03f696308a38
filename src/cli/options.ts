import { type Command, Option } from 'commander';
import { UsageError } from './failure.ts';
import { notice } from './output.ts';

export const WORKERS_OPTION: readonly [flags: string, description: string, parse: (text: string) => number] = [
  '--workers <n>',
  'logs to read at a time (default: number of cores)',
  wholeNumber('--workers', 1, 99),
];

/** Reads the value of an option: a whole number in a range. */
export function wholeNumber(option: string, least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new UsageError(`${option} ${text}: must be ${least} to ${most}`);
  };
}

/** Reads the value of an option: a number above 0. */
export function positiveNumber(option: string): (text: string) => number {
  return (text) => {
    const value = /^\d*\.?\d+$/.test(text.trim()) ? Number(text) : 0;
    if (value > 0 && value < 1e9) return value;
    throw new UsageError(`${option} ${text}: expected a number above 0`);
  };
}

/** Reads the value of an option: names with commas between them, of which each must be known. */
export function namesOf<T extends string>(option: string, known: readonly T[]): (text: string) => T[] {
  return (text) =>
    text.split(',').map((word) => {
      const name = known.find((each) => each === word.trim());
      if (name === undefined) throw new UsageError(`${option} ${word}: must be ${known.join(', ')}`);
      return name;
    });
}

/** For options that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** An option under its former name, for one more version: not in the help, and a hint when it is used. */
export function addFormer(
  command: Command,
  flags: string,
  name: string,
  hint: string,
  parse: (text: string) => unknown = String,
): Command {
  const option = new Option(flags).hideHelp();
  return command.addOption(option).on(`option:${option.name()}`, (value: string | null | undefined) => {
    notice(`${hint}; the old form will stop working in the next version`);
    command.setOptionValue(name, typeof value === 'string' ? parse(value) : true);
  });
}
