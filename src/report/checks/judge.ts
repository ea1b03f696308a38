import { type Exceedance, extremeRow, findExceedances, findFrozen, lastedInAll, worstOf } from '../../series/holds.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import type { Interval, Series } from '../../series/series.ts';
import { type FieldNames, type Finding, loggedOf, type Severity, secondsOf, short, spaced } from '../finding.ts';
import { REPORT_LIMITS } from '../limits.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { Rule } from '../rules.ts';

/** Values that must not be beyond a limit for long. */
export interface Level {
  readonly check: string;
  readonly title: string;
  readonly instance?: string;
  readonly times: Float64Array;
  /** Several axes, of which the worst decides; with times and a mask if a line is from another table. */
  readonly lines: readonly LevelLine[];
  /** The fields that these come from, where the names of the lines are words. */
  readonly fields?: FieldNames;
  /** Rows that are looked at; by default those in flight. */
  readonly mask?: Uint8Array;
  readonly unit: string;
  /** -1 where less is worse. */
  readonly sign?: 1 | -1;
  /** What less is called; 'below' unless another word is better. */
  readonly less?: string;
  readonly warn: Rule;
  readonly fail?: Rule | undefined;
  /** Microseconds. */
  readonly hold: number;
  /** Microseconds for a warning, where that takes longer than a failure. */
  readonly warnHold?: number;
  /** Microseconds over which the values are averaged: what they show began before they show it. */
  readonly window?: number;
  /** Whether it is about the flight as a whole: see Finding. */
  readonly overall?: boolean;
  /** What it means to be beyond the limit, and what to look at then. */
  readonly meaning: string;
  readonly advice: string;
  /** Makes less of what was found, where other things speak against it. */
  readonly soften?: (severity: Severity, hold: Exceedance) => Softened | undefined;
}

export interface Softened {
  readonly severity: Severity;
  readonly because: string;
}

/** A line of a level; with times if it is from another table. */
export interface LevelLine {
  readonly name: string;
  readonly values: Float64Array;
  readonly times?: Float64Array;
}

/** The same with the rows that are looked at. */
type MaskedLine = Required<LevelLine> & { readonly mask: Uint8Array };

interface Beyond {
  readonly name: string;
  readonly holds: readonly Exceedance[];
  readonly worst: Exceedance;
  /** When any line is beyond the limit, in the order of time. */
  readonly all: readonly Exceedance[];
}

/** Adds one finding about the level, and gives its severity. */
export function judgeLevel(report: ReportBuilder, level: Level): Severity {
  const { flight } = report.facts;
  const { check, title, instance = '', unit, sign = 1, times } = level;
  const mask = level.mask ?? flight.mask(times);
  const lines = level.lines.map((line): MaskedLine => {
    const isOwn = line.times !== undefined && line.times !== times;
    return { ...line, times: line.times ?? times, mask: isOwn ? flight.mask(line.times) : mask };
  });
  const fields = loggedOf(level.fields ?? lines.map(({ name }) => name));
  const common = { check, title, instance, unit, fields };
  const best = extreme(lines, sign);
  for (const [severity, rule] of [
    ['fail', level.fail],
    ['warn', level.warn],
  ] as const) {
    const hold = severity === 'warn' ? (level.warnHold ?? level.hold) : level.hold;
    // mostly nothing is beyond it, and need not be looked for
    const found = rule && best && sign * best.value > sign * rule.value && beyond(lines, sign, rule.value, hold);
    if (!rule || !found) continue;
    const { worst, holds, name } = found;
    const near = severity === 'fail' ? (beyond(lines, sign, level.warn.value, 0)?.all ?? []) : [];
    const all = found.all.map((each) =>
      begunBefore(leadingTo(each, near, flight.when.from ?? 0), rule.value, level.window ?? 0),
    );
    const soft = level.soften?.(severity, worst);
    report.add({
      ...common,
      severity: soft?.severity ?? severity,
      text: `${sentence(name, worst, holds, rule, level, flight.words)} ${soft ? `${soft.because} ` : ''}${level.meaning}`,
      advice: level.advice,
      ...during(all),
      overall: level.overall ?? false,
      value: worst.peak,
      rule,
    });
    return soft?.severity ?? severity;
  }
  if (!best) {
    report.noData(
      check,
      title,
      `${fields.join(', ')} ${fields.length > 1 ? 'have' : 'has'} no values ${flight.words}.`,
    );
    return 'no data';
  }
  report.add({
    ...common,
    severity: 'ok',
    text: `${capital(best.name)} was ${sign > 0 ? 'at most' : 'at least'} ${short(best.value)}${spaced(unit)} ${flight.words}.`,
    ...flight.when,
    value: best.value,
    rule: level.warn,
  });
  return 'ok';
}

