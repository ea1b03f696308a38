import type { Clock } from './clock.ts';
import type { Column, Value } from './column.ts';
import { caseFolded, columnName, uniqueNames } from './names.ts';
import { OffsetLists, type Offsets } from './offsets.ts';
import { ColumnReader, type Request, readColumns } from './read.ts';
import { type Field, type Schema, TYPE_BYTES } from './schema.ts';
import type { Source } from './source.ts';

/** Which rows: by their number, the last one not included. */
export interface RowRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A record as an object without a prototype, so that a field may have any name. */
export type Row = Record<string, Value>;

/** Decoded rows of a table: those from `from` to `to`, others may be around them. */
export interface TableBlock {
  readonly from: number;
  readonly to: number;
  /** Microseconds of each row, NaN if unknown; empty if times were not asked for. */
  readonly times: Float64Array;
  /** A column for each field that was asked for. */
  readonly columns: readonly Column[];
}

export interface TableRange {
  /** Microseconds: rows at or after the first and before the second. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Called now and then with the rows read so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Rows with a time as columns: records of a log, or rows made from them. */
export interface Table {
  readonly name: string;
  /** Where the rows come from: an instance, a vehicle's component, a talker; '' if none. */
  readonly stream: string;
  readonly fields: readonly Field[];
  /** How many rows there are; 0 if only reading shows it. */
  readonly rows: number;
  /** Rows in the order of the source, some thousands at a time; each block is used before the next is asked for. */
  blocks(range?: TableRange): AsyncGenerator<TableBlock>;
  /** Reads what must be waited for, so that `blocksNow` can do the rest. */
  ready(): Promise<void>;
  /** Blocks without waiting, of some of the fields; undefined as long as the table is not ready. */
  blocksNow(fields: readonly Field[], withTimes: boolean, range?: TableRange): Generator<TableBlock> | undefined;
}

/** Names of the columns: `time` first, then the fields'; no two are the same, whatever their case. */
export function columnNames({ fields }: Pick<Table, 'fields'>): string[] {
  return uniqueNames(['time', ...fields.map(({ name }) => columnName(name))], caseFolded);
}

/** A table as people write it: its name, and its stream in brackets if it has one. */
export function titleOf({ name, stream }: Pick<Table, 'name' | 'stream'>): string {
  return stream === '' ? name : `${name}[${stream}]`;
}

/** Rows decoded at a time: their memory is used again, and stays small enough for a cache. */
export const BLOCK_ROWS = 8192;

/** The runs of rows of a block whose times are in the range. */
export function* rowsWithin(block: TableBlock, { from, to }: TableRange): Generator<TableBlock> {
  if (from === undefined && to === undefined) {
    yield block;
    return;
  }
  const { times } = block;
  const isWithin = (row: number): boolean =>
    times[row] >= (from ?? Number.NEGATIVE_INFINITY) && times[row] < (to ?? Number.POSITIVE_INFINITY);
  for (let start = block.from; start < block.to; ) {
    if (!isWithin(start)) {
      start++;
      continue;
    }
    let stop = start + 1;
    while (stop < block.to && isWithin(stop)) stop++;
    yield { ...block, from: start, to: stop };
    start = stop;
  }
}

const NO_TIMES = new Float64Array(0);

/** Records of one schema from one stream, as columns that are decoded when they are asked for. */
export class RecordTable implements Table {
  readonly name: string;
  readonly stream: string;
  readonly schema: Schema;
  private places: Offsets;
  /** How many records there are, if they were only counted, and what finds where they begin. */
  private counted: { readonly rows: number; readonly find: () => void } | undefined;
  /** Columns that were filled while the log was opened, or with those of other tables. */
  private readonly kept = new Map<Field, Column>();
  private readonly source: Source;
  /** Times of all rows, if rows do not carry theirs; found by `ready`. */
  private rowTimes: Float64Array | undefined;
  /** Set once by the log that the table belongs to. */
  clock: Clock | undefined;

  constructor(schema: Schema, stream: string, source: Source, places: Offsets = OffsetLists.single()) {
    this.places = places;
    this.name = schema.name;
    this.stream = stream;
    this.schema = schema;
    this.source = source;
  }

  /** Where the records begin. */
  get offsets(): Offsets {
    this.counted?.find();
    return this.places;
  }

  /** Whether it is known where the records begin: otherwise asking for them reads the whole source again. */
  get isPlaced(): boolean {
    return this.counted === undefined;
  }

