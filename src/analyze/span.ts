import type { Log, Span } from '../core/log.ts';

/** First and last time of a log, from the first and last rows of its tables: no column is read for it. */
export async function findSpan(log: Log): Promise<Span> {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  const timed = log.tables.filter((table) => table.rows > 0 && log.clock.field(table) !== undefined);
  for (const table of timed.length > 0 ? timed : log.tables.filter((table) => table.rows > 0)) {
    const [first] = await table.times({ from: 0, to: 1 });
    const [last] = await table.times({ from: table.rows - 1 });
    start = Math.min(start, Number.isNaN(first) ? start : first);
    end = Math.max(end, Number.isNaN(last) ? end : last);
  }
  return start <= end ? { start, end } : { start: null, end: null };
}
