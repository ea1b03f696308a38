import { halfToNumber } from '../core/codec.ts';
import type { Column } from '../core/column.ts';
import { type Field, type FieldType, isNumeric } from '../core/schema.ts';

/** What a value is when it is written: numbers after their scaling, each in the narrowest type that holds it exactly. */
export type PlainType = Exclude<FieldType, 'float16' | 'unknown'>;

/** Typed arrays of values as they are written. */
type PlainData = Column['data'];

/**
 * Values of a field of some rows as files of columns keep them: one after the other, `count` to a row, and beside them a
 * bit for each, set where there is one, the lowest bit of a byte first. Without bits, no value is missing.
 */
export interface Plain {
  readonly type: PlainType;
  readonly count: number;
  readonly data: PlainData;
  /** A bit for each row. */
  readonly rows?: Uint8Array<ArrayBuffer> | undefined;
  /** A bit for each element, where there are several to a row. */
  readonly elements?: Uint8Array<ArrayBuffer> | undefined;
}

export interface PlainOptions {
  /** Values in SI units by the log's own multipliers. */
  readonly si?: boolean | undefined;
}

export function plainType({ type, divisor, multiplier }: Field, { si = false }: PlainOptions = {}): PlainType {
  if (type === 'unknown') return 'text';
  if (!isNumeric(type)) return type as PlainType;
  if (divisor !== 1 || (si && multiplier !== undefined)) return 'float64';
  return type === 'float16' ? 'float32' : type;
}

/** The numbers of rows [from, to) of a column, not texts or bytes. @param scratch memory for scaled ones */
export function plainNumbers(
  column: Column,
  from: number,
  to: number,
  options: PlainOptions = {},
  scratch?: Float64Array<ArrayBuffer>,
): Plain {
  const { count } = column.field;
  const type = plainType(column.field, options);
  return { type, count, data: dataOf(column, from, to, options, scratch), ...missing(column, from, to) };
}

function dataOf(
  column: Column,
  from: number,
  to: number,
  { si = false }: PlainOptions,
  scratch?: Float64Array<ArrayBuffer>,
): PlainData {
  const { type, count, divisor, multiplier } = column.field;
  const [start, stop] = [from * count, to * count];
  if (si && multiplier !== undefined) return siNumbers(column, from, to);
  if (type === 'float16') return halves(column.data as Uint16Array, start, stop, divisor);
  if (divisor === 1) return column.data.subarray(start, stop) as PlainData;
  const length = stop - start;
  const out = scratch && scratch.length >= length ? scratch.subarray(0, length) : new Float64Array(length);
  const { data } = column;
  for (let i = start; i < stop; i++) out[i - start] = Number(data[i]) / divisor;
  return out;
}

function halves(data: Uint16Array, start: number, stop: number, divisor: number): PlainData {
  const out = divisor === 1 ? new Float32Array(stop - start) : new Float64Array(stop - start);
  for (let i = start; i < stop; i++) out[i - start] = halfToNumber(data[i]) / divisor;
  return out;
}

function siNumbers(column: Column, from: number, to: number): Float64Array {
  const { count } = column.field;
  const out = new Float64Array((to - from) * count);
  for (let row = from, at = 0; row < to; row++, at += count) {
    const value = column.si(row);
    if (Array.isArray(value)) for (let k = 0; k < count; k++) out[at + k] = value[k] ?? 0;
    else out[at] = Number(value);
  }
  return out;
}

function missing(column: Column, from: number, to: number): Pick<Plain, 'rows' | 'elements'> {
  const { count, invalid, invalidByElement } = column.field;
  if (invalid === undefined && invalidByElement === undefined) return {};
  const rows = bits(to - from, (i) => !column.isMissing(from + i));
  if (count === 1) return { rows };
  return { rows, elements: bits((to - from) * count, (i) => !column.isInvalid(from * count + i)) };
}

/** A bit for each of some indices; undefined where all would be set. */
export function bits(length: number, isSet: (index: number) => boolean): Uint8Array<ArrayBuffer> | undefined {
  let out: Uint8Array<ArrayBuffer> | undefined;
  for (let i = 0; i < length; i++) {
    if (isSet(i)) continue;
    // whole words of 64 bits: copying may read past the last byte
    out ??= new Uint8Array(Math.ceil(length / 64) * 8).fill(0xff);
    out[i >> 3] &= ~(1 << (i & 7));
  }
  return out;
}

/** Texts or bytes one after the other: those of row i are between offsets i and i + 1. */
export interface PlainTexts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: Int32Array<ArrayBuffer>;
}

const encoder = new TextEncoder();

/** The texts of rows [from, to) in UTF-8, or their bytes as they are; of a field that cannot be read, none. */
export function plainTexts(column: Column, from: number, to: number): PlainTexts {
  const { type, count } = column.field;
  const offsets = new Int32Array(to - from + 1);
  if (type === 'unknown') return { bytes: new Uint8Array(0), offsets };
  const stored = column.bits8;
  // a letter of Latin-1 takes two bytes in UTF-8
  let bytes = new Uint8Array((to - from) * count);
  let end = 0;
  for (let row = from; row < to; row++) {
    let start = row * count;
    let stop = start;
    let isAscii = true;
    if (type === 'bytes') [start, stop] = column.rangeOf(row);
    else for (; stop < start + count && stored[stop] !== 0; stop++) isAscii &&= stored[stop] < 0x80;
    const text = isAscii ? stored.subarray(start, stop) : encoder.encode(column.at(row) as string);
    if (end + text.length > bytes.length) {
      const larger = new Uint8Array(2 * (end + text.length));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(text, end);
    end += text.length;
    offsets[row - from + 1] = end;
  }
  return { bytes: bytes.subarray(0, end), offsets };
}
