import type { Value } from '../../core/column.ts';
import { NMEA_LIMITS } from '../../core/limits.ts';
import { textOf } from '../../core/text.ts';
import { identify, standardSentence, unknownSentence } from './catalog.ts';
import { isChecksum } from './cells.ts';
import { addressEnd, BACKSLASH, BANG, DOLLAR, HEX, tagEnd } from './head.ts';
import { CellReader } from './row.ts';
import { TAG_FIELDS, tagNumber, tagText } from './tag.ts';

const LINE_BYTES = NMEA_LIMITS.sentenceBytes;
const TAB = 9;
const BLANK = 32;
const STAR = 42;
const COMMA = 44;
const TALKER = /^[A-OQ-Z][A-Z0-9]$/;

/** A sentence that was read. */
export interface ParsedSentence {
  readonly valid: true;
  /** GGA; for the sentences of makers their whole address: PGRME, PUBX00. */
  readonly name: string;
  /** GP, GN ...; '' for the sentences of makers. */
  readonly talker: string;
  /** Whether it has a checksum; if it has one, it is right. */
  readonly checked: boolean;
  /** Its fields by their names; what is missing is null, and an empty text ''. */
  readonly data: Record<string, Value>;
}

/** A line of which no sentence can be made. */
export interface RefusedSentence {
  readonly valid: false;
  /** Why not, as a sentence in lower case. */
  readonly reason: string;
}

export interface ParseOptions {
  /** Whether a sentence without a checksum is taken; 'optional' by default. */
  readonly checksum?: 'required' | 'optional' | undefined;
}

/** Memory that each call uses anew; nothing stays in it from one to the next. */
const scratch = new Uint8Array(2 * LINE_BYTES);
const reader = new CellReader();

/** Reads one line: a sentence, with or without a tag block and a line break. It never throws. */
export function parseNmeaSentence(
  line: string | Uint8Array,
  { checksum = 'optional' }: ParseOptions = {},
): ParsedSentence | RefusedSentence {
  const quick = typeof line === 'string' ? parseUsual(line) : undefined;
  if (quick) return quick;
  const bytes = typeof line === 'string' ? scratch : line;
  let end = typeof line === 'string' ? bytesOf(line) : line.length;
  while (end > 0 && bytes[end - 1] <= BLANK) end--;
  let head = 0;
  while (head < end && bytes[head] <= BLANK) head++;
  if (head === end) return refused('line is empty');
  const start = bytes[head] === BACKSLASH ? tagEnd(bytes, head, end, true) : head;
  if (bytes[head] === BACKSLASH && start <= head) return refused('tag block is damaged, or no sentence follows it');
  if (bytes[start] !== DOLLAR && bytes[start] !== BANG) return refused('line begins with neither $ nor !');
  const address = addressEnd(bytes, start, end, true);
  if (address <= 0)
    return refused('no address of 3 to 24 capital letters and digits with a comma or a checksum behind it');
  const name = typeof line === 'string' ? line.slice(start + 1, address) : textOf(bytes, start + 1, address);
  return parseCells(bytes, head, start, address, end, name, checksum === 'required');
}

/**
 * Reads what almost every line is, in one pass: a sentence of the standard that is known, with the right checksum and
 * nothing but letters, digits and signs. Undefined for all others, of which the long way says what they are.
 */
function parseUsual(line: string): ParsedSentence | undefined {
  if (line.length > LINE_BYTES || line.charCodeAt(0) !== DOLLAR || line.charCodeAt(6) !== COMMA) return undefined;
  const sentence = standardSentence(line.slice(3, 6));
  if (!sentence || !TALKER.test(line.slice(1, 3))) return undefined;
  const { starts } = reader;
  let sum = 0;
  let count = 0;
  let at = 1;
  let code = line.charCodeAt(at);
  // behind the last character there is NaN, which ends every loop
  while (code > STAR && code < BACKSLASH) {
    scratch[at] = code;
    sum ^= code;
    at++;
    if (code === COMMA) starts[++count] = at;
    code = line.charCodeAt(at);
  }
  if (code !== STAR || line.length > at + 5) return undefined;
  const said = HEX[line.charCodeAt(at + 1)] * 16 + HEX[line.charCodeAt(at + 2)];
  if (said !== sum || !isLineBreak(line, at + 3)) return undefined;
  const data = reader.read(scratch, count, at, sentence);
  return { valid: true, name: sentence.name, talker: line.slice(1, 3), checked: true, data };
}

function isLineBreak(line: string, at: number): boolean {
  return line.length === at || (line.length === at + 2 && line.charCodeAt(at) === 13 && line.charCodeAt(at + 1) === 10);
}

/** Reads the cells of the sentence whose $ stands at `start`; a tag block may begin at `head`. */
function parseCells(
  bytes: Uint8Array,
  head: number,
  start: number,
  address: number,
  end: number,
  name: string,
  isRequired: boolean,
): ParsedSentence | RefusedSentence {
  if (end - start > LINE_BYTES) return refused(`sentence has ${end - start} bytes, at most ${LINE_BYTES} are read`);
  const { starts } = reader;
  let sum = 0;
  let count = 0;
  let star = start + 1;
  for (; star < end; star++) {
    const byte = bytes[star];
    if (byte === COMMA) {
      starts[++count] = star + 1;
    } else if (byte <= STAR) {
      if (byte === STAR) {
        if (star + 2 < end && isChecksum(bytes, star)) break;
      } else if (byte < BLANK && byte !== TAB) {
        return refused(`byte 0x${hex(byte)} stands ${star - start} bytes behind the beginning of ${name}`);
      } else if ((byte === DOLLAR || byte === BANG) && addressEnd(bytes, star, end, true) > 0) {
        return refused(`another sentence begins ${star - start} bytes behind the beginning of ${name}`);
      }
    }
    sum ^= byte;
  }
  if (star === end) {
    if (bytes[end - 1] === STAR || bytes[end - 2] === STAR) return refused(`checksum of ${name} is cut`);
    if (isRequired) return refused(`sentence ${name} has no checksum, which is required`);
  } else {
    const said = HEX[bytes[star + 1]] * 16 + HEX[bytes[star + 2]];
    if (said !== sum) return refused(`checksum of ${name} is ${hex(sum)}, the sentence says ${hex(said)}`);
    if (star + 3 < end) return refused(`${end - star - 3} bytes follow the checksum of ${name}`);
  }
  const identity = identify(name, bytes, address);
  const { talker } = identity;
  const sentence = identity.sentence ?? unknownSentence(identity.name);
  const data = reader.read(bytes, count, star, sentence);
  if (start > head) addTag(data, bytes, head);
  return { valid: true, name: sentence.name, talker, checked: star < end, data };
}

function refused(reason: string): RefusedSentence {
  return { valid: false, reason };
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

/** Puts the bytes of a line into memory, letters beyond ASCII as UTF-8, and says how many they are. */
function bytesOf(line: string): number {
  const length = Math.min(line.length, scratch.length);
  for (let i = 0; i < length; i++) {
    const code = line.charCodeAt(i);
    if (code > 0x7f) return new TextEncoder().encodeInto(line, scratch).written;
    scratch[i] = code;
  }
  return length;
}

function addTag(data: Record<string, Value>, bytes: Uint8Array, at: number): void {
  for (const { letter, name, width } of TAG_FIELDS) {
    const code = letter.charCodeAt(0);
    if (width > 0) {
      data[name] = tagText(bytes, at, code).slice(0, width);
    } else {
      const value = tagNumber(bytes, at, code);
      data[name] = Number.isNaN(value) ? null : value;
    }
  }
}
