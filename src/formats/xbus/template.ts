import type { RecordBatch } from '../../core/decoder.ts';
import { STANDARD_DATA } from './header.ts';
import { ITEM_HEADER } from './items.ts';

/** Records that a frame with a standard header can be: its header, and items of no data. */
export const MOST_RECORDS: number = 1 + Math.ceil(STANDARD_DATA / ITEM_HEADER);

/**
 * The items of a packet: a device sends packets of few kinds, so what the next one holds was mostly seen before. Places
 * count from where the packet begins.
 */
export class Template {
  /** Which device it is of, the table of the packet's own header, and how many items there are. */
  bus = -1;
  table = 0;
  count = 0;
  /** Of each item its XDI and length as they stand before its data, in 24 bits. */
  readonly heads: Int32Array = new Int32Array(MOST_RECORDS);
  /** Its place, and its table above it. */
  readonly places: Uint32Array = new Uint32Array(MOST_RECORDS);
  /** Where the packet counter stands, or 0. */
  counter = 0;

  /** Learns the packet at `at`, whose records are the last ones of the batch, from number `first` on. */
  learn(batch: RecordBatch, first: number, view: DataView, at: number, bus: number, counter: number): void {
    this.bus = bus;
    this.table = batch.table[first];
    this.count = batch.count - first - 1;
    this.counter = counter;
    for (let k = 0; k < this.count; k++) {
      const start = batch.start[first + 1 + k];
      this.heads[k] = view.getInt32(start) >>> 8;
      this.places[k] = (start - at) | (batch.table[first + 1 + k] << 16);
    }
  }
}
