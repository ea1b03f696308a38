import type { Column, Value } from '../core/column.ts';
import { caseFolded, csvText, uniqueNames } from '../core/names.ts';
import { type Field, isNumeric } from '../core/schema.ts';
import { columnNames, type Sheet, type SheetRange } from '../core/sheet.ts';
import { exact, hexOf } from '../core/text.ts';
import { seconds } from './decimal.ts';

/*
 * A record a line under a line of names. The first column is the time in seconds with microseconds; an array has a
 * column for each element. Numbers read as the same numbers again, NaN and Infinity among them; a cell without a value
 * is empty. Text that a spreadsheet would run is marked as text.
 * https://www.rfc-editor.org/rfc/rfc4180
 */

export interface CsvOptions extends SheetRange {
  /** Values in SI units by the log's own multipliers. */
  readonly si?: boolean | undefined;
  /** Leaves text cells as they are, also those that a spreadsheet would run. */
  readonly raw?: boolean | undefined;
}

export async function* writeCsv(sheet: Sheet, options: CsvOptions = {}): AsyncGenerator<string> {
  const { si = false, raw = false } = options;
  yield `${csvNames(sheet)
    .map((name) => csvText(name, raw))
    .join(',')}\n`;
  for await (const { from, to, times, columns } of sheet.blocks(options)) {
    let text = '';
    for (let row = from; row < to; row++) {
      text += seconds(times[row]);
      for (const column of columns) text += `,${csvCells(column, row, si, raw)}`;
      text += '\n';
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}

/** Characters that make one piece of text. */
const PIECE = 64 << 10;

/** The names of the columns of a sheet: an array has one for each of its elements. */
export function csvNames(sheet: Pick<Sheet, 'fields'>): string[] {
  const [time, ...names] = columnNames(sheet);
  return uniqueNames([time, ...sheet.fields.flatMap((field, i) => elementNames(field, names[i]))], caseFolded);
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

function csvNumber(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  // an exponent is not known everywhere
  return text.includes('e') ? exact(value) : text;
}
