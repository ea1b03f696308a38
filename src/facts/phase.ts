import { firstIndex } from '../core/search.ts';
import type { Interval } from '../series/series.ts';
import { ANSWER_LIMITS } from './limits.ts';

/** A time during which a state was on: armed, flying. */
export interface Phase extends Interval {
  /** Whether the log ends inside it: `end` is then the end of the log. */
  readonly open: boolean;
  /** Whether the log begins inside it: `start` is then the beginning of the log. */
  readonly begunBefore: boolean;
}

/** What a record says of a state that is on or off. */
export interface Change {
  readonly time: number;
  readonly on: boolean;
  /** Says that the state was on before it already: something that only happens while it is, or that ends it. */
  readonly already?: boolean | undefined;
  /** If the state went off unseen before this start: when that was at the latest. */
  readonly offSince?: number | undefined;
}

/** Microseconds by which a time may go back before it counts as a reboot. */
export const REBOOT = 1_000_000;

/** When a state was on. If its first record is an on, it was on from the start. A clock jump back ends a phase. */
export function phasesOf(changes: Iterable<Change>, logStart: number, logEnd: number): Phase[] {
  const found: Phase[] = [];
  let start = Number.NaN;
  let begunBefore = false;
  let last = Number.NaN;
  const close = (end: number, open = false): void => {
    if (!Number.isNaN(start) && found.length < ANSWER_LIMITS.phases)
      found.push({ start, end: Math.max(start, end), open, begunBefore });
    start = Number.NaN;
    begunBefore = false;
  };
  for (const { time, on, already, offSince } of changes) {
    if (Number.isNaN(time)) continue;
    if (time < last - REBOOT) close(last);
    const isFirst = Number.isNaN(last);
    last = time;
    if (offSince !== undefined && offSince > start) close(offSince);
    const isOlder = isFirst && already === true;
    if (Number.isNaN(start) && (on || isOlder)) {
      start = isOlder ? Math.min(logStart, time) : time;
      begunBefore = isOlder;
    }
    if (!on) close(time);
  }
  close(Math.max(last, logEnd), true);
  return merged(found);
}

/** By their beginning and without overlap: what two runs of one clock say of the same time is one phase. */
export function merged(phases: readonly Phase[]): Phase[] {
  const merged: Phase[] = [];
  for (const each of phases.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const before = merged.at(-1);
    if (!before || each.start >= before.end) merged.push(each);
    else if (each.end >= before.end) merged[merged.length - 1] = { ...before, end: each.end, open: each.open };
  }
  return merged;
}

/** The parts of some phases that are in others; both in order and without overlap. */
export function within(phases: readonly Phase[], others: readonly Phase[]): Phase[] {
  const parts: Phase[] = [];
  for (let i = 0, k = 0; i < phases.length && k < others.length; ) {
    const [each, other] = [phases[i], others[k]];
    const first = each.start >= other.start ? each : other;
    const last = each.end <= other.end ? each : other;
    if (first.start < last.end)
      parts.push({ start: first.start, end: last.end, open: last.open, begunBefore: first.begunBefore });
    if (last === each) i++;
    else k++;
  }
  return parts;
}

/** Those phases that overlap with others; both in order and without overlap. */
export function containing(phases: readonly Phase[], others: readonly Phase[]): Phase[] {
  return phases.filter((each) => overlapping(each, others).length > 0);
}

/** Whether one of some phases lasts from one time to another. */
export function isCovered(phases: readonly Phase[], from: number, to: number): boolean {
  return overlapping({ start: from, end: to }, phases).some(({ start, end }) => start <= from && end >= to);
}

export function overlapping<T extends Interval>({ start, end }: Interval, others: readonly T[]): readonly T[] {
  const from = firstIndex(others.length, (i) => others[i].end > start);
  let after = from;
  while (after < others.length && others[after].start < end) after++;
  return others.slice(from, after);
}
