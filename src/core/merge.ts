import type { Table } from './table.ts';

/** A row of one of several tables. The same object is used again for the next one. */
export interface Place {
  readonly table: Table;
  /** Which of the tables it is. */
  readonly index: number;
  readonly row: number;
  readonly offset: number;
}

interface Cursor {
  readonly table: Table;
  readonly index: number;
  readonly last: number;
  row: number;
  offset: number;
}

/**
 * Rows of several tables in the order of the source.
 * @param from the first row of each table
 * @param to   the row behind the last of each table
 */
export function* inOrder(tables: readonly Table[], from?: readonly number[], to?: readonly number[]): Generator<Place> {
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
