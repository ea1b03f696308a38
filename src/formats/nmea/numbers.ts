import type { Column } from '../../core/column.ts';
import { WHOLE as BEFORE, PART as BEHIND, type Cells, CELL as KEPT, CODE as OF_DIGITS } from './cells.ts';
import type { CellField } from './schema.ts';
import { decimalAt, degreesAt, degreesOf, MOST_DEGREES, signAt, timeAt, timeOf } from './value.ts';
import { PLACES as DECIMALS, NEGATIVE as MINUS, EMPTY as NO_DIGITS, ODD as NOT_PLAIN } from './walk.ts';

/* Columns from digits that were noted while sentences were walked; walk.ts says what their codes mean. */

// not imported: what a module exports is looked up each time that it is used
const [CELL, CODE, WHOLE, PART] = [KEPT, OF_DIGITS, BEFORE, BEHIND];
const [PLACES, NEGATIVE, EMPTY, ODD] = [DECIMALS, MINUS, NO_DIGITS, NOT_PLAIN];
const POWERS: Float64Array = Float64Array.from({ length: 16 }, (_, k) => 10 ** k);

function fraction(whole: number, part: number, places: number): number {
  return (whole * POWERS[places] + part) / POWERS[places];
}

/** Reads again the numbers of rows that have them in another cell. */
export function repairNumbers(bytes: Uint8Array, cells: Cells, shift: Int32Array, column: Column, row: number): void {
  const { data, stride, rows } = cells;
  const out = column.data as Float64Array;
  for (let i = 0, at = column.field.offset * CELL; i < rows; i++, at += stride) {
    if (shift[i] === 0) continue;
    const cell = at + shift[i] * CELL;
    out[row + i] = decimalAt(bytes, data[cell], data[cell + CELL] - 1);
  }
}

/** Numbers, with an element in each repetition of a row: after the last one comes something else. */
export function readNumbers(bytes: Uint8Array, cells: Cells, column: Column, row: number): void {
  const { data, stride, rows, groups } = cells;
  const { count, offset, step } = column.field as CellField;
  const out = column.data as Float64Array;
  for (let i = 0, at = offset * CELL, to = row * count; i < rows; i++, at += stride) {
    const have = step > 0 ? groups[i] : 1;
    for (let k = 0, cell = at; k < count; k++, cell += step * CELL, to++) {
      const code = k < have ? data[cell + CODE] : EMPTY;
      if (code === 0) {
        out[to] = data[cell + WHOLE];
      } else if (code < EMPTY) {
        const value =
          (code & PLACES) === 0 ? data[cell + WHOLE] : fraction(data[cell + WHOLE], data[cell + PART], code & PLACES);
        out[to] = (code & NEGATIVE) === 0 ? value : -value;
      } else {
        out[to] = code < ODD ? Number.NaN : decimalAt(bytes, data[cell], data[cell + CELL] - 1);
      }
    }
  }
}

export function readTimes(bytes: Uint8Array, cells: Cells, column: Column, row: number): void {
  const { data, stride, rows } = cells;
  const out = column.data as Float64Array;
  for (let i = 0, cell = column.field.offset * CELL; i < rows; i++, cell += stride) {
    const code = data[cell + CODE];
    if (code <= PLACES) out[row + i] = timeOf(data[cell + WHOLE], code === 0 ? 0 : data[cell + PART], code);
    else out[row + i] = code < ODD ? Number.NaN : timeAt(bytes, data[cell], data[cell + CELL] - 1);
  }
}

/** A missing hemisphere leaves the sign open, so the value is missing; so is what the globe does not have. */
export function readDegrees(bytes: Uint8Array, cells: Cells, column: Column, row: number): void {
  const { data, stride, rows } = cells;
  const { kind, plus, minus, offset } = column.field as CellField;
  const most = MOST_DEGREES[kind as 'lat' | 'lon'];
  const out = column.data as Float64Array;
  for (let i = 0, cell = offset * CELL; i < rows; i++, cell += stride) {
    const code = data[cell + CODE];
    const letter = data[cell + CELL];
    let value = Number.NaN;
    if (code <= PLACES) value = degreesOf(data[cell + WHOLE], code === 0 ? 0 : data[cell + PART], code);
    else if (code >= ODD) value = degreesAt(bytes, data[cell], letter - 1);
    out[row + i] = value <= most ? value * signAt(bytes, letter, data[cell + 2 * CELL] - 1, plus, minus) : Number.NaN;
  }
}
