import {
  WHOLE as BEFORE,
  PART as BEHIND,
  type Cells,
  cellEnd,
  isEnd,
  CELL as KEPT,
  CODE as OF_DIGITS,
  sentenceBehind,
} from './cells.ts';
import type { Plan } from './codec.ts';
import { BACKSLASH as SLASH } from './head.ts';
import { NMEA_LIMITS } from './limits.ts';

// not imported: what a module exports is looked up each time that it is used
const LINE_BYTES = NMEA_LIMITS.sentenceBytes;
const [CELL, CODE, WHOLE, PART] = [KEPT, OF_DIGITS, BEFORE, BEHIND];
const BACKSLASH = SLASH;
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
export const PLACES = 15;
const SIGNED = 16;
export const NEGATIVE = 32;
export const EMPTY = 64;
/** Something else than plain digits, or too many of them. */
export const ODD = 128;

const [SIGN_BIT, MINUS_BITS, EMPTY_BIT, ODD_BIT] = [SIGNED, SIGNED | NEGATIVE, EMPTY, ODD];

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
        data[to + CODE] = EMPTY_BIT;
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
        code = byte === MINUS ? MINUS_BITS : SIGN_BIT;
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
      if (count > FEW) code |= ODD_BIT;
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
        code |= places > FEW || count > EXACT ? ODD_BIT : places;
      }
      if (count === 0) code |= EMPTY_BIT;
      if (byte !== COMMA && !isEnd(bytes, at)) {
        code |= ODD_BIT;
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
      data[to + CODE] = EMPTY_BIT;
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
