import { type Codec, littleEndian } from '../../core/codec.ts';
import type { Column } from '../../core/column.ts';
import { HEADER_1, HEADER_2, LONGEST_FRAME, MAGIC_1, MAGIC_2 } from './header.ts';

// constants of this module are built into the machine code of its loops, those of others are not
const START_1 = MAGIC_1;
const START_2 = MAGIC_2;
const HEAD_1 = HEADER_1;
const HEAD_2 = HEADER_2;

/** Records at a time: all of their bytes stay in the first level cache while one field after the other is read. */
const BLOCK = 256;

/** Offsets of what is before the payload, for fields that are not in it: the payload's length, and a time stamp. */
export const LENGTH_PLACE = -1;
export const STAMP_PLACE = -8;

/** Where Int32Array can point to. */
const FARTHEST = 2 ** 31;

/** Reads fields of both versions; offsets count from the payload, and a cut end is zeros. */
export class FrameCodec implements Codec {
  /** Bytes that may be before each frame: the time stamp of a telemetry log. */
  private readonly lead: number;
  /** Of each record of a block. Places are signed numbers of 32 bits, which are added up twice as fast as others. */
  private readonly payloads = new Int32Array(BLOCK);
  private readonly lengths = new Uint8Array(BLOCK);

  constructor(lead: number) {
    this.lead = lead;
  }

  read(bytes: Uint8Array, starts: Int32Array, count: number, columns: readonly Column[], row: number): void {
    for (let from = 0; from < count; from += BLOCK) {
      const some = starts.subarray(from, Math.min(from + BLOCK, count));
      if (bytes.length < FARTHEST) this.readBlock(bytes, some, columns, row + from);
      else this.readFar(bytes, some, columns, row + from);
    }
  }

  /** Records in a piece of memory that is larger than places can be: each as if it were alone. */
  private readFar(bytes: Uint8Array, starts: Int32Array, columns: readonly Column[], row: number): void {
    const start = Int32Array.of(0);
    for (let i = 0; i < starts.length; i++) {
      const record = bytes.subarray(starts[i], starts[i] + this.lead + LONGEST_FRAME);
      this.readBlock(record, start, columns, row + i);
    }
  }

  private readBlock(bytes: Uint8Array, starts: Int32Array, columns: readonly Column[], row: number): void {
    const shortest = this.locate(bytes, starts);
    const rows: Rows = {
      bytes,
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      payloads: this.payloads,
      lengths: this.lengths,
      count: starts.length,
      row,
    };
    const whole: Column[] = [];
    for (const column of columns) {
      const { offset, rowBytes } = column;
      if (offset === STAMP_PLACE) readStamps(rows, starts, column);
      else if (offset === LENGTH_PLACE) column.bits8.set(this.lengths.subarray(0, starts.length), row);
      else if (offset + rowBytes <= shortest) whole.push(column);
      else readCut(rows, column);
    }
    littleEndian.read(bytes, this.payloads, starts.length, whole, row);
  }

  /** Finds where each payload begins and how long it is; returns the length of the shortest. */
  private locate(bytes: Uint8Array, starts: Int32Array): number {
    const { lead, payloads, lengths } = this;
    let shortest = 255;
    for (let i = 0; i < starts.length; i++) {
      let start = starts[i] | 0;
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

/** A block of records, and the row of a column that the first of them fills. */
interface Rows {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Where each payload begins, and how long it is. */
  readonly payloads: Int32Array;
  readonly lengths: Uint8Array;
  readonly count: number;
  readonly row: number;
}

/** Reads a field of a block of records as bits: what is cut off is zeros. */
function readCut(rows: Rows, { field, offset, rowBytes, bits8, bits16, bits32 }: Column): void {
  if (field.count !== 1 || rowBytes === 8) cutMany(rows, offset, rowBytes, bits8);
  else if (bits32) cut4(rows, offset, bits32);
  else if (bits16) cut2(rows, offset, bits16);
  else cut1(rows, offset, bits8);
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
function readStamps({ view, count, row }: Rows, starts: Int32Array, column: Column): void {
  const out = column.bits32 as Int32Array;
  for (let i = 0, o = row * 2; i < count; i++, o += 2) {
    const at = starts[i];
    const isBare = view.getUint8(at) !== 0;
    out[o] = isBare ? 0 : view.getInt32(at + 4);
    out[o + 1] = isBare ? 0 : view.getInt32(at);
  }
}
