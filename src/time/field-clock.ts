import type { Clock, TimePart } from '../core/clock.ts';
import type { Column } from '../core/column.ts';
import type { FaultList } from '../core/fault.ts';
import { inOrder, sink } from '../core/records.ts';
import { DEFINITIONS } from '../core/schema.ts';
import { firstIndex } from '../core/search.ts';
import type { RecordTable } from '../core/table.ts';
import { filledTimes, partRemarks, type RawTimes, reportOutliers, Timeline } from './timeline.ts';

/** How a table's rows are timed by one of their fields. */
export interface Timing {
  readonly field: string;
  /** Microseconds of one unit of the field. */
  readonly factor: number;
  /** From which row on the field has overflowed, and by how much. */
  readonly wrapRow?: number | undefined;
  readonly wrap?: number | undefined;
  /** The field counts only while it does not fall behind the rows before it. */
  readonly clamp?: boolean;
  /** The time of a row by what its field says in microseconds, where more than a base must be added. */
  readonly timeOf?: ((micros: number, row: number) => number) | undefined;
}

interface Options {
  readonly kind: string;
  readonly utc: boolean;
  readonly source: string;
  readonly remarks?: readonly string[];
  /** Microseconds to add to every time. */
  readonly base: number;
  /** Offset of the record with the base. */
  readonly baseOffset?: number | undefined;
}

/** A clock of records that carry their time. Others take that of the last before them; the first, of the next. */
export class FieldClock implements Clock {
  readonly kind: string;
  readonly utc: boolean;
  readonly source: string;
  readonly remarks: string[];
  readonly base: number;
  readonly baseOffset: number | undefined;
  parts: readonly TimePart[] | undefined;
  range: Clock['range'];
  private readonly timings: Map<RecordTable, Timing>;
  /** What the times of a table are corrected by. */
  private readonly lines: Map<RecordTable, Timeline> = new Map();
  /** All times of tables some of whose rows have none. */
  private filled: ReadonlyMap<RecordTable, Float64Array> = new Map();
  private untimed: Promise<Map<RecordTable, Float64Array>> | undefined;
  protected readonly tables: readonly RecordTable[];

  constructor(tables: readonly RecordTable[], timings: ReadonlyMap<RecordTable, Timing>, options: Options) {
    this.tables = tables;
    this.timings = new Map(timings);
    this.kind = options.kind;
    this.utc = options.utc;
    this.source = options.source;
    this.remarks = [...(options.remarks ?? [])];
    this.base = options.base;
    this.baseOffset = options.baseOffset;
  }

  field(table: RecordTable): string | undefined {
    const timing = this.timings.get(table);
    return timing?.clamp ? undefined : timing?.field;
  }

  fromField(table: RecordTable, column: Column, from = 0): Float64Array {
    const filled = this.filled.get(table);
    if (filled) return filled.slice(from, from + column.length);
    const times = this.rawFromField(table, column, from);
    return this.lines.get(table)?.correct(times, table.offsets, from) ?? times;
  }

  private rawFromField(table: RecordTable, column: Column, from: number): Float64Array {
    const { factor, wrapRow = Number.POSITIVE_INFINITY, wrap = 0, timeOf } = this.timings.get(table) as Timing;
    const times = column.numbers();
    if (timeOf) {
      for (let i = 0; i < times.length; i++) times[i] = timeOf(times[i] * factor, from + i);
      return times;
    }
    for (let i = 0; i < times.length; i++) {
      times[i] = this.base + (times[i] + (from + i >= wrapRow ? wrap : 0)) * factor;
    }
    return times;
  }

  async times(table: RecordTable, from: number, to: number): Promise<Float64Array> {
    const field = this.field(table);
    if (field !== undefined) return this.fromField(table, await table.column(field, { from, to }), from);
    this.untimed ??= this.timeOthers();
    const times = (await this.untimed).get(table);
    return times ? times.slice(from, to) : new Float64Array(to - from).fill(Number.NaN);
  }

