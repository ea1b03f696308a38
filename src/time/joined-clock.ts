import type { Clock, TimePart } from '../core/clock.ts';
import type { Column } from '../core/column.ts';
import type { Span } from '../core/log.ts';
import { DEFINITIONS } from '../core/schema.ts';
import { firstIndex } from '../core/search.ts';
import type { RecordTable } from '../core/table.ts';
import { partRemarks, Timeline } from './timeline.ts';

/** Rows at the ends of a table among which one has a time that is believed. */
const OUTER = 64;

/** First and last believed time of some tables, by their first and last rows, so that no column is read for it. */
export async function outerTimes(tables: readonly RecordTable[], clock: Clock): Promise<Span> {
  const timed = tables.filter((table) => table.rows > 0 && clock.field(table) !== undefined);
  const filled = timed.length > 0 ? timed : tables.filter((table) => table.rows > 0);
  const body = filled.filter(({ name }) => !DEFINITIONS.has(name));
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const table of body.length > 0 ? body : filled) {
    const field = clock.field(table);
    const reader = field === undefined ? undefined : table.reader([field]);
    for (const step of [1, -1]) {
      const first = step > 0 ? 0 : table.rows - 1;
      for (let i = 0; i < Math.min(table.rows, OUTER); i++) {
        const row = first + step * i;
        const [time] = reader
          ? clock.fromField(table, reader.read(row, row + 1)[0], row)
          : await clock.times(table, row, row + 1);
        if (Number.isNaN(time)) continue;
        [start, end] = [Math.min(start, time), Math.max(end, time)];
        break;
      }
    }
  }
  return start <= end ? { start, end } : { start: null, end: null };
}

/** One of several logs in a source: its rows of each table as a table, and their clock. */
interface JoinedLog {
  readonly offset: number;
  readonly pieces: ReadonlyMap<RecordTable, Piece>;
  readonly clock: Clock;
  /** Microseconds to add. */
  shift: number;
}

interface Piece {
  readonly table: RecordTable;
  readonly from: number;
  readonly to: number;
}

/**
 * The clock of a source that holds several logs: each has its own, whichever firmware wrote it. One that never learned
 * UTC begins where the one before it ends.
 * @param starts  where each log after the first begins
 * @param clockOf finds the clock of one of them
 */
export async function joinedClock(
  tables: readonly RecordTable[],
  starts: readonly number[],
  clockOf: (tables: readonly RecordTable[]) => Promise<Clock>,
): Promise<Clock> {
  const logs: JoinedLog[] = [];
  const spans: Span[] = [];
  for (const [k, offset] of [0, ...starts].entries()) {
    const pieces = new Map<RecordTable, Piece>();
    for (const table of tables) {
      const [from, to] = [table.offsets.rowFrom(offset), table.offsets.rowFrom(starts[k] ?? Number.POSITIVE_INFINITY)];
      if (from < to) pieces.set(table, { table: table.part(from, to), from, to });
    }
    const own = [...pieces.values()].map(({ table }) => table);
    const clock = await clockOf(own);
    logs.push({ offset, pieces, clock, shift: 0 });
    const { parts = [] } = clock;
    spans.push(
      parts.length > 0
        ? { start: Math.min(...parts.map(({ start }) => start)), end: Math.max(...parts.map(({ end }) => end)) }
        : (clock.range ?? (await outerTimes(own, clock))),
    );
  }
  // one without any time lasts no time
  const line = new Timeline(
    logs.map(({ offset }, k) => ({ offset, low: spans[k].start ?? 0, high: spans[k].end ?? 0, shift: 0 })),
  );
  line.place((_, k) => logs[k].clock.utc);
  for (const [k, { shift }] of line.stretches.entries()) logs[k].shift = shift;
  const parts = logs.flatMap(({ offset, clock, shift }, k): TimePart[] => {
    const own = clock.parts ?? [{ offset, start: line.stretches[k].low, end: line.stretches[k].high }];
    return own.map((part, i) => ({
      offset: i === 0 ? offset : part.offset,
      start: part.start + shift,
      end: part.end + shift,
      clock,
    }));
  });
  return new JoinedClock(logs, parts);
}

class JoinedClock implements Clock {
  readonly kind: string;
  readonly utc: boolean;
  readonly source: string;
  readonly baseOffset: number | undefined;
  readonly remarks: readonly string[];
  readonly guessed: boolean;
  readonly parts: readonly TimePart[];
  private readonly logs: readonly JoinedLog[];

  constructor(logs: readonly JoinedLog[], parts: readonly TimePart[]) {
    const { clock } = logs.find((each) => each.clock.utc) ?? logs[0];
    this.kind = clock.kind;
    this.utc = clock.utc;
    this.source = clock.source;
    this.baseOffset = clock.baseOffset;
    this.guessed = logs.some((each) => each.clock.guessed === true);
    this.logs = logs;
    this.parts = parts;
    this.remarks = [...new Set(logs.flatMap((each) => each.clock.remarks)), ...partRemarks(parts, clock.utc)];
  }

  /** Of a whole table only where all logs have the same. */
  field(table: RecordTable, row?: number): string | undefined {
    if (row !== undefined) {
      const [{ clock, piece }] = this.rowsOf(table, row, row + 1);
      return clock.field(piece.table);
    }
    let found: string | undefined;
    for (const { pieces, clock } of this.logs) {
      const piece = pieces.get(table);
      if (!piece) continue;
      const field = clock.field(piece.table);
      if (field === undefined || (found !== undefined && field !== found)) return undefined;
      found = field;
    }
    return found;
  }

  fromField(table: RecordTable, column: Column, from = 0): Float64Array {
    const times = new Float64Array(column.length);
    for (const { clock, shift, piece, first, behind } of this.rowsOf(table, from, from + column.length)) {
      const own = clock.fromField(piece.table, column.slice(first - from, behind - from), first - piece.from);
      times.set(own, first - from);
      if (shift !== 0) for (let row = first; row < behind; row++) times[row - from] += shift;
    }
    return times;
  }

  async times(table: RecordTable, from: number, to: number): Promise<Float64Array> {
    const times = new Float64Array(to - from).fill(Number.NaN);
    for (const { clock, shift, piece, first, behind } of this.rowsOf(table, from, to)) {
      const own = await clock.times(piece.table, first - piece.from, behind - piece.from);
      times.set(own, first - from);
      if (shift !== 0) for (let row = first; row < behind; row++) times[row - from] += shift;
    }
    return times;
  }

  /** The logs that have some of the rows [from, to) of a table, and which. */
  private *rowsOf(
    table: RecordTable,
    from: number,
    to: number,
  ): Generator<{ clock: Clock; shift: number; piece: Piece; first: number; behind: number }> {
    const { logs } = this;
    const offset = from < table.rows ? table.offsets.at(from) : Number.POSITIVE_INFINITY;
    for (let k = Math.max(0, firstIndex(logs.length, (i) => logs[i].offset > offset) - 1); k < logs.length; k++) {
      const { pieces, clock, shift } = logs[k];
      const piece = pieces.get(table);
      if (!piece) continue;
      const [first, behind] = [Math.max(from, piece.from), Math.min(to, piece.to)];
      if (first < behind) yield { clock, shift, piece, first, behind };
      if (piece.to >= to) return;
    }
  }
}
