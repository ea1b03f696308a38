import { NMEA_LIMITS } from './limits.ts';

/*
 * How a sentence begins, and what may come before it:
 *
 *     $GPGGA,...      $ or !, an address of capital letters and digits, and a comma or the checksum
 *     \s:GP001,c:1792060378*24\$GPGGA,...      a tag block: the sender of the sentence, and when
 *
 * https://gpsd.gitlab.io/gpsd/AIVDM.html#_nmea_tag_blocks
 */

export const BANG = 33;
export const DOLLAR = 36;
export const STAR = 42;
export const COMMA = 44;
export const BACKSLASH = 92;
const ZERO = 48;
const LETTER_A = 65;
const LETTER_Z = 90;

/** Characters of an address: two of the talker and three of the sentence; makers have longer ones. */
const SHORTEST_ADDRESS = 3;
const LONGEST_ADDRESS = 24;
const TAG_BYTES = NMEA_LIMITS.tagBytes;

/** What begins at a place cannot be said before more bytes come. */
export const UNDECIDED = -1;
/** Nothing begins there. */
export const NOTHING = 0;

/** No hexadecimal digit, and more than any two of them are worth. */
export const NO_DIGIT = 256;

/** The value of each hexadecimal digit, NO_DIGIT for all other bytes. */
export const HEX: Int16Array = Int16Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? NO_DIGIT : digit;
});

/**
 * The end of the address of the sentence that begins at `at`, with its $ or !.
 * @param end   after the last byte that is known
 * @param final whether no more bytes will come
 */
export function addressEnd(bytes: Uint8Array, at: number, end: number, final: boolean): number {
  const stop = Math.min(end, at + 2 + LONGEST_ADDRESS);
  let i = at + 1;
  for (; i < stop; i++) {
    const byte = bytes[i];
    if (byte >= LETTER_A && byte <= LETTER_Z) continue;
    if (byte >= ZERO && byte <= ZERO + 9 && i > at + 1) continue;
    if ((byte !== COMMA && byte !== STAR) || i - at - 1 < SHORTEST_ADDRESS) return NOTHING;
    if (byte === STAR && i + 2 >= end && !final) return UNDECIDED;
    return byte === COMMA || (HEX[bytes[i + 1]] < NO_DIGIT && HEX[bytes[i + 2]] < NO_DIGIT) ? i : NOTHING;
  }
  return stop < end || final || i - at > LONGEST_ADDRESS + 1 ? NOTHING : UNDECIDED;
}

/** Where the sentence begins whose tag block begins at `at`: the place of its $ or !. */
export function tagEnd(bytes: Uint8Array, at: number, end: number, final: boolean): number {
  const stop = Math.min(end, at + TAG_BYTES);
  let sum = 0;
  let sumAtStar = -1;
  let star = 0;
  for (let i = at + 1; i < stop; i++) {
    const byte = bytes[i];
    if (byte === BACKSLASH) {
      const isWhole = star === i - 3 && sumAtStar === HEX[bytes[i - 2]] * 16 + HEX[bytes[i - 1]];
      return isWhole ? sentenceAt(bytes, i + 1, end, final) : NOTHING;
    }
    if (byte < 0x20 || byte > 0x7e) return NOTHING;
    if (byte === STAR) {
      star = i;
      sumAtStar = sum;
    }
    sum ^= byte;
  }
  return stop < end || final || stop - at >= TAG_BYTES ? NOTHING : UNDECIDED;
}

function sentenceAt(bytes: Uint8Array, at: number, end: number, final: boolean): number {
  if (at >= end) return final ? NOTHING : UNDECIDED;
  if (bytes[at] !== DOLLAR && bytes[at] !== BANG) return NOTHING;
  const address = addressEnd(bytes, at, end, final);
  return address > 0 ? at : address;
}

/** Whether a cell begins with four digits: too many for the kind of a sentence. */
export function isNumber(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 4; i++) if (!(bytes[i] >= ZERO && bytes[i] <= ZERO + 9)) return false;
  return true;
}

/** Four characters in one word. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}
