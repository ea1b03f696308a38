import type { Log, Span } from '../core/log.ts';
import type { Table } from '../core/table.ts';

/** Logs in one file that are looked at apart from each other, and tables that are asked where one ends. */
const LOGS = 64;
const ASKED = 4;

/**
 * First and last time of a log, from the first and last rows of its tables: no column is read for it. Where several
 * logs stand in one file, a vehicle that was started anew counts from 0 again, so that each of them is looked at.
 */
export async function findSpan(log: Log): Promise<Span> {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  const starts = await logStarts(log);
  const timed = log.tables.filter((table) => table.rows > 0 && log.clock.field(table) !== undefined);
  const tables = timed.length > 0 ? timed : log.tables.filter((table) => table.rows > 0);
  // the tables with most rows have some in each log, to the end
  const asked = new Set(tables.toSorted((a, b) => b.rows - a.rows).slice(0, ASKED));
  for (const table of tables) {
    for (const row of outerRows(table, asked.has(table) ? starts : [])) {
      const [time] = await table.times({ from: row, to: row + 1 });
      start = Math.min(start, Number.isNaN(time) ? start : time);
      end = Math.max(end, Number.isNaN(time) ? end : time);
    }
  }
  return start <= end ? { start, end } : { start: null, end: null };
}

/** Where logs begin behind the first one: each has the definitions again, that of FMT before all others. */
async function logStarts(log: Log): Promise<number[]> {
  const table = log.table('FMT');
  if (!table || table.rows === 0 || !table.field('Type')) return [];
  const types = (await table.column('Type')).numbers();
  const starts: number[] = [];
  for (let row = 1; row < types.length && starts.length < LOGS; row++) {
    if (types[row] === types[0]) starts.push(table.offsets.at(row));
  }
  return starts;
}

/** The first and the last row of a table, and those before and behind each of some places. */
function outerRows({ offsets, rows }: Table, places: readonly number[]): Set<number> {
  const outer = new Set([0, rows - 1]);
  for (const place of places) {
    const row = offsets.rowFrom(place);
    if (row > 0) outer.add(row - 1);
    if (row < rows) outer.add(row);
  }
  return outer;
}
