import type { Table } from '../core/table.ts';

/** A row of one of several tables. */
export interface Place {
  readonly table: Table;
  readonly index: number;
  readonly row: number;
  readonly offset: number;
}

/** Rows of several tables in the order of the source. */
export function* inOrder(tables: readonly Table[]): Generator<Place> {
  // a heap of the next row of each table, the one that comes first on top
  const heap: { table: Table; index: number; row: number; offset: number }[] = [];
  tables.forEach((table, index) => {
    if (table.rows > 0) heap.push({ table, index, row: 0, offset: table.offsets.at(0) });
  });
  heap.sort((a, b) => a.offset - b.offset);
  while (heap.length > 0) {
    const top = heap[0];
    yield { ...top };
    if (++top.row < top.table.rows) {
      top.offset = top.table.offsets.at(top.row);
    } else {
      const last = heap.pop();
      if (last && heap.length > 0) heap[0] = last;
    }
    sink(heap);
  }
}

function sink(heap: { offset: number }[]): void {
  let at = 0;
  for (;;) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && heap[child].offset < heap[least].offset) least = child;
    }
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least], heap[at]];
    at = least;
  }
}
