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
  /** The memory of each list and how much of it is used, side by side: the loop below runs for every record. */
  private readonly lows: Uint32Array[] = [];
  private readonly counts: Int32Array = new Int32Array(65536);

  constructor(source: Source) {
    this.source = source;
  }

  table(id: number, schema: Schema, stream: string): void {
    const table = new Table(schema, stream, this.source);
    this.tables.push(table);
    this.offsets[id] = table.offsets;
    this.lows[id] = table.offsets.low;
  }

  records(batch: RecordBatch): void {
    const { base, count, table, start } = batch;
    const { offsets, lows, counts } = this;
    // what was seen ends about here: the bytes themselves may go on to the end of the source
    const end = base + start[count - 1] + 1;
    // few records in many tables, or places beyond 32 bits: one by one
    if (end >= TWO_32 || count < offsets.length) {
      for (let i = 0; i < count; i++) {
        const id = table[i];
        offsets[id].push(base + start[i]);
        lows[id] = offsets[id].low;
        counts[id] = offsets[id].length;
      }
      return;
    }
    // if the rest of the source is like what was seen, each table grows by this factor
    const factor = (1.05 * this.source.size) / end;
    // places are kept modulo 2^32: sums of 32 bits are enough, and quicker than those of numbers
    const lower = base | 0;
    for (let i = 0; i < count; i++) {
      const id = table[i];
      const row = counts[id];
      let low = lows[id];
      if (row === low.length) {
        offsets[id].length = row;
        offsets[id].grow(Math.ceil(row * factor));
        low = offsets[id].low;
        lows[id] = low;
      }
      low[row] = (start[i] + lower) | 0;
      counts[id] = row + 1;
    }
    for (let id = 0; id < offsets.length; id++) offsets[id].length = counts[id];
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }
}
