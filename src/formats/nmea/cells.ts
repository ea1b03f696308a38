import { BACKSLASH, HEX, NO_DIGIT } from './head.ts';
import { NMEA_LIMITS } from './limits.ts';

// not imported: what a module exports is looked up each time that it is used
const STAR = 42;
const COMMA = 44;
const TAB = 9;
const BLANK = 32;
/** Numbers kept of a block of sentences: small enough for the caches near the processor. */
const ROOM = 8192;

/** Numbers kept of a cell: where it begins, what its digits are, and these before and after the point. */
export const CELL = 4;
export const CODE = 1;
export const WHOLE = 2;
export const PART = 3;

/**
 * The cells of a block of sentences. Cell c of row i is kept at data[i * stride + c * CELL]: where it
 * begins, and for cells that were looked at for their digits what walk.ts says of them. It ends before the comma that
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

/** The first place from `at` on where a cell or the sentence ends. */
export function cellEnd(bytes: Uint8Array, from: number, stop: number): number {
  let at = from;
  for (; at < stop; at++) {
    const byte = bytes[at];
    if (byte <= COMMA && (byte === COMMA || isEnd(bytes, at))) break;
  }
  return at;
}

/** Whether the data of a sentence end at a place: at its checksum, or at the end of its line. */
export function isEnd(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  return (byte < BLANK && byte !== TAB) || (byte === STAR && isChecksum(bytes, at));
}

/** Whether a checksum is at a place: a star and two hexadecimal digits. */
export function isChecksum(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === STAR && HEX[bytes[at + 1]] < NO_DIGIT && HEX[bytes[at + 2]] < NO_DIGIT;
}

/** Where the sentence after the tag block at `at` begins. */
export function sentenceBehind(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(BACKSLASH, at + 1);
  return end < 0 || end - at > NMEA_LIMITS.recordBytes ? at : end + 1;
}

/** Notes in `starts` where cells of the sentence [at, end) begin, and one past the last; returns their number. */
export function splitCells(bytes: Uint8Array, at: number, end: number, starts: Int32Array): number {
  let count = 0;
  starts[0] = at;
  for (let i = at; i < end; i++) if (bytes[i] === COMMA) starts[++count] = i + 1;
  starts[count + 1] = end + 1;
  return count;
}
