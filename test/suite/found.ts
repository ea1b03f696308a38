import type { Decoder, RecordBatch, Sink } from '../../src/core/decoder.ts';
import type { Fault } from '../../src/core/fault.ts';
import type { Format } from '../../src/core/format.ts';
import type { Schema } from '../../src/core/schema.ts';

/** What chunks are overwritten with once a decoder has had them: they were only lent to it. */
const SPOILED = 0x5a;

/** All that a decoder finds, kept as numbers: a suite looks at many millions of records. */
export class Found implements Sink {
  /** Of each table, by its number. */
  readonly schemas: Schema[] = [];
  readonly streams: string[] = [];
  /** Of each record: the number of its table, where it begins, how long it is. */
  readonly ids: number[] = [];
  readonly offsets: number[] = [];
  readonly sizes: number[] = [];
  readonly faults: Fault[] = [];
  /** What the sink was told against the rules. */
  readonly mistakes: string[] = [];
  /** Of a container: its records one behind the other, where each begins there, and what became of its bytes. */
  readonly pieces: Uint8Array[] = [];
  readonly starts: number[] = [];
  container: Decoder | undefined;

  get count(): number {
    return this.ids.length;
  }

  name(i: number): string {
    return this.schemas[this.ids[i]].name;
  }

  /** All that says what record i is: its name, stream, place and length. */
  label(i: number): string {
    const stream = this.streams[this.ids[i]];
    return `${this.name(i)}${stream && `[${stream}]`} at ${this.offsets[i]} of ${this.sizes[i]} bytes`;
  }

  table(id: number, schema: Schema, stream: string): void {
    if (this.schemas[id]) this.mistakes.push(`table ${id} is announced twice`);
    this.schemas[id] = schema;
    this.streams[id] = stream;
  }

  records(batch: RecordBatch): void {
    const { count, base, bytes } = batch;
    for (let i = 0; i < count; i++) {
      const id = batch.table[i];
      const end = batch.start[i] + batch.size[i];
      if (!this.schemas[id]) this.mistakes.push(`a record names table ${id}, which was not announced`);
      if (end > bytes.length) this.mistakes.push(`a record ends at ${end} of ${bytes.length} bytes that came with it`);
      this.ids.push(id);
      this.offsets.push(base + batch.start[i]);
      this.sizes.push(batch.size[i]);
      if (!this.container) continue;
      this.starts.push((this.starts.at(-1) ?? 0) + (this.pieces.at(-1)?.length ?? 0));
      this.pieces.push(bytes.slice(batch.start[i], end));
    }
  }

  /** At the end: offsets become places in the bytes that were read. */
  settle(): void {
    const { container, offsets } = this;
    for (let i = 0; container?.placeOf && i < offsets.length; i++) offsets[i] = container.placeOf(offsets[i]);
  }

  fault(fault: Fault): void {
    // an offset that the bytes state themselves is another
    const named = /(?<!place) at offset (\d+)/.exec(fault.text)?.[1] ?? fault.offset;
    if (Number(named) !== fault.offset) this.mistakes.push(`fault at ${fault.offset}: ${fault.text}`);
    this.faults.push(fault);
  }
}

/**
 * Decodes bytes in chunks that end at `cuts` (ascending), and a second time where the decoder asks for it.
 * @param copy makes a chunk of its own of a part
 */
export function decode(
  format: Format,
  bytes: Uint8Array,
  cuts: readonly number[] = [],
  copy: (part: Uint8Array) => Uint8Array = (part) => part.slice(),
): Found {
  const found = new Found();
  const decoder = format.decoder(found);
  if (decoder.source) found.container = decoder;
  feed(decoder, bytes, cuts, copy);
  found.settle();
  const second = new Found();
  const again = decoder.again?.(second);
  if (!again) return found;
  feed(again, bytes, cuts, copy);
  return second;
}

