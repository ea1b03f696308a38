import type { Clock } from './clock.ts';
import type { Column, Value } from './column.ts';
import { Offsets } from './offsets.ts';
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

/** Rows that are decoded at a time when a table is read row by row. */
const ROWS = 4096;

/** Records of one schema from one stream, as columns that are decoded when they are asked for. */
export class Table {
  readonly name: string;
  /** Who the records came from: an instance, a vehicle's component, a talker; '' where there is none. */
  readonly stream: string;
  readonly schema: Schema;
  private places: Offsets = new Offsets();
  private findPlaces: (() => void) | undefined;
  /** Columns that were filled while the log was opened, or with those of other tables. */
  private readonly kept = new Map<Field, Column>();
  private readonly source: Source;
  /** Set once by the log that the table belongs to. */
  clock: Clock | undefined;

  constructor(schema: Schema, stream: string, source: Source) {
    this.name = schema.name;
    this.stream = stream;
    this.schema = schema;
    this.source = source;
  }

  /** Where the records begin. */
  get offsets(): Offsets {
    this.findPlaces?.();
    return this.places;
  }

  /** Whether it is known where the records begin: otherwise asking for them reads the whole source again. */
  get isPlaced(): boolean {
    return this.findPlaces === undefined;
  }

  /** So far the records were only counted: where they begin is found when somebody asks. */
  postpone(count: number, find: () => void): void {
    this.places.length = count;
    this.findPlaces = find;
  }

  /** Takes the places of the records from a table of the same ones. */
  place({ offsets }: Table): void {
    this.places = offsets;
    this.findPlaces = undefined;
  }

  /** Some of its rows as a table, without a clock. */
  part(from: number, to: number): Table {
    const part = new Table(this.schema, this.stream, this.source);
    part.places = this.offsets.slice(from, to);
    part.keep([...this.kept.values()].map((column) => column.slice(from, to)));
    return part;
  }

  /** Takes columns that are filled already. */
  keep(columns: readonly Column[]): void {
    for (const column of columns) this.kept.set(column.field, column);
  }

  /**
   * Reads columns of tables of one source in one pass and keeps them, for a source that is too large for memory: each
   * question would read it again. The smallest come first, until so many bytes are kept.
   */
  static async keepColumns(wanted: ReadonlyMap<Table, readonly string[]>, most: number): Promise<void> {
    const requests: { readonly table: Table; readonly request: Request; readonly bytes: number }[] = [];
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
    return this.places.length;
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
    return this.keptColumns(request)?.read(request.from, request.to) ?? (await readColumns(this.source, [request]))[0];
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

  /** Reads some columns without waiting, a stretch of rows at a time; undefined where the source must be waited for. */
  reader(names: readonly string[]): Pick<ColumnReader, 'read'> | undefined {
    if (!this.source.readNow) return undefined;
    const request = this.request(names, {});
    return this.keptColumns(request) ?? new ColumnReader(this.source, request);
  }

  /** Reads columns that are filled already, if all are. */
  private keptColumns({ fields }: Request): Pick<ColumnReader, 'read'> | undefined {
    const columns = fields.map((field) => this.kept.get(field)).filter((column) => column !== undefined);
    if (columns.length === 0 || columns.length < fields.length) return undefined;
    return { read: (from, to) => columns.map((column) => column.slice(from, Math.max(from, to))) };
  }

  /** Records one by one, as objects. */
  async *records(range: RowRange = {}): AsyncGenerator<Row> {
    const { from = 0, to = this.rows } = range;
    for (let start = from; start < Math.min(to, this.rows); start += ROWS) {
      const stop = Math.min(start + ROWS, to, this.rows);
      const columns = await this.columns(undefined, { from: start, to: stop });
      for (let row = 0; row < stop - start; row++) yield rowOf(columns, row);
    }
  }

  /** Rows whose time lies in [from, to) microseconds, as a range of row numbers. */
  async slice(from: number, to: number): Promise<Required<RowRange>> {
    const times = await this.times();
    let first = 0;
    while (first < times.length && !(times[first] >= from)) first++;
    let last = times.length;
    while (last > first && !(times[last - 1] < to)) last--;
    return { from: first, to: last };
  }
}

/** One row of some columns as an object. */
export function rowOf(columns: readonly Column[], row: number): Row {
  const record: Row = Object.create(null);
  for (const column of columns) record[column.field.name] = column.at(row);
  return record;
}
