import type { Value } from '../../core/column.ts';
import { hexDigits, textOf } from '../../core/text.ts';
import { identify, makerSentence, standardSentence, unknownSentence } from './catalog.ts';
import { isChecksum } from './cells.ts';
import { addressEnd, BACKSLASH, BANG, DOLLAR, HEX, tagEnd } from './head.ts';
import { NMEA_LIMITS } from './limits.ts';
import { CellReader } from './row.ts';
import { TAG_FIELDS, tagNumber, tagText } from './tag.ts';

const LINE_BYTES = NMEA_LIMITS.sentenceBytes;
const TAB = 9;
const LETTER_P = 80;
const BLANK = 32;
const STAR = 42;
const COMMA = 44;
/** Talkers by the codes of their two letters; P is the letter of makers. */
const TALKERS: ReadonlyMap<number, string> = new Map(
  [...'ABCDEFGHIJKLMNOQRSTUVWXYZ'].flatMap((first) =>
    [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'].map((second): [number, string] => [
      first.charCodeAt(0) * 256 + second.charCodeAt(0),
      first + second,
    ]),
  ),
);

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

/** Memory that each call reuses; nothing stays in it. */
const scratch = new Uint8Array(2 * LINE_BYTES);
const encoder = new TextEncoder();
const reader = new CellReader();

/** Reads one line: a sentence, with or without a tag block and a line break. It never throws. */
export function parseSentence(
  line: string | Uint8Array,
  { checksum = 'optional' }: ParseOptions = {},
): ParsedSentence | RefusedSentence {
  const bytes = typeof line === 'string' ? scratch : line;
  let end = typeof line === 'string' ? encoder.encodeInto(line, scratch).written : line.length;
  while (end > 0 && bytes[end - 1] <= BLANK) end--;
  const usual = parseUsual(bytes, end);
  if (usual) return usual;
  let head = 0;
  while (head < end && bytes[head] <= BLANK) head++;
  if (head === end) return refused('line is empty');
  const start = bytes[head] === BACKSLASH ? tagEnd(bytes, head, end, true) : head;
  if (bytes[head] === BACKSLASH && start <= head) return refused('tag block is damaged, or no sentence follows it');
  if (bytes[start] !== DOLLAR && bytes[start] !== BANG) return refused('line begins with neither $ nor !');
  const address = addressEnd(bytes, start, end, true);
  if (address <= 0)
    return refused('no address of 3 to 24 capital letters and digits followed by a comma or a checksum');
  return parseCells(bytes, head, start, address, end, checksum === 'required');
}

/** The fast path: a known sentence with the right checksum and plain characters; undefined for all others. */
function parseUsual(bytes: Uint8Array, end: number): ParsedSentence | undefined {
  if (end > LINE_BYTES || bytes[0] !== DOLLAR || bytes[6] !== COMMA || bytes[end - 3] !== STAR) return undefined;
  const isMaker = bytes[1] === LETTER_P;
  const sentence = isMaker ? makerSentence(bytes, 1) : standardSentence(bytes[3], bytes[4], bytes[5]);
  const talker = isMaker ? '' : TALKERS.get(bytes[1] * 256 + bytes[2]);
  if (!sentence || talker === undefined) return undefined;
  const { starts } = reader;
  const star = end - 3;
  let sum = 0;
  let count = 0;
  for (let at = 1; at < star; at++) {
    const byte = bytes[at];
    if (byte <= STAR || byte >= BACKSLASH) return undefined;
    sum ^= byte;
    if (byte === COMMA) starts[++count] = at + 1;
  }
  if (HEX[bytes[star + 1]] * 16 + HEX[bytes[star + 2]] !== sum) return undefined;
  return { valid: true, name: sentence.name, talker, checked: true, data: reader.read(bytes, count, star, sentence) };
}

/** Reads the cells of the sentence with its $ at `start`; a tag block may begin at `head`. */
function parseCells(
  bytes: Uint8Array,
  head: number,
  start: number,
  address: number,
  end: number,
  isRequired: boolean,
): ParsedSentence | RefusedSentence {
  if (end - start > LINE_BYTES) return refused(`sentence has ${end - start} bytes, at most ${LINE_BYTES} are read`);
  const name = textOf(bytes, start + 1, address);
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
        return refused(`byte 0x${hexDigits(byte)} is ${star - start} bytes after the start of ${name}`);
      } else if ((byte === DOLLAR || byte === BANG) && addressEnd(bytes, star, end, true) > 0) {
        return refused(`another sentence begins ${star - start} bytes after the start of ${name}`);
      }
    }
    sum ^= byte;
  }
  if (star === end) {
    if (bytes[end - 1] === STAR || bytes[end - 2] === STAR) return refused(`checksum of ${name} is cut`);
    if (isRequired) return refused(`sentence ${name} has no checksum, which is required`);
  } else {
    const said = HEX[bytes[star + 1]] * 16 + HEX[bytes[star + 2]];
    if (said !== sum) return refused(`checksum of ${name} is ${hexDigits(sum)}, the sentence says ${hexDigits(said)}`);
    if (star + 3 < end) return refused(`${end - star - 3} bytes follow the checksum of ${name}`);
  }
  const identity = identify(name, bytes, address);
  const { talker } = identity;
  const sentence = identity.sentence ?? unknownSentence(identity.name);
  const data = reader.read(bytes, count, star, sentence);
  if (start > head) addTag(data, bytes, head);
  return { valid: true, name: sentence.name, talker, checked: star < end, data };
}

/** A sentence as it is in a text that begins with it: without a tag block before it, a line break and what follows. */
export function bareSentence(text: string): string {
  // a tag block has a checksum too
  return /^(?:\\[^\\\r\n]*\\)?([^\r\n]*?\*[0-9A-Fa-f]{2}|[^\r\n]*)/.exec(text)?.[1] ?? '';
}

function refused(reason: string): RefusedSentence {
  return { valid: false, reason };
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
