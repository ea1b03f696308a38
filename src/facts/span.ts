import type { TimePart } from '../core/clock.ts';
import type { Log, Span } from '../core/log.ts';
import { outerTimes } from '../time/joined-clock.ts';

/** Microseconds between the first and the last packet of a capture that are believed without looking at all of them. */
const LONGEST_CAPTURE = 48 * 3600e6;

/** First and last time of a log: of its parts, else of the first and last rows of its tables. */
export async function findSpan(log: Log): Promise<Span> {
  const { parts = [] } = log.clock;
  if (parts.length > 0)
    return { start: Math.min(...parts.map(({ start }) => start)), end: Math.max(...parts.map(({ end }) => end)) };
  const outer = await outerTimes(log.tables, log.clock);
  if (outer.start !== null) return outer;
  // packets have times though none of them has a message that is known
  const { start = Number.NaN, end = Number.NaN } = log.capture ?? {};
  return end - start <= LONGEST_CAPTURE ? { start, end } : { start: null, end: null };
}

/** The parts of a log in the order of the source, a single one for most; none where no record has a time. */
export function partsOf(log: Log, { start, end }: Span): readonly Omit<TimePart, 'offset'>[] {
  if (start === null || end === null) return [];
  return log.clock.parts ?? [{ start, end }];
}

/** Microseconds that a log covers: its parts together, without the pauses between them. What is twice in it counts once. */
export function coveredTime(parts: readonly Omit<TimePart, 'offset'>[]): number {
  let [sum, last] = [0, Number.NEGATIVE_INFINITY];
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    sum += Math.max(0, end - Math.max(start, last));
    last = Math.max(last, end);
  }
  return sum;
}
