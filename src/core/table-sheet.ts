import type { Column } from './column.ts';
import type { Field } from './schema.ts';
import { rowsWithin, SHEET_ROWS, type Sheet, type SheetBlock, type SheetRange } from './sheet.ts';
import type { Table } from './table.ts';

/** A table of a log as a sheet. */
export class TableSheet implements Sheet {
  readonly name: string;
  readonly stream: string;
  readonly fields: readonly Field[];
  readonly rows: number;
  private readonly table: Table;
  /** Times of all rows, where rows do not carry theirs. */
  private times: Float64Array | undefined;
  /** All columns, of a source that must be waited for. */
  private loaded: Map<Field, Column> | undefined;

  constructor(table: Table, fields: readonly Field[] = table.fields) {
    this.name = table.name;
    this.stream = table.stream;
    this.rows = table.rows;
    this.table = table;
    this.fields = fields;
  }

  async *blocks(range: SheetRange = {}): AsyncGenerator<SheetBlock> {
    const names = this.fields.map(({ name }) => name);
    for (let from = 0; from < this.rows; from += SHEET_ROWS) {
      const to = Math.min(from + SHEET_ROWS, this.rows);
      const { times, columns } = await this.table.timedColumns(names, { from, to });
      yield* rowsWithin({ from: 0, to: to - from, times, columns }, range);
      range.onRows?.(to);
    }
  }

  async ready(): Promise<void> {
    const { table, rows } = this;
    const isTimed = table.clock?.field(table) !== undefined;
    const isImmediate = table.reader([]) !== undefined;
    if (!isTimed || !isImmediate) this.times ??= await table.times({ from: 0, to: rows });
    if (isImmediate || this.loaded) return;
    const columns = await table.columns(
      this.fields.map(({ name }) => name),
      { from: 0, to: rows },
    );
    this.loaded = new Map(columns.map((column) => [column.field, column]));
  }

  blocksNow(fields: readonly Field[], withTimes: boolean, range: SheetRange = {}): Generator<SheetBlock> | undefined {
    const { table, times, loaded } = this;
    const isTimed = table.clock?.field(table) !== undefined;
    const isImmediate = table.reader([]) !== undefined;
    if (isImmediate ? isTimed || times || !withTimes : loaded) return this.immediate(fields, withTimes, range);
    return undefined;
  }

  private *immediate(fields: readonly Field[], withTimes: boolean, range: SheetRange): Generator<SheetBlock> {
    if (this.loaded) {
      const columns = fields.map((field) => this.loaded?.get(field) as Column);
      yield* rowsWithin({ from: 0, to: this.rows, times: this.times ?? NO_TIMES, columns }, range);
      return;
    }
    const { table } = this;
    const names = fields.map(({ name }) => name);
    const own = withTimes && !this.times ? table.clock?.field(table) : undefined;
    const wanted = own === undefined ? names : [own, ...names];
    const reader = table.reader(wanted);
    if (!reader) return;
    for (let from = 0; from < this.rows; from += IMMEDIATE_ROWS) {
      const to = Math.min(from + IMMEDIATE_ROWS, this.rows);
      const read = reader.read(from, to);
      const columns = own === undefined ? read : read.slice(1);
      const times =
        own === undefined || !table.clock
          ? (this.times?.subarray(from, to) ?? NO_TIMES)
          : table.clock.fromField(table, read[0], from);
      yield* rowsWithin({ from: 0, to: to - from, times, columns }, range);
    }
  }
}

/** Rows decoded at a time where nobody waits: their memory is used again, and stays small enough for a cache. */
const IMMEDIATE_ROWS = 8192;

const NO_TIMES = new Float64Array(0);
