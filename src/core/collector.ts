import { Column } from './column.ts';
import type { RecordBatch, Sink } from './decoder.ts';
import { type Fault, FaultList } from './fault.ts';
import type { Field, Schema } from './schema.ts';

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
  /** Where its records are in the current batch, and how many there are. */
  starts: Uint32Array;
  count: number;
  rows: number;
  room: number;
  columns: Column[];
}

const FIRST_ROOM = 256;
const NOT_WANTED = -1;

/**
 * Decodes records of chosen tables into columns while they are found. Nothing but the columns is kept: for streams that
 * cannot be read twice, or for a few tables of many.
 */
export class ColumnCollector implements Sink {
  readonly faults: FaultList = new FaultList();
  private readonly wants: (schema: Schema, stream: string) => boolean;
  private readonly size: number;
  private readonly tables: Growing[] = [];
  /** Which of the tables each one of the decoder is. */
  private readonly indexOf: Int32Array = new Int32Array(65536).fill(NOT_WANTED);

  /**
   * @param wants which tables to collect
   * @param size  bytes in all, where they are known: memory is then asked for once
   */
  constructor(wants: (schema: Schema, stream: string) => boolean = () => true, size = 0) {
    this.wants = wants;
    this.size = size;
  }

  table(id: number, schema: Schema, stream: string): void {
    if (!this.wants(schema, stream)) return;
    this.indexOf[id] = this.tables.length;
    const starts = new Uint32Array(FIRST_ROOM);
    this.tables.push({ schema, stream, starts, count: 0, rows: 0, room: 0, columns: [] });
  }

  records({ bytes, base, count, table, start }: RecordBatch): void {
    const { indexOf, tables } = this;
    for (let i = 0; i < count; i++) {
      const index = indexOf[table[i]];
      if (index === NOT_WANTED) continue;
      const each = tables[index];
      if (each.count === each.starts.length) each.starts = longer(each.starts);
      each.starts[each.count++] = start[i];
    }
    // if the rest of the source is like what was seen, each table grows by this factor
    const factor = (1.05 * this.size) / (base + bytes.length);
    for (const each of tables) if (each.count > 0) read(bytes, each, factor);
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }

  /** What was collected so far, in columns that do not change when more comes. */
  collected(): Collected[] {
    return this.tables.map(({ schema, stream, rows, columns }) => ({
      schema,
      stream,
      rows,
      columns: schema.fields.map((field, i) => (columns[i] ?? new Column(field, 0)).slice(0, rows)),
    }));
  }
}

/** Decodes the records of the current batch, while their bytes are still in the cache. */
function read(bytes: Uint8Array, table: Growing, factor: number): void {
  const { schema, count } = table;
  const rows = table.rows + count;
  if (rows > table.room) {
    table.room = Math.max(FIRST_ROOM, 2 * table.room, rows, Math.min(Math.ceil(rows * factor), 64 * rows));
    table.columns = schema.fields.map((field, i) => grown(field, table.columns[i], table.room));
  }
  schema.codec.read(bytes, table.starts, count, table.columns, table.rows);
  table.rows = rows;
  table.count = 0;
}

function grown(field: Field, column: Column | undefined, rows: number): Column {
  const next = new Column(field, rows);
  if (column) next.bits8.set(column.bits8);
  return next;
}

function longer(starts: Uint32Array): Uint32Array {
  const next = new Uint32Array(2 * starts.length);
  next.set(starts);
  return next;
}
