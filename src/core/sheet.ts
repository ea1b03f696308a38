import type { Column } from './column.ts';
import { caseFolded, columnName, uniqueNames } from './names.ts';
import type { Field } from './schema.ts';
import type { Table } from './table.ts';

/** Decoded rows of a sheet: those from `from` to `to` are wanted, others may stand around them. */
export interface SheetBlock {
  readonly from: number;
  readonly to: number;
  /** Microseconds of each row, NaN where none is known; without rows where times were not asked for. */
  readonly times: Float64Array;
  /** A column for each field of the sheet. */
  readonly columns: readonly Column[];
}

export interface SheetRange {
  /** Microseconds: rows at or after the first and before the second are wanted. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Called now and then with the rows read so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** A table as it is written down: some of its fields, each under a name of its own, and the time before them. */
export interface Sheet {
  readonly name: string;
  readonly stream: string;
  readonly fields: readonly Field[];
  /** How many rows there are, 0 where that is found out only by reading. */
  readonly rows: number;
  /** Rows in the order of the source, some thousands at a time; each block is used before the next is asked for. */
  blocks(range?: SheetRange): AsyncGenerator<SheetBlock>;
  /** Reads what must be waited for, so that `blocksNow` can do the rest. */
  ready(): Promise<void>;
  /** Blocks without waiting, of some of the fields; undefined as long as the sheet is not ready. */
  blocksNow(fields: readonly Field[], withTimes: boolean, range?: SheetRange): Generator<SheetBlock> | undefined;
}

/** The name of the column of times. */
const TIME = 'time';

/** Names of the columns: that of the times first, then the fields'; no two are the same, whatever their case. */
export function columnNames({ fields }: Pick<Sheet, 'fields'>): string[] {
  return uniqueNames([TIME, ...fields.map(({ name }) => columnName(name))], caseFolded);
}

/** The name of a sheet as people write it, with its stream in brackets. */
export function sheetTitle({ name, stream }: Pick<Sheet, 'name' | 'stream'>): string {
  return stream === '' ? name : `${name}[${stream}]`;
}

/** Rows decoded at a time. */
export const SHEET_ROWS = 8192;

/** The stretches of a block whose times lie in the range. */
export function* rowsWithin(block: SheetBlock, { from, to }: SheetRange): Generator<SheetBlock> {
  if (from === undefined && to === undefined) {
    yield block;
    return;
  }
  const { times } = block;
  const isWanted = (row: number): boolean =>
    times[row] >= (from ?? Number.NEGATIVE_INFINITY) && times[row] < (to ?? Number.POSITIVE_INFINITY);
  for (let start = block.from; start < block.to; ) {
    if (!isWanted(start)) {
      start++;
      continue;
    }
    let stop = start + 1;
    while (stop < block.to && isWanted(stop)) stop++;
    yield { ...block, from: start, to: stop };
    start = stop;
  }
}

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
