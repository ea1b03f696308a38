import type { RecordTable } from '../core/table.ts';
import type { Timing } from './field-clock.ts';

/** 32 bits of milliseconds wrap after 49.7 days. */
export const WRAP: number = 2 ** 32;

/** Where in a source the milliseconds began again. */
class Wrap {
  /** The last offset known to be before it, and the first known to be after it. */
  private readonly before: number;
  private readonly after: number;

  constructor(before: number, after: number) {
    this.before = before;
    this.after = after;
  }

  /** Whether milliseconds at an offset are after the wrap. */
  isBehind(offset: number, milliseconds: number): boolean {
    return offset >= this.after || (offset > this.before && milliseconds < WRAP / 2);
  }
}

/** Adds to the timing of tables in milliseconds the row from which on they have begun again. */
export async function findWrap(timings: Map<RecordTable, Timing>): Promise<Wrap> {
  let before = -1;
  let after = Number.POSITIVE_INFINITY;
  const others: { table: RecordTable; timing: Timing; first: number }[] = [];
  for (const [table, timing] of timings) {
    if (timing.factor !== 1000) continue;
    const first = await valueAt(table, timing, 0);
    const row = await wrapRow(table, timing, first);
    if (row === undefined) {
      others.push({ table, timing, first });
      continue;
    }
    timings.set(table, { ...timing, wrapRow: row, wrap: WRAP });
    before = Math.max(before, table.offsets.at(row - 1));
    after = Math.min(after, table.offsets.at(row));
  }
  const wrap = new Wrap(before < 0 ? after : before, after);
  // a table that began after it does not show it
  for (const { table, timing, first } of others) {
    if (wrap.isBehind(table.offsets.at(0), first)) timings.set(table, { ...timing, wrapRow: 0, wrap: WRAP });
  }
  return wrap;
}

/** The row at which the milliseconds of a table begin again, if they do. */
async function wrapRow(table: RecordTable, timing: Timing, first: number): Promise<number | undefined> {
  if (!(first - (await valueAt(table, timing, table.rows - 1)) > WRAP / 2)) return undefined;
  let low = 0;
  let high = table.rows - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((await valueAt(table, timing, middle)) >= first) low = middle;
    else high = middle;
  }
  return high;
}

async function valueAt(table: RecordTable, { field }: Timing, row: number): Promise<number> {
  return (await table.column(field, { from: row, to: row + 1 })).numbers()[0];
}
