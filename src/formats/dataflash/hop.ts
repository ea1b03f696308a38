import type { RecordBatch } from '../../core/decoder.ts';
import { BLOCK_OFFSETS, type OffsetLists } from '../../core/offsets.ts';
import { HEAD_1, HEAD_2, HEADER_BYTES } from './schema.ts';
import { TIMED, TIMED_MS, type Types } from './types.ts';

/** The header and the type are read at once, as the lower three of four bytes. */
const HEADER_WORD = 4;
const HEAD = HEAD_1 | (HEAD_2 << 8);
/** Microseconds by which the time of a record may be before the latest one. */
const STEP_BACK = 1e6;
/** A step to a time that must be looked at: too far, or with no other before it. */
const FAR = -(2 ** 31);
const TWO_32 = 2 ** 32;

/**
 * The quick way through a good log: from record to record as long as each is followed by a header and has nothing new.
 * Both loops call nothing and are short: then the engine checks the arrays once, and not for each record.
 */
export class Hop {
  private readonly types: Types;
  /** The latest time, as its lower 32 bits and the rest; the rest is NaN if there is none yet. */
  private low = 0;
  private high = Number.NaN;
  /** The last record with a time that was passed, or -1. */
  timed = -1;
  /** The table whose block of offsets is full, or -1. */
  full = -1;

  constructor(types: Types) {
    this.types = types;
  }

  begin(latest: number): void {
    this.low = latest | 0;
    this.high = Math.floor(latest / TWO_32);
    this.timed = -1;
  }

  get latest(): number {
    return (this.low >>> 0) + this.high * TWO_32;
  }

  static canBegin(view: DataView, at: number): boolean {
    return at + HEADER_WORD <= view.byteLength && (view.getInt32(at, true) & 0xffff) === HEAD;
  }

  /** Writes offsets into lists, until a block is full at the latest; returns where it stopped. No type has milliseconds. */
  listed({ next, memory }: OffsetLists, { bytes, base }: RecordBatch, view: DataView, from: number): number {
    const { shape, tableOf } = this.types;
    const { high } = this;
    let { low, timed } = this;
    // an import is read again for each record
    const [blockMask, timedFrom] = [BLOCK_OFFSETS - 1, TIMED];
    const lower = base | 0;
    const last = view.byteLength - HEADER_WORD;
    let at = from | 0;
    let head = view.getInt32(at, true);
    let full = -1;
    while (full < 0) {
      const type = (head >> 16) & 0xff;
      const form = shape[type];
      const after = (at + (form & 0xff)) | 0;
      if (after > last || after === at) break;
      head = view.getInt32(after, true);
      // for a type without instances the index is 0, where the header byte always is the same
      const id = tableOf[(type << 8) | bytes[at + ((form >> 8) & 0xff)]];
      if ((head & 0xffff) !== HEAD || id < 0) break;
      if (form >= timedFrom) {
        const step = microsTo(view, at, low, high);
        if (step < -STEP_BACK) break;
        if (step > 0) low = (low + step) | 0;
        timed = at;
      }
      const row = next[id];
      memory[row] = (at + lower) | 0;
      next[id] = (row + 1) | 0;
      if (((row + 1) & blockMask) === 0) full = id;
      at = after;
    }
    this.low = low;
    this.timed = timed;
    this.full = full;
    return at;
  }

  /** The same into a batch, until it is nearly full. */
  batched(batch: RecordBatch, view: DataView, from: number): number {
    const { shape, tableOf } = this.types;
    const { bytes, table, start, size } = batch;
    const { high } = this;
    let { low, timed } = this;
    let { count } = batch;
    const room = table.length - 1;
    const last = view.byteLength - HEADER_WORD;
    let at = from | 0;
    let head = view.getInt32(at, true);
    while (count < room) {
      const type = (head >> 16) & 0xff;
      const form = shape[type];
      const bytesOf = form & 0xff;
      const after = (at + bytesOf) | 0;
      if (after > last || bytesOf === 0) break;
      head = view.getInt32(after, true);
      const id = tableOf[(type << 8) | bytes[at + ((form >> 8) & 0xff)]];
      if ((head & 0xffff) !== HEAD || id < 0) break;
      if (form >= TIMED) {
        const step = form < TIMED_MS ? microsTo(view, at, low, high) : millisTo(view, at, low, high);
        if (step < -STEP_BACK) break;
        if (step > 0) low = (low + step) | 0;
        timed = at;
      }
      table[count] = id;
      start[count] = at;
      size[count++] = bytesOf;
      at = after;
    }
    batch.count = count;
    this.low = low;
    this.timed = timed;
    return at;
  }
}

/** Microseconds from the latest time to that of a record, if they have the upper half in common; else FAR. */
function microsTo(view: DataView, at: number, low: number, high: number): number {
  return stepTo(view.getInt32(at + HEADER_BYTES, true), low, view.getUint32(at + HEADER_BYTES + 4, true) === high);
}

/** The same for a record with milliseconds. */
function millisTo(view: DataView, at: number, low: number, high: number): number {
  const micros = view.getUint32(at + HEADER_BYTES, true) * 1000;
  return stepTo(micros | 0, low, Math.floor(micros / TWO_32) === high);
}

/** The step between two lower halves; one beyond 31 bits shows by a sign that is not that of their order. */
function stepTo(now: number, low: number, isNear: boolean): number {
  const step = (now - low) | 0;
  const isLater = now >>> 0 >= low >>> 0;
  return isNear && (isLater ? step >= 0 : step < 0) ? step : FAR;
}
