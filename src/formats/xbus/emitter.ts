import { type GroupRun, RecordBatch, type Sink } from '../../core/decoder.ts';
import type { OutputSetup } from './configuration.ts';
import type { Counters } from './counters.ts';
import { CHECKSUM, EXTENDED_HEADER, type Header, STANDARD_DATA } from './header.ts';
import { ITEM_HEADER, PACKET_COUNTER } from './items.ts';
import { counterPlace, type KnownSetup, Setups } from './legacy.ts';
import { MT_DATA, MT_DATA_2 } from './messages.ts';
import { Remarks } from './remarks.ts';
import type { Tables } from './tables.ts';

/** Records, and packets, handed over at a time. */
const BATCH = 4096;
const PACKETS = 1024;

/** Hands records to a sink, like packets as groups if it takes them, others one by one, in the order of the source. */
export class Emitter {
  /** Records may be added to it after `room`. */
  readonly batch: RecordBatch = new RecordBatch(BATCH);
  /** The template of the packets that are kept, where they begin, and how many there are. */
  template: Template = NO_TEMPLATE;
  readonly starts: Uint32Array = new Uint32Array(PACKETS);
  count = 0;
  private readonly sink: Sink;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** The bytes that hold all records until the next flush. */
  use(bytes: Uint8Array, base: number): void {
    this.batch.bytes = bytes;
    this.batch.base = base;
  }

  /** Whether a packet that is like this template can be added to `starts` without further ado. */
  takes(template: Template): boolean {
    return this.template === template && this.count < PACKETS;
  }

  begin(template: Template): void {
    this.endRun();
    // one that has a table twice would put its places out of order
    if (this.sink.groups && template.isDistinct) this.endBatch();
    this.template = template;
  }

  room(records: number): void {
    this.endRun();
    if (this.batch.count + records > BATCH) this.endBatch();
  }

  flush(): void {
    this.endRun();
    this.endBatch();
  }

  private endBatch(): void {
    if (this.batch.count > 0) this.sink.records(this.batch);
    this.batch.count = 0;
  }

  private endRun(): void {
    const { template, starts, count, sink, batch } = this;
    this.template = NO_TEMPLATE;
    this.count = 0;
    if (count === 0) return;
    if (!sink.groups || !template.isDistinct) {
      for (let i = 0; i < count; i++) this.addRecords(template, starts[i]);
      return;
    }
    const { width, tables: table, places: place } = template;
    const run: GroupRun = { bytes: batch.bytes, base: batch.base, start: starts, count, width, table, place };
    sink.groups(run);
  }

  private addRecords({ width, tables, places, sizes }: Template, at: number): void {
    const { batch } = this;
    if (batch.count + width > BATCH) this.endBatch();
    const { table, start, size, count } = batch;
    for (let k = 0; k < width; k++) {
      table[count + k] = tables[k];
      start[count + k] = at + places[k];
      size[count + k] = sizes[k];
    }
    batch.count = count + width;
  }
}

/** Records that a frame with a standard header can be: its header, and items of no data. */
export const MOST_RECORDS: number = 1 + Math.ceil(STANDARD_DATA / ITEM_HEADER);

/** The records of a kind of packet, its header first; offsets count from the start of the packet. */
export class Template {
  /** Which device it is of, and how many records there are. */
  bus = -1;
  width = 0;
  /** Of each record its first four bytes but one: of an item its XDI and length. */
  readonly heads: Int32Array = new Int32Array(MOST_RECORDS);
  readonly places: Int32Array = new Int32Array(MOST_RECORDS);
  readonly tables: Int32Array = new Int32Array(MOST_RECORDS);
  readonly sizes: Int32Array = new Int32Array(MOST_RECORDS);
  /** Where the packet counter is, or 0. */
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

  recordsOf({ length }: Header): number {
    return 1 + Math.ceil(length / ITEM_HEADER);
  }

  /** The frame at index `at`, with its header read; bytes[0] is at `base` in the source. */
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
