import type { Clock } from '../core/clock.ts';
import type { Column } from '../core/column.ts';
import { inOrder } from '../core/merge.ts';
import type { Table } from '../core/table.ts';

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
  /** Where the record stands that the base came from. */
  readonly baseOffset?: number | undefined;
}

/**
 * A clock of logs whose records carry a time of their own. Records without one take that of the last record before
 * them that has one; those before the first take the first.
 */
export class FieldClock implements Clock {
  readonly kind: string;
  readonly utc: boolean;
  readonly source: string;
  readonly remarks: readonly string[];
  readonly base: number;
  readonly baseOffset: number | undefined;
  private readonly timings: ReadonlyMap<Table, Timing>;
  private untimed: Promise<Map<Table, Float64Array>> | undefined;
  private readonly tables: readonly Table[];

  constructor(tables: readonly Table[], timings: ReadonlyMap<Table, Timing>, options: Options) {
    this.tables = tables;
    this.timings = timings;
    this.kind = options.kind;
    this.utc = options.utc;
    this.source = options.source;
    this.remarks = options.remarks ?? [];
    this.base = options.base;
    this.baseOffset = options.baseOffset;
  }

  field(table: Table): string | undefined {
    const timing = this.timings.get(table);
    return timing?.clamp ? undefined : timing?.field;
  }

  fromField(table: Table, column: Column, from = 0): Float64Array {
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

  async times(table: Table, from: number, to: number): Promise<Float64Array> {
    const field = this.field(table);
    if (field !== undefined) return this.fromField(table, await table.column(field, { from, to }), from);
    this.untimed ??= this.timeOthers();
    const times = (await this.untimed).get(table);
    return times ? times.slice(from, to) : new Float64Array(to - from).fill(Number.NaN);
  }

  /** Times of all tables that have none of their own, in one walk over their rows in the order of the source. */
  private async timeOthers(): Promise<Map<Table, Float64Array>> {
    const timed = this.tables.filter((table) => this.field(table) !== undefined && table.rows > 0);
    const others = this.tables.filter((table) => this.field(table) === undefined && table.rows > 0);
    const result = new Map(others.map((table) => [table, new Float64Array(table.rows)]));
    const own = await this.clamped(others);
    const before = await LastTimed.find(timed, others, this);
    let last = Number.NaN;
    let lastOffset = -1;
    let i = 0;
    for (const { table, row, offset } of inOrder(others)) {
      if (before.offsets[i] > lastOffset) last = before.times[i];
      const candidate = own.get(table)?.[row];
      if (candidate !== undefined && !(candidate < last)) last = candidate;
      if (Number.isNaN(last)) last = before.firstTime;
      lastOffset = offset;
      (result.get(table) as Float64Array)[row] = last;
      i++;
    }
    return result;
  }

  /** What the field of each clamped table says by itself. */
  private async clamped(tables: readonly Table[]): Promise<Map<Table, Float64Array>> {
    const own = new Map<Table, Float64Array>();
    for (const table of tables) {
      const timing = this.timings.get(table);
      if (timing) own.set(table, this.fromField(table, await table.column(timing.field)));
    }
    return own;
  }
}

/** Rows that lie between two that are wanted and are read with them, because a new read would cost more. */
const NEAR = 256;

/** For each row of some tables, in the order of the source: place and time of the last row of the timed tables before it. */
class LastTimed {
  /** The time of the first timed row of all. */
  firstTime: number = Number.NaN;
  readonly offsets: Float64Array;
  readonly times: Float64Array;

  private constructor(count: number) {
    this.offsets = new Float64Array(count).fill(-1);
    this.times = new Float64Array(count).fill(Number.NaN);
  }

  static async find(timed: readonly Table[], others: readonly Table[], clock: Clock): Promise<LastTimed> {
    const found = new LastTimed(others.reduce((sum, table) => sum + table.rows, 0));
    const cursors = timed.map((table) => ({ table, row: -1 }));
    const wanted: Wanted[] = timed.map(() => ({ places: [], rows: [] }));
    let i = 0;
    for (const { offset } of inOrder(others)) {
      let best = -1;
      for (let k = 0; k < cursors.length; k++) {
        advance(cursors[k], offset);
        const at = cursors[k].row < 0 ? -1 : timed[k].offsets.at(cursors[k].row);
        if (at <= found.offsets[i]) continue;
        found.offsets[i] = at;
        best = k;
      }
      if (best >= 0) {
        wanted[best].places.push(i);
        wanted[best].rows.push(cursors[best].row);
      }
      i++;
    }
    for (let k = 0; k < timed.length; k++) await found.read(timed[k], wanted[k], clock);
    const first = timed.toSorted((a, b) => a.offsets.at(0) - b.offsets.at(0))[0];
    if (first) [found.firstTime] = await clock.times(first, 0, 1);
    return found;
  }

  /** Reads the times that are wanted of one table, rows that lie near each other at once. */
  private async read(table: Table, { places, rows }: Wanted, clock: Clock): Promise<void> {
    for (let start = 0, stop = 0; start < rows.length; start = stop) {
      stop = start + 1;
      while (stop < rows.length && rows[stop] - rows[stop - 1] <= NEAR) stop++;
      const times = await clock.times(table, rows[start], rows[stop - 1] + 1);
      for (let i = start; i < stop; i++) this.times[places[i]] = times[rows[i] - rows[start]];
    }
  }
}

/** Ascending rows of a table, and for which of the others each is wanted. */
interface Wanted {
  readonly places: number[];
  readonly rows: number[];
}

/** Moves a cursor to the last row before an offset, in steps that double, so that long jumps and short ones are quick. */
function advance(cursor: { readonly table: Table; row: number }, offset: number): void {
  const { offsets, rows } = cursor.table;
  let low = cursor.row;
  let step = 1;
  while (low + step < rows && offsets.at(low + step) < offset) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, rows);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (offsets.at(middle) < offset) low = middle;
    else high = middle;
  }
  cursor.row = low;
}
