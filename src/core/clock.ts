import type { Column } from './column.ts';
import type { RecordTable } from './table.ts';

/** Part of a log on one count of time: from one boot to the next, or one of several logs in a file. */
export interface TimePart {
  /** Where it begins in the source. */
  readonly offset: number;
  /** Its first and its last time, in microseconds of the log's clock. */
  readonly start: number;
  readonly end: number;
  /** How its records are timed, if it has a separate clock. */
  readonly clock?: Pick<Clock, 'kind' | 'utc' | 'source' | 'remarks' | 'guessed'> | undefined;
}

/** Which clock a log keeps, and how it puts each record on UTC. Times are microseconds. */
export interface Clock {
  /** How records are timed: 'usec', 'msec', 'px4', 'gps-interpolated', 'none' ... */
  readonly kind: string;
  /** Whether times are UTC; otherwise they count from boot, or from where the log began. */
  readonly utc: boolean;
  /** Where the base came from, as a sentence. */
  readonly source: string;
  /** Offset of the record that the base came from, if it was one record. */
  readonly baseOffset?: number | undefined;
  /** Further findings about the clock, each a sentence. */
  readonly remarks: readonly string[];
  /** Whether records of every table have a time although no field of theirs is one. */
  readonly timesAll?: boolean | undefined;
  /** Whether times are guessed from the order and the usual rates of messages, because no record has one. */
  readonly guessed?: boolean | undefined;
  /** The parts of a log that has several, in the order of the source. */
  readonly parts?: readonly TimePart[] | undefined;
  /** First and last time of all, if not those of the rows at the ends of tables: times go to and fro. */
  readonly range?: Pick<TimePart, 'start' | 'end'> | undefined;
  /** The field that times a table's rows by themselves, if it has one; of a row where parts of the log differ. */
  field(table: RecordTable, row?: number): string | undefined;
  /** Times from that field's values; `from` is the row of the first of them. */
  fromField(table: RecordTable, column: Column, from: number): Float64Array;
  times(table: RecordTable, from: number, to: number): Promise<Float64Array>;
}

/**
 * The clock of a part of a log: its tables have the times that their rows have in the whole.
 * @param origins for each table the one that it is a part of, and the row of that with which it begins
 */
export function partClock(
  whole: Clock,
  part: TimePart,
  origins: ReadonlyMap<RecordTable, { readonly table: RecordTable; readonly row: number }>,
): Clock {
  const { kind, utc, source, remarks, guessed } = part.clock ?? whole;
  return {
    ...{ kind, utc, source, remarks, guessed, timesAll: whole.timesAll, parts: [part] },
    field(table) {
      const origin = origins.get(table);
      return origin && whole.field(origin.table, origin.row);
    },
    fromField(table, column, from = 0) {
      const origin = origins.get(table);
      return origin ? whole.fromField(origin.table, column, origin.row + from) : new Float64Array(0);
    },
    async times(table, from, to) {
      const origin = origins.get(table);
      if (!origin) return new Float64Array(to - from).fill(Number.NaN);
      return whole.times(origin.table, origin.row + from, origin.row + to);
    },
  };
}

/** The clock of a log none of whose records says a time. */
export const NO_CLOCK: Clock = {
  kind: 'none',
  utc: false,
  source: 'no record carries a time',
  remarks: [],
  field: () => undefined,
  fromField: () => new Float64Array(0),
  times: async (_table, from, to) => new Float64Array(to - from).fill(Number.NaN),
};
