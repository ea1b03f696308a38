import type { Codec } from './codec.ts';
import type { Column } from './column.ts';
import { TYPE_BYTES } from './schema.ts';

/**
 * Little-endian fields at fixed places, the layout of DataFlash, MAVLink and ULog records.
 *
 * Values are moved as bits, not as numbers: an int32 and a float32 are the same four bytes, so one loop per width
 * serves every type, and the column's own typed array gives the bits their meaning.
 */
export const littleEndian: Codec = {
  read(bytes, starts, count, columns, row) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const column of columns) {
      const { type, count: elements, offset } = column.field;
      const width = TYPE_BYTES[type] * elements;
      switch (width) {
        case 0:
          break;
        case 1:
          copy1(bytes, starts, count, offset, column.bits8, row);
          break;
        case 2:
          if (column.bits16) copy2(view, starts, count, offset, column.bits16, row);
          else copyMany(bytes, starts, count, offset, width, column, row);
          break;
        case 4:
          if (column.bits32) copy4(view, starts, count, offset, column.bits32, row);
          else copyMany(bytes, starts, count, offset, width, column, row);
          break;
        case 8:
          if (column.bits32) copy8(view, starts, count, offset, column.bits32, row);
          else copyMany(bytes, starts, count, offset, width, column, row);
          break;
        default:
          copyMany(bytes, starts, count, offset, width, column, row);
      }
    }
  },
};

function copy1(bytes: Uint8Array, starts: Uint32Array, count: number, at: number, out: Uint8Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = bytes[starts[i] + at];
}

function copy2(view: DataView, starts: Uint32Array, count: number, at: number, out: Uint16Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getUint16(starts[i] + at, true);
}

function copy4(view: DataView, starts: Uint32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getInt32(starts[i] + at, true);
}

function copy8(view: DataView, starts: Uint32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const p = starts[i] + at;
    out[o] = view.getInt32(p, true);
    out[o + 1] = view.getInt32(p + 4, true);
  }
}

/** Text, bytes and arrays: element order is byte order, so they too are moved as they are. */
function copyMany(
  bytes: Uint8Array,
  starts: Uint32Array,
  count: number,
  at: number,
  width: number,
  column: Column,
  row: number,
): void {
  const out = column.bits8;
  for (let i = 0, o = row * width; i < count; i++) {
    const p = starts[i] + at;
    for (let k = 0; k < width; k++) out[o++] = bytes[p + k];
  }
}
