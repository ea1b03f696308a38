import type { Command } from 'commander';
import { shortest } from '../../core/text.ts';
import { diffParameters, type ParameterDifference } from '../../facts/parameter-diff.ts';
import type { Parameter } from '../../facts/parameters.ts';
import { momentOf, secondsOf } from '../event-words.ts';
import { UsageError } from '../failure.ts';
import { gridLines } from '../grid.ts';
import { addReadingOptions, type ReadingOptions } from '../load.ts';
import { Output, tell } from '../output.ts';
import { namePattern, type ParameterSource, readParameters } from '../parameter-source.ts';
import { counted } from '../words.ts';

interface ParamsOptions extends ReadingOptions {
  readonly json?: boolean;
  readonly changed?: boolean;
  readonly nonDefault?: boolean;
  readonly diff?: string;
  readonly all?: boolean;
}

const EXAMPLES = `
Files may be logs of any format, or parameters as ground stations save them.

Examples:
  skein params flight.BIN
  skein params flight.BIN 'WPNAV_*' '*_P'
  skein params flight.BIN --changed               what was changed while it was logged
  skein params flight.BIN --non-default           what differs from the firmware's defaults
  skein params flight.BIN --diff other.BIN        what differs between two flights
  skein params flight.BIN --diff saved.param --all`;

export function buildParams(command: Command, done: (code: number) => void): void {
  command
    .argument('<file>', 'a log, or a file of parameters')
    .argument('[names...]', 'only these; a star stands for any characters')
    .option('--changed', 'only what changed on the way, with every value')
    .option('--non-default', 'only what is not as the firmware has it, where the log tells that')
    .option('--diff <file>', 'what differs from another log or file of parameters')
    .option('--all', 'with --diff: also calibrations, counters and numbers of devices')
    .option('--json', 'as JSON');
  addReadingOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, names: string[], options: ParamsOptions) => done(await params(file, names, options)));
}

async function params(file: string, names: readonly string[], options: ParamsOptions): Promise<number> {
  if (options.diff !== undefined && (options.changed || options.nonDefault))
    throw new UsageError('--diff goes with neither --changed nor --non-default');
  if (options.all && options.diff === undefined) throw new UsageError('--all is for --diff only');
  const isMeant = namePattern(names);
  const source = await readParameters(file, options);
  if (options.diff !== undefined) return diff(file, source, options.diff, isMeant, options);
  const output = new Output();
  const chosen = [...source.parameters.values()]
    .filter(({ name }) => isMeant(name))
    .filter(({ changes }) => !options.changed || changes.length > 1)
    .filter((each) => !options.nonDefault || (each.default !== null && !Object.is(each.default, each.value)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (options.json) output.json(chosen.map(parameterData), 2);
  else
    for (const line of gridLines(chosen.map((each) => parameterRow(each, source, options)))) output.write(`${line}\n`);
  await output.flush();
  tell(summary(source, chosen.length, options));
  return source.code;
}

function summary({ parameters }: ParameterSource, shown: number, { nonDefault }: ParamsOptions): string {
  const words = `${counted(shown, 'parameter')} of ${parameters.size}`;
  const isTold = [...parameters.values()].some((each) => each.default !== null);
  return nonDefault && !isTold ? `${words}: the log does not tell the defaults` : words;
}

function parameterData({ name, value, default: initial, changes }: Parameter): Record<string, unknown> {
  return {
    name,
    value: finite(value),
    default: initial,
    changes: changes.map((each) => ({ time: secondsOf(each.time), value: finite(each.value) })),
  };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function parameterRow(
  { name, value, default: initial, changes }: Parameter,
  { utc }: ParameterSource,
  options: ParamsOptions,
): string[] {
  const row = [name, shortest(value)];
  if (options.changed) {
    const [first, ...later] = changes;
    const steps = later.map((each) => `${shortest(each.value)} at ${momentOf(each.time, utc)}`);
    return [name, [shortest(first.value), ...steps].join(', then ')];
  }
  if (initial !== null && !Object.is(initial, value)) row.push(`default ${shortest(initial)}`);
  return row;
}

async function diff(
  file: string,
  source: ParameterSource,
  otherFile: string,
  isMeant: (name: string) => boolean,
  options: ParamsOptions,
): Promise<number> {
  const other = await readParameters(otherFile, options);
  const all = diffParameters(valuesOf(source), valuesOf(other)).filter(({ name }) => isMeant(name));
  const shown = options.all ? all : all.filter(({ noise }) => !noise);
  const hidden = all.length - shown.length;
  const output = new Output();
  if (options.json) {
    const differences = shown.map((each) => ({ ...each, a: each.a && finite(each.a), b: each.b && finite(each.b) }));
    output.json({ a: file, b: otherFile, hidden, differences }, 2);
  } else {
    for (const line of gridLines(shown.map(differenceRow))) output.write(`${line}\n`);
  }
  await output.flush();
  tell(
    `${counted(shown.length, 'difference')}${hidden > 0 ? `, ${hidden} of calibration and counting hidden: see --all` : ''}`,
  );
  return Math.max(source.code, other.code);
}

function valuesOf({ parameters }: ParameterSource): Map<string, number> {
  return new Map([...parameters].map(([name, { value }]) => [name, value]));
}

function differenceRow({ name, a, b }: ParameterDifference): string[] {
  return [name, a === null ? '-' : shortest(a), '->', b === null ? '-' : shortest(b)];
}
