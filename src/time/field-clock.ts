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
    const { factor, wrapRow = Number.POSITIVE_INFINITY, wrap = 0 } = this.timings.get(table) as Timing;
    const times = column.numbers();
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
      if (before.offsetOf(i) > lastOffset) last = before.timeOf(i);
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

/** For each row of some tables, in the order of the source: the last row of the timed tables before it. */
class LastTimed {
  /** The time of the first timed row of all. */
  firstTime: number = Number.NaN;
  private readonly tables: readonly Table[];
  /** Which timed table, -1 for none, and which of its rows. */
  private readonly which: Int32Array;
  private readonly rows: Uint32Array;
  private readonly times: { from: number; values: Float64Array }[] = [];

  private constructor(tables: readonly Table[], count: number) {
    this.tables = tables;
    this.which = new Int32Array(count).fill(-1);
    this.rows = new Uint32Array(count);
  }

  static async find(timed: readonly Table[], others: readonly Table[], clock: Clock): Promise<LastTimed> {
    const found = new LastTimed(
      timed,
      others.reduce((sum, table) => sum + table.rows, 0),
    );
    const cursors = timed.map((table) => ({ table, row: -1 }));
    const least = new Float64Array(timed.length).fill(Number.POSITIVE_INFINITY);
    let i = 0;
    for (const { offset } of inOrder(others)) {
      let best = -1;
      for (let k = 0; k < cursors.length; k++) {
        advance(cursors[k], offset);
        if (cursors[k].row < 0) continue;
        const at = timed[k].offsets.at(cursors[k].row);
        if (best < 0 || at > timed[best].offsets.at(cursors[best].row)) best = k;
      }
      if (best >= 0) {
        found.which[i] = best;
        found.rows[i] = cursors[best].row;
        least[best] = Math.min(least[best], cursors[best].row);
      }
      i++;
    }
    // only the stretch of each table that is asked for is decoded
    for (let k = 0; k < timed.length; k++) {
      const from = Math.min(least[k], cursors[k].row + 1);
      found.times[k] = { from, values: await clock.times(timed[k], from, cursors[k].row + 1) };
    }
    const first = timed.toSorted((a, b) => a.offsets.at(0) - b.offsets.at(0))[0];
    if (first) [found.firstTime] = await clock.times(first, 0, 1);
    return found;
  }

  offsetOf(i: number): number {
    return this.which[i] < 0 ? -1 : this.tables[this.which[i]].offsets.at(this.rows[i]);
  }

  timeOf(i: number): number {
    const { from, values } = this.times[this.which[i]];
    return values[this.rows[i] - from];
  }
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
