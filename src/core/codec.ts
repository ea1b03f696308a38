import type { Column, Value } from './column.ts';
import { type Field, type FieldType, TYPE_BYTES } from './schema.ts';
import { textOf } from './text.ts';

/** Reads fields of records into columns: one loop per field over a block, so that each loop sees one type only. */
export interface Codec {
  /**
   * @param bytes  holds whole records
   * @param starts index into bytes of each record
   * @param count  how many of `starts` are used
   * @param columns the columns to fill, each made for its field
   * @param row    the row of each column that the first record fills
   */
  read(bytes: Uint8Array, starts: Int32Array, count: number, columns: readonly Column[], row: number): void;
}

/**
 * Little-endian fields at fixed places, the layout of DataFlash, MAVLink and ULog records.
 *
 * Values are moved as bits, not as numbers: an int32 and a float32 are the same four bytes, so one loop per width
 * serves every type, and the column's own typed array gives the bits their meaning.
 */
export const littleEndian: Codec = {
  read(bytes, starts, count, columns, row) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let k = 0; k < columns.length; k++) {
      const one = columns[k];
      const two = k + 1 < columns.length ? columns[k + 1] : undefined;
      if (two !== undefined && isAlike(one, two)) {
        copyTwo(bytes, view, starts, count, one, two, row);
        k++;
      } else {
        copyOne(bytes, view, starts, count, one, row);
      }
    }
  },
};

/** Whether two columns are read in one loop, which looks up half as often where records begin. */
function isAlike({ rowBytes, bits32, isBool }: Column, other: Column): boolean {
  if (rowBytes !== other.rowBytes) return false;
  if (rowBytes === 1) return isBool === other.isBool;
  return (rowBytes === 4 || rowBytes === 8) && bits32 !== undefined && other.bits32 !== undefined;
}

function copyTwo(
  bytes: Uint8Array,
  view: DataView,
  starts: Int32Array,
  count: number,
  one: Column,
  two: Column,
  row: number,
): void {
  if (one.rowBytes === 1) copyTwo1(bytes, starts, count, one, two, row, one.isBool ? 1 : 255);
  else if (one.rowBytes === 4) copyTwo4(view, starts, count, one, two, row);
  else copyTwo8(view, starts, count, one, two, row);
}

function copyOne(
  bytes: Uint8Array,
  view: DataView,
  starts: Int32Array,
  count: number,
  column: Column,
  row: number,
): void {
  const { rowBytes, offset, isBool, bits8, bits16, bits32 } = column;
  if (rowBytes === 0) return;
  if (rowBytes === 1) copy1(bytes, starts, count, offset, bits8, row, isBool ? 1 : 255);
  else if (rowBytes === 2 && bits16) copy2(view, starts, count, offset, bits16, row);
  else if (rowBytes === 4 && bits32) copy4(view, starts, count, offset, bits32, row);
  else if (rowBytes === 8 && bits32) copy8(view, starts, count, offset, bits32, row);
  else if (bits32) copyWords(view, starts, count, offset, rowBytes >> 2, bits32, row);
  else copyMany(bytes, starts, count, offset, rowBytes, column, row);
}

/** One scalar or text of one record as a value: for the few records that a decoder itself must understand. */
export function valueAt(bytes: Uint8Array, start: number, { type, count, offset, divisor }: Field): Value {
  const at = start + offset;
  if (type === 'text') return textOf(bytes, at, at + count);
  const stored = storedAt(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at, type);
  return typeof stored === 'number' && divisor !== 1 ? stored / divisor : stored;
}

/** A number as it is stored, little-endian; null for what is none. */
export function storedAt(view: DataView, at: number, type: FieldType): number | bigint | null {
  switch (type) {
    case 'int8':
      return view.getInt8(at);
    case 'uint8':
      return view.getUint8(at);
    case 'int16':
      return view.getInt16(at, true);
    case 'uint16':
      return view.getUint16(at, true);
    case 'int32':
      return view.getInt32(at, true);
    case 'uint32':
      return view.getUint32(at, true);
    case 'int64':
      return view.getBigInt64(at, true);
    case 'uint64':
      return view.getBigUint64(at, true);
    case 'float16':
      return halfToNumber(view.getUint16(at, true));
    case 'float32':
      return view.getFloat32(at, true);
    case 'float64':
      return view.getFloat64(at, true);
    default:
      return null;
  }
}

