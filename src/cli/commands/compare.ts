import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { terminalText } from '../../core/names.ts';
import { finite } from '../../core/text.ts';
import { openInMemory } from '../../node/open.ts';
import {
  type Alignment,
  type CheckComparison,
  type ComparedSide,
  CompareError,
  type Comparison,
  compareLogs,
  noFields,
  noParameters,
} from '../../report/compare.ts';
import { type FieldComparison, figureText, measureText, titleOf } from '../../report/compare-fields.ts';
import { comparePage } from '../../report/compare-page.ts';
import type { Statistics } from '../../series/statistics.ts';
import { UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, type ReadingOptions } from '../load.ts';
import { wholeNumber } from '../options.ts';
import { addWritingOptions, type WritingOptions, writeOut } from '../output.ts';
import { reportData } from '../report-text.ts';
import {
  counted,
  flightData,
  flightWords,
  gridLines,
  hiddenWords,
  momentOf,
  secondsOf,
  unitText,
  valueText,
} from '../words.ts';

interface CompareCommandOptions extends ReadingOptions, WritingOptions {
  readonly to: 'text' | 'json' | 'html';
  readonly json?: boolean;
  readonly align: string;
  readonly flightA?: number;
  readonly flightB?: number;
  readonly limit: number;
  readonly all?: boolean;
}

/** Fields that are drawn on a page. */
const PLOTS = 12;

export const EXAMPLES = `
Compares the longest flight of each log, or those of --flight-a and --flight-b, over the time that both cover after the
alignment: take-off, arming, the same UTC, or a shift of the second log in seconds.

Examples:
  skein compare before.BIN after.BIN
  skein compare flight.BIN flight.BIN --flight-a 1 --flight-b 3
  skein compare flight.BIN flight.tlog --align utc --json
  skein compare before.BIN after.BIN --to html -o compare.html`;

export function build(command: Command): void {
  command
    .argument('<a>', 'a log')
    .argument('<b>', 'another log')
    .addOption(new Option('--to <format>', 'output format').choices(['text', 'json', 'html']).default('text'))
    .option('--json', 'as JSON')
    .option('--align <moment>', 'takeoff, arm, utc, or seconds to shift the second log', 'takeoff')
    .option('--flight-a <n>', 'flight number in the first log', wholeNumber('--flight-a', 1, 999_999))
    .option('--flight-b <n>', 'flight number in the second log', wholeNumber('--flight-b', 1, 999_999))
    .option('--limit <n>', 'show at most N fields', wholeNumber('--limit', 0, 999_999), 20)
    .option('--all', 'include calibrations and counters');
  addWritingOptions(addReadingOptions(command));
}

export async function run(a: string, b: string, options: CompareCommandOptions): Promise<number> {
  const align = alignmentOf(options.align);
  const { flightA, flightB, limit } = options;
  const to = options.json ? 'json' : options.to;
  const logs = [await load(a, options, openInMemory), await load(b, options, openInMemory)];
  const plots = to === 'html' ? PLOTS : 0;
  const comparison = await compareLogs(logs[0], logs[1], { align, flightA, flightB, plots }).catch((error: unknown) => {
    throw error instanceof CompareError ? new UsageError(error.message) : error;
  });
  const names = [a, b] as const;
  const text =
    to === 'json'
      ? `${JSON.stringify(compareData(names, comparison), null, 2)}\n`
      : to === 'html'
        ? comparePage([basename(a), basename(b)], comparison)
        : terminalText(compareText(names, comparison, { limit, all: options.all === true }));
  await writeOut([text], options, a);
  return codeOf(logs, options);
}

function alignmentOf(text: string): Alignment {
  if (text === 'takeoff' || text === 'arm' || text === 'utc') return text;
  const seconds = /^[-+]?\d+(\.\d+)?s?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (Number.isNaN(seconds)) throw new UsageError(`--align ${text}: use takeoff, arm, utc, or seconds such as 12.5`);
  return seconds;
}

interface TextOptions {
  /** Fields to show at most. */
  readonly limit: number;
  /** Whether to show calibrations and counters. */
  readonly all: boolean;
}

type Names = readonly [string, string];

