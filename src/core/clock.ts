import type { Column } from './column.ts';
import type { RecordTable } from './table.ts';

/** Part of a log on one count of time: from one boot to the next, or one of several logs in a file. */
export interface TimePart {
  /** Where it begins in the source. */
  readonly offset: number;
  /** Its first and its last time, in microseconds of the log's clock. */
  readonly start: number;
  readonly end: number;
}

/** Which clock a log keeps, and how it puts each record on UTC. Times are microseconds. */
export interface Clock {
  /** How records are timed: 'usec', 'msec', 'px4', 'gps-interpolated', 'none' ... */
  readonly kind: string;
  /** Whether times are UTC; otherwise they count from boot, or from where the log began. */
  readonly utc: boolean;
  /** Where the base came from, as a sentence. */
  readonly source: string;
  /** Where the record stands that the base came from, if it was one record. */
  readonly baseOffset?: number | undefined;
  /** Further findings about the clock, each a sentence. */
  readonly remarks: readonly string[];
  /** Whether records of every table have a time of their own although no field of theirs is one. */
  readonly timesAll?: boolean | undefined;
  /** Whether times are guessed from the order and the usual rates of messages, because no record has one. */
  readonly guessed?: boolean | undefined;
  /** The parts of a log that has several, in the order of the source. */
  readonly parts?: readonly TimePart[] | undefined;
  /** The field that times a table's rows by themselves, if it has one. */
  field(table: RecordTable): string | undefined;
  /** Times from that field's values; `from` is the row of the first of them. */
  fromField(table: RecordTable, column: Column, from: number): Float64Array;
  /** Times of rows [from, to) of any table. */
  times(table: RecordTable, from: number, to: number): Promise<Float64Array>;
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
