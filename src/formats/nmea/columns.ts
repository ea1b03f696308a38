import type { Column } from '../../core/column.ts';
import { CELL, type Cells, sentenceBehind } from './cells.ts';
import { BACKSLASH } from './head.ts';
import type { CellField } from './schema.ts';
import { tagEntry, tagNumber } from './tag.ts';
import { decimalAt, hexAt, letteredAt, putDate, signAt, usedAt, writeDate } from './value.ts';

/*
 * Columns from the cells of a block of sentences that are not plain numbers, one loop for each kind of value. `shift`
 * says by how many cells the field is moved in each row.
 */

export function readCells(bytes: Uint8Array, cells: Cells, shift: Int32Array, column: Column, row: number): void {
  const { kind } = column.field as CellField;
  switch (kind) {
    case 'signed':
      readSigned(bytes, cells, shift, column, row);
      break;
    case 'text':
    case 'rest':
    case 'address':
      readTexts(bytes, cells, shift, column, row);
      break;
    case 'date':
    case 'day-month-year':
      readDates(bytes, cells, shift, column, row);
      break;
    default:
      readOthers(bytes, cells, shift, column, row);
  }
}

function readSigned(bytes: Uint8Array, cells: Cells, shift: Int32Array, column: Column, row: number): void {
  const { data, stride, rows } = cells;
  const { plus, minus, offset } = column.field as CellField;
  const out = column.data as Float64Array;
  for (let i = 0, at = offset * CELL; i < rows; i++, at += stride) {
    const cell = at + shift[i] * CELL;
    const letter = data[cell + CELL];
    const value = decimalAt(bytes, data[cell], letter - 1);
    out[row + i] = value * signAt(bytes, letter, data[cell + 2 * CELL] - 1, plus, minus);
  }
}

function readTexts(bytes: Uint8Array, cells: Cells, shift: Int32Array, column: Column, row: number): void {
  const { data, stride, rows, ends, heads } = cells;
  const { count, offset, kind } = column.field as CellField;
  const out = column.bits8;
  for (let i = 0, at = offset * CELL, to = row * count; i < rows; i++, at += stride, to += count) {
    const cell = at + shift[i] * CELL;
    let from = data[cell];
    let end = kind === 'rest' ? ends[i] : data[cell + CELL] - 1;
    if (kind === 'address') {
      // it ends before the comma that the first cell begins after
      end = from - 1;
      from = (bytes[heads[i]] === BACKSLASH ? sentenceBehind(bytes, heads[i]) : heads[i]) + 1;
    }
    end = Math.min(end, from + count);
    for (let k = from, o = to; k < end; k++, o++) out[o] = bytes[k];
  }
}

function readDates(bytes: Uint8Array, cells: Cells, shift: Int32Array, column: Column, row: number): void {
  const { data, stride, rows } = cells;
  const { count, offset, kind, order } = column.field as CellField;
  const out = column.bits8;
  for (let i = 0, at = offset * CELL, to = row * count; i < rows; i++, at += stride, to += count) {
    const cell = at + shift[i] * CELL;
    if (kind === 'date') {
      writeDate(bytes, data[cell], data[cell + CELL] - 1, order, out, to);
    } else {
      const day = decimalAt(bytes, data[cell], data[cell + CELL] - 1);
      const month = decimalAt(bytes, data[cell + CELL], data[cell + 2 * CELL] - 1);
      putDate(decimalAt(bytes, data[cell + 2 * CELL], data[cell + 3 * CELL] - 1), month, day, out, to);
    }
  }
}

function valueAt(kind: CellField['kind'], bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return Number.NaN;
  switch (kind) {
    case 'hex':
      return hexAt(bytes, at, end);
    case 'used':
      return usedAt(bytes, at, end);
    case 'lettered':
      return letteredAt(bytes, at, end);
    default:
      return decimalAt(bytes, at, end);
  }
}

/** Kinds that are seldom, and numbers of the short form of a sentence only; an element in each repetition of a row. */
function readOthers(bytes: Uint8Array, cells: Cells, shift: Int32Array, column: Column, row: number): void {
  const { data, stride, rows, groups } = cells;
  const { count, offset, step, kind } = column.field as CellField;
  const out = column.data as Float64Array;
  for (let i = 0, at = offset * CELL, to = row * count; i < rows; i++, at += stride) {
    const have = step > 0 ? groups[i] : 1;
    for (let k = 0, cell = at + shift[i] * CELL; k < count; k++, cell += step * CELL, to++) {
      out[to] = k < have ? valueAt(kind, bytes, data[cell], data[cell + CELL] - 1) : Number.NaN;
    }
  }
}

/** What the tag block before each sentence says. */
export function readTags(bytes: Uint8Array, cells: Cells, column: Column, row: number): void {
  const { rows, heads } = cells;
  const { type, count, plus: letter } = column.field as CellField;
  for (let i = 0; i < rows; i++) {
    if (type === 'text') {
      const [from, to] = tagEntry(bytes, heads[i], letter);
      const start = (row + i) * count;
      for (let at = from, o = start; at < to && o < start + count; at++, o++) column.bits8[o] = bytes[at];
    } else {
      (column.data as Float64Array)[row + i] = tagNumber(bytes, heads[i], letter);
    }
  }
}
