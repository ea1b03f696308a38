import { resized } from '../../core/bytes.ts';
import { RecordBatch, type Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Schema } from '../../core/schema.ts';
import type { Pieces } from '../../core/source.ts';
import { inOrder } from './order.ts';
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
  /** Room to bring them in order. */
  private other = new Uint8Array(0);

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
   * @param shift where the first byte of the batch's source is in the stream
   * @param ids the numbers of the flow's tables
   */
  add(batch: RecordBatch, segments: Segments, shift: number, ids: readonly number[]): void {
    const { bytes, count, table, start, size } = batch;
    const base = batch.base + shift;
    this.makeRoom(count, start[count - 1] + size[count - 1] - start[0]);
    const { ids: tables, starts, sizes, files, packets, times } = this;
    const { count: pieces, starts: places, files: pieceFiles, packets: piecePackets, times: pieceTimes } = segments;
    let piece = segments.indexOf(base + start[0]);
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
      while (piece + 1 < pieces && places[piece + 1] <= from) piece++;
      let last = piece;
      for (let k = piece + 1; k < pieces && places[k] < from + length; k++) {
        if (piecePackets[k] > piecePackets[last]) last = k;
      }
      tables[row] = ids[table[i]];
      starts[row] = this.filled + at - runStart;
      sizes[row] = length;
      files[row] = pieceFiles[piece] + from - places[piece];
      packets[row] = piecePackets[last];
      times[row] = pieceTimes[last];
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
    const { held, filled } = this;
    if (filled + bytes > held.length) this.held = resized(held, Math.max(2 * held.length, filled + bytes));
    const wanted = this.count + records;
    if (wanted <= this.ids.length) return;
    const room = Math.max(2 * this.ids.length, wanted);
    this.ids = resized(this.ids, room);
    this.starts = resized(this.starts, room);
    this.sizes = resized(this.sizes, room);
    this.files = resized(this.files, room);
    this.packets = resized(this.packets, room);
    this.times = resized(this.times, room);
  }

  flush(): void {
    const { count, filled, held, starts, sizes, files, packets, times, places } = this;
    if (count === 0) return;
    const spans = inOrder(packets, count);
    const base = this.pieces.size;
    const { batch } = this;
    batch.bytes = this.pieces.append(spans.length === 2 ? held.subarray(0, filled) : this.arranged(spans));
    batch.base = base;
    let at = 0;
    for (let i = 0; i < spans.length; i += 2) {
      const [from, to] = [spans[i], spans[i + 1]];
      this.handSpan(from, to, at - starts[from]);
      places.add(base + at, from, to, sizes, files, packets, times);
      at += starts[to - 1] + sizes[to - 1] - starts[from];
    }
    this.hand();
    this.records += count;
    this.bytes += filled;
    this.count = 0;
    this.filled = 0;
  }

  /** The bytes of stretches of records, one after the other. */
  private arranged(spans: readonly number[]): Uint8Array {
    const { held, starts, sizes, filled } = this;
    if (this.other.length < held.length) this.other = new Uint8Array(held.length);
    let at = 0;
    for (let i = 0; i < spans.length; i += 2) {
      const last = spans[i + 1] - 1;
      const part = held.subarray(starts[spans[i]], starts[last] + sizes[last]);
      this.other.set(part, at);
      at += part.length;
    }
    return this.other.subarray(0, filled);
  }

  /** Records [from, to), with their bytes moved by `moved`. */
  private handSpan(from: number, to: number, moved: number): void {
    const { batch, ids, starts, sizes } = this;
    const { table, start, size } = batch;
    for (let i = from; i < to; ) {
      const stop = Math.min(to, i + BATCH - batch.count);
      let count = batch.count;
      for (; i < stop; i++, count++) {
        table[count] = ids[i];
        start[count] = starts[i] + moved;
        size[count] = sizes[i];
      }
      batch.count = count;
      if (count === BATCH) this.hand();
    }
  }

  private hand(): void {
    if (this.batch.count > 0) this.sink.records(this.batch);
    this.batch.count = 0;
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
