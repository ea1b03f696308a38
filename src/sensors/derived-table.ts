import type { Value } from '../core/column.ts';

/** One row that was made from records. */
export interface DerivedRow {
  /** Microseconds by the clock of the log; NaN where none is known. */
  readonly time: number;
  /** Where the first of the records stands that it was made from. */
  readonly at: number;
  readonly data: Readonly<Record<string, Value>>;
}

export interface DerivedField {
  readonly name: string;
  readonly unit: string;
  /** Whether its values are texts; all others are numbers. */
  readonly isText?: boolean | undefined;
}

/** A table that no record of the log is, but that is made from them: next to the raw ones, in their order. */
export interface DerivedTable {
  readonly name: string;
  /** Who its rows are from, as that of a table. */
  readonly stream: string;
  readonly fields: readonly DerivedField[];
  /** Makes the rows, in the order of the source and a few at a time. */
  rows(): AsyncIterable<DerivedRow>;
}
