import type { Codec } from '../../core/codec.ts';
import type { Column } from '../../core/column.ts';
import { TYPE_BYTES } from '../../core/schema.ts';

/** Big-endian fields at fixed places. Values are moved as bits, so that one loop per width serves every type. */
export const bigEndian: Codec = {
  read(bytes, starts, count, columns, row) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const column of columns) readField(bytes, view, starts, count, column, row);
  },
};

function readField(
  bytes: Uint8Array,
  view: DataView,
  starts: Int32Array,
  count: number,
  column: Column,
  row: number,
): void {
  const { type, count: elements, offset } = column.field;
  const width = TYPE_BYTES[type];
  if (elements === 1 && width === 1) read1(bytes, starts, count, offset, column.bits8, row);
  else if (elements !== 1) readArray(bytes, starts, count, column, row, width);
  else if (width === 2) read2(view, starts, count, offset, column.bits16 as Uint16Array, row);
  else if (width === 4) read4(view, starts, count, offset, column.bits32 as Int32Array, row);
  else if (width === 8) read8(view, starts, count, offset, column.bits32 as Int32Array, row);
}

function read1(bytes: Uint8Array, starts: Int32Array, count: number, at: number, out: Uint8Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = bytes[starts[i] + at];
}

function read2(view: DataView, starts: Int32Array, count: number, at: number, out: Uint16Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getUint16(starts[i] + at);
}

function read4(view: DataView, starts: Int32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getInt32(starts[i] + at);
}

function read8(view: DataView, starts: Int32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const p = starts[i] + at;
    out[o] = view.getInt32(p + 4);
    out[o + 1] = view.getInt32(p);
  }
}

/** Bytes, texts and arrays: the bytes of each element are turned round. */
function readArray(
  bytes: Uint8Array,
  starts: Int32Array,
  count: number,
  column: Column,
  row: number,
  width: number,
): void {
  const { count: elements, offset } = column.field;
  const out = column.bits8;
  for (let i = 0, o = row * elements * width; i < count; i++) {
    for (let k = 0, p = starts[i] + offset; k < elements; k++, p += width, o += width) {
      for (let b = 0; b < width; b++) out[o + b] = bytes[p + width - 1 - b];
    }
  }
}

const FRACTION = 2 ** -32;

/**
 * Fixed-point numbers of 48 bits, with the fraction first:
 *
 *     0 1 2 3              4 5
 *     fraction / 2^32      integer, signed
 */
export const fixedPoint48: Codec = {
  read(bytes, starts, count, columns, row) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const column of columns) {
      const out = column.data as Float64Array;
      const { offset } = column.field;
      for (let i = 0; i < count; i++) {
        const at = starts[i] + offset;
        out[row + i] = view.getInt16(at + 4) + view.getUint32(at) * FRACTION;
      }
    }
  },
};

/** Lists of equal entries: field k of entry n is at its offset plus n strides. Fields of one element are apart. */
export function listCodec(stride: number): Codec {
  return {
    read(bytes, starts, count, columns, row) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (const column of columns) {
        const { type, count: elements, offset } = column.field;
        if (elements === 1 || type === 'text' || type === 'bytes') {
          readField(bytes, view, starts, count, column, row);
          continue;
        }
        const width = TYPE_BYTES[type];
        for (let i = 0, o = row * elements * width; i < count; i++) {
          for (let n = 0, p = starts[i] + offset; n < elements; n++, p += stride, o += width) {
            for (let b = 0; b < width; b++) column.bits8[o + b] = bytes[p + width - 1 - b];
          }
        }
      }
    },
  };
}
