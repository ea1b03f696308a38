import type { Column } from '../../../src/entry/pages.ts';
import { give } from '../../shared/rpc.ts';
import type { LogFile } from './open-log.ts';
import { textOf } from './raw-records.ts';

/** Some rows of a table as texts. */
export interface RowBlock {
  /** The number of the first one. */
  readonly from: number;
  /** Microseconds of the log's clock. */
  readonly times: Float64Array;
  /** A text for each wanted field of each row; '' for a field that the row does not have. */
  readonly texts: readonly (readonly string[])[];
}

/** Rows of a table, only those that are asked for: tables are as long as they like. */
export async function tableRows(
  file: LogFile,
  [name, stream]: readonly [name: string, stream: string],
  fields: readonly string[],
  from: number,
  count: number,
): Promise<RowBlock> {
  const times: number[] = [];
  const texts: string[][] = [];
  let passed = 0;
  for (const table of file.tablesOf(name, stream)) {
    const range = { from: Math.max(0, from - passed), to: Math.min(table.rows, from + count - passed) };
    passed += table.rows;
    if (range.from >= range.to) continue;
    const columns = await table.columns(undefined, range);
    const wanted = fields.map((field) => columns.find((column) => column.field.name === field));
    for (const [row, time] of (await table.times(range)).entries()) {
      times.push(time);
      texts.push(wanted.map((column) => (column ? cellText(column, row) : '')));
    }
  }
  return { from, times: give(Float64Array.from(times)), texts };
}

function cellText(column: Column, row: number): string {
  const value = column.at(row);
  if (column.field.type !== 'float32' || column.field.divisor !== 1) return textOf(value);
  if (Array.isArray(value)) return textOf(value.map((each) => each && shortest(each)));
  return textOf(typeof value === 'number' ? shortest(value) : value);
}

/** Digits that tell a float of four bytes from all others. */
const FLOAT_DIGITS = 9;

/** 0.1 for the 0.10000000149011612 that a float of four bytes holds: fewer digits that are stored as the same bits. */
function shortest(value: number): number {
  for (let digits = 6; digits < FLOAT_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
