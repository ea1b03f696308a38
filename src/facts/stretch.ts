import { firstIndex } from '../core/search.ts';
import { ANSWER_LIMITS } from './limits.ts';

/** A stretch of time, in microseconds of the log's clock. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
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
  /** A switching on after which the state had been off meanwhile: when that was at the latest. */
  readonly offSince?: number | undefined;
}

/** A reboot: when the vehicle was last heard before it, and first after it. */
export interface Restart {
  readonly until: number;
  readonly time: number;
}

/** Part of a log, from one boot of the vehicle to the next. */
type Boot = Pick<Stretch, 'start' | 'end'>;

/** Microseconds by which a time may go back before the vehicle counts as started anew. */
export const REBOOT = 1_000_000;

/**
 * The stretches during which a state was on, from what records say of it in the order of the log. Where the first of
 * them says that it was on already, it was on since the log began. A clock that goes back ends a
 * stretch where it was: nothing is known of what comes behind until a record says it. So does the end of a boot.
 * @param boots in the order of the source, where there are several: a later one may be of an earlier time
 */
export function stretchesOf(
  changes: Iterable<Change>,
  logStart: number,
  logEnd: number,
  boots: readonly Boot[] = [],
): Stretch[] {
  const found: Stretch[] = [];
  let start = Number.NaN;
  let begunBefore = false;
  let last = Number.NaN;
  let boot: Boot | undefined;
  const close = (end: number, open = false): void => {
    if (!Number.isNaN(start) && found.length < ANSWER_LIMITS.stretches)
      found.push({ start, end: Math.max(start, end), open, begunBefore });
    start = Number.NaN;
    begunBefore = false;
  };
  for (const { time, on, already, offSince } of changes) {
    if (Number.isNaN(time)) continue;
    const now = boots.findLast((each) => time >= each.start && time <= each.end);
    if (boot && now && boot !== now) close(boot.end);
    if (time < last - REBOOT) close(last);
    boot = now ?? boot;
    const isFirst = Number.isNaN(last);
    last = time;
    if (offSince !== undefined && offSince > start) close(offSince);
    const isOlder = isFirst && already === true;
    if (Number.isNaN(start) && (on || isOlder)) {
      start = isOlder ? Math.min(boot?.start ?? logStart, time) : time;
      begunBefore = isOlder;
    }
    if (!on) close(time);
  }
  close(boot?.end ?? Math.max(last, logEnd), boot === boots.at(-1));
  return inOrder(found);
}

/** By their beginning and without overlap: what two runs of one clock say of the same time is one stretch. */
export function inOrder(stretches: readonly Stretch[]): Stretch[] {
  const merged: Stretch[] = [];
  for (const each of stretches.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const before = merged.at(-1);
    if (!before || each.start >= before.end) merged.push(each);
    else merged[merged.length - 1] = { ...later(before, each), start: before.start, begunBefore: before.begunBefore };
  }
  return merged;
}

function later(a: Stretch, b: Stretch): Stretch {
  return b.end >= a.end ? b : a;
}

/** The parts of some stretches that lie in others; both in order and without overlap. */
export function within(stretches: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  const parts: Stretch[] = [];
  for (let i = 0, k = 0; i < stretches.length && k < others.length; ) {
    const [each, other] = [stretches[i], others[k]];
    const first = each.start >= other.start ? each : other;
    const last = each.end <= other.end ? each : other;
    if (first.start < last.end)
      parts.push({ start: first.start, end: last.end, open: last.open, begunBefore: first.begunBefore });
    if (last === each) i++;
    else k++;
  }
  return parts;
}

/** The stretches of some in which there is something of others; both in order and without overlap. */
export function containing(stretches: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  return stretches.filter((each) => overlapping(each, others).length > 0);
}

/** Whether one of some stretches lasts all the time between two times. */
export function isCovered(stretches: readonly Stretch[], from: number, to: number): boolean {
  return overlapping({ start: from, end: to }, stretches).some(({ start, end }) => start <= from && end >= to);
}

/** Those of some stretches that have a part in another. */
export function overlapping<T extends Pick<Stretch, 'start' | 'end'>>(
  { start, end }: Pick<Stretch, 'start' | 'end'>,
  others: readonly T[],
): readonly T[] {
  const from = firstIndex(others.length, (i) => others[i].end > start);
  let behind = from;
  while (behind < others.length && others[behind].start < end) behind++;
  return others.slice(from, behind);
}
