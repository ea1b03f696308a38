import { littleEndian } from '../../core/binary.ts';
import type { Codec } from '../../core/codec.ts';
import type { Column } from '../../core/column.ts';
import { TYPE_BYTES } from '../../core/schema.ts';
import { HEADER_1, HEADER_2, MAGIC_1, MAGIC_2 } from './header.ts';

// constants of this module are built into the machine code of its loops, those of others are not
const START_1 = MAGIC_1;
const START_2 = MAGIC_2;
const HEAD_1 = HEADER_1;
const HEAD_2 = HEADER_2;

/** Offsets of what stands before the payload, for fields that are not in it: the payload's length, and a time stamp. */
export const LENGTH_PLACE = -1;
export const STAMP_PLACE = -8;

/**
 * Reads the fields of frames of both versions. The payload begins at another place in each, and its end may be cut:
 * what is not there is zero, as it is where a sender leaves zeros out. Offsets of fields count from the payload.
 */
export class FrameCodec implements Codec {
  /** Bytes that may stand before each frame: the time stamp of a telemetry log. */
  private readonly lead: number;
  private payloads = new Uint32Array(0);
  private lengths = new Uint8Array(0);

  constructor(lead: number) {
    this.lead = lead;
  }

  read(bytes: Uint8Array, starts: Uint32Array, count: number, columns: readonly Column[], row: number): void {
    const shortest = this.locate(bytes, starts, count);
    const { payloads, lengths } = this;
    const whole: Column[] = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const column of columns) {
      const { type, count: elements, offset } = column.field;
      const width = TYPE_BYTES[type] * elements;
      if (offset === STAMP_PLACE) stamps(view, starts, count, column, row);
      else if (offset === LENGTH_PLACE) column.bits8.set(lengths.subarray(0, count), row);
      else if (offset + width <= shortest) whole.push(column);
      else if (elements > 1) cutMany(bytes, payloads, lengths, count, column, row);
      else if (width === 4) cut4(view, payloads, lengths, count, offset, column.bits32 as Int32Array, row);
      else if (width === 2) cut2(view, payloads, lengths, count, offset, column.bits16 as Uint16Array, row);
      else if (width === 1) cut1(bytes, payloads, lengths, count, offset, column.bits8, row);
      else cutMany(bytes, payloads, lengths, count, column, row);
    }
    littleEndian.read(bytes, payloads, count, whole, row);
  }

  /** Finds where each payload begins and how long it is; returns the length of the shortest. */
  private locate(bytes: Uint8Array, starts: Uint32Array, count: number): number {
    if (this.payloads.length < count) {
      this.payloads = new Uint32Array(count);
      this.lengths = new Uint8Array(count);
    }
    const { lead, payloads, lengths } = this;
    let shortest = 255;
    for (let i = 0; i < count; i++) {
      let start = starts[i];
      let magic = bytes[start];
      if (magic !== START_2 && magic !== START_1) {
        start += lead;
        magic = bytes[start];
      }
      const length = bytes[start + 1];
      payloads[i] = start + (magic === START_2 ? HEAD_2 : HEAD_1);
      lengths[i] = length;
      if (length < shortest) shortest = length;
    }
    return shortest;
  }
}

/*
 * Fields that some of the records do not have all bytes of. Most that are cut are cut whole, so that what is left of a
 * value is put together in the rare case only.
 */
function cut1(
  bytes: Uint8Array,
  payloads: Uint32Array,
  lengths: Uint8Array,
  count: number,
  at: number,
  out: Uint8Array,
  row: number,
): void {
  for (let i = 0; i < count; i++) out[row + i] = lengths[i] > at ? bytes[payloads[i] + at] : 0;
}

function cut2(
  view: DataView,
  payloads: Uint32Array,
  lengths: Uint8Array,
  count: number,
  at: number,
  out: Uint16Array,
  row: number,
): void {
  for (let i = 0; i < count; i++) {
    const left = lengths[i] - at;
    if (left >= 2) out[row + i] = view.getUint16(payloads[i] + at, true);
    else out[row + i] = left === 1 ? view.getUint8(payloads[i] + at) : 0;
  }
}

function cut4(
  view: DataView,
  payloads: Uint32Array,
  lengths: Uint8Array,
  count: number,
  at: number,
  out: Int32Array,
  row: number,
): void {
  for (let i = 0; i < count; i++) {
    const left = lengths[i] - at;
    if (left >= 4) out[row + i] = view.getInt32(payloads[i] + at, true);
    else out[row + i] = left > 0 ? leftOf(view, payloads[i] + at, left) : 0;
  }
}

function leftOf(view: DataView, at: number, bytes: number): number {
  let value = view.getUint8(at);
  for (let k = 1; k < bytes; k++) value |= view.getUint8(at + k) << (8 * k);
  return value;
}

/** Arrays, text and values of eight bytes, byte by byte: their order is that of the column's memory. */
function cutMany(
  bytes: Uint8Array,
  payloads: Uint32Array,
  lengths: Uint8Array,
  count: number,
  column: Column,
  row: number,
): void {
  const out = column.bits8;
  const { offset, type, count: elements } = column.field;
  const width = TYPE_BYTES[type] * elements;
  for (let i = 0, o = row * width; i < count; i++) {
    const from = payloads[i] + offset;
    const left = Math.min(width, lengths[i] - offset);
    for (let k = 0; k < left; k++) out[o + k] = bytes[from + k];
    for (let k = Math.max(0, left); k < width; k++) out[o + k] = 0;
    o += width;
  }
}

/** Time stamps are big-endian; a frame that has none gets 0. */
function stamps(view: DataView, starts: Uint32Array, count: number, column: Column, row: number): void {
  const out = column.bits32 as Int32Array;
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const at = starts[i];
    const isBare = view.getUint8(at) >= START_2;
    out[o] = isBare ? 0 : view.getInt32(at + 4);
    out[o + 1] = isBare ? 0 : view.getInt32(at);
  }
}
