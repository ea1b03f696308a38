import type { Column, Value } from '../core/column.ts';
import { caseFolded, csvText, uniqueNames } from '../core/names.ts';
import { type Field, type FieldType, isNumeric } from '../core/schema.ts';
import { columnNames, type Table, type TableRange } from '../core/table.ts';
import { exact, hexOf, LARGE } from '../core/text.ts';
import { seconds } from './decimal.ts';

/*
 * A record a line under a line of names. The first column is the time in seconds with microseconds; an array has a
 * column for each element. Numbers read as the same numbers again, NaN and Infinity among them; a cell without a value
 * is empty. Text that a spreadsheet would run is marked as text.
 * https://www.rfc-editor.org/rfc/rfc4180
 */

export interface CsvOptions extends TableRange {
  /** Values in SI units by the log's own multipliers. */
  readonly si?: boolean | undefined;
  /** Leaves text cells as they are, also those that a spreadsheet would run. */
  readonly raw?: boolean | undefined;
}

export async function* writeCsv(table: Table, options: CsvOptions = {}): AsyncGenerator<string> {
  const { si = false, raw = false } = options;
  yield `${csvNames(table)
    .map((name) => csvText(name, raw))
    .join(',')}\n`;
  for await (const { from, to, times, columns } of table.blocks(options)) {
    const count = Math.max(1, Math.min(LINES, Math.floor(CELLS / columns.length)));
    for (let start = from; start < to; start += count) {
      const stop = Math.min(start + count, to);
      const lines = Array.from(times.subarray(start, stop), seconds);
      for (const column of columns) addCells(lines, column, start, si, raw);
      yield `${lines.join('\n')}\n`;
    }
  }
}

/** Lines that make one piece of text, and cells: until it is whole, each takes more memory than its characters. */
const LINES = 256;
const CELLS = 65_536;

/** Adds the cells of a column to lines, of which the first is that of row `from`. */
function addCells(lines: string[], column: Column, from: number, si: boolean, raw: boolean): void {
  const { type, count, isList, divisor, multiplier } = column.field;
  const isPlain = isNumeric(type) && !WIDE_OR_HALF.has(type) && count === 1 && !isList;
  if (!isPlain || (si && multiplier !== undefined)) {
    for (let i = 0; i < lines.length; i++) lines[i] += `,${csvCells(column, from + i, si, raw)}`;
    return;
  }
  const { data } = column;
  let last = Number.NaN;
  let cell = '';
  for (let i = 0; i < lines.length; i++) {
    const stored = data[from + i] as number;
    // many values stay as they were, and making the text takes most of the time; 0 and -0 are equal
    if (stored !== last || stored === 0) cell = column.isMissing(from + i) ? ',' : `,${csvNumber(stored / divisor)}`;
    last = stored;
    lines[i] += cell;
  }
}

/** Types whose stored elements are not their values. */
const WIDE_OR_HALF: ReadonlySet<FieldType> = new Set<FieldType>(['int64', 'uint64', 'float16']);

/** The names of the columns of a table: an array has one for each of its elements. */
export function csvNames(table: Pick<Table, 'fields'>): string[] {
  const [time, ...names] = columnNames(table);
  return uniqueNames([time, ...table.fields.flatMap((field, i) => elementNames(field, names[i]))], caseFolded);
}

function elementNames(field: Field, name: string): string[] {
  return isArray(field) ? Array.from({ length: field.count }, (_, k) => `${name}[${k}]`) : [name];
}

export function isArray({ type, count }: Field): boolean {
  return count > 1 && isNumeric(type);
}

/** The cell of a row, or the cells of an array. */
export function csvCells(column: Column, row: number, si: boolean, raw: boolean): string {
  const value = si ? column.si(row) : column.at(row);
  if (typeof value === 'number') return csvNumber(value);
  if (value === null) return isArray(column.field) ? ','.repeat(column.field.count - 1) : '';
  return csvOther(value, raw);
}

function csvOther(value: Exclude<Value, number | null>, raw: boolean): string {
  if (typeof value === 'string') return csvText(value, raw);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return hexOf(value);
  return value.map((each) => (typeof each === 'number' ? csvNumber(each) : String(each ?? ''))).join(',');
}

/** A number without an exponent, which is not known everywhere. */
function csvNumber(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const size = Math.abs(value);
  // only these would have one
  return size < 1e-6 || (size >= LARGE && size < Number.POSITIVE_INFINITY) ? exact(value) : String(value);
}
