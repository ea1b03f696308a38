import type { Codec } from '../../core/codec.ts';
import type { Column } from '../../core/column.ts';
import { textOf } from '../../core/text.ts';

const NEWLINE = 10;
const RETURN = 13;
const BLANK = 32;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
/** Cells of a line: the name and at most 16 columns; further ones belong to the last. */
const CELLS = 18;

/** Where the line that begins at `from` ends, its line break not included. */
export function lineEnd(bytes: Uint8Array, from: number): number {
  let end = from;
  while (end < bytes.length && bytes[end] !== NEWLINE) end++;
  return trimmedEnd(bytes, from, end);
}

/** Where a line ends without its line break and the blanks before it. */
export function trimmedEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  if (end > from && bytes[end - 1] === NEWLINE) end--;
  while (end > from && (bytes[end - 1] === RETURN || bytes[end - 1] === BLANK)) end--;
  return end;
}

/** Cells of a line between starts[k] and ends[k], split at comma and blank: lone commas separate names in FMT lines. */
export class Cells {
  readonly starts: Uint32Array = new Uint32Array(CELLS);
  readonly ends: Uint32Array = new Uint32Array(CELLS);
  count = 0;

  /** @param most the cell from which on commas belong to the text */
  split(bytes: Uint8Array, from: number, to: number, most: number = CELLS): void {
    const last = Math.min(most, CELLS) - 1;
    this.count = 0;
    let start = from;
    for (let at = from; at < to && this.count < last; at++) {
      if (bytes[at] !== COMMA || bytes[at + 1] !== BLANK) continue;
      this.add(start, at);
      start = at + 2;
    }
    this.add(Math.min(start, to), to);
  }

  private add(start: number, end: number): void {
    this.starts[this.count] = start;
    this.ends[this.count++] = end;
  }
}

/** Reads the cells of text lines into columns. A cell that is not the number it should be is missing. */
export function cellCodec(cellCount: number): Codec {
  return {
    read(bytes, starts, count, columns, row) {
      const cells = new Cells();
      for (let i = 0; i < count; i++) {
        cells.split(bytes, starts[i], lineEnd(bytes, starts[i]), cellCount);
        for (const column of columns) readCell(bytes, cells, column, row + i);
      }
    },
  };
}

function readCell(bytes: Uint8Array, cells: Cells, column: Column, row: number): void {
  const { type, count, offset } = column.field;
  const there = offset < cells.count;
  const start = there ? cells.starts[offset] : 0;
  const end = there ? cells.ends[offset] : 0;
  if (type === 'text') {
    const cut = Math.min(end, start + count);
    for (let at = start, out = row * count; at < cut; at++, out++) column.bits8[out] = bytes[at];
  } else if (type === 'float64') {
    column.data[row] = there ? decimal(bytes, start, end) : Number.NaN;
  } else if (type === 'int64' || type === 'uint64') {
    (column.data as BigInt64Array)[row] = BigInt(integer(bytes, start, end) ?? 0);
  }
}

/** The digits of an integer, or undefined where the cell holds anything else. */
export function integer(bytes: Uint8Array, start: number, end: number): string | undefined {
  const text = textOf(bytes, start, Math.min(end, start + 24));
  return /^-?\d{1,20}$/.test(text) ? text : undefined;
}

/** A decimal number, rounded to the nearest double: digits below 2^53 over 10^22 or less by one exact division. */
export function decimal(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  const sign = bytes[at];
  if (sign === MINUS || sign === PLUS) at++;
  let value = 0;
  let digits = 0;
  let scale = -1;
  for (; at < end; at++) {
    const digit = bytes[at] - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits++;
      if (scale >= 0) scale++;
    } else if (bytes[at] === POINT && scale < 0) {
      scale = 0;
    } else {
      return otherNumber(textOf(bytes, start, end));
    }
  }
  if (digits === 0) return Number.NaN;
  if (digits > 15) return otherNumber(textOf(bytes, start, end));
  if (scale > 0) value /= 10 ** scale;
  return sign === MINUS ? -value : value;
}

function otherNumber(text: string): number {
  const word = text.trim().toLowerCase();
  if (/^[+-]?inf(inity)?$/.test(word))
    return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(word) ? Number(word) : Number.NaN;
}