function beyond(lines: readonly MaskedLine[], sign: 1 | -1, limit: number, hold: number): Beyond | undefined {
  let most: Omit<Beyond, 'all'> | undefined;
  const all: Exceedance[] = [];
  for (const { name, values, times, mask } of lines) {
    const holds = findExceedances(times, values, mask, limit, hold, sign);
    const worst = worstOf(holds, sign);
    all.push(...holds.slice(0, REPORT_LIMITS.ranges));
    if (worst && (!most || sign * worst.peak > sign * most.worst.peak)) most = { name, holds, worst };
  }
  return most && { ...most, all: all.sort((a, b) => a.start - b.start) };
}

/** Microseconds within which a value that passes one limit after the other does so by one cause. */
const ONSET = 10e6;

/** Microseconds after the flight began until which what is seen was so before. */
const AT_START = 3e6;

/** What ends in a failure begins where it first counts, unless it was so long before. */
function leadingTo(hold: Exceedance, near: readonly Exceedance[], flightStart: number): Exceedance {
  const leading = near.find(({ start, end }) => start <= hold.start && end >= hold.start);
  const isOnset = leading && hold.start - leading.start <= ONSET && leading.start > flightStart + AT_START;
  return isOnset ? { ...hold, start: leading.start } : hold;
}

/** An average over a window passes a limit late: the sooner, the farther what it averages is beyond the limit. */
function begunBefore(hold: Exceedance, limit: number, window: number): Exceedance {
  return { ...hold, start: hold.start - window * Math.min(1, Math.abs(limit / hold.peak)) };
}

function extreme(lines: readonly MaskedLine[], sign: 1 | -1): { name: string; value: number } | undefined {
  let most: { name: string; value: number } | undefined;
  for (const { name, values, mask } of lines) {
    const row = extremeRow(values, mask, sign);
    if (row >= 0 && (!most || sign * values[row] > sign * most.value)) most = { name, value: values[row] };
  }
  return most;
}

function sentence(
  name: string,
  worst: Exceedance,
  holds: readonly Exceedance[],
  { value }: Rule,
  { unit, sign = 1, less = 'below' }: Level,
  when: string,
): string {
  const lasted = lastedInAll(holds);
  const often = holds.length > 1 ? ` (${holds.length} times)` : '';
  const long = Number.isFinite(lasted) ? ` for ${secondsOf(lasted)}${often}` : '';
  const reached = sign > 0 ? 'reached' : 'dropped to';
  return `${capital(name)} ${reached} ${short(worst.peak)}${spaced(unit)} ${when}; ${sign > 0 ? 'above' : less} ${short(value)}${spaced(unit)}${long}.`;
}

/** What a single number means: how bad it is, and what it was compared with. */
export function graded(value: number, warn: Rule, fail: Rule): { severity: 'fail' | 'warn' | 'ok'; rule: Rule } {
  const severity = value > fail.value ? 'fail' : value > warn.value ? 'warn' : 'ok';
  return { severity, rule: severity === 'fail' ? fail : warn };
}

/** The fields of a reading that the log has, as lines to judge and to draw. */
export function linesOf<K extends string>(
  { times, values, names }: QuantityRows<K>,
  keys: readonly K[],
): { name: string; times: Float64Array; values: Float64Array }[] {
  return keys.flatMap((key) => {
    const line = values[key];
    return line ? [{ name: names[key] as string, times, values: line }] : [];
  });
}

/** Limits as a plot draws them. */
export function limitsOf(warn: Rule, fail: Rule): { value: number; severity: 'warn' | 'fail' }[] {
  return [
    { value: warn.value, severity: 'warn' },
    { value: fail.value, severity: 'fail' },
  ];
}

/** From the first to the last of some intervals, as a finding has it. */
export function spanOf(intervals: readonly Interval[]): { from: number; to: number } {
  return {
    from: intervals[0].start,
    to: intervals.reduce((last, { end }) => Math.max(last, end), Number.NEGATIVE_INFINITY),
  };
}

