import { type Codec, littleEndian, storedAt } from '../../core/codec.ts';
import { type Column, SIZE_BYTES } from '../../core/column.ts';
import { type Field, type Schema, TYPE_BYTES } from '../../core/schema.ts';
import { textOf } from '../../core/text.ts';
import { basicType, fieldOf } from './schema.ts';

/*
 * The messages of a ULog beside data, each a table whose name has capitals, so that no topic of PX4 is called like it.
 *
 *     | size uint16 | type | ...
 *     file header   "ULog" 01 12 35, version, start uint64
 *     B FLAGS       compatible uint8[8], incompatible uint8[8], appended uint64[3]
 *     F FORMAT      text
 *     I INFO        length of the key, key, value          a key is "type name" or "type[n] name"
 *     M MULTI       continued, length of the key, key, value
 *     P PARM        length of the key, key, value          int32_t or float, by others any number
 *     Q PARM_DEFAULT  kinds, length of the key, key, value
 *     A SUBSCRIPTION  multi id, number uint16, name
 *     R UNSUBSCRIPTION  number uint16
 *     L LOG         level, time uint64, text
 *     C LOG_TAGGED  level, tag uint16, time uint64, text
 *     S SYNC        2f 73 13 20 25 0c bb 12
 *     O DROPOUT     milliseconds uint16
 */

/** Bytes before the content of a message. */
export const HEAD = 3;
export const HEADER_BYTES = 16;

export const TYPE = {
  B: 0x42,
  F: 0x46,
  I: 0x49,
  M: 0x4d,
  P: 0x50,
  Q: 0x51,
  A: 0x41,
  R: 0x52,
  D: 0x44,
  L: 0x4c,
  C: 0x43,
  S: 0x53,
  O: 0x4f,
} as const;

/** For the header of the file, which is not a message. */
export const HEADER_TYPE = 0;

/** Widths of texts in columns: a table has those whose message is at most so long, so that none takes much more memory. */
const WIDTHS: readonly number[] = [64, 256, 1024, 4096, 16384, 65538];

/** Where a part of a message is that has no fixed place. */
type Place = (bytes: Uint8Array, at: number) => readonly [from: number, to: number];

const endOf = (bytes: Uint8Array, at: number): number => at + HEAD + bytes[at] + bytes[at + 1] * 256;
const rest =
  (from: number): Place =>
  (bytes, at) => [at + from, endOf(bytes, at)];

/** A key is "type name", with its length in the byte before it. */
function keyPlace(lengthAt: number, part: 'type' | 'name'): Place {
  return (bytes, at) => {
    const from = at + lengthAt + 1;
    const to = from + bytes[at + lengthAt];
    let space = from;
    while (space < to && bytes[space] !== 0x20) space++;
    return part === 'type' ? [from, space] : [Math.min(space + 1, to), to];
  };
}

function valuePlace(lengthAt: number): Place {
  return (bytes, at) => [at + lengthAt + 1 + bytes[at + lengthAt], endOf(bytes, at)];
}

/** A field with a special reader. */
interface Own {
  readonly field: Field;
  read(bytes: Uint8Array, at: number, column: Column, row: number): void;
}

function textField(name: string, width: number, place: Place): Own {
  const field = fieldOf(name, 'text', 0, width);
  return {
    field,
    read(bytes, at, column, row) {
      const [from, to] = place(bytes, at);
      column.bits8.set(bytes.subarray(from, Math.min(to, from + width)), row * width);
    },
  };
}

/** The value of an information as text: numbers in decimal, several with commas between them. */
function infoField(width: number, lengthAt: number): Own {
  const field = fieldOf('value', 'text', 0, width);
  const [typePlace, place] = [keyPlace(lengthAt, 'type'), valuePlace(lengthAt)];
  return {
    field,
    read(bytes, at, column, row) {
      const [from, to] = place(bytes, at);
      const type = basicType(textOf(bytes, ...typePlace(bytes, at)).replace(/\[.*/, ''));
      const text =
        type === 'text' || type === undefined
          ? bytes.subarray(from, Math.min(to, from + width))
          : encoder.encode(numbersIn(bytes.subarray(from, to), type)).subarray(0, width);
      column.bits8.set(text, row * width);
    },
  };
}

function numbersIn(bytes: Uint8Array, type: Field['type']): string {
  const step = TYPE_BYTES[type];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const numbers: string[] = [];
  for (let at = 0; at + step <= bytes.length; at += step) numbers.push(String(storedAt(view, at, type)));
  return numbers.join(',');
}

function bytesField(width: number, place: Place): Own {
  const count = Math.min(width, 65_535) + SIZE_BYTES;
  return {
    field: { ...fieldOf('value', 'bytes', 0, count), isSized: true },
    read(bytes, at, { bits8 }, row) {
      const [from, to] = place(bytes, at);
      const length = Math.min(to - from, count - SIZE_BYTES);
      const out = row * count;
      bits8[out] = length & 0xff;
      bits8[out + 1] = length >> 8;
      bits8.set(bytes.subarray(from, from + length), out + SIZE_BYTES);
    },
  };
}

/** The value of a parameter, of the type that its key says. */
function parameterField(lengthAt: number): Own {
  const [typePlace, place] = [keyPlace(lengthAt, 'type'), valuePlace(lengthAt)];
  return {
    field: fieldOf('Value', 'float64', 0),
    read(bytes, at, column, row) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const type = basicType(textOf(bytes, ...typePlace(bytes, at)));
      column.data[row] = type ? Number(storedAt(view, place(bytes, at)[0], type)) : Number.NaN;
    },
  };
}

