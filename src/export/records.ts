import type { Log } from '../core/log.ts';
import { windows } from '../core/read.ts';
import { inOrder, type RowRef } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import type { DerivedRow, DerivedTable } from '../sensors/derived-table.ts';

/** Which records of a log to write. */
export interface TrimOptions {
  /** The tables to keep; all by default. */
  readonly tables?: ReadonlySet<RecordTable> | undefined;
  /** Times in microseconds: records at or after the first and before the second are kept. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type TimeRange = Pick<TrimOptions, 'from' | 'to'>;

/** Whether a range of time leaves anything out. */
export function isLimited({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: TimeRange): boolean {
  return from !== Number.NEGATIVE_INFINITY || to !== Number.POSITIVE_INFINITY;
}

/** A record in the bytes of a window, with its time if it was asked for. */
interface RawRecord extends Omit<RowRef, 'row'> {
  readonly time: number | undefined;
  readonly start: number;
}

/** Bytes of a log with whole records in order, borrowed until the next window. */
interface RecordWindow {
  readonly bytes: Uint8Array;
  records(): Generator<RawRecord>;
}

/** The records of some tables in the order of the source. @param isTimed whose times to read */
export async function* recordWindows(
  log: Log,
  tables: readonly RecordTable[],
  isTimed: (table: RecordTable, index: number) => boolean,
): AsyncGenerator<RecordWindow> {
  const requests = tables.map(({ schema, offsets, rows }) => ({ schema, offsets, fields: [], from: 0, to: rows }));
  for await (const { bytes, base, from, to } of windows(log.data, requests)) {
    const times = await Promise.all(
      tables.map((table, k) => (isTimed(table, k) ? table.times({ from: from[k], to: to[k] }) : undefined)),
    );
    yield {
      bytes,
      *records() {
        for (const { table, index, row, offset } of inOrder(tables, from, to))
          yield { table, index, offset, time: times[index]?.[row - from[index]], start: offset - base };
      },
    };
  }
}

/** The rows of a derived table in a range of time. */
export async function* rowsIn(table: DerivedTable, range: TimeRange): AsyncGenerator<DerivedRow> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  const isAll = !isLimited(range);
  for await (const row of table.records()) if (isAll || (row.time >= from && row.time < to)) yield row;
}

/** Something with an offset in a source. */
interface Placed {
  readonly at: number;
}

/** What several generators give, each in the order of the source, as one in that order. */
export async function* byPlace<T extends Placed>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  if (sources.length === 1) {
    yield* sources[0];
    return;
  }
  const heads = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    let first = -1;
    for (let k = 0; k < heads.length; k++) {
      const head = heads[k];
      if (!head.done && (first < 0 || head.value.at < heads[first].value.at)) first = k;
    }
    if (first < 0) return;
    yield heads[first].value;
    heads[first] = await sources[first].next();
  }
}
