import type { RecordBatch } from '../../core/decoder.ts';
import { STANDARD_DATA } from './header.ts';
import { ITEM_HEADER } from './items.ts';

/** Records that a frame with a standard header can be: its header, and items of no data. */
export const MOST_RECORDS: number = 1 + Math.ceil(STANDARD_DATA / ITEM_HEADER);

/**
 * The records of a packet: a device sends packets of few kinds, so what the next one holds was mostly seen before. The
 * first record is the packet's own header, the others are items. Places count from where the packet begins.
 */
export class Template {
  /** Which device it is of, and how many records there are. */
  bus = -1;
  width = 0;
  /** Of each record its first four bytes but one: of an item its XDI and length. */
  readonly heads: Int32Array = new Int32Array(MOST_RECORDS);
  readonly places: Int32Array = new Int32Array(MOST_RECORDS);
  readonly tables: Int32Array = new Int32Array(MOST_RECORDS);
  readonly sizes: Int32Array = new Int32Array(MOST_RECORDS);
  /** Where the packet counter stands, or 0. */
  counter = 0;
  /** Whether no table has two records. */
  isDistinct = false;

  /** Learns the packet at `at`, whose records are the last ones of the batch, from number `first` on. */
  learn(batch: RecordBatch, first: number, view: DataView, at: number, counter: number): void {
    this.bus = view.getUint8(at + 1);
    this.width = batch.count - first;
    this.counter = counter;
    for (let k = 0; k < this.width; k++) {
      const start = batch.start[first + k];
      this.heads[k] = view.getInt32(start) >>> 8;
      this.places[k] = start - at;
      this.tables[k] = batch.table[first + k];
      this.sizes[k] = batch.size[first + k];
    }
    this.isDistinct = new Set(batch.table.subarray(first, batch.count)).size === this.width;
  }
}

/** Stands for packets that did not come yet: no packet is like it. */
export const NO_TEMPLATE: Template = new Template();