/** Two flights as text, the largest differences first. */
export function compareText(names: Names, comparison: Comparison, { limit, all }: TextOptions): string {
  const { alignment, seconds, a, b, parameters, checks } = comparison;
  const shown = all ? parameters : parameters.filter(({ noise }) => !noise);
  const hidden = parameters.length - shown.length;
  const lines = [
    `A  ${names[0]}`,
    `   ${sideWords(a)}`,
    `B  ${names[1]}`,
    `   ${sideWords(b)}`,
    `${alignment}, over ${seconds.toFixed(1)} s`,
    '',
    'reports',
    ...indented(gridLines([['', 'A', 'B', ''], ...checks.filter(hasData).map(checkRow)])),
    '',
    ...fieldLines(comparison, limit),
    '',
    `parameters: ${noParameters(a, b) ?? counted(shown.length, 'difference')}${hiddenWords(hidden)}`,
    ...indented(gridLines(shown.map((each) => [each.name, valueText(each.a), '->', valueText(each.b)]))),
  ];
  return `${lines.join('\n')}\n`;
}

function fieldLines({ fields, a, b }: Comparison, limit: number): string[] {
  if (fields.length === 0) return [`fields: ${noFields(a, b)}`];
  return [
    `fields by difference relative to spread${fields.length > limit ? `, ${limit} of ${fields.length}` : ''}`,
    ...indented(gridLines([FIELD_HEAD, ...fields.slice(0, limit).flatMap(fieldRows)], FIELD_NUMBERS)),
  ];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function sideWords({ flight, utc, from, to, report }: ComparedSide): string {
  if (flight) return `flight ${flightWords(flight, utc, flight.stream !== '', report.vehicle.kind)}`;
  return `no flight: the whole log, from ${momentOf(from, utc)} for ${((to - from) / 1e6).toFixed(1)} s`;
}

/** Checks without data in both logs are left out. */
function hasData({ a, b }: CheckComparison): boolean {
  return a !== 'no data' || b !== 'no data';
}

function checkRow({ check, a, b, findingsA, findingsB }: CheckComparison): string[] {
  const only = (list: readonly string[], other: readonly string[]): string =>
    list.filter((each) => !other.includes(each)).join(', ');
  const words = [only(findingsA, findingsB), only(findingsB, findingsA)];
  const sides = words.map((each, i) => (each === '' ? '' : `${'AB'[i]}: ${each}`));
  return [check, a, b, sides.filter(Boolean).join('; ')];
}

const FIELD_HEAD: readonly string[] = ['', 'measure', '', 'mean', 'spread', 'p95', 'least', 'most', 'unit'];
const FIELD_NUMBERS: ReadonlySet<number> = new Set([1, 3, 4, 5, 6, 7]);

function fieldRows(field: FieldComparison): string[][] {
  const row = (side: string, { mean, deviation, p95, min, max }: Statistics): string[] => [
    side,
    ...[mean, deviation, p95, min, max].map(figureText),
    unitText(field.unit),
  ];
  return [
    [titleOf(field), measureText(field), ...row('A', field.a)],
    ['', '', ...row('B', field.b)],
  ];
}

/** The comparison as data for programs: times in seconds, a measure of constants is null. */
export function compareData(names: Names, comparison: Comparison): Record<string, unknown> {
  const { alignment, seconds, fields, parameters, checks } = comparison;
  const side = (file: string, { flight, from, to, zero, report }: ComparedSide): Record<string, unknown> => ({
    file,
    flight: flight && flightData(flight),
    from: secondsOf(from),
    to: secondsOf(to),
    zero: secondsOf(zero),
    report: reportData(file, report),
  });
  return {
    alignment,
    seconds,
    a: side(names[0], comparison.a),
    b: side(names[1], comparison.b),
    fields: fields.map((field) => ({
      ...field,
      a: statisticsData(field.a),
      b: statisticsData(field.b),
      measure: Number.isFinite(field.measure) ? field.measure : null,
    })),
    parameters: parameters.map((each) => ({ ...each, a: finite(each.a), b: finite(each.b) })),
    checks,
  };
}

function statisticsData(statistics: Statistics): Record<string, number | null> {
  return Object.fromEntries(Object.entries(statistics).map(([name, value]) => [name, finite(value as number)]));
}