  /** So far the records were only counted: where they begin is found when asked for. */
  postpone(rows: number, find: () => void): void {
    this.counted = { rows, find };
  }

  /** Takes the places of the records from a table of the same ones. */
  place({ offsets }: RecordTable): void {
    this.places = offsets;
    this.counted = undefined;
  }

  /** Some of its rows as a table, without a clock. */
  part(from: number, to: number): RecordTable {
    const part = new RecordTable(this.schema, this.stream, this.source, this.offsets.slice(from, to));
    for (const [field, column] of this.kept) part.kept.set(field, column.slice(from, to));
    return part;
  }

  /** Takes columns that are filled already. */
  keep(columns: readonly Column[]): void {
    for (const column of columns) this.kept.set(column.field, column);
  }

  /** Reads columns of tables in one pass and keeps them, smallest first, up to `most` bytes: for large sources. */
  static async keepColumns(wanted: ReadonlyMap<RecordTable, readonly string[]>, most: number): Promise<void> {
    const requests: { readonly table: RecordTable; readonly request: Request; readonly bytes: number }[] = [];
    for (const [table, names] of wanted) {
      const request = table.request(names, {});
      const fields = request.fields.filter((field) => !table.kept.has(field));
      const width = fields.reduce((sum, { type, count }) => sum + TYPE_BYTES[type] * count, 0);
      if (fields.length > 0) requests.push({ table, request: { ...request, fields }, bytes: width * table.rows });
    }
    let left = most;
    const chosen = requests
      .sort((a, b) => a.bytes - b.bytes)
      .filter(({ bytes }) => {
        left -= bytes;
        return left >= 0;
      });
    if (chosen.length === 0) return;
    const columns = await readColumns(
      chosen[0].table.source,
      chosen.map(({ request }) => request),
    );
    for (const [i, { table }] of chosen.entries()) table.keep(columns[i]);
  }

  /** How many records there are. */
  get rows(): number {
    return this.counted?.rows ?? this.places.length;
  }

  get fields(): readonly Field[] {
    return this.schema.fields;
  }

  field(name: string): Field | undefined {
    return this.schema.fields.find((field) => field.name === name);
  }

  /** Several columns in one pass, all of them if none is named. A name that the table does not have is an error. */
  async columns(names?: readonly string[], range: RowRange = {}): Promise<Column[]> {
    const request = this.request(names, range);
    const { from, to } = request;
    // what one row takes is mostly the waiting
    const reader =
      this.keptColumns(request) ?? (to - from === 1 && this.source.readNow && new ColumnReader(this.source, request));
    return reader ? reader.read(from, to) : (await readColumns(this.source, [request]))[0];
  }

  private request(names: readonly string[] | undefined, { from = 0, to = this.rows }: RowRange): Request {
    const fields = names ? names.map((name) => this.need(name)) : this.schema.fields;
    return { schema: this.schema, offsets: this.offsets, fields, from, to: Math.min(to, this.rows) };
  }

  async column(name: string, range: RowRange = {}): Promise<Column> {
    return (await this.columns([name], range))[0];
  }

  private need(name: string): Field {
    const { stamp } = this.schema;
    const field = this.field(name) ?? (stamp?.name === name ? stamp : undefined);
    if (field) return field;
    const known = this.schema.fields.map((known) => known.name).join(', ');
    throw new RangeError(`table ${this.name} has no field ${name}: it has ${known || 'none'}`);
  }

  /** When each record was made, in microseconds: UTC, or since boot where the log never learned UTC. */
  async times(range: RowRange = {}): Promise<Float64Array> {
    const { from = 0 } = range;
    const to = Math.max(from, Math.min(range.to ?? this.rows, this.rows));
    if (!this.clock) return new Float64Array(to - from).fill(Number.NaN);
    return this.clock.times(this, from, to);
  }

  /** Columns and the times of their rows, in one pass where the rows carry their time. */
  async timedColumns(
    names: readonly string[],
    range: RowRange = {},
  ): Promise<{ times: Float64Array; columns: Column[] }> {
    const own = this.clock?.field(this);
    if (!this.clock || own === undefined)
      return { times: await this.times(range), columns: await this.columns(names, range) };
    const [time, ...columns] = await this.columns([own, ...names], range);
    return { times: this.clock.fromField(this, time, range.from ?? 0), columns };
  }

