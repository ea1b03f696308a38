import type { TimePart } from '../core/clock.ts';
import type { Log, Span } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { outerTimes } from '../time/joined-clock.ts';

/** Microseconds between the first and the last packet of a capture that are believed without looking at all of them. */
const LONGEST_CAPTURE = 48 * 3600e6;

/** First and last time of a log: of its parts, else of the first and last rows of its tables. */
export async function findSpan(log: Log): Promise<Span> {
  const { parts = [], range } = log.clock;
  if (parts.length > 0)
    return { start: Math.min(...parts.map(({ start }) => start)), end: Math.max(...parts.map(({ end }) => end)) };
  if (range) return range;
  const outer = await outerTimes(await freshTables(log), log.clock);
  if (outer.start !== null) return outer;
  // packets have times though none of them has a message that is known
  const { start = Number.NaN, end = Number.NaN } = log.capture ?? {};
  return end - start <= LONGEST_CAPTURE ? { start, end } : { start: null, end: null };
}

/** Rows of a table that are not all from before the log, and microseconds by which those of the others may be away. */
const LIVE_ROWS = 8;
const STALE = 5_000_000;

/** PX4 starts a log with the last sample of each topic, even of an earlier boot: it makes no log longer. */
async function freshTables({ tables, clock }: Log): Promise<readonly RecordTable[]> {
  const isLive = ({ rows, name }: RecordTable): boolean => rows >= LIVE_ROWS || name === 'LOG';
  const live = tables.filter((table) => isLive(table) && table.field('timestamp'));
  if (live.length === 0 || !tables.some(({ name }) => name === 'SUBSCRIPTION')) return tables;
  const { start, end } = await outerTimes(live, clock);
  if (start === null || end === null) return tables;
  const fresh: RecordTable[] = [];
  for (const table of tables) {
    const own = live.includes(table) || table.rows === 0 ? { start, end } : await outerTimes([table], clock);
    if ((own.start ?? start) >= start - STALE && (own.end ?? end) <= end + STALE) fresh.push(table);
  }
  return fresh;
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