/** The same with each of them; those without a time are left out, and so are later ones of very many. */
export function during(intervals: readonly Interval[]): Pick<Finding, 'ranges'> & { from: number; to: number } {
  const timed = intervals.filter(({ start, end }) => Number.isFinite(start) && Number.isFinite(end));
  const ranges = timed.slice(0, REPORT_LIMITS.ranges).map(({ start, end }) => ({ from: start, to: end }));
  return { ...spanOf(intervals), ranges };
}

function capital(text: string): string {
  return text.replace(/^[a-z](?=[a-z]*( |$))/, (letter) => letter.toUpperCase());
}

/** Microseconds that a hold must last to count in a group; and between two that belong together. */
export const SHORT = 1e6;
const APART = 3e6;

/** The holds that follow each other closely and last long enough together: a turn interrupts what wind or a weak motor does. */
export function lastingGroups(holds: readonly Exceedance[], needed: number): Exceedance[] {
  const groups: Exceedance[][] = [];
  for (const hold of holds) {
    const last = groups[groups.length - 1];
    if (last && hold.start - last[last.length - 1].end <= APART) last.push(hold);
    else groups.push([hold]);
  }
  return groups.filter((group) => lastedInAll(group) >= needed).flat();
}

/** A sensor that logs what it measures. */
interface Sensor {
  readonly check: string;
  /** As a title calls it. */
  readonly name: string;
  readonly instance: string;
  readonly times: Float64Array;
  readonly fields: FieldNames;
  /** How bad its loss is. */
  readonly severity: 'fail' | 'warn';
  /** Whether values are averages of samples: those of equal ones differ by the rounding of single precision. */
  readonly isAveraged?: boolean;
}

/** Microseconds for which a sensor is not healthy before it counts. */
const UNHEALTHY = 1e6;

/** Says when a sensor was not healthy in flight; one that never was is not there. */
export function judgeHealth(report: ReportBuilder, sensor: Sensor, health: Float64Array | undefined): void {
  if (!health?.some((value) => value > 0)) return;
  const mask = report.facts.flight.mask(sensor.times);
  const holds = findExceedances(sensor.times, health, mask, 0.5, UNHEALTHY, -1);
  tell(report, sensor, 'health', holds, 'was unhealthy');
}

/** Microseconds for which each sample equals the one before it, from which a sensor is frozen: all have noise. */
const FROZEN = 2e6;
/** Samples that are needed for that. */
const FROZEN_ROWS = 8;
/** Part of a value by which rounding in single precision changes an average of equal samples. */
const ROUNDING = 2 ** -22;

/** Reports a sensor that repeats its values. @param mask rows in flight. @param isMoving if they should change */
export function judgeFrozen(
  report: ReportBuilder,
  sensor: Sensor,
  values: readonly (Float64Array | undefined)[],
  mask: Uint8Array,
  isMoving: (hold: Exceedance) => boolean = () => true,
): void {
  const { times } = sensor;
  const known = values.flatMap((each) => each ?? []);
  // numbers of messages are rounded: two that are equal say nothing
  if (known.length === 0 || !report.facts.log.isOnboard) return;
  const holds = findFrozen(times, known, mask, FROZEN, sensor.isAveraged ? ROUNDING : 0).filter(
    (hold) => hold.last - hold.first >= FROZEN_ROWS && isMoving(hold),
  );
  tell(report, sensor, 'frozen', holds, 'repeated the same values');
}

function tell(
  report: ReportBuilder,
  { check, name, instance, fields, severity }: Sensor,
  what: string,
  holds: readonly Exceedance[],
  words: string,
): void {
  if (holds.length === 0) return;
  report.add({
    check,
    severity,
    title: `${name}: ${what}`,
    instance,
    text: `${name} ${words} ${report.facts.flight.words}, for ${secondsOf(lastedInAll(holds))}.`,
    advice: 'Check its wires and connectors, and test it on the ground, warm and under vibration.',
    ...during(holds),
    fields,
  });
}

/** Whether values of a series in order range over more than this while something held. */
export function rangedOver(series: Series, { start, end }: Interval, least: number): boolean {
  const { times, values } = series;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = series.rowFrom(start); times[row] <= end && !(high - low > least); row++) {
    if (values[row] < low) low = values[row];
    if (values[row] > high) high = values[row];
  }
  return high - low > least;
}
