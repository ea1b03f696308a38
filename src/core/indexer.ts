import type { RecordBatch, Sink } from './decoder.ts';
import { type Fault, FaultList } from './fault.ts';
import type { Offsets } from './offsets.ts';
import type { Schema } from './schema.ts';
import type { Source } from './source.ts';
import { Table } from './table.ts';

const TWO_32 = 2 ** 32;

/** Turns what a decoder finds into tables: only the place of each record is kept. */
export class Indexer implements Sink {
  readonly tables: Table[] = [];
  readonly faults: FaultList = new FaultList();
  private readonly source: Source;
  private readonly offsets: Offsets[] = [];

  constructor(source: Source) {
    this.source = source;
  }

  table(id: number, schema: Schema, stream: string): void {
    const table = new Table(schema, stream, this.source);
    this.tables.push(table);
    this.offsets[id] = table.offsets;
  }

  records(batch: RecordBatch): void {
    const { base, count, table, start } = batch;
    const { offsets } = this;
    if (base + batch.bytes.length >= TWO_32) {
      for (let i = 0; i < count; i++) offsets[table[i]].push(base + start[i]);
      return;
    }
    // the same as push, without its care for offsets beyond 32 bits
    for (let i = 0; i < count; i++) {
      const list = offsets[table[i]];
      const row = list.length;
      if (row === list.low.length) list.grow();
      list.low[row] = base + start[i];
      list.length = row + 1;
    }
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }
}