/** Levels are the characters '0' to '7'. */
const LEVEL: Own = {
  field: fieldOf('level', 'uint8', HEAD),
  read(bytes, at, { bits8 }, row) {
    bits8[row] = bytes[at + HEAD] - 0x30;
  },
};

const encoder = new TextEncoder();

/** The names of parameters and information are as long as their keys allow. */
const KEY_BYTES = 255;

function partsOf(type: number, isBinary: boolean, width: number): [name: string, parts: readonly (Field | Own)[]] {
  const key = Math.min(width, KEY_BYTES);
  switch (type) {
    case HEADER_TYPE:
      return ['HEADER', [fieldOf('version', 'uint8', 7), fieldOf('start', 'uint64', 8)]];
    case TYPE.B:
      return [
        'FLAGS',
        [fieldOf('compat', 'uint8', 3, 8), fieldOf('incompat', 'uint8', 11, 8), fieldOf('appended', 'uint64', 19, 3)],
      ];
    case TYPE.F:
      return ['FORMAT', [textField('format', width, rest(HEAD))]];
    case TYPE.I:
    case TYPE.M: {
      const lengthAt = type === TYPE.I ? 3 : 4;
      const value = isBinary ? bytesField(width, valuePlace(lengthAt)) : infoField(width, lengthAt);
      const own = [
        textField('key', key, keyPlace(lengthAt, 'name')),
        textField('type', key, keyPlace(lengthAt, 'type')),
      ];
      const name = `${type === TYPE.I ? 'INFO' : 'MULTI'}${isBinary ? '_DATA' : ''}`;
      return [name, type === TYPE.I ? [...own, value] : [fieldOf('continued', 'uint8', 3), ...own, value]];
    }
    case TYPE.P:
      return ['PARM', [textField('Name', key, keyPlace(3, 'name')), parameterField(3)]];
    case TYPE.Q:
      return [
        'PARM_DEFAULT',
        [fieldOf('Kinds', 'uint8', 3), textField('Name', key, keyPlace(4, 'name')), parameterField(4)],
      ];
    case TYPE.A:
      return [
        'SUBSCRIPTION',
        [fieldOf('multi_id', 'uint8', 3), fieldOf('msg_id', 'uint16', 4), textField('name', width, rest(6))],
      ];
    case TYPE.R:
      return ['UNSUBSCRIPTION', [fieldOf('msg_id', 'uint16', 3)]];
    case TYPE.L:
      return ['LOG', [fieldOf('timestamp', 'uint64', 4), LEVEL, textField('text', width, rest(12))]];
    case TYPE.C:
      return [
        'LOG_TAGGED',
        [fieldOf('timestamp', 'uint64', 6), LEVEL, fieldOf('tag', 'uint16', 4), textField('text', width, rest(14))],
      ];
    case TYPE.S:
      return ['SYNC', [fieldOf('magic', 'uint8', HEAD, 8)]];
    default:
      return ['DROPOUT', [fieldOf('duration', 'uint16', HEAD)]];
  }
}

const FIXED: ReadonlyMap<number, number> = new Map([
  [HEADER_TYPE, HEADER_BYTES],
  [TYPE.B, HEAD + 40],
  [TYPE.R, HEAD + 2],
  [TYPE.S, HEAD + 8],
  [TYPE.O, HEAD + 2],
]);

/** Most tables of messages other than data: each width of text, with and without bytes. */
export const MESSAGE_TABLES: number = Object.keys(TYPE).length * WIDTHS.length * 2;

/** Index of the width of the texts of a message of this size. */
function widthIndex(bytes: number): number {
  return WIDTHS.findIndex((width) => bytes <= width);
}

/** The schemas of messages, made when they are first met. */
export class MessageSchemas {
  private readonly schemas: Map<number, Schema> = new Map();

  /** @param isBinary whether the value of an information is bytes rather than text */
  schemaOf(type: number, bytes: number, isBinary: boolean): Schema {
    const size = FIXED.get(type) ?? 0;
    const index = size > 0 ? 0 : widthIndex(bytes);
    const key = type * 32 + index * 2 + (isBinary ? 1 : 0);
    const known = this.schemas.get(key);
    if (known) return known;
    const [name, parts] = partsOf(type, isBinary, WIDTHS[index]);
    const own = parts.flatMap((part) => ('field' in part ? [part] : []));
    const fields = parts.map((part) => ('field' in part ? part.field : part));
    const maxSize = size > 0 ? size : WIDTHS[index];
    const codec = own.length === 0 ? littleEndian : ownCodec(own);
    const schema: Schema = { name, fields, size, maxSize, instance: -1, codec };
    this.schemas.set(key, schema);
    return schema;
  }
}

function ownCodec(own: readonly Own[]): Codec {
  const readers = new Map(own.map((each) => [each.field, each]));
  return {
    read(bytes, starts, count, columns, row) {
      littleEndian.read(
        bytes,
        starts,
        count,
        columns.filter(({ field }) => !readers.has(field)),
        row,
      );
      for (const column of columns) {
        const reader = readers.get(column.field);
        for (let i = 0; reader && i < count; i++) reader.read(bytes, starts[i], column, row + i);
      }
    },
  };
}
