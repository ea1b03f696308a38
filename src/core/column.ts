import { halfToNumber } from './codec.ts';
import { type Field, isNumeric, TYPE_BYTES } from './schema.ts';
import { textOf } from './text.ts';

/** Typed arrays that a column may keep its values in. */
export type ColumnData =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** A value as users see it. Integers beyond 2^53 are bigint; what cannot be read or is missing is null. */
export type Value = number | bigint | string | Uint8Array | readonly (number | bigint | null)[] | null;

const TWO_32 = 2 ** 32;
/** Bytes before those of a sized field. */
export const SIZE_BYTES = 2;

/** One field of many records, typed as on the wire: `data` is as stored; `at` and `numbers` scale it. */
export class Column {
  readonly field: Field;
  readonly length: number;
  /** Of the field, for codecs: looked up once, not with each piece of a column. */
  readonly rowBytes: number;
  readonly offset: number;
  readonly isBool: boolean;
  /** What was stored: `field.count` elements a row. A float16 is here as its 16 bits. */
  readonly data: ColumnData;
  /** The same memory by the byte, and by words where it has them: what codecs write to. */
  readonly bits8: Uint8Array;
  readonly bits16: Uint16Array | undefined;
  readonly bits32: Int32Array | undefined;

  /** @param memory with the values from this byte on, for a column that is a part of another */
  constructor(field: Field, length: number, memory?: ArrayBuffer, from = 0) {
    this.field = field;
    this.length = length;
    const width = TYPE_BYTES[field.type];
    this.rowBytes = field.count * width;
    this.offset = field.offset;
    this.isBool = field.isBool === true;
    const size = length * this.rowBytes;
    const buffer = memory ?? new ArrayBuffer(size);
    this.data = dataOf(field, buffer, from, width === 0 ? 0 : length * field.count);
    this.bits8 = new Uint8Array(buffer, from, size);
    this.bits16 = width === 2 ? new Uint16Array(buffer, from, size / 2) : undefined;
    this.bits32 = width >= 4 ? new Int32Array(buffer, from, size / 4) : undefined;
  }

  /** Rows [from, to) as a column in the same memory. */
  slice(from: number, to: number): Column {
    const { field, bits8, rowBytes } = this;
    const start = bits8.byteOffset + from * rowBytes;
    return new Column(field, to - from, bits8.buffer as ArrayBuffer, start);
  }

  /** The value of a row, scaled as the source scales it. */
  at(row: number): Value {
    const { type, count } = this.field;
    switch (type) {
      case 'text':
        return textOf(this.bits8, row * count, (row + 1) * count);
      case 'bytes':
        return this.bits8.slice(...this.rangeOf(row));
      case 'unknown':
        return null;
    }
    if (this.isMissing(row)) return null;
    if (count === 1 && !this.field.isList) return this.scalar(row);
    return this.elements(row, (index) => this.scalar(index));
  }

  /** Where the bytes of a row begin and end in `bits8`. */
  rangeOf(row: number): [start: number, end: number] {
    const { count, isSized } = this.field;
    const start = row * count;
    if (!isSized) return [start, start + count];
    const from = start + SIZE_BYTES;
    return [from, from + this.bits8[start] + this.bits8[start + 1] * 256];
  }

  /** Whether the row as a whole holds the number that means "missing". */
  isMissing(row: number): boolean {
    const { invalid, count, invalidByFirst, isList } = this.field;
    if (invalid === undefined || isList) return false;
    return (count === 1 || invalidByFirst === true) && this.isInvalid(row * count);
  }

  /** Whether one element holds the number that means "missing". */
  isInvalid(index: number): boolean {
    const { invalidByElement, count } = this.field;
    const invalid = invalidByElement ? invalidByElement[index % count] : this.field.invalid;
    if (invalid === undefined) return false;
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number that mean the same are equal here
    return this.data[index] == invalid || (Number.isNaN(invalid as number) && Number.isNaN(this.data[index] as number));
  }

  private elements(row: number, value: (index: number) => number | bigint): (number | bigint | null)[] {
    const { count, isList } = this.field;
    let length = count;
    while (isList && length > 0 && this.isInvalid(row * count + length - 1)) length--;
    return Array.from({ length }, (_, k) => {
      const index = row * count + k;
      return this.isInvalid(index) ? null : value(index);
    });
  }

  private scalar(index: number): number | bigint {
    const value = this.element(index);
    if (Number.isSafeInteger(value) || this.field.divisor !== 1) return value;
    const data = this.data;
    return data instanceof BigInt64Array || data instanceof BigUint64Array ? data[index] : value;
  }

