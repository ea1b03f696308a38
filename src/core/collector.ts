import { Column } from './column.ts';
import type { RecordBatch, Sink } from './decoder.ts';
import { type Fault, FaultList } from './fault.ts';
import type { Schema } from './schema.ts';

/** What was collected of one table. */
export interface Collected {
  readonly schema: Schema;
  readonly stream: string;
  readonly rows: number;
  readonly columns: readonly Column[];
}

interface Growing {
  readonly schema: Schema;
  readonly stream: string;
  /** Places of its records in the batch at hand, and how many there are. */
  starts: Uint32Array;
  count: number;
  rows: number;
  room: number;
  columns: Column[];
}

const FIRST_ROOM = 1024;
const NOT_WANTED = -1;

/**
 * Decodes records of chosen tables into columns while they are found. Nothing but the columns is kept: for streams that
 * cannot be read twice, and for those who want a few tables of many.
 */
export class Collector implements Sink {
  readonly faults: FaultList = new FaultList();
  private readonly wants: (schema: Schema, stream: string) => boolean;
  private readonly tables: Growing[] = [];
  /** Which of the tables each one of the decoder is. */
  private readonly indexOf: Int32Array = new Int32Array(65536).fill(NOT_WANTED);

  constructor(wants: (schema: Schema, stream: string) => boolean = () => true) {
    this.wants = wants;
  }

  table(id: number, schema: Schema, stream: string): void {
    if (!this.wants(schema, stream)) return;
    this.indexOf[id] = this.tables.length;
    const starts = new Uint32Array(FIRST_ROOM);
    this.tables.push({ schema, stream, starts, count: 0, rows: 0, room: 0, columns: [] });
  }

  records({ bytes, count, table, start }: RecordBatch): void {
    const { indexOf, tables } = this;
    for (let i = 0; i < count; i++) {
      const index = indexOf[table[i]];
      if (index === NOT_WANTED) continue;
      const each = tables[index];
      if (each.count === each.starts.length) each.starts = longer(each.starts);
      each.starts[each.count++] = start[i];
    }
    for (const each of tables) if (each.count > 0) read(bytes, each);
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }

  /** What was collected so far: columns of their own, which do not change when more comes. */
  collected(): Collected[] {
    return this.tables.map(({ schema, stream, rows, columns }) => ({
      schema,
      stream,
      rows,
      columns: schema.fields.map((field, i) => resized(columns[i] ?? new Column(field, 0), rows)),
    }));
  }
}

/** Decodes the records of the batch at hand, while their bytes are still in the cache. */
function read(bytes: Uint8Array, table: Growing): void {
  const { schema, count } = table;
  if (table.rows + count > table.room) {
    table.room = Math.max(FIRST_ROOM, 2 * table.room, table.rows + count);
    table.columns = schema.fields.map((field, i) => resized(table.columns[i] ?? new Column(field, 0), table.room));
  }
  schema.codec.read(bytes, table.starts, count, table.columns, table.rows);
  table.rows += count;
  table.count = 0;
}

function resized({ field, bits8 }: Column, rows: number): Column {
  const column = new Column(field, rows);
  column.bits8.set(bits8.subarray(0, column.bits8.length));
  return column;
}

function longer(starts: Uint32Array): Uint32Array {
  const next = new Uint32Array(2 * starts.length);
  next.set(starts);
  return next;
}
