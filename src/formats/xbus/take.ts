import type { RecordBatch, Sink } from '../../core/decoder.ts';
import type { OutputSetup } from './configuration.ts';
import type { Counters } from './counters.ts';
import { CHECKSUM, EXTENDED_HEADER, type Header } from './header.ts';
import { ITEM_HEADER, PACKET_COUNTER } from './items.ts';
import { counterPlace, type KnownSetup, Setups } from './legacy.ts';
import { MT_DATA, MT_DATA_2 } from './messages.ts';
import { Remarks } from './remarks.ts';
import type { Tables } from './tables.ts';

/** Turns a frame that was found into records: the careful way, for what the quick one leaves. */
export class Taker {
  readonly setups: Setups;
  readonly remarks: Remarks;
  private readonly tables: Tables;
  private readonly counters: Counters;
  private readonly batch: RecordBatch;

  constructor(
    sink: Sink,
    tables: Tables,
    counters: Counters,
    batch: RecordBatch,
    keepInvalid: boolean,
    lessons: ReadonlyMap<number, OutputSetup> | undefined,
  ) {
    this.tables = tables;
    this.counters = counters;
    this.batch = batch;
    this.setups = new Setups(keepInvalid, lessons);
    this.remarks = new Remarks(sink);
  }

  /** The most records that a frame can be. */
  recordsOf({ length }: Header): number {
    return 1 + Math.ceil(length / ITEM_HEADER);
  }

  /** The frame at index `at`, whose header was read; bytes[0] stands at `base` in the source. */
  take(bytes: Uint8Array, base: number, at: number, header: Header): void {
    if (header.message === MT_DATA_2) this.takeItems(bytes, base, at, header);
    else if (header.message === MT_DATA) this.takeLegacy(bytes, base, at, header);
    else this.takeWhole(at, header);
    this.setups.learn(bytes, header);
    this.remarks.report(bytes, header, base + at);
  }

  private add(bus: number, slot: number, start: number, size: number): void {
    const { batch } = this;
    batch.table[batch.count] = this.tables.table(bus, slot);
    batch.start[batch.count] = start;
    batch.size[batch.count++] = size;
  }

  private takeWhole(at: number, { bus, message, data, length, end }: Header): void {
    this.add(bus, this.tables.whole(message, length, data - at === EXTENDED_HEADER), at, end - at);
  }

  private takeItems(bytes: Uint8Array, base: number, at: number, header: Header): void {
    const { bus, message, data, end } = header;
    const stop = end - CHECKSUM;
    let place = data;
    while (place + ITEM_HEADER <= stop) place += ITEM_HEADER + bytes[place + 2];
    if (place !== stop) {
      this.remarks.items(header, base + at);
      this.takeWhole(at, header);
      return;
    }
    this.add(bus, this.tables.packet(message, data - at === EXTENDED_HEADER), at, data - at);
    let counter = -1;
    for (place = data; place < stop; ) {
      const xdi = (bytes[place] << 8) | bytes[place + 1];
      const length = bytes[place + 2];
      this.add(bus, this.tables.item(xdi, length), place, ITEM_HEADER + length);
      if (xdi === PACKET_COUNTER && length === 2) counter = place + ITEM_HEADER;
      place += ITEM_HEADER + length;
    }
    this.batch.size[this.batch.count - 1] += CHECKSUM;
    if (counter >= 0) this.count(bytes, bus, counter);
  }

  private count(bytes: Uint8Array, bus: number, at: number): void {
    this.counters.pass(bus, (bytes[at] << 8) | bytes[at + 1]);
  }

  private takeLegacy(bytes: Uint8Array, base: number, at: number, header: Header): void {
    const setup = this.setupOf(header, base + at);
    if (!setup || setup.legacy.bytes !== header.length) {
      this.takeWhole(at, header);
      return;
    }
    const { key, legacy } = setup;
    const { bus, message, data } = header;
    this.add(bus, this.tables.packet(message, data - at === EXTENDED_HEADER), at, data - at);
    let place = data;
    legacy.pieces.forEach(({ bytes: size }, k) => {
      this.add(bus, this.tables.piece(key, legacy, k), place, size);
      place += size;
    });
    this.batch.size[this.batch.count - 1] += CHECKSUM;
    const counter = counterPlace(legacy);
    if (counter >= 0) this.count(bytes, bus, data + counter);
  }

  private setupOf(header: Header, offset: number): KnownSetup | undefined {
    const known = this.setups.of(header.bus);
    if (known) return known;
    const guess = this.setups.guess(header.bus, header.length);
    this.remarks.guess(header, offset, guess !== undefined);
    return guess;
  }
}