  /** The tables whose rows say a time, and what they say. */
  get raw(): RawTimes {
    const fieldOf = (table: RecordTable): string => this.field(table) ?? '';
    return {
      tables: this.tables.filter((table) => table.rows > 0 && this.field(table) !== undefined),
      times: async (table, from, to) =>
        this.rawFromField(table, await table.column(fieldOf(table), { from, to }), from),
    };
  }

  /** Corrects the times of some tables from here on; those that keep another time do not count by it any more. */
  correct(tables: readonly RecordTable[], line: Timeline, foreign: ReadonlySet<RecordTable> = new Set()): void {
    for (const table of tables) {
      if (foreign.has(table)) this.timings.delete(table);
      else this.lines.set(table, line);
    }
  }

  /** Leaves a record without a time that was kept only for the base. */
  leaveOut(table: RecordTable, row: number): void {
    const offset = table.offsets.at(row);
    this.lines.set(table, Timeline.without(table, offset));
    this.remarks.push(`the ${table.name} record at offset ${offset} is older than the log: it gives the base alone`);
  }

  /** Says what was found: outliers as faults, parts as remarks where the line is that of the whole log. */
  announce(line: Timeline, faults: FaultList | undefined, isWhole = true): void {
    reportOutliers(line, faults, (time) => `${((time - this.base) / 1e6).toFixed(1)} s`);
    if (line.stretches.length < 2 || !isWhole) return;
    this.parts = line.parts;
    this.remarks.push(...partRemarks(line.parts, this.utc));
  }

  /** Gives rows without a time that of the record before them. */
  async fill(): Promise<void> {
    this.filled = await filledTimes(
      this.raw,
      (table, times) => this.lines.get(table)?.correct(times, table.offsets, 0),
      this.parts,
    );
  }

  /** Times of all tables without any. Definitions are older than the log: only they follow each other. */
  protected async timeOthers(): Promise<Map<RecordTable, Float64Array>> {
    const filled = this.tables.filter(({ rows }) => rows > 0);
    const timed = filled.filter((table) => this.field(table) !== undefined);
    const others = filled.filter((table) => this.field(table) === undefined);
    const isBody = ({ name }: RecordTable): boolean => !DEFINITIONS.has(name);
    const body = timed.filter(isBody);
    const definitions = others.filter((table) => !isBody(table));
    return new Map([
      ...(await this.timeAfter(timed, definitions)),
      ...(await this.timeAfter(body.length > 0 ? body : timed, others.filter(isBody))),
    ]);
  }

  /** In one walk over the rows of some tables in the order of the source. */
  private async timeAfter(
    timed: readonly RecordTable[],
    others: readonly RecordTable[],
  ): Promise<Map<RecordTable, Float64Array>> {
    const result = new Map(others.map((table) => [table, new Float64Array(table.rows)]));
    const own = await this.clamped(others);
    const before = await LastTimed.find(timed, others, this);
    const { parts = [] } = this;
    let last = Number.NaN;
    let lastOffset = -1;
    let [i, part] = [0, 0];
    for (const { table, row, offset } of inOrder(others)) {
      for (; offset >= parts[part + 1]?.offset; part++) {
        last = parts[part + 1].start;
        lastOffset = parts[part + 1].offset - 1;
      }
      if (before.offsets[i] > lastOffset && !Number.isNaN(before.times[i])) last = before.times[i];
      const candidate = own.get(table)?.[row];
      if (candidate !== undefined && !(candidate < last)) last = candidate;
      if (Number.isNaN(last)) last = before.firstTime;
      lastOffset = offset;
      (result.get(table) as Float64Array)[row] = last;
      i++;
    }
    return result;
  }

