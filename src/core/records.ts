import { Column, type Value } from './column.ts';
import type { Log } from './log.ts';
import { type Request, windows } from './read.ts';
import { type RecordTable, rowOf } from './table.ts';

export interface RecordOptions {
  readonly tables?: readonly RecordTable[] | undefined;
  /** Only records at or after this time, in microseconds, and before the other one. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Rows of each table to begin with, for a log that is read on. */
  readonly after?: ReadonlyMap<RecordTable, number> | undefined;
}

export interface LogRecord {
  readonly table: RecordTable;
  /** Microseconds, UTC if the log's clock says so; NaN if none is known. */
  readonly time: number;
  /** Where it begins in the source. */
  readonly offset: number;
  readonly data: Record<string, Value>;
}

/** Decoded rows of several tables in one stretch of the source. */
export interface RecordBlock {
  readonly tables: readonly RecordTable[];
  /** For each table the columns of its rows in this stretch (none without rows), the times of these rows and the number of the first. */
  readonly columns: readonly (readonly Column[])[];
  readonly times: readonly Float64Array[];
  readonly first: readonly number[];
  /** Walks the rows in order: `index` is the table's, `row` counts within this block. */
  walk(visit: (index: number, row: number, time: number, offset: number) => boolean): void;
}

const BLOCK = 1024;
const NO_COLUMNS: Column[] = [];
const NO_TIMES = new Float64Array(0);

/** Decodes records in the order of the source, a stretch at a time: memory stays small for a log of any size. */
export async function* readBlocks(log: Log, options: RecordOptions = {}): AsyncGenerator<RecordBlock> {
  const tables = (options.tables ?? log.tables).filter((table) => table.rows > 0);
  const requests = tables.map((table) => ({
    schema: table.schema,
    offsets: table.offsets,
    // what comes before a record is read with it, for its time
    fields: table.schema.stamp ? [...table.fields, table.schema.stamp] : table.fields,
    from: options.after?.get(table) ?? 0,
    to: table.rows,
  }));
  yield* blocks(log, tables, requests, options);
}

async function* blocks(
  log: Log,
  tables: readonly RecordTable[],
  requests: readonly Request[],
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: RecordOptions,
): AsyncGenerator<RecordBlock> {
  const isTimed = from !== Number.NEGATIVE_INFINITY || to !== Number.POSITIVE_INFINITY;
  const starts = new Int32Array(BLOCK);
  for await (const window of windows(log.data, requests)) {
    const columns: Column[][] = [];
    const times: Float64Array[] = [];
    for (let k = 0; k < tables.length; k++) {
      const [first, last] = [window.from[k], window.to[k]];
      // columns of thousands of tables take more memory than their rows
      if (first === last) {
        [columns[k], times[k]] = [NO_COLUMNS, NO_TIMES];
        continue;
      }
      columns[k] = requests[k].fields.map((field) => new Column(field, last - first));
      for (let row = first; row < last; row += BLOCK) {
        const stop = Math.min(row + BLOCK, last);
        requests[k].offsets.relative(row, stop, window.base, starts);
        requests[k].schema.codec.read(window.bytes, starts, stop - row, columns[k], row - first);
      }
      times[k] = await timesOf(tables[k], columns[k], first, last);
      columns[k].length = tables[k].fields.length;
    }
    yield {
      tables,
      columns,
      times,
      first: window.from,
      walk(visit) {
        for (const { index, row, offset } of inOrder(tables, window.from, window.to)) {
          const local = row - window.from[index];
          const time = times[index][local];
          if (isTimed && !(time >= from && time < to)) continue;
          if (!visit(index, local, time, log.placeOf(offset))) return;
        }
      },
    };
  }
}

/** Times of rows that are decoded already: from their own field if they have one. */
async function timesOf(
  table: RecordTable,
  columns: readonly Column[],
  from: number,
  to: number,
): Promise<Float64Array> {
  if (from >= to) return new Float64Array(0);
  const { clock } = table;
  const name = clock?.field(table);
  const column = name === undefined ? undefined : columns.find(({ field }) => field.name === name);
  return clock && column ? clock.fromField(table, column, from) : table.times({ from, to });
}

/** Records one by one in the order of the source, as objects. */
export async function* readRecords(log: Log, options: RecordOptions = {}): AsyncGenerator<LogRecord> {
  for await (const block of readBlocks(log, options)) {
    const found: LogRecord[] = [];
    block.walk((index, row, time, offset) => {
      found.push({ table: block.tables[index], time, offset, data: rowOf(block.columns[index], row) });
      return true;
    });
    yield* found;
  }
}

/** A row of one of several tables. The same object is used again for the next one. */
export interface RowRef {
  readonly table: RecordTable;
  /** Which of the tables it is. */
  readonly index: number;
  readonly row: number;
  readonly offset: number;
}

interface Cursor {
  readonly table: RecordTable;
  readonly index: number;
  readonly last: number;
  row: number;
  offset: number;
}

/** Rows of several tables in the order of the source. @param from first row of each. @param to row after the last */
export function* inOrder(
  tables: readonly RecordTable[],
  from?: readonly number[],
  to?: readonly number[],
): Generator<RowRef> {
  // a heap of the next row of each table, the one that comes first on top
  const heap: Cursor[] = [];
  tables.forEach((table, index) => {
    const row = from?.[index] ?? 0;
    const last = to?.[index] ?? table.rows;
    if (row < last) heap.push({ table, index, last, row, offset: table.offsets.at(row) });
  });
  heap.sort((a, b) => a.offset - b.offset);
  while (heap.length > 0) {
    const top = heap[0];
    yield top;
    if (++top.row < top.last) {
      top.offset = top.table.offsets.at(top.row);
    } else {
      const last = heap.pop();
      if (last && heap.length > 0) heap[0] = last;
    }
    sink(heap);
  }
}

/** Restores the order of a heap whose top, and no other, was moved to a later place. */
export function sink(heap: { readonly offset: number }[]): void {
  const moved = heap[0];
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1].offset < heap[child].offset) child++;
    if (heap[child].offset >= moved.offset) break;
    heap[at] = heap[child];
    at = child;
  }
  if (heap.length > 0) heap[at] = moved;
}
