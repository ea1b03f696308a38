import { littleEndian } from '../../core/codec.ts';
import { uniqueNames } from '../../core/names.ts';
import { type Field, type FieldType, type Schema, TYPE_BYTES } from '../../core/schema.ts';

/**
 * What a FMT record says of one type of record. Names, format and columns come from the file, so they are data.
 * https://ardupilot.org/dev/docs/code-overview-adding-a-new-log-message.html
 */
export interface Definition {
  readonly type: number;
  /** Bytes of a record, its header of three included. */
  readonly length: number;
  readonly name: string;
  readonly format: string;
  readonly columns: string;
}

/** Bytes before the fields of a record: A3 95 type. */
export const HEADER_BYTES = 3;
/** The first two of them. */
export const HEAD_1 = 0xa3;
export const HEAD_2 = 0x95;
export const FMT_TYPE = 128;

/** The one definition that every reader must know, since it defines the others. */
export const FMT_DEFINITION: Definition = {
  type: FMT_TYPE,
  length: 89,
  name: 'FMT',
  format: 'BBnNZ',
  columns: 'Type,Length,Name,Format,Columns',
};

interface Character {
  readonly type: FieldType;
  readonly count: number;
  readonly divisor: number;
}

const one = (type: FieldType, divisor = 1): Character => ({ type, count: 1, divisor });

/** The 21 format characters. Scaled ones are divided, to give the decimal digits meant. ArduPilot has M as uint8_t. */
const CHARACTERS: ReadonlyMap<string, Character> = new Map([
  ['a', { type: 'int16', count: 32, divisor: 1 }],
  ['b', one('int8')],
  ['B', one('uint8')],
  ['M', one('uint8')],
  ['g', one('float16')],
  ['h', one('int16')],
  ['H', one('uint16')],
  ['c', one('int16', 100)],
  ['C', one('uint16', 100)],
  ['i', one('int32')],
  ['I', one('uint32')],
  ['e', one('int32', 100)],
  ['E', one('uint32', 100)],
  ['L', one('int32', 1e7)],
  ['f', one('float32')],
  ['d', one('float64')],
  ['q', one('int64')],
  ['Q', one('uint64')],
  ['n', { type: 'text', count: 4, divisor: 1 }],
  ['N', { type: 'text', count: 16, divisor: 1 }],
  ['Z', { type: 'text', count: 64, divisor: 1 }],
]);

export function characterOf(char: string): Character | undefined {
  return CHARACTERS.get(char);
}

/** Bytes that the format itself adds up to, header included; undefined where a character is not known. */
export function formatLength(format: string): number | undefined {
  let sum = HEADER_BYTES;
  for (const char of format) {
    const known = CHARACTERS.get(char);
    if (!known) return undefined;
    sum += TYPE_BYTES[known.type] * known.count;
  }
  return sum;
}

/** The columns of a definition with their characters; what has no counterpart on the other side is left out. */
export function pairColumns(definition: Definition): { name: string; char: string }[] {
  const chars = [...definition.format];
  const names = definition.columns === '' ? [] : definition.columns.split(',').map((name) => name.trim());
  const paired = uniqueNames(names.slice(0, chars.length));
  return paired.map((name, i) => ({ name, char: chars[i] }));
}

/** The schema of binary records of the stated length; fields beyond it, or after an unknown character, are left out. */
export function schemaOf(definition: Definition, length: number = definition.length): Schema {
  const fields: Field[] = [];
  let offset = HEADER_BYTES;
  let readable = true;
  for (const { name, char } of pairColumns(definition)) {
    const known = CHARACTERS.get(char);
    const bytes = known ? TYPE_BYTES[known.type] * known.count : 0;
    readable = readable && known !== undefined && offset + bytes <= length;
    fields.push(readable && known ? fieldOf(name, rawBytes(definition, char, known), offset) : unreadable(name));
    offset += bytes;
  }
  return { name: definition.name, fields, size: length, maxSize: length, instance: -1, codec: littleEndian };
}

/** FILE.Data is a piece of a file, not text. */
function rawBytes(definition: Definition, char: string, known: Character): Character {
  return definition.name === 'FILE' && char === 'Z' ? { ...known, type: 'bytes' } : known;
}

export function fieldOf(name: string, { type, count, divisor }: Character, offset: number): Field {
  return { name, type, count, offset, divisor, unit: '', multiplier: undefined, siUnit: '' };
}

function unreadable(name: string): Field {
  return fieldOf(name, one('unknown'), 0);
}
