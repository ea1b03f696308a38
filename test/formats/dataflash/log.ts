import { join } from '../../suite/random.ts';
import { type Definition, FMT, fieldsOf, formatLength, type PlainField, WIDTHS } from './record.ts';

/** A value to be written, in the unit that the format character stores. */
export type Stored = number | bigint | string | readonly number[];

/** Writes DataFlash logs for tests: any definition and any record, right or wrong. */
export class LogWriter {
  private readonly parts: Uint8Array[] = [];
  length = 0;

  /** Bytes as they are. */
  raw(bytes: ArrayLike<number>): this {
    this.parts.push(Uint8Array.from(bytes));
    this.length += bytes.length;
    return this;
  }

  /** A FMT record; the length is what the format adds up to unless another is given. */
  define(type: number, name: string, format: string, columns: string, length?: number): this {
    return this.raw(formatRecord({ type, name, format, columns, length: length ?? formatLength(format) ?? 3 }));
  }

  /** A record of a type whose format is given with it. */
  record(type: number, format: string, ...values: Stored[]): this {
    return this.raw(recordBytes(type, format, values));
  }

  /** Makes the log end at `length`: cut, or filled with zeros. */
  fit(length: number): this {
    while (this.length > length) {
      const last = this.parts.pop() as Uint8Array;
      this.length -= last.length;
      if (this.length < length) this.raw(last.subarray(0, length - this.length));
    }
    return this.raw(new Uint8Array(length - this.length));
  }

  bytes(): Uint8Array {
    return join(this.parts);
  }
}

function formatRecord({ type, length, name, format, columns }: Definition): Uint8Array {
  return recordBytes(FMT.type, FMT.format, [type, length, name, format, columns]);
}

/** A record; what follows an unknown character is left out. */
export function recordBytes(type: number, format: string, values: readonly Stored[]): Uint8Array {
  const columns = [...format].map((_, i) => `c${i}`).join(',');
  const fields = fieldsOf({ type, length: Number.POSITIVE_INFINITY, name: '', format, columns });
  const readable = fields.filter((field) => field.char !== '');
  const last = readable.at(-1);
  const bytes = new Uint8Array(last ? last.offset + (WIDTHS.get(last.char) as number) : 3);
  bytes.set([0xa3, 0x95, type]);
  readable.forEach((field, i) => {
    write(bytes, field, values[i] ?? 0);
  });
  return bytes;
}

function write(bytes: Uint8Array, { char, offset }: PlainField, value: Stored): void {
  const view = new DataView(bytes.buffer);
  if (typeof value === 'string') {
    bytes.set(new TextEncoder().encode(value).subarray(0, WIDTHS.get(char)), offset);
  } else if (typeof value === 'object') {
    value.forEach((each, i) => {
      view.setInt16(offset + 2 * i, each, true);
    });
  } else if (char === 'f') {
    view.setFloat32(offset, Number(value), true);
  } else if (char === 'd') {
    view.setFloat64(offset, Number(value), true);
  } else {
    writeInteger(view, offset, WIDTHS.get(char) as number, BigInt(value));
  }
}

function writeInteger(view: DataView, offset: number, width: number, value: bigint): void {
  if (width === 1) view.setUint8(offset, Number(BigInt.asUintN(8, value)));
  else if (width === 2) view.setUint16(offset, Number(BigInt.asUintN(16, value)), true);
  else if (width === 4) view.setUint32(offset, Number(BigInt.asUintN(32, value)), true);
  else view.setBigUint64(offset, BigInt.asUintN(64, value), true);
}
