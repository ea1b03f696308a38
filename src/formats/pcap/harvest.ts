import { RecordBatch, type Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Pieces } from '../../core/pieces.ts';
import type { Schema } from '../../core/schema.ts';
import type { Places } from './places.ts';
import type { Segments } from './segments.ts';

const FIRST_RECORDS = 1024;
const FIRST_BYTES = 64 << 10;
/** Records handed over at a time. */
const BATCH = 4096;
/** Tables beyond the limit, one for each schema: where even these are too many, records are not taken. */
const MOST_TABLES = 65_000;
const OTHERS = 'others';
export const NO_TABLE = -1;

/** The records that the flows of a capture give, from all flows in the order in which packets completed them. */
export class Harvest {
  records = 0;
  bytes = 0;
  private readonly sink: Sink;
  private readonly pieces: Pieces;
  private readonly places: Places;
  private readonly tables: Map<string, { readonly schema: Schema; readonly id: number }[]> = new Map();
  private tableCount = 0;
  private readonly batch = new RecordBatch(BATCH);
  /** Of each record of this batch: its table, its bytes in `held`, its place in the file, the packet that completed it. */
  private count = 0;
  private ids = new Uint16Array(FIRST_RECORDS);
  private starts = new Uint32Array(FIRST_RECORDS);
  private sizes = new Uint32Array(FIRST_RECORDS);
  private files = new Float64Array(FIRST_RECORDS);
  private packets = new Uint32Array(FIRST_RECORDS);
  private times = new Float64Array(FIRST_RECORDS);
  private held = new Uint8Array(FIRST_BYTES);
  private filled = 0;

  constructor(sink: Sink, pieces: Pieces, places: Places) {
    this.sink = sink;
    this.pieces = pieces;
    this.places = places;
  }

  /** The number of a table: flows that carry the same schema of the same stream share one. */
  tableOf(format: string, schema: Schema, stream: string): number {
    const key = JSON.stringify([format, schema.name, stream]);
    const same = this.tables.get(key) ?? [];
    const known = same.find((each) => isSame(each.schema, schema));
    if (known) return known.id;
    if (this.tableCount >= LIMITS.tables && stream !== OTHERS) return this.tableOf(format, schema, OTHERS);
    if (this.tableCount >= MOST_TABLES) return NO_TABLE;
    const id = this.tableCount++;
    this.tables.set(key, [...same, { schema, id }]);
    this.sink.table(id, schema, stream);
    return id;
  }

  /**
   * Takes the records that a flow found.
   * @param shift where the first byte of the batch's source stands in the stream
   * @param ids the numbers of the flow's tables
   */
  add(batch: RecordBatch, segments: Segments, shift: number, ids: readonly number[]): void {
    const { bytes, count, table, start, size } = batch;
    const base = batch.base + shift;
    this.makeRoom(count, start[count - 1] + size[count - 1] - start[0]);
    const { starts, sizes, files, packets, times } = this;
    let row = this.count;
    let runStart = start[0];
    let runEnd = runStart;
    for (let i = 0; i < count; i++) {
      const at = start[i];
      const length = size[i];
      if (at !== runEnd) {
        this.copy(bytes, runStart, runEnd);
        runStart = at;
      }
      runEnd = at + length;
      const from = base + at;
      this.ids[row] = ids[table[i]];
      starts[row] = this.filled + at - runStart;
      sizes[row] = length;
      files[row] = segments.fileAt(from);
      const last = segments.lastOf(from, from + length);
      packets[row] = segments.packet(last);
      times[row] = segments.time(last);
      row++;
    }
    this.copy(bytes, runStart, runEnd);
    this.count = row;
  }

  private copy(bytes: Uint8Array, from: number, to: number): void {
    this.held.set(bytes.subarray(from, to), this.filled);
    this.filled += to - from;
  }

  private makeRoom(records: number, bytes: number): void {
    if (this.filled + bytes > this.held.length) {
      const { held } = this;
      this.held = new Uint8Array(Math.max(2 * held.length, this.filled + bytes));
      this.held.set(held.subarray(0, this.filled));
    }
    const wanted = this.count + records;
    if (wanted <= this.ids.length) return;
    const room = Math.max(2 * this.ids.length, wanted);
    const { ids, starts, sizes, files, packets, times } = this;
    this.ids = new Uint16Array(room);
    this.starts = new Uint32Array(room);
    this.sizes = new Uint32Array(room);
    this.files = new Float64Array(room);
    this.packets = new Uint32Array(room);
    this.times = new Float64Array(room);
    this.ids.set(ids);
    this.starts.set(starts);
    this.sizes.set(sizes);
    this.files.set(files);
    this.packets.set(packets);
    this.times.set(times);
  }

  /** Hands over what was gathered. */
  flush(): void {
    const { count, filled } = this;
    if (count === 0) return;
    const order = this.order();
    const base = this.pieces.size;
    const piece = order ? this.sorted(order) : this.held.slice(0, filled);
    const { batch, ids, starts, sizes, files, packets, times, places } = this;
    batch.bytes = piece;
    batch.base = base;
    let at = 0;
    for (let k = 0; k < count; k++) {
      const i = order ? order[k] : k;
      const size = sizes[i];
      const start = order ? at : starts[i];
      at = start + size;
      places.add(base + start, size, files[i], packets[i], times[i]);
      batch.table[batch.count] = ids[i];
      batch.start[batch.count] = start;
      batch.size[batch.count] = size;
      if (++batch.count === BATCH) this.hand();
    }
    this.pieces.append(piece);
    this.hand();
    this.records += count;
    this.bytes += filled;
    this.count = 0;
    this.filled = 0;
  }

  private hand(): void {
    if (this.batch.count > 0) this.sink.records(this.batch);
    this.batch.count = 0;
  }

  /** The records by the packet that completed them, in the order of their flows where that is the same. */
  private order(): Uint32Array | undefined {
    const { packets, count } = this;
    let isOrdered = true;
    let [least, most] = [packets[0], packets[0]];
    for (let i = 1; i < count; i++) {
      const packet = packets[i];
      if (packet < most) isOrdered = false;
      else most = packet;
      if (packet < least) least = packet;
    }
    if (isOrdered) return undefined;
    // late ones may be of packets long ago: these come first, all as one
    const first = Math.max(least, most - 2 * BATCH);
    const places = new Uint32Array(most - first + 2);
    for (let i = 0; i < count; i++) places[Math.max(packets[i], first) - first + 1]++;
    for (let i = 1; i < places.length; i++) places[i] += places[i - 1];
    const order = new Uint32Array(count);
    for (let i = 0; i < count; i++) order[places[Math.max(packets[i], first) - first]++] = i;
    return order;
  }

  /** The bytes of the records in that order, those that stand together copied together. */
  private sorted(order: Uint32Array): Uint8Array {
    const { starts, sizes, held } = this;
    const piece = new Uint8Array(this.filled);
    let at = 0;
    for (let k = 0; k < order.length; ) {
      const from = starts[order[k]];
      let to = from;
      while (k < order.length && starts[order[k]] === to) to += sizes[order[k++]];
      piece.set(held.subarray(from, to), at);
      at += to - from;
    }
    return piece;
  }
}

/** Whether records of one schema can be read by the other. */
function isSame(a: Schema, b: Schema): boolean {
  if (a === b) return true;
  return (
    a.fields.length === b.fields.length &&
    a.size === b.size &&
    a.fields.every((field, i) => {
      const { name, type, count, offset } = b.fields[i];
      return field.name === name && field.type === type && field.count === count && field.offset === offset;
    })
  );
}
