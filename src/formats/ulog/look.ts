import { TYPE_BYTES } from '../../core/schema.ts';
import { textOf } from '../../core/text.ts';
import { HEAD, TYPE } from './messages.ts';
import { basicType, NAME_LETTER } from './schema.ts';

/*
 * What can be told of a message by its own bytes, whatever the log defines. There is no checksum; what tells a message
 * from bytes that look like one is that others follow it.
 */

/** No message. */
export const NO = -1;
/** More bytes are needed. */
export const MORE = -2;
/** A message, or a chain of them. */
export const YES = 1;

const MAGIC: readonly number[] = [0x55, 0x4c, 0x6f, 0x67, 0x01, 0x12, 0x35];
export const MAGIC_BYTES: number = MAGIC.length;
/** A sync message, its head included. */
const SYNC: readonly number[] = [8, 0, TYPE.S, 0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12];
export const SYNC_BYTES: number = SYNC.length;

/** Whether bytes are those of the header of a file, as far as there are any. */
export function isMagic(bytes: Uint8Array, at: number): boolean {
  return isLike(bytes, at, MAGIC);
}

export function isSync(bytes: Uint8Array, at: number): boolean {
  return isLike(bytes, at, SYNC);
}

function isLike(bytes: Uint8Array, at: number, expected: readonly number[]): boolean {
  const count = Math.min(expected.length, bytes.length - at);
  for (let i = 0; i < count; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** By type: 1 for those that there are. */
export const IS_TYPE: Uint8Array = new Uint8Array(256);
for (const type of Object.values(TYPE)) IS_TYPE[type] = 1;

/** Bytes of a message that are looked at, its head included: a key of 255, or the name of a format. */
const LOOK = HEAD + 2 + 255;
/** By byte: 1 for those of names, 2 for those that texts do not have. */
const KIND: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (NAME_LETTER.test(String.fromCharCode(byte))) return 1;
  // tabs, line breaks and the escape that begins a colour
  return byte < 0x20 && !(byte >= 7 && byte <= 13) && byte !== 0x1b ? 2 : 0;
});

/** Fewest bytes of the content of a message that has no fixed number of them. */
const LEAST: Readonly<Record<number, number>> = {
  [TYPE.F]: 2,
  [TYPE.I]: 4,
  [TYPE.M]: 5,
  [TYPE.P]: 8,
  [TYPE.Q]: 9,
  [TYPE.A]: 4,
  [TYPE.L]: 9,
  [TYPE.C]: 11,
};

/** Bytes of a message other than data and flags, or NO or MORE. @param final cut ones are judged by their beginning */
export function messageBytes(bytes: Uint8Array, at: number, final: boolean): number {
  const type = bytes[at + 2];
  const whole = HEAD + bytes[at] + bytes[at + 1] * 256;
  const left = bytes.length - at;
  if (type === TYPE.S) {
    if (whole !== SYNC_BYTES || !isSync(bytes, at)) return NO;
    return left >= SYNC_BYTES || final ? whole : MORE;
  }
  if (type === TYPE.O || type === TYPE.R) return whole === HEAD + 2 ? whole : NO;
  if (!(whole >= HEAD + LEAST[type])) return NO;
  if (left < Math.min(whole, LOOK)) return final ? whole : MORE;
  return isMessage(bytes, at, whole, type) ? whole : NO;
}

function isMessage(bytes: Uint8Array, at: number, whole: number, type: number): boolean {
  const end = at + whole;
  switch (type) {
    case TYPE.F:
      return isFormat(bytes, at + HEAD, Math.min(end, at + LOOK));
    case TYPE.A:
      return whole <= LOOK && areNames(bytes, at + HEAD + 3, end);
    case TYPE.L:
      return isLevel(bytes[at + HEAD]) && isText(bytes, at + HEAD + 1, end);
    case TYPE.C:
      return isLevel(bytes[at + HEAD]) && isText(bytes, at + HEAD + 3, end);
    case TYPE.I:
      return HEAD + 1 + bytes[at + 3] <= whole && infoBytes(bytes, at, 3) === whole;
    case TYPE.M:
      return bytes[at + HEAD] <= 1 && HEAD + 2 + bytes[at + 4] <= whole && infoBytes(bytes, at, 4) === whole;
    case TYPE.P:
      return isParameter(bytes, at, whole, 3);
    default:
      return isParameter(bytes, at, whole, 4);
  }
}

/** Whether a message ends where it says by more than chance. */
export function isExact(type: number): boolean {
  return type === TYPE.S || type === TYPE.P || type === TYPE.Q || type === TYPE.B;
}

function areNames(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (KIND[bytes[i]] !== 1) return false;
  return from < to;
}

/** A name, and a colon. */
function isFormat(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && KIND[bytes[at]] === 1) at++;
  return at > from && at < to && bytes[at] === 0x3a;
}

function isLevel(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x37;
}

/** Whether the upper bytes are of microseconds since boot (under nine years) or of a date from 2005 to 2093. */
export function isTimeLike(upper: number, top: number): boolean {
  return top === 0 && (upper === 0 || (upper >= 4 && upper <= 13));
}

/** A time, and a text; what fills it up at its end is zeros. */
function isText(bytes: Uint8Array, at: number, end: number): boolean {
  if (!isTimeLike(bytes[at + 6], bytes[at + 7])) return false;
  const to = Math.min(end, at + LOOK);
  let i = at + 8;
  for (; i < to && bytes[i] !== 0; i++) if (KIND[bytes[i]] === 2) return false;
  for (; i < to; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** One number: PX4 has int32_t and float alone, others any. */
function isParameter(bytes: Uint8Array, at: number, whole: number, lengthAt: number): boolean {
  const { type = '', count } = keyAt(bytes, at + lengthAt) ?? {};
  return type !== 'char' && count === undefined && infoBytes(bytes, at, lengthAt) === whole;
}

/** What the key of an information says of its value. */
export interface Key {
  readonly type: string;
  /** Undefined for a value that is not an array. */
  readonly count: number | undefined;
}

/** The key at the offset of its length. Compares bytes, since keys may be anywhere and texts would be slow. */
export function keyAt(bytes: Uint8Array, at: number): Key | undefined {
  const end = at + 1 + bytes[at];
  let i = at + 1;
  while (i < end && i <= at + LONGEST_TYPE && isTypeLetter(bytes[i])) i++;
  if (i === at + 1) return undefined;
  const type = textOf(bytes, at + 1, i);
  let count: number | undefined;
  if (bytes[i] === 0x5b) {
    const from = ++i;
    count = 0;
    for (; i < from + 5 && bytes[i] >= 0x30 && bytes[i] <= 0x39; i++) count = count * 10 + bytes[i] - 0x30;
    if (i === from || bytes[i++] !== 0x5d) return undefined;
  }
  return i + 1 < end && bytes[i] === 0x20 && bytes[i + 1] > 0x20 ? { type, count } : undefined;
}

function isTypeLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f;
}

/** The bytes of a message with a key and a value, by the type in the key; NO where the key is none. */
function infoBytes(bytes: Uint8Array, at: number, lengthAt: number): number {
  const key = keyAt(bytes, at + lengthAt);
  const basic = key && basicType(key.type);
  if (!key || !basic) return NO;
  // texts and other arrays may have another length than their key says: PX4 writes the last piece of several so
  if (key.count !== undefined) return HEAD + bytes[at] + bytes[at + 1] * 256;
  return lengthAt + 1 + bytes[at + lengthAt] + TYPE_BYTES[basic];
}

/** Letters of the longest name of a basic type. */
const LONGEST_TYPE = 8;
