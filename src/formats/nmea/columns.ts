import type { Column } from '../../core/column.ts';
import { cellEnd, isEnd, sentenceBehind } from './cells.ts';
import type { Plan } from './codec.ts';
import { BACKSLASH as SLASH } from './head.ts';
import { NMEA_LIMITS } from './limits.ts';
import type { CellField } from './schema.ts';
import { tagEntry, tagNumber } from './tag.ts';
import {
  decimalAt,
  degreesAt,
  degreesOf,
  hexAt,
  letteredAt,
  MOST_DEGREES,
  putDate,
  signAt,
  timeAt,
  timeOf,
  usedAt,
  writeDate,
} from './value.ts';

// not imported: what a module exports is looked up each time that it is used
const BACKSLASH = SLASH;
const LINE_BYTES = NMEA_LIMITS.sentenceBytes;
/** Numbers kept of a block of sentences: small enough for the caches near the processor. */
const ROOM = 8192;

/** Numbers kept of a cell: where it begins, what its digits are, and these before and after the point. */
const CELL = 4;
const CODE = 1;
const WHOLE = 2;
const PART = 3;

/**
 * The cells of a block of sentences. Cell c of row i is kept at data[i * stride + c * CELL]: where it
 * begins, and for cells that were looked at for their digits what `walk` says of them. It ends before the comma that
 * the next one begins after. Cells that a sentence does not have are empty.
 */
export class Cells {
  readonly data: Int32Array = new Int32Array(ROOM);
  /** How many cells each sentence has, where whole sentences were asked for. */
  readonly counts: Int32Array = new Int32Array(ROOM / CELL);
  /** Where each record begins: at its tag block if it has one. */
  readonly heads: Int32Array = new Int32Array(ROOM / CELL);
  /** Where the data of each sentence end, where whole sentences were asked for. */
  readonly ends: Int32Array = new Int32Array(ROOM / CELL);
  /** Repetitions in each row, and by how many cells a field is moved from its usual place. */
  readonly groups: Int32Array = new Int32Array(ROOM / CELL);
  readonly shift: Int32Array = new Int32Array(ROOM / CELL);
  /** Nothing but zeros, for what does not vary from row to row. */
  readonly zeros: Int32Array = new Int32Array(ROOM / CELL);
  /** Where the cells of one sentence begin, while room is made for them. */
  readonly starts: Int32Array = new Int32Array(NMEA_LIMITS.sentenceBytes + 2);
  rows = 0;
  stride = 0;
  /** A cell beyond those that are walked, for one of another place. */
  none = 0;

  /** How many sentences can be walked at a time for cells up to `last`. */
  roomFor(last: number): number {
    return Math.floor(ROOM / ((last + 4) * CELL));
  }

  /** Puts a cell of row i that was not asked for in the place of `none`: an empty one if the sentence does not have it. */
  place(bytes: Uint8Array, i: number, cell: number): void {
    const to = i * this.stride + this.none * CELL;
    const [from, end] = this.find(bytes, i, cell);
    this.data[to] = from;
    this.data[to + CELL] = end + 1;
  }

  private find(bytes: Uint8Array, i: number, cell: number): [from: number, end: number] {
    if (cell <= 0 || cell > this.counts[i]) return [1, 0];
    let from = this.heads[i];
    if (bytes[from] === BACKSLASH) from = sentenceBehind(bytes, from);
    for (let passed = 0; passed < cell; passed++) from = cellEnd(bytes, from, this.ends[i]) + 1;
    return [from, cellEnd(bytes, from, this.ends[i])];
  }
}

const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
/** Digits that fit in 31 bits whatever they are, and digits that make an integer below 2^53. */
const FEW = 9;
const EXACT = 15;
/** Bytes from the $ of a sentence to its first comma at least. */
const ADDRESS = 4;

/** What the digits of a cell are: bits of its code, beside the number of decimals. */
const PLACES = 15;
const SIGNED = 16;
const NEGATIVE = 32;
const EMPTY = 64;
/** Something else than plain digits, or too many of them. */
const ODD = 128;

/** Walks `rows` sentences from records[from]: notes cell starts and digits of numbers in one pass over the bytes. */
export function walk(
  cells: Cells,
  plan: Plan,
  bytes: Uint8Array,
  records: Int32Array,
  from: number,
  rows: number,
): void {
  const { data, counts, heads, ends } = cells;
  const { last, digits } = plan;
  const stride = (last + 4) * CELL;
  cells.rows = rows;
  cells.stride = stride;
  cells.none = last + 2;
  for (let i = 0, row = 0; i < rows; i++, row += stride) {
    const head = records[from + i];
    const start = bytes[head] === BACKSLASH ? sentenceBehind(bytes, head) : head;
    let at = start + ADDRESS;
    let byte = bytes[at];
    while (byte > COMMA) byte = bytes[++at];
    let cell = 0;
    let to = row;
    // after the last byte there is undefined, neither a digit nor a comma, so every loop ends there
    while (byte === COMMA) {
      cell++;
      to += CELL;
      data[to] = ++at;
      if (cell > last) break;
      byte = bytes[at];
      if (byte === COMMA) {
        data[to + CODE] = EMPTY;
        continue;
      }
      if (digits[cell] === 0) {
        while (byte > COMMA) byte = bytes[++at];
        if (byte !== COMMA) {
          at = cellEnd(bytes, at, start + LINE_BYTES);
          byte = bytes[at];
        }
        continue;
      }
      let code = 0;
      if (byte < POINT && (byte === MINUS || byte === PLUS)) {
        code = byte === MINUS ? SIGNED | NEGATIVE : SIGNED;
        byte = bytes[++at];
      }
      let begin = at;
      let whole = 0;
      while (byte >= ZERO && byte <= NINE) {
        whole = (whole * 10 + byte - ZERO) | 0;
        byte = bytes[++at];
      }
      data[to + WHOLE] = whole;
      let count = at - begin;
      // most numbers are few digits and nothing else
      if (byte === COMMA && count > 0 && count <= FEW) {
        data[to + CODE] = code;
        continue;
      }
      if (count > FEW) code |= ODD;
      if (byte === POINT) {
        byte = bytes[++at];
        begin = at;
        let part = 0;
        while (byte >= ZERO && byte <= NINE) {
          part = (part * 10 + byte - ZERO) | 0;
          byte = bytes[++at];
        }
        data[to + PART] = part;
        const places = at - begin;
        count += places;
        code |= places > FEW || count > EXACT ? ODD : places;
      }
      if (count === 0) code |= EMPTY;
      if (byte !== COMMA && !isEnd(bytes, at)) {
        code |= ODD;
        at = cellEnd(bytes, at, start + LINE_BYTES);
        byte = bytes[at];
      }
      data[to + CODE] = code;
    }
    heads[i] = head;
    counts[i] = cell;
    ends[i] = at;
    if (cell > last && plan.whole) finish(cells, bytes, at, start + LINE_BYTES, i);
    while (cell <= last) {
      cell++;
      to += CELL;
      data[to] = at + 1;
      data[to + CODE] = EMPTY;
    }
  }
}

/** Counts the cells of row i that are not wanted but must be known of, from `from` on. */
function finish(cells: Cells, bytes: Uint8Array, from: number, stop: number, i: number): void {
  let at = cellEnd(bytes, from, stop);
  while (bytes[at] === COMMA) {
    cells.counts[i]++;
    at = cellEnd(bytes, at + 1, stop);
  }
  cells.ends[i] = at;
}

/* Columns from digits that were noted while sentences were walked. */

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