  /** The element at an index as a number: NaN if none. 64-bit integers are rounded. */
  private element(index: number): number {
    const stored = this.stored(index);
    return this.field.divisor === 1 ? stored : stored / this.field.divisor;
  }

  private stored(index: number): number {
    switch (this.field.type) {
      case 'float16':
        return halfToNumber(this.data[index] as number);
      case 'uint64': {
        const words = this.bits32 as Int32Array;
        return (words[index * 2] >>> 0) + (words[index * 2 + 1] >>> 0) * TWO_32;
      }
      case 'int64': {
        const words = this.bits32 as Int32Array;
        return (words[index * 2] >>> 0) + words[index * 2 + 1] * TWO_32;
      }
      default:
        return this.data[index] as number;
    }
  }

  /** Every bit of an integer. */
  exact(row: number): bigint {
    const stored = this.data[row * this.field.count];
    return typeof stored === 'bigint' ? stored : BigInt(Math.trunc(stored));
  }

  /** The value of a row in SI units: the stored number times the multiplier that the source names for it. */
  si(row: number): Value {
    const factor = this.field.multiplier;
    if (factor === undefined || !isNumeric(this.field.type)) return this.at(row);
    if (this.isMissing(row)) return null;
    if (this.field.count === 1 && !this.field.isList) return times(this.stored(row), factor);
    return this.elements(row, (index) => times(this.stored(index), factor));
  }

  /** All values as numbers in SI units, as `numbers` gives them otherwise. */
  siNumbers(): Float64Array {
    const { multiplier, divisor } = this.field;
    const out = this.numbers();
    if (multiplier === undefined || (multiplier === 1 && divisor === 1)) return out;
    const over = divisorOf(multiplier);
    for (let i = 0; i < out.length; i++) {
      const stored = out[i] * divisor;
      out[i] = over === undefined ? stored * multiplier : stored / over;
    }
    return out;
  }

  /** All values as numbers: for an array field its elements one after the other; NaN if none. */
  numbers(): Float64Array {
    const out = new Float64Array(isNumeric(this.field.type) ? this.length * this.field.count : this.length);
    if (!isNumeric(this.field.type)) return out.fill(Number.NaN);
    const { type, divisor } = this.field;
    if (type === 'uint64') {
      const words = this.bits32 as Int32Array;
      for (let i = 0; i < out.length; i++) out[i] = (words[2 * i] >>> 0) + (words[2 * i + 1] >>> 0) * TWO_32;
    } else if (type === 'float16' || type === 'int64') {
      for (let i = 0; i < out.length; i++) out[i] = this.stored(i);
    } else {
      out.set(this.data as Float64Array);
    }
    if (divisor !== 1) for (let i = 0; i < out.length; i++) out[i] /= divisor;
    if (this.field.invalid !== undefined || this.field.invalidByElement !== undefined) {
      for (let i = 0; i < out.length; i++) {
        if (this.isInvalid(i) || this.isMissing(Math.floor(i / this.field.count))) out[i] = Number.NaN;
      }
    }
    return out;
  }
}

function times(value: number, factor: number): number {
  const divisor = divisorOf(factor);
  return divisor === undefined ? value * factor : value / divisor;
}

/** 1234 * 0.01 is 12.340000000000002 in binary, 1234 / 100 is 12.34: what to divide by where the factor is one over an integer. */
function divisorOf(factor: number): number | undefined {
  const divisor = Math.round(1 / factor);
  return Math.abs(factor) < 1 && Math.abs(1 / factor - divisor) < 1e-9 * divisor ? divisor : undefined;
}

function dataOf(field: Field, buffer: ArrayBuffer, from: number, elements: number): ColumnData {
  switch (field.type) {
    case 'int8':
      return new Int8Array(buffer, from, elements);
    case 'int16':
      return new Int16Array(buffer, from, elements);
    case 'uint16':
    case 'float16':
      return new Uint16Array(buffer, from, elements);
    case 'int32':
      return new Int32Array(buffer, from, elements);
    case 'uint32':
      return new Uint32Array(buffer, from, elements);
    case 'int64':
      return new BigInt64Array(buffer, from, elements);
    case 'uint64':
      return new BigUint64Array(buffer, from, elements);
    case 'float32':
      return new Float32Array(buffer, from, elements);
    case 'float64':
      return new Float64Array(buffer, from, elements);
    default:
      return new Uint8Array(buffer, from, elements);
  }
}