function feed(
  decoder: Decoder,
  bytes: Uint8Array,
  cuts: readonly number[],
  copy: (part: Uint8Array) => Uint8Array,
): void {
  if (cuts.length === 0) {
    decoder.push(bytes);
  } else {
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      const chunk = copy(bytes.subarray(from, cut));
      decoder.push(chunk);
      chunk.fill(SPOILED);
      from = cut;
    }
  }
  decoder.end();
}

/** What two readings differ in first, or undefined where they are the same. */
export function difference(a: Found, b: Found): string | undefined {
  const records = Math.min(a.count, b.count);
  for (let i = 0; i < records; i++) {
    if (a.offsets[i] !== b.offsets[i] || a.label(i) !== b.label(i))
      return `record ${i}: ${a.label(i)}, then ${b.label(i)}`;
  }
  if (a.count !== b.count) return `${a.count} records, then ${b.count}`;
  const faults = Math.min(a.faults.length, b.faults.length);
  for (let i = 0; i < faults; i++) {
    const [first, second] = [shown(a.faults[i]), shown(b.faults[i])];
    if (first !== second) return `fault ${i}: ${first}, then ${second}`;
  }
  if (a.faults.length !== b.faults.length) return `${a.faults.length} faults, then ${b.faults.length}`;
  return undefined;
}

/** All that a fault says, its sentence too, which some make when it is asked for. */
function shown(fault: Fault): string {
  return JSON.stringify({ ...fault, text: fault.text });
}

/** Where records and faults leave a byte out or claim it twice, or a record breaks a rule; undefined if nowhere. */
export function uncovered(found: Found, length: number): string | undefined {
  if (found.mistakes.length > 0) return found.mistakes[0];
  if (found.container) return unaccounted(found, length);
  const faults = found.faults.filter((fault) => fault.length > 0);
  let at = 0;
  for (let r = 0, f = 0; r < found.count || f < faults.length; ) {
    const isRecord = r < found.count && !(found.offsets[r] > faults[f]?.offset);
    const start = isRecord ? found.offsets[r] : faults[f].offset;
    const size = isRecord ? found.sizes[r] : faults[f].length;
    if (start !== at || !(size > 0)) {
      const what = isRecord ? `record ${found.label(r)}` : `fault ${JSON.stringify(faults[f])}`;
      return `bytes up to ${at} are accounted for, then comes ${what}`;
    }
    at += size;
    if (isRecord) r++;
    else f++;
  }
  if (at !== length) return `bytes up to ${at} of ${length} are accounted for`;
  const outside = found.faults.find(({ offset, length: bytes }) => bytes < 0 || offset < 0 || offset > length);
  return outside && `fault ${JSON.stringify(outside)} lies outside of ${length} bytes`;
}

/** The same of a container, whose records and faults lie between headers: the sums must be right. */
function unaccounted(found: Found, length: number): string | undefined {
  const bytes = found.container?.capture?.().bytes;
  if (!bytes) return 'a container does not say what became of its bytes';
  const sum = Object.values(bytes).reduce((total, count) => total + count, 0);
  if (sum !== length) return `${sum} of ${length} bytes are accounted for: ${JSON.stringify(bytes)}`;
  const records = found.sizes.reduce((total, size) => total + size, 0);
  const faults = found.faults.reduce((total, fault) => total + fault.length, 0);
  if (records !== bytes.records) return `records have ${records} bytes, and ${bytes.records} are said to be in them`;
  if (faults !== bytes.faults) return `faults have ${faults} bytes, and ${bytes.faults} are said to be in them`;
  const outside = found.faults.find((fault) => fault.offset < 0 || fault.offset > length);
  if (outside) return `fault ${JSON.stringify(outside)} lies outside of ${length} bytes`;
  const far = found.offsets.findIndex((offset) => !(offset >= 0 && offset < length));
  return far < 0 ? undefined : `${found.label(far)} lies outside of ${length} bytes`;
}
