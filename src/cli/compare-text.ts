import { shortest } from '../core/text.ts';
import { type CheckComparison, type ComparedSide, type Comparison, noFields } from '../report/compare.ts';
import { type FieldComparison, figureText, measureText, titleOf } from '../report/compare-fields.ts';
import type { Statistics } from '../series/statistics.ts';
import { flightData, flightWords, momentOf, secondsOf } from './event-words.ts';
import { gridLines } from './grid.ts';
import { reportData } from './report-text.ts';
import { counted } from './words.ts';

interface TextOptions {
  /** How many fields are shown. */
  readonly limit: number;
  /** Whether calibrations and counters are shown, too. */
  readonly all: boolean;
}

type Names = readonly [string, string];

/** Two flights as people read them on a terminal: what differs most first. */
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
    ...indented(gridLines([['', 'A', 'B', ''], ...checks.filter(isTold).map(checkRow)])),
    '',
    ...fieldLines(comparison, limit),
    '',
    `parameters: ${counted(shown.length, 'difference')}${hidden > 0 ? `, ${hidden} of calibration and counting hidden: see --all` : ''}`,
    ...indented(
      gridLines(shown.map(({ name, a: left, b: right }) => [name, numberText(left), '->', numberText(right)])),
    ),
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

function numberText(value: number | null): string {
  return value === null ? '-' : shortest(value);
}

function sideWords({ flight, utc, from, to }: ComparedSide): string {
  if (flight) return `flight ${flightWords(flight, utc, flight.stream !== '')}`;
  return `no flight: all of it, from ${momentOf(from, utc)} for ${((to - from) / 1e6).toFixed(1)} s`;
}

/** Checks that neither log could tell anything of are passed over. */
function isTold({ a, b }: CheckComparison): boolean {
  return a !== 'no data' || b !== 'no data';
}

function checkRow({ check, a, b, findingsA, findingsB }: CheckComparison): string[] {
  const only = (list: readonly string[], other: readonly string[]): string =>
    list.filter((each) => !other.includes(each)).join(', ');
  const words = [only(findingsA, findingsB), only(findingsB, findingsA)];
  return [
    check,
    a,
    b,
    words
      .map((each, i) => (each === '' ? '' : `${'AB'[i]}: ${each}`))
      .filter(Boolean)
      .join('; '),
  ];
}

const FIELD_HEAD: readonly string[] = ['', 'measure', '', 'mean', 'spread', 'p95', 'least', 'most', 'unit'];
/** The columns of numbers. */
const FIELD_NUMBERS: ReadonlySet<number> = new Set([1, 3, 4, 5, 6, 7]);

function fieldRows(field: FieldComparison): string[][] {
  const row = (side: string, { mean, deviation, p95, min, max }: Statistics): string[] => [
    side,
    ...[mean, deviation, p95, min, max].map(figureText),
    field.unit,
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

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
