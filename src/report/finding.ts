import { finite } from '../core/text.ts';
import type { Rule } from './rules.ts';

/** How bad a finding is; 'no data' if the log has too little. */
export type Severity = 'fail' | 'warn' | 'info' | 'no data' | 'ok';

/** All severities, the worst first. */
export const SEVERITIES: readonly Severity[] = ['fail', 'warn', 'info', 'no data', 'ok'];

/** What a check of the health report found. It is plain data, and nothing in it is NaN. */
export interface Finding {
  /** The check, as its section of the rules is called: 'vibration', 'battery' ... */
  readonly check: string;
  readonly severity: Severity;
  /** A few words. */
  readonly title: string;
  /** What was seen and what it means, in sentences. */
  readonly text: string;
  /** What to look at; '' where there is nothing to do. */
  readonly advice: string;
  /** When, in microseconds of the log's clock; null where it has no time. */
  readonly from: number | null;
  readonly to: number | null;
  /** The stretches in it, where there are several; the first ones of very many. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  /** The number that decided, its unit, and what it was compared with. */
  readonly value: number | null;
  readonly unit: string;
  readonly threshold: number | null;
  /** Where the threshold comes from. */
  readonly source: string;
  /** The fields that were looked at: 'VIBE[0].VibeX'. */
  readonly fields: readonly string[];
  /** Which of several sensors, packs or estimators; '' where there is one only. */
  readonly instance: string;
  /** Whether it is about the flight as a whole: an average, say, that began at no moment. */
  readonly overall: boolean;
}

/** A line of a plot: a point for each entry, microseconds and values. */
export interface PlotLine {
  readonly name: string;
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
}

/** What a check looked at, to be drawn beside its findings. */
export interface Plot {
  readonly check: string;
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly PlotLine[];
  /** Thresholds, drawn across. */
  readonly limits: readonly { readonly value: number; readonly severity: 'warn' | 'fail' }[];
}

/** A finding, most parts of which are optional; `rule` gives its threshold and the source of that. */
export interface FindingParts extends Partial<Omit<Finding, 'fields'>> {
  readonly check: string;
  readonly severity: Severity;
  readonly title: string;
  readonly text: string;
  readonly rule?: Rule;
  /** Those that the log lacks are left out. */
  readonly fields?: FieldNames;
}

/** Names of fields as a reading has them: undefined for those that the log lacks. */
export type FieldNames = readonly (string | undefined)[];

/** Those that the log has. */
export function loggedOf(names: FieldNames): string[] {
  return names.filter((name) => name !== undefined);
}

export function finding({ rule, fields = [], ...parts }: FindingParts): Finding {
  const { from = null, to = null, value = null, threshold = rule?.value ?? null } = parts;
  const [begin, end] = [finite(from), finite(to)];
  return {
    advice: '',
    unit: '',
    source: rule?.source ?? '',
    fields: loggedOf(fields),
    ranges: [],
    instance: '',
    overall: false,
    ...parts,
    // there is nothing to do where all is well
    ...(parts.severity === 'ok' ? { advice: '' } : {}),
    from: begin,
    // a vehicle that rebooted counts from 0 again
    to: begin !== null && end !== null ? Math.max(begin, end) : end,
    value: finite(value),
    threshold: finite(threshold),
  };
}

/** The worst severity of some findings; 'ok' if none. */
export function worst(findings: readonly Pick<Finding, 'severity'>[]): Severity {
  return SEVERITIES.find((severity) => findings.some((each) => each.severity === severity)) ?? 'ok';
}

/** A number as people read it: three digits or more, no zeros after them. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = value.toFixed(digits);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

export function secondsOf(micros: number): string {
  return `${short(micros / 1e6)} s`;
}

/** How often something was. */
export function often(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** A unit after a number. */
export function spaced(unit: string): string {
  return unit === '' || /^°(?!C)/.test(unit) ? unit : ` ${unit}`;
}

/** The number that decided and what it was compared with; '' if none. */
export function comparison({ value, unit, threshold, source }: Finding): string {
  if (value === null || threshold === null) return '';
  return `${short(value)}${spaced(unit)}, limit ${short(threshold)}${source === '' ? '' : ` (${source})`}`;
}