  /** The time of one row. */
  async timeAt(row: number): Promise<number> {
    const own = this.clock?.field(this);
    const reader = own === undefined ? undefined : this.reader([own]);
    const [time] =
      this.clock && reader
        ? this.clock.fromField(this, reader.read(row, row + 1)[0], row)
        : await this.times({ from: row, to: row + 1 });
    return time;
  }

  /** Reads some columns without waiting, a range of rows at a time; undefined if the source must be waited for. */
  reader(names: readonly string[]): Pick<ColumnReader, 'read'> | undefined {
    const request = this.request(names, {});
    return this.keptColumns(request) ?? (this.source.readNow && new ColumnReader(this.source, request));
  }

  /** Reads columns that are filled already, if all are. */
  private keptColumns({ fields }: Request): Pick<ColumnReader, 'read'> | undefined {
    const columns = fields.map((field) => this.kept.get(field)).filter((column) => column !== undefined);
    if (columns.length < fields.length) return undefined;
    return { read: (from, to) => columns.map((column) => column.slice(from, Math.max(from, to))) };
  }

  /** Records one by one, as objects. */
  async *records(range: RowRange = {}): AsyncGenerator<Row> {
    const { from = 0, to = this.rows } = range;
    for (let start = from; start < Math.min(to, this.rows); start += BLOCK_ROWS) {
      const stop = Math.min(start + BLOCK_ROWS, to, this.rows);
      const columns = await this.columns(undefined, { from: start, to: stop });
      for (let row = 0; row < stop - start; row++) yield rowOf(columns, row);
    }
  }

  async *blocks(range: TableRange = {}, fields: readonly Field[] = this.fields): AsyncGenerator<TableBlock> {
    const names = fields.map(({ name }) => name);
    for (let from = 0; from < this.rows; from += BLOCK_ROWS) {
      const to = Math.min(from + BLOCK_ROWS, this.rows);
      yield* rowsWithin({ from: 0, to: to - from, ...(await this.timedColumns(names, { from, to })) }, range);
      range.onRows?.(to);
    }
  }

  async ready(fields: readonly Field[] = this.fields): Promise<void> {
    const own = this.clock?.field(this);
    if (own === undefined) this.rowTimes ??= await this.times();
    const names = [...fields.map(({ name }) => name), ...(own === undefined ? [] : [own])];
    if (!this.reader(names)) this.keep(await this.columns(names));
  }

  blocksNow(fields: readonly Field[], withTimes: boolean, range: TableRange = {}): Generator<TableBlock> | undefined {
    const own = withTimes ? this.clock?.field(this) : undefined;
    if (withTimes && own === undefined && !this.rowTimes) return undefined;
    const names = fields.map(({ name }) => name);
    const reader = this.reader(own === undefined ? names : [own, ...names]);
    return reader && this.blocksOf(reader, own !== undefined, range);
  }

  private *blocksOf(reader: Pick<ColumnReader, 'read'>, isTimed: boolean, range: TableRange): Generator<TableBlock> {
    for (let from = 0; from < this.rows; from += BLOCK_ROWS) {
      const to = Math.min(from + BLOCK_ROWS, this.rows);
      const read = reader.read(from, to);
      const columns = isTimed ? read.slice(1) : read;
      const times =
        isTimed && this.clock
          ? this.clock.fromField(this, read[0], from)
          : (this.rowTimes?.subarray(from, to) ?? NO_TIMES);
      yield* rowsWithin({ from: 0, to: to - from, times, columns }, range);
    }
  }

  /** The same table with some of its fields. */
  only(fields: readonly Field[]): Table {
    const { name, stream, rows } = this;
    return {
      name,
      stream,
      rows,
      fields,
      blocks: (range) => this.blocks(range, fields),
      ready: () => this.ready(fields),
      blocksNow: (some, withTimes, range) => this.blocksNow(some, withTimes, range),
    };
  }

  /** Rows whose time is in [from, to) microseconds, as a range of row numbers. */
  async slice(from: number, to: number): Promise<Required<RowRange>> {
    const times = await this.times();
    let first = 0;
    while (first < times.length && !(times[first] >= from)) first++;
    let last = times.length;
    while (last > first && !(times[last - 1] < to)) last--;
    return { from: first, to: last };
  }
}

export function rowOf(columns: readonly Column[], row: number): Row {
  const record: Row = Object.create(null);
  for (const column of columns) record[column.field.name] = column.at(row);
  return record;
}