/** Stores a number as `storedAt` reads it, modulo what the type holds. */
export function storeAt(view: DataView, at: number, type: FieldType, value: number | bigint, little = true): void {
  const bytes = TYPE_BYTES[type];
  if (type === 'float16') view.setUint16(at, numberToHalf(Number(value)), little);
  else if (type === 'float32') view.setFloat32(at, Number(value), little);
  else if (type === 'float64') view.setFloat64(at, Number(value), little);
  else if (bytes === 8) view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), little);
  else if (bytes === 4) view.setUint32(at, Number(value), little);
  else if (bytes === 2) view.setUint16(at, Number(value), little);
  else view.setUint8(at, Number(value));
}

/** The least and the greatest number of an integer type. */
export function boundsOf(type: FieldType): readonly [least: bigint, most: bigint] | undefined {
  const bits = BigInt(8 * TYPE_BYTES[type]);
  if (type.startsWith('uint')) return [0n, 2n ** bits - 1n];
  return type.startsWith('int') ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : undefined;
}

/** @param most to which larger bytes are lowered: 1 for a bool, which may be any byte of memory that was never written */
function copy1(
  bytes: Uint8Array,
  starts: Int32Array,
  count: number,
  at: number,
  out: Uint8Array,
  row: number,
  most: number,
): void {
  for (let i = 0; i < count; i++) {
    const byte = bytes[starts[i] + at];
    out[row + i] = byte > most ? most : byte;
  }
}

function copyTwo1(
  bytes: Uint8Array,
  starts: Int32Array,
  count: number,
  { offset: a, bits8: one }: Column,
  { offset: b, bits8: two }: Column,
  row: number,
  most: number,
): void {
  for (let i = 0; i < count; i++) {
    const start = starts[i];
    const first = bytes[start + a];
    const second = bytes[start + b];
    one[row + i] = first > most ? most : first;
    two[row + i] = second > most ? most : second;
  }
}

function copyTwo4(view: DataView, starts: Int32Array, count: number, a: Column, b: Column, row: number): void {
  const one = a.bits32 as Int32Array;
  const two = b.bits32 as Int32Array;
  for (let i = 0; i < count; i++) {
    const start = starts[i];
    one[row + i] = view.getInt32(start + a.offset, true);
    two[row + i] = view.getInt32(start + b.offset, true);
  }
}

function copyTwo8(view: DataView, starts: Int32Array, count: number, a: Column, b: Column, row: number): void {
  const one = a.bits32 as Int32Array;
  const two = b.bits32 as Int32Array;
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const first = starts[i] + a.offset;
    const second = starts[i] + b.offset;
    one[o] = view.getInt32(first, true);
    one[o + 1] = view.getInt32(first + 4, true);
    two[o] = view.getInt32(second, true);
    two[o + 1] = view.getInt32(second + 4, true);
  }
}

function copy2(view: DataView, starts: Int32Array, count: number, at: number, out: Uint16Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getUint16(starts[i] + at, true);
}

function copy4(view: DataView, starts: Int32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getInt32(starts[i] + at, true);
}

function copy8(view: DataView, starts: Int32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const p = starts[i] + at;
    out[o] = view.getInt32(p, true);
    out[o + 1] = view.getInt32(p + 4, true);
  }
}

/** Arrays of what takes four or eight bytes: a word at a time. */
function copyWords(
  view: DataView,
  starts: Int32Array,
  count: number,
  at: number,
  words: number,
  out: Int32Array,
  row: number,
): void {
  for (let i = 0, o = row * words; i < count; i++) {
    const p = starts[i] + at;
    for (let k = 0; k < words; k++) out[o++] = view.getInt32(p + 4 * k, true);
  }
}

/** Text, bytes and arrays of what takes less: element order is byte order, so they too are moved as they are. */
function copyMany(
  bytes: Uint8Array,
  starts: Int32Array,
  count: number,
  at: number,
  width: number,
  column: Column,
  row: number,
): void {
  const out = column.bits8;
  const first = row * width;
  for (let i = 0, o = first; i < count; i++) {
    const p = starts[i] + at;
    for (let k = 0; k < width; k++) out[o++] = bytes[p + k];
  }
  if (column.isBool) for (let o = first; o < first + count * width; o++) if (out[o] > 1) out[o] = 1;
}

/**
 * IEEE 754 half precision to a number.
 *
 *     15   14..10     9..0
 *     sign exponent   fraction
 */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The half precision number nearest to `value`, ties to even. */
export function numberToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return sign | 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  // a fraction that rounds up to 1024 carries into the exponent, which is what the sum does
  return sign | (((exponent + 15) << 10) + roundToEven((size / 2 ** exponent - 1) * 1024));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 === 1)) return floor + 1;
  return floor;
}
