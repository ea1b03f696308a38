import { BACKSLASH, HEX, NO_DIGIT } from './head.ts';
import { NMEA_LIMITS } from './limits.ts';

// not imported: what a module exports is looked up each time that it is used
const STAR = 42;
const COMMA = 44;
const TAB = 9;
const BLANK = 32;

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
