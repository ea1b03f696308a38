import { extremeRow, findHolds, frozenHolds, type Hold, lastedInAll, worstOf } from '../../series/holds.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Series } from '../../series/series.ts';
import type { Examination, Scope } from '../examination.ts';
import { type Severity, secondsOf, short, spaced } from '../finding.ts';
import { REPORT_LIMITS } from '../limits.ts';
import type { Rule } from '../rules.ts';

/** Values that must not be beyond a limit for long. */
export interface Level {
  readonly check: string;
  readonly title: string;
  readonly instance?: string;
  readonly times: Float64Array;
  /** Several axes, of which the worst decides; with times and a mask of its own where a line is of another table. */
  readonly lines: readonly LevelLine[];
  /** The fields that these come from, where the names of the lines are words. */
  readonly fields?: readonly string[];
  readonly mask: Uint8Array;
  readonly scope: Scope;
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
  readonly soften?: (severity: Severity, hold: Hold) => { severity: Severity; because: string } | undefined;
}

interface LevelLine {
  readonly name: string;
  readonly values: Float64Array;
  readonly times?: Float64Array;
  readonly mask?: Uint8Array;
}

interface Beyond {
  readonly name: string;
  readonly holds: readonly Hold[];
  readonly worst: Hold;
  /** The times of all lines beyond the limit, by their beginnings. */
  readonly all: readonly Hold[];
}

/** Adds one finding about the level, and gives its severity. */
export function judgeLevel(exam: Examination, level: Level): Severity {
  const { check, title, instance = '', unit, sign = 1, lines, scope } = level;
  const fields = level.fields ?? lines.map(({ name }) => name);
  const common = { check, title, instance, unit, fields };
  for (const [severity, rule] of [
    ['fail', level.fail],
    ['warn', level.warn],
  ] as const) {
    const hold = severity === 'warn' ? (level.warnHold ?? level.hold) : level.hold;
    const found = rule && beyond(level, rule.value, hold);
    if (!rule || !found) continue;
    const { worst, holds, name } = found;
    const near = severity === 'fail' ? (beyond(level, level.warn.value, 0)?.all ?? []) : [];
    const all = found.all.map((each) =>
      begunBefore(leadingTo(each, near, scope.from ?? 0), rule.value, level.window ?? 0),
    );
    const soft = level.soften?.(severity, worst);
    exam.add({
      ...common,
      severity: soft?.severity ?? severity,
      text: `${sentence(name, worst, holds, rule, level)} ${soft ? `${soft.because} ` : ''}${level.meaning}`,
      advice: level.advice,
      from: all[0].from,
      to: Math.max(...all.slice(-REPORT_LIMITS.ranges).map(({ to }) => to)),
      ranges: rangesOf(all),
      overall: level.overall ?? false,
      value: worst.peak,
      threshold: rule.value,
      source: rule.source,
    });
    return soft?.severity ?? severity;
  }
  const best = extreme(level);
  if (!best) {
    exam.noData(check, title, `${fields.join(', ')} ${fields.length > 1 ? 'have' : 'has'} no values ${scope.words}.`);
    return 'no data';
  }
  exam.add({
    ...common,
    severity: 'ok',
    text: `${capital(best.name)} was ${sign > 0 ? 'at most' : 'at least'} ${short(best.value)}${spaced(unit)} ${scope.words}.`,
    from: scope.from,
    to: scope.to,
    value: best.value,
    threshold: level.warn.value,
    source: level.warn.source,
  });
  return 'ok';
}

function beyond({ times, lines, mask, sign = 1 }: Level, limit: number, hold: number): Beyond | undefined {
  let most: Omit<Beyond, 'all'> | undefined;
  const all: Hold[] = [];
  for (const { name, values, ...own } of lines) {
    const holds = findHolds(own.times ?? times, values, own.mask ?? mask, limit, hold, sign);
    const worst = worstOf(holds, sign);
    all.push(...holds.slice(0, REPORT_LIMITS.ranges));
    if (worst && (!most || sign * worst.peak > sign * most.worst.peak)) most = { name, holds, worst };
  }
  return most && { ...most, all: all.sort((a, b) => a.from - b.from) };
}

/** Microseconds within which a value that passes one limit after the other does so by one cause. */
const ONSET = 10e6;

/** Microseconds after the flight began until which what is seen was so before. */
const AT_START = 3e6;

/** What ends in a failure begins where it first counts, unless it was so long before. */
function leadingTo(hold: Hold, near: readonly Hold[], start: number): Hold {
  const leading = near.find(({ from, to }) => from <= hold.from && to >= hold.from);
  const isOnset = leading && hold.from - leading.from <= ONSET && leading.from > start + AT_START;
  return isOnset ? { ...hold, from: leading.from } : hold;
}

/** An average over a window passes a limit late: the sooner, the farther what it averages is beyond the limit. */
function begunBefore(hold: Hold, limit: number, window: number): Hold {
  return { ...hold, from: hold.from - window * Math.min(1, Math.abs(limit / hold.peak)) };
}