  /** The unclamped times of each clamped table. */
  private async clamped(tables: readonly RecordTable[]): Promise<Map<RecordTable, Float64Array>> {
    const own = new Map<RecordTable, Float64Array>();
    for (const table of tables) {
      const timing = this.timings.get(table);
      if (timing) own.set(table, this.fromField(table, await table.column(timing.field)));
    }
    return own;
  }
}

/** Rows between two needed ones that are read with them, since another read would cost more. */
const NEAR = 256;
/** Rows among which one has a time that is believed. */
const SOON = 8;

/** For each row of some tables, in the order of the source: place and time of the last row of the timed tables before it. */
class LastTimed {
  firstTime: number = Number.NaN;
  readonly offsets: Float64Array;
  readonly times: Float64Array;

  private constructor(count: number) {
    this.offsets = new Float64Array(count).fill(-1);
    this.times = new Float64Array(count).fill(Number.NaN);
  }

  static async find(timed: readonly RecordTable[], others: readonly RecordTable[], clock: Clock): Promise<LastTimed> {
    const found = new LastTimed(others.reduce((sum, table) => sum + table.rows, 0));
    const wanted: Wanted[] = timed.map(() => ({ places: [], rows: [] }));
    // by their next row: only tables that have some since the last place are looked at, for there may be thousands
    const cursors = timed.map((table, index) => ({ table, index, row: -1, offset: table.offsets.at(0) }));
    const ahead = cursors.toSorted((a, b) => a.offset - b.offset);
    let [i, best, at] = [0, -1, -1];
    for (const { offset } of inOrder(others)) {
      for (let [cursor] = ahead; cursor?.offset < offset; [cursor] = ahead) {
        advance(cursor, offset);
        const { offsets, rows } = cursor.table;
        const last = offsets.at(cursor.row);
        if (last > at) [best, at] = [cursor.index, last];
        cursor.offset = cursor.row + 1 < rows ? offsets.at(cursor.row + 1) : Number.POSITIVE_INFINITY;
        sink(ahead);
      }
      if (best >= 0) {
        found.offsets[i] = at;
        wanted[best].places.push(i);
        wanted[best].rows.push(cursors[best].row);
      }
      i++;
    }
    for (let k = 0; k < timed.length; k++) await found.read(timed[k], wanted[k], clock);
    for (const table of timed.toSorted((a, b) => a.offsets.at(0) - b.offsets.at(0))) {
      found.firstTime = (await clock.times(table, 0, SOON)).find((time) => !Number.isNaN(time)) ?? Number.NaN;
      if (!Number.isNaN(found.firstTime)) break;
    }
    return found;
  }

  /** Reads the needed times of one table, rows near each other at once. */
  private async read(table: RecordTable, { places, rows }: Wanted, clock: Clock): Promise<void> {
    for (let start = 0, stop = 0; start < rows.length; start = stop) {
      stop = start + 1;
      while (stop < rows.length && rows[stop] - rows[stop - 1] <= NEAR) stop++;
      const from = Math.max(0, rows[start] - SOON);
      const times = await clock.times(table, from, rows[stop - 1] + 1);
      for (let i = start; i < stop; i++) {
        let at = rows[i] - from;
        while (at > 0 && Number.isNaN(times[at])) at--;
        this.times[places[i]] = times[at];
      }
    }
  }
}

/** Ascending rows of a table, and the rows of others that need them. */
interface Wanted {
  readonly places: number[];
  readonly rows: number[];
}

/** Moves a cursor to the last row before an offset, in steps that double, so that long jumps and short ones are quick. */
function advance(cursor: { readonly table: RecordTable; row: number }, offset: number): void {
  const { offsets, rows } = cursor.table;
  let low = cursor.row;
  let step = 1;
  while (low + step < rows && offsets.at(low + step) < offset) {
    low += step;
    step *= 2;
  }
  const within = Math.min(step, rows - low) - 1;
  cursor.row = low + firstIndex(within, (i) => offsets.at(low + 1 + i) >= offset);
}
