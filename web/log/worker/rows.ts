import { type Column, firstIndex, type RecordTable, shortest, type Value } from '../../../src/entry/pages.ts';
import { transfer } from '../../shared/rpc.ts';
import type { RawRecord, RowBlock } from './answers.ts';
import type { OpenLog } from './open-log.ts';

const BYTES_SHOWN = 512;

/** Rows [from, from + count) of tables that follow each other, as far as each has them. */
async function* partsOf(tables: readonly RecordTable[], from: number, count: number) {
  let passed = 0;
  for (const table of tables) {
    const range = { from: Math.max(0, from - passed), to: Math.min(table.rows, from + count - passed) };
    if (range.from < range.to) {
      const [columns, times] = [await table.columns(undefined, range), await table.times(range)];
      yield { table, first: range.from, passed, columns, times };
    }
    passed += table.rows;
  }
}

/** Rows of a table with their offset and bytes. */
export async function rawRecords(
  file: OpenLog,
  name: string,
  stream: string,
  from: number,
  count: number,
): Promise<RawRecord[]> {
  const records: RawRecord[] = [];
  for await (const { table, first, passed, columns, times } of partsOf(file.tablesOf(name, stream), from, count)) {
    const { size, maxSize } = table.schema;
    for (const [i, time] of times.entries()) {
      const offset = table.offsets.at(first + i);
      const bytes = await file.log.data.read(offset, Math.min(size || maxSize, BYTES_SHOWN));
      const values = columns.map((column) => shownValue(column, i));
      const place = { row: passed + first + i, time, offset: file.log.placeOf(offset) };
      records.push({ ...place, bytes: textOf(bytes), values });
    }
  }
  return records;
}

function shownValue(column: Column, row: number): RawRecord['values'][number] {
  return { name: column.field.name, unit: column.field.unit, text: textOf(column.at(row)) };
}

function textOf(value: Value): string {
  if (value === null) return '–';
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  if (Array.isArray(value)) return `[${value.map((each) => each ?? '–').join(', ')}]`;
  return String(value);
}

export async function tableRows(
  file: OpenLog,
  [name, stream]: readonly [name: string, stream: string],
  fields: readonly string[],
  from: number,
  count: number,
): Promise<RowBlock> {
  const times: number[] = [];
  const texts: string[][] = [];
  for await (const part of partsOf(file.tablesOf(name, stream), from, count)) {
    const shown = fields.map((field) => part.columns.find((column) => column.field.name === field));
    for (const [row, time] of part.times.entries()) {
      times.push(time);
      texts.push(shown.map((column) => (column ? cellText(column, row) : '')));
    }
  }
  return { times: transfer(Float64Array.from(times)), texts };
}

function cellText(column: Column, row: number): string {
  const value = column.at(row);
  if (column.field.type !== 'float32' || column.field.divisor !== 1) return textOf(value);
  if (Array.isArray(value)) return textOf(value.map((each) => (typeof each === 'number' ? shortest(each) : each)));
  return typeof value === 'number' ? shortest(value) : textOf(value);
}

/** The times of the rows of a table, in the order of the rows. */
export class RowTimes {
  readonly times: Float64Array;
  private readonly isOrdered: boolean;

  constructor(times: Float64Array) {
    this.times = times;
    this.isOrdered = times.every((time, row) => time >= (row === 0 ? Number.NEGATIVE_INFINITY : times[row - 1]));
  }

  /** The last row at a time or before it; -1 if none. */
  rowAt(time: number): number {
    if (!this.isOrdered) return this.searchedRow(time);
    return firstIndex(this.times.length, (row) => this.times[row] > time) - 1;
  }

  /** If the clock went back or rows have no time: of all rows at or before a time, the latest. */
  private searchedRow(time: number): number {
    let found = -1;
    for (let row = 0; row < this.times.length; row++) {
      const own = this.times[row];
      if (own <= time && (found < 0 || own >= this.times[found])) found = row;
    }
    return found;
  }
}