function extreme({ lines, mask, sign = 1 }: Level): { name: string; value: number } | undefined {
  let most: { name: string; value: number } | undefined;
  for (const { name, values, ...own } of lines) {
    const row = extremeRow(values, own.mask ?? mask, sign);
    if (row >= 0 && (!most || sign * values[row] > sign * most.value)) most = { name, value: values[row] };
  }
  return most;
}

function sentence(name: string, worst: Hold, holds: readonly Hold[], { value }: Rule, level: Level): string {
  const { unit, sign = 1, scope } = level;
  const lasted = lastedInAll(holds);
  const often = holds.length > 1 ? ` (${holds.length} times)` : '';
  const long = Number.isFinite(lasted) ? ` for ${secondsOf(lasted)}${often}` : '';
  const side = sign > 0 ? 'above' : (level.less ?? 'below');
  const reached = sign > 0 ? 'reached' : 'dropped to';
  return `${capital(name)} ${reached} ${short(worst.peak)}${spaced(unit)} ${scope.words}; ${side} ${short(value)}${spaced(unit)}${long}.`;
}

/** What a single number means: how bad it is, and what it was compared with. */
export function graded(
  value: number,
  warn: Rule,
  fail: Rule,
): { severity: 'fail' | 'warn' | 'ok'; threshold: number; source: string } {
  const severity = value > fail.value ? 'fail' : value > warn.value ? 'warn' : 'ok';
  const { value: threshold, source } = severity === 'fail' ? fail : warn;
  return { severity, threshold, source };
}

/** The fields of a reading that the log has, as lines to judge and to draw. */
export function linesOf<K extends string>(
  { times, values, names }: Reading<K>,
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

/** Stretches as a finding tells them: those that have a time, and not without end. */
export function rangesOf(holds: readonly Hold[]): { from: number; to: number }[] {
  const timed = holds.filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to));
  return timed.slice(0, REPORT_LIMITS.ranges).map(({ from, to }) => ({ from, to }));
}

function capital(text: string): string {
  return text.replace(/^[a-z](?=[a-z]*( |$))/, (letter) => letter.toUpperCase());
}

/** A sensor that logs what it measures. */
interface Sensor {
  readonly check: string;
  /** As a title calls it. */
  readonly name: string;
  readonly instance: string;
  readonly times: Float64Array;
  readonly fields: readonly string[];
  /** How bad its loss is. */
  readonly severity: 'fail' | 'warn';
}

/** Microseconds for which a sensor is not healthy before it counts. */
const UNHEALTHY = 1e6;

/** Says when a sensor was not healthy in flight; one that never was is not there. */
export function judgeHealth(exam: Examination, sensor: Sensor, health: Float64Array | undefined): void {
  if (!health?.some((value) => value > 0)) return;
  const mask = exam.flight.mask(sensor.times);
  const holds = findHolds(sensor.times, health, mask, 0.5, UNHEALTHY, -1);
  tell(exam, sensor, 'health', holds, 'was not healthy');
}

/** Microseconds for which each sample equals the one before it, from which a sensor is frozen: all have noise. */
const FROZEN = 2e6;
/** Samples that are needed for that. */
const FROZEN_ROWS = 8;

/**
 * Says when a sensor gave the same values over and over.
 * @param mask the rows in flight
 * @param isMoving whether the vehicle meanwhile did what changes them
 */
export function judgeFrozen(
  exam: Examination,
  sensor: Sensor,
  values: readonly (Float64Array | undefined)[],
  mask: Uint8Array,
  isMoving: (hold: Hold) => boolean = () => true,
): void {
  const { times } = sensor;
  const known = values.flatMap((each) => each ?? []);
  // numbers of messages are rounded: two that are equal say nothing
  if (known.length === 0 || !exam.ground.log.format.startsWith('dataflash')) return;
  const holds = frozenHolds(times, known, mask, FROZEN).filter(
    (hold) => hold.last - hold.first >= FROZEN_ROWS && isMoving(hold),
  );
  tell(exam, sensor, 'frozen', holds, 'gave the same values over and over');
}

function tell(
  exam: Examination,
  { check, name, instance, fields, severity }: Sensor,
  what: string,
  holds: readonly Hold[],
  words: string,
): void {
  if (holds.length === 0) return;
  exam.add({
    check,
    severity,
    title: `${name}: ${what}`,
    instance,
    text: `${name} ${words} ${exam.flight.words}, for ${secondsOf(lastedInAll(holds))}.`,
    advice: 'Check its wires and plugs, and whether it fails on the ground, too, warm or shaken.',
    from: holds[0].from,
    to: holds[holds.length - 1].to,
    ranges: rangesOf(holds),
    fields,
  });
}

/** Whether values range over more than this while something held. */
export function rangedOver(series: Series, { from, to }: Hold, least: number): boolean {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  series.each(from, to, (value) => {
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  return high - low > least;
}
