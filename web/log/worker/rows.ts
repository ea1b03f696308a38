import { type Column, firstIndex, shortest, type Value } from '../../../src/entry/pages.ts';
import { transfer } from '../../shared/rpc.ts';
import type { RawRecord, RowBlock } from './answers.ts';
import type { OpenLog } from './open-log.ts';

const BYTES_SHOWN = 512;

/** Rows of a table with their offset and bytes. */
export async function rawRecords(
  file: OpenLog,
  name: string,
  stream: string,
  from: number,
  count: number,
): Promise<RawRecord[]> {
  const records: RawRecord[] = [];
  let passed = 0;
  for (const table of file.tablesOf(name, stream)) {
    const first = Math.max(0, from - passed);
    const last = Math.min(table.rows, from + count - passed);
    if (first < last) {
      const range = { from: first, to: last };
      const [columns, times] = [await table.columns(undefined, range), await table.times(range)];
      for (let row = first; row < last; row++) {
        const offset = table.offsets.at(row);
        const { size, maxSize } = table.schema;
        const bytes = await file.log.data.read(offset, Math.min(size || maxSize, BYTES_SHOWN));
        const values = columns.map((column) => shownValue(column, row - first));
        records.push({
          ...{ row: passed + row, time: times[row - first], offset: file.log.placeOf(offset) },
          ...{ bytes: textOf(bytes), values },
        });
      }
    }
    passed += table.rows;
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
  let passed = 0;
  for (const table of file.tablesOf(name, stream)) {
    const range = { from: Math.max(0, from - passed), to: Math.min(table.rows, from + count - passed) };
    passed += table.rows;
    if (range.from >= range.to) continue;
    const columns = await table.columns(undefined, range);
    const shown = fields.map((field) => columns.find((column) => column.field.name === field));
    for (const [row, time] of (await table.times(range)).entries()) {
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
