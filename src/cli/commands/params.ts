import type { Command } from 'commander';
import { finite, shortest } from '../../core/text.ts';
import { factsOf } from '../../facts/facts.ts';
import { ANSWER_LIMITS } from '../../facts/limits.ts';
import { diffParameters, type Parameter, parseParamFile } from '../../facts/parameters.ts';
import { FileSource } from '../../node/file.ts';
import { EXIT, UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, noticeLeftOut, type ReadingOptions } from '../load.ts';
import { notice, Output } from '../output.ts';
import { counted, gridLines, hiddenWords, momentOf, secondsOf, valueText } from '../words.ts';

interface ParamsOptions extends ReadingOptions {
  readonly json?: boolean;
  readonly changed?: boolean;
  readonly nonDefault?: boolean;
  readonly diff?: string;
  readonly all?: boolean;
}

export const EXAMPLES = `
Files may be logs of any format, or parameter files of ground stations.

Examples:
  skein params flight.BIN
  skein params flight.BIN 'WPNAV_*' '*_P'
  skein params flight.BIN --changed               what was changed while it was logged
  skein params flight.BIN --non-default           what differs from the firmware's defaults
  skein params flight.BIN --diff other.BIN        what differs between two flights
  skein params flight.BIN --diff saved.param --all`;

export function build(command: Command): void {
  command
    .argument('<file>', 'a log, or a parameter file')
    .argument('[names...]', 'only these; * matches any characters')
    .option('--changed', 'only parameters that changed in the log, with every value')
    .option('--non-default', 'only parameters that differ from the default, if the log has defaults')
    .option('--diff <file>', 'differences from another log or parameter file')
    .option('--all', 'with --diff: include calibrations, counters and device ids')
    .option('--json', 'as JSON');
  addReadingOptions(command);
}

export async function run(file: string, names: readonly string[], options: ParamsOptions): Promise<number> {
  if (options.diff !== undefined && (options.changed || options.nonDefault))
    throw new UsageError('--diff cannot be combined with --changed or --non-default');
  if (options.all && options.diff === undefined) throw new UsageError('--all needs --diff');
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
  notice(summary(source, chosen.length, options));
  return source.code;
}

function summary({ parameters }: ParameterSource, shown: number, { nonDefault }: ParamsOptions): string {
  const words = `${counted(shown, 'parameter')} of ${parameters.size}`;
  const isTold = [...parameters.values()].some((each) => each.default !== null);
  return nonDefault && !isTold ? `${words}: the log has no defaults` : words;
}

function parameterData({ name, value, default: initial, changes }: Parameter): Record<string, unknown> {
  return {
    name,
    value: finite(value),
    default: initial,
    changes: changes.map((each) => ({ time: secondsOf(each.time), value: finite(each.value) })),
  };
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
    const rows = shown.map(({ name, a, b }) => [name, valueText(a), '->', valueText(b)]);
    for (const line of gridLines(rows)) output.write(`${line}\n`);
  }
  await output.flush();
  notice(`${counted(shown.length, 'difference')}${hiddenWords(hidden)}`);
  return Math.max(source.code, other.code);
}

function valuesOf({ parameters }: ParameterSource): Map<string, number> {
  return new Map([...parameters].map(([name, { value }]) => [name, value]));
}

/** Parameters of a log, or of a file that a ground station saved. */
interface ParameterSource {
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** Whether the times of changes are UTC. */
  readonly utc: boolean;
  /** The exit code if this is all that is read. */
  readonly code: number;
}

async function readParameters(path: string, options: ReadingOptions): Promise<ParameterSource> {
  const saved = await readParamFile(path);
  if (saved) {
    const parameters = new Map<string, Parameter>();
    for (const [name, value] of saved) parameters.set(name, { name, value, default: null, changes: [] });
    return { parameters, utc: false, code: EXIT.well };
  }
  const log = await load(path, options);
  const parameters = await factsOf(log).parameters();
  noticeLeftOut(path, log);
  return { parameters, utc: log.clock.utc, code: codeOf(log, options) };
}

async function readParamFile(path: string): Promise<Map<string, number> | undefined> {
  const source = await FileSource.open(path);
  if (source.size > ANSWER_LIMITS.paramFileBytes) return undefined;
  const head = await source.read(0, ANSWER_LIMITS.paramLineBytes);
  if (head.includes(0)) return undefined;
  return parseParamFile(new TextDecoder().decode(await source.read(0, source.size)));
}

/** Names with * for any characters, in any case. */
export function namePattern(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => true;
  const all = patterns.map((each) => each.toUpperCase().split('*'));
  return (name) => all.some((parts) => matches(name.toUpperCase(), parts));
}

/** Whether a text is these parts with anything between them. A loop: a regular expression might never end. */
function matches(text: string, parts: readonly string[]): boolean {
  if (parts.length === 1) return text === parts[0];
  const last = parts[parts.length - 1];
  if (!text.startsWith(parts[0]) || text.length < parts[0].length + last.length || !text.endsWith(last)) return false;
  let at = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
