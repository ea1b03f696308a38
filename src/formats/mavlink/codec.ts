import type { Codec } from '../../core/codec.ts';
import type { Column } from '../../core/column.ts';
import { TYPE_BYTES } from '../../core/schema.ts';
import { type Rows, readField, readStamps } from './codec-field.ts';
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

/**
 * Reads the fields of frames of both versions. The payload begins at another place in each, and its end may be cut:
 * what is not there is zero, as it is where a sender leaves zeros out. Offsets of fields count from the payload.
 */
export class FrameCodec implements Codec {
  /** Bytes that may be before each frame: the time stamp of a telemetry log. */
  private readonly lead: number;
  /** Of each record of a block. Places are signed numbers of 32 bits, which are added up twice as fast as others. */
  private readonly payloads = new Int32Array(BLOCK);
  private readonly lengths = new Uint8Array(BLOCK);

  constructor(lead: number) {
    this.lead = lead;
  }

  read(bytes: Uint8Array, starts: Uint32Array, count: number, columns: readonly Column[], row: number): void {
    for (let from = 0; from < count; from += BLOCK) {
      const some = starts.subarray(from, Math.min(from + BLOCK, count));
      if (bytes.length < FARTHEST) this.readBlock(bytes, some, columns, row + from);
      else this.readFar(bytes, some, columns, row + from);
    }
  }

  /** Records in a piece of memory that is larger than places can be: each as if it were alone. */
  private readFar(bytes: Uint8Array, starts: Uint32Array, columns: readonly Column[], row: number): void {
    const start = Uint32Array.of(0);
    for (let i = 0; i < starts.length; i++) {
      const record = bytes.subarray(starts[i], starts[i] + this.lead + LONGEST_FRAME);
      this.readBlock(record, start, columns, row + i);
    }
  }

  private readBlock(bytes: Uint8Array, starts: Uint32Array, columns: readonly Column[], row: number): void {
    const shortest = this.locate(bytes, starts);
    const rows: Rows = {
      bytes,
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      payloads: this.payloads,
      lengths: this.lengths,
      count: starts.length,
      row,
    };
    for (const column of columns) {
      const { type, count: elements, offset } = column.field;
      if (offset === STAMP_PLACE) readStamps(rows, starts, column);
      else if (offset === LENGTH_PLACE) column.bits8.set(this.lengths.subarray(0, starts.length), row);
      else readField(rows, column, offset + TYPE_BYTES[type] * elements <= shortest);
    }
  }

  /** Finds where each payload begins and how long it is; returns the length of the shortest. */
  private locate(bytes: Uint8Array, starts: Uint32Array): number {
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
