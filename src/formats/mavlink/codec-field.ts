import type { Column } from '../../core/column.ts';
import { TYPE_BYTES } from '../../core/schema.ts';

/** A block of records, and the row of a column that the first of them fills. */
export interface Rows {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Where each payload begins, and how long it is. */
  readonly payloads: Int32Array;
  readonly lengths: Uint8Array;
  readonly count: number;
  readonly row: number;
}

/**
 * Reads one field of a block of records into its column. Values are moved as bits, so that one loop per width serves
 * every type: for fields that all records have whole, and for those that some have not, where zeros fill up the rest.
 */
export function readField(rows: Rows, column: Column, isWhole: boolean): void {
  const { type, count, offset } = column.field;
  const { bits8, bits16, bits32 } = column;
  switch (count === 1 ? TYPE_BYTES[type] : 0) {
    case 1:
      if (isWhole) copy1(rows.bytes, rows.payloads, rows.count, offset, bits8, rows.row);
      else cut1(rows, offset, bits8);
      break;
    case 2:
      if (isWhole) copy2(rows.view, rows.payloads, rows.count, offset, bits16 as Uint16Array, rows.row);
      else cut2(rows, offset, bits16 as Uint16Array);
      break;
    case 4:
      if (isWhole) copy4(rows.view, rows.payloads, rows.count, offset, bits32 as Int32Array, rows.row);
      else cut4(rows, offset, bits32 as Int32Array);
      break;
    case 8:
      if (isWhole) copy8(rows.view, rows.payloads, rows.count, offset, bits32 as Int32Array, rows.row);
      else cutMany(rows, offset, 8, bits8);
      break;
    default:
      if (isWhole) copyMany(rows, offset, TYPE_BYTES[type] * count, bits8);
      else cutMany(rows, offset, TYPE_BYTES[type] * count, bits8);
  }
}

function copy1(bytes: Uint8Array, payloads: Int32Array, count: number, at: number, out: Uint8Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = bytes[payloads[i] + at];
}

function copy2(view: DataView, payloads: Int32Array, count: number, at: number, out: Uint16Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getUint16(payloads[i] + at, true);
}

function copy4(view: DataView, payloads: Int32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0; i < count; i++) out[row + i] = view.getInt32(payloads[i] + at, true);
}

function copy8(view: DataView, payloads: Int32Array, count: number, at: number, out: Int32Array, row: number): void {
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const p = payloads[i] + at;
    out[o] = view.getInt32(p, true);
    out[o + 1] = view.getInt32(p + 4, true);
  }
}

/** Text, bytes and arrays: the order of the bytes is that of the column's memory. */
function copyMany({ bytes, payloads, count, row }: Rows, at: number, width: number, out: Uint8Array): void {
  for (let i = 0, o = row * width; i < count; i++) {
    const p = payloads[i] + at;
    for (let k = 0; k < width; k++) out[o++] = bytes[p + k];
  }
}

function cut1({ bytes, payloads, lengths, count, row }: Rows, at: number, out: Uint8Array): void {
  for (let i = 0; i < count; i++) out[row + i] = lengths[i] > at ? bytes[payloads[i] + at] : 0;
}

function cut2({ view, payloads, lengths, count, row }: Rows, at: number, out: Uint16Array): void {
  for (let i = 0; i < count; i++) {
    const left = lengths[i] - at;
    if (left >= 2) out[row + i] = view.getUint16(payloads[i] + at, true);
    else out[row + i] = left === 1 ? view.getUint8(payloads[i] + at) : 0;
  }
}

function cut4({ view, payloads, lengths, count, row }: Rows, at: number, out: Int32Array): void {
  for (let i = 0; i < count; i++) {
    const left = lengths[i] - at;
    if (left >= 4) out[row + i] = view.getInt32(payloads[i] + at, true);
    else out[row + i] = left > 0 ? leftOf(view, payloads[i] + at, left) : 0;
  }
}

/** What is there of a value: most are there whole or not at all. */
function leftOf(view: DataView, at: number, bytes: number): number {
  let value = view.getUint8(at);
  for (let k = 1; k < bytes; k++) value |= view.getUint8(at + k) << (8 * k);
  return value;
}

function cutMany({ bytes, payloads, lengths, count, row }: Rows, at: number, width: number, out: Uint8Array): void {
  for (let i = 0, o = row * width; i < count; i++, o += width) {
    const from = payloads[i] + at;
    const left = Math.min(width, lengths[i] - at);
    for (let k = 0; k < left; k++) out[o + k] = bytes[from + k];
    for (let k = Math.max(0, left); k < width; k++) out[o + k] = 0;
  }
}

/** Time stamps before frames are big-endian; a frame that has none begins at once, and gets 0. */
export function readStamps({ view, count, row }: Rows, starts: Uint32Array, column: Column): void {
  const out = column.bits32 as Int32Array;
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const at = starts[i];
    const isBare = view.getUint8(at) !== 0;
    out[o] = isBare ? 0 : view.getInt32(at + 4);
    out[o + 1] = isBare ? 0 : view.getInt32(at);
  }
}
