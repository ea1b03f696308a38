import { type Decoder, RecordBatch, type Sink, type StreamStatistics } from '../../core/decoder.ts';
import { Feed } from '../../core/feed.ts';
import { type Catalog, unknownName } from './catalog.ts';
import { Gap } from './gap.ts';
import { isMagic, MAGIC_1, MAGIC_2, SIGNED } from './header.ts';
import { FRAME, Judge, WAIT } from './judge.ts';
import type { Lead } from './lead.ts';
import { Remarks } from './remarks.ts';
import { Run } from './run.ts';
import type { SchemaOptions } from './schema.ts';
import { Sequences } from './sequence.ts';
import { Signatures } from './signatures.ts';
import type { Verifier } from './signing.ts';
import { SENDERS, Tables } from './tables.ts';

/** Records handed over at a time. */
const BATCH = 4096;
/** Search came to the end of the bytes. */
const NOTHING = -1;

export interface FrameOptions {
  readonly catalog: Catalog;
  readonly schemas: SchemaOptions;
  /** What stands before each frame, if anything does. */
  readonly lead?: Lead | undefined;
  readonly remarks?: Remarks | undefined;
  /** Decides which frames are accepted by their signature. */
  readonly verifier?: Verifier | undefined;
}

/**
 * Finds MAVLink frames of both versions in a stream of bytes. In step, frame follows frame, and each is a length and a
 * checksum. Where that ends, every byte that could begin a frame is looked at: a false start costs one byte, never the
 * frame that it hides.
 */
export class FrameDecoder implements Decoder {
  private readonly feed: Feed;
  private readonly sink: Sink;
  private readonly batch = new RecordBatch(BATCH);
  private readonly catalog: Catalog;
  private readonly tables: Tables;
  private readonly judge: Judge;
  private readonly gap: Gap;
  private readonly remarks: Remarks;
  private readonly lead: Lead | undefined;
  private readonly leadBytes: number;
  private readonly run: Run;
  private readonly sequences = new Sequences(SENDERS);
  private readonly signatures: Signatures;
  /** In the source: where the last frame ended, a damaged one included, and in a gap where the next is looked for. */
  private stepAt = 0;
  private place = 0;
  /** A place that was looked at in step, and was none. */
  private tried = -1;
  /** In the bytes at hand: the next byte of each kind that can begin a frame. */
  private nextMagic1 = -1;
  private nextMagic2 = -1;

  constructor(sink: Sink, { catalog, schemas, lead, remarks = new Remarks(sink), verifier }: FrameOptions) {
    this.sink = sink;
    this.catalog = catalog;
    this.lead = lead;
    this.leadBytes = lead?.bytes ?? 0;
    this.remarks = remarks;
    this.tables = new Tables(sink, catalog, schemas);
    this.judge = new Judge(catalog, this.tables, lead);
    this.gap = new Gap(sink);
    this.signatures = new Signatures(catalog, verifier);
    const { tables, sequences, signatures, batch } = this;
    this.run = new Run({ catalog, tables, sequences, signatures, lead, batch, flush: () => this.flush() });
    this.feed = new Feed((bytes, from, base, final) => this.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.feed.push(bytes);
  }

  end(): void {
    this.feed.end();
    this.remarks.end();
  }

  interrupt(): void {
    this.feed.end();
  }

  streams(): StreamStatistics[] {
    const counted = [...this.tables.senders()].map(([sender, stream]) => this.sequences.statistics(sender, stream));
    return this.signatures.added(counted);
  }

  private scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    this.batch.bytes = bytes;
    this.batch.base = base;
    this.nextMagic1 = -1;
    this.nextMagic2 = -1;
    this.judge.sums.forget();
    let at = from;
    for (;;) {
      if (this.gap.isOpen) {
        at = this.search(bytes, final);
        if (at === NOTHING) break;
      }
      if (!this.signatures.areChecked) at = this.hurry(bytes, at);
      const next = this.step(bytes, at, final);
      if (next === WAIT) break;
      at = next;
    }
    this.flush();
    if (!this.gap.isOpen) return at;
    if (!final) return this.gap.seen - base;
    this.gap.pass(bytes, base, bytes.length);
    this.gap.close(base + bytes.length, true);
    return bytes.length;
  }

  /** In step: takes what the quick way takes. */
  private hurry(bytes: Uint8Array, from: number): number {
    const at = this.run.take(bytes, from);
    if (at > from) this.stepAt = this.batch.base + at;
    return at;
  }

  /** In step, where the quick way ended: looks at one place by all the rules and returns where to go on. */
  private step(bytes: Uint8Array, at: number, final: boolean): number {
    if (at === bytes.length) return WAIT;
    const { judge, leadBytes, batch } = this;
    const head = at + leadBytes;
    const found = judge.look(bytes, head, true, true, final);
    if (found === WAIT) return WAIT;
    if (found === FRAME) return this.admit(bytes, at);
    this.flush();
    this.gap.open(batch.base + at);
    if (judge.failure) this.fail(batch.base + at);
    this.place = batch.base + at;
    this.tried = batch.base + head;
    return at;
  }

  /** In a gap: goes to the next place where a frame begins and takes it, or as far as can be told. */
  private search(bytes: Uint8Array, final: boolean): number {
    const { judge, gap, leadBytes, lead } = this;
    const { base } = this.batch;
    for (;;) {
      const head = this.nextStart(bytes, this.place - base);
      if (head === bytes.length) break;
      this.place = base + head;
      if (this.place === this.tried) {
        this.place++;
        continue;
      }
      const ended = this.place - this.stepAt;
      const found = judge.look(bytes, head, ended === 0 || ended === leadBytes, gap.asks, final);
      if (found === WAIT) break;
      if (found === FRAME || judge.failure) {
        const before = head - leadBytes;
        const hasLead = lead !== undefined && base + before >= gap.from && lead.isLikely(bytes, before);
        const at = hasLead ? before : head;
        gap.pass(bytes, base, at);
        if (found === FRAME) {
          gap.close(base + at, false);
          return this.admit(bytes, at);
        }
        this.fail(base + at);
      }
      this.place++;
    }
    gap.pass(bytes, base, Math.min(this.place - base, bytes.length) - leadBytes);
    return NOTHING;
  }

  /** What was just looked at, and what stands before it from `offset` on, seems to be a frame and is none. */
  private fail(offset: number): void {
    const { judge, gap, batch } = this;
    const end = batch.base + judge.header.end;
    if (judge.failure) gap.fail(offset, end, judge.failure);
    if (judge.isSure) this.stepAt = end;
  }

  /** The next byte from `from` on that can begin a frame, or where the bytes end. */
  private nextStart(bytes: Uint8Array, from: number): number {
    // garbage that is full of such bytes should not cost a search for each
    if (isMagic(bytes[from])) return from;
    if (this.nextMagic1 < from) this.nextMagic1 = indexOf(bytes, MAGIC_1, from);
    if (this.nextMagic2 < from) this.nextMagic2 = indexOf(bytes, MAGIC_2, from);
    const found = Math.min(this.nextMagic1, this.nextMagic2);
    if (found === bytes.length) this.place = this.batch.base + found;
    return found;
  }

  /** Takes the frame that was just looked at, with what stands before it from `at` on; returns where it ends. */
  private admit(bytes: Uint8Array, at: number): number {
    const { judge, batch, leadBytes, lead } = this;
    const { header, kind } = judge;
    const { base } = batch;
    const isLed = lead !== undefined && at + leadBytes === header.start;
    const hasLead = isLed && lead.isPossible(bytes, at);
    const from = hasLead ? at : header.start;
    const { end } = header;
    this.stepAt = base + end;
    if (isLed && !hasLead) this.refuseLead(base + at);
    if (kind === 'incompatible') {
      const text = `frame at offset ${base + from} has incompatibility flags ${header.flags}, only ${SIGNED} is known`;
      this.flush();
      this.sink.fault({ code: 'incompatible', offset: base + from, length: end - from, lost: true, text });
      return end;
    }
    const refusal = this.signatures.refusal(bytes, header, base + from, end - from);
    if (refusal) {
      this.flush();
      this.sink.fault(refusal);
      return end;
    }
    const sender = this.tables.sender(header.system, header.component);
    this.sequences.pass(sender, header.sequence);
    if (hasLead) lead.take(bytes, at, base + at);
    this.remark(sender, base + from, lead !== undefined && !hasLead);
    batch.table[batch.count] = this.tableOf(sender);
    batch.start[batch.count] = from;
    batch.size[batch.count] = end - from;
    if (++batch.count === BATCH) this.flush();
    return end;
  }

  private tableOf(sender: number): number {
    const { judge, tables } = this;
    const { id, version, length, system, component } = judge.header;
    if (judge.kind === 'unknown') return tables.unknownTable(id, judge.unknowns.indexOf(id), sender);
    const isCut = version === 2 && length < this.catalog.base(judge.slot);
    if (isCut && judge.kind === 'ordinary') tables.sawCut(system, component);
    return tables.table(judge.slot, sender);
  }

  /** Bytes where a time should be, but none that there can be. */
  private refuseLead(offset: number): void {
    this.flush();
    const text = `${this.leadBytes} bytes at offset ${offset} are no time, though a frame follows`;
    this.sink.fault({ code: 'bad-stamp', offset, length: this.leadBytes, lost: true, text });
  }

  private remark(sender: number, offset: number, isBare: boolean): void {
    const { judge, remarks, tables, catalog } = this;
    const { id } = judge.header;
    const stream = (): string => tables.streamOf(sender);
    if (isBare) remarks.add('no-stamp', sender, offset, stream);
    if (judge.kind === 'ordinary') return;
    const isUnknown = judge.kind === 'unknown';
    const isLearned = judge.unknowns.learned(id) >= 0;
    const code = isUnknown ? (isLearned ? 'learned-extra' : 'unverified') : judge.kind;
    const name = (): string => (isUnknown ? unknownName(id) : catalog.nameOf(id));
    remarks.add(code, id * SENDERS + sender, offset, () => `${name()} of ${stream()}`);
  }

  private flush(): void {
    if (this.batch.count === 0) return;
    this.sink.records(this.batch);
    this.batch.count = 0;
  }
}

function indexOf(bytes: Uint8Array, value: number, from: number): number {
  const found = bytes.indexOf(value, from);
  return found < 0 ? bytes.length : found;
}
