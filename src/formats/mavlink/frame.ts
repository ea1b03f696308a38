import { type Decoder, RecordBatch, type Sink, type StreamStatistics } from '../../core/decoder.ts';
import { Feed } from '../../core/feed.ts';
import { X25_SEED, X25_TABLES, x25Sliced } from '../../core/x25.ts';
import { type Catalog, EXTRA_SHIFT, LEAST_SHIFT, LIMIT_MASK } from './catalog.ts';
import { Gap } from './gap.ts';
import { CHECKSUM, HEADER_1, HEADER_2, MAGIC_1, MAGIC_2, SIGNATURE, SIGNED } from './header.ts';
import { FRAME, Judge, WAIT } from './judge.ts';
import type { Lead } from './lead.ts';
import { Remarks } from './remarks.ts';
import type { SchemaOptions } from './schema.ts';
import { Sequences } from './sequence.ts';
import { Signatures } from './signatures.ts';
import type { Verifier } from './signing.ts';
import { NO_TABLE, SENDER_MASK, SENDERS, Tables } from './tables.ts';

/*
 * What another module exports is looked up each time it is used; a constant of this one is built into the machine code.
 * The loop over frames is a fifth faster for it.
 */
const HEAD_1 = HEADER_1;
const HEAD_2 = HEADER_2;
const START_1 = MAGIC_1;
const START_2 = MAGIC_2;
const SIGNED_BYTES = SIGNATURE;
const SIGNED_FLAG = SIGNED;
const SUM_BYTES = CHECKSUM;
const LIMIT = LIMIT_MASK;
const LEAST = LEAST_SHIFT;
const EXTRA = EXTRA_SHIFT;
const NONE = NO_TABLE;
const SENDER = SENDER_MASK;
const SEED = X25_SEED;
const TABLES = X25_TABLES;

/** Records handed over at a time. */
const BATCH = 4096;
/** All of the shortest frame of version 2: the quick way leaves what is shorter to the careful one. */
const SHORTEST = HEADER_2 + CHECKSUM;
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
    this.feed = new Feed((bytes, from, base, final) => this.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.feed.push(bytes);
  }

  end(): void {
    this.feed.end();
    this.remarks.end();
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
      if (!this.signatures.areChecked) at = this.run(bytes, at);
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

  /**
   * Takes frames as long as they follow each other: where nearly all of a good stream goes through. Each array that it
   * touches costs it, so it has few of them.
   */
  private run(bytes: Uint8Array, from: number): number {
    const { lead, leadBytes, tables, batch } = this;
    const { slotOf, facts } = this.catalog;
    const { senderOf, slots } = tables;
    const { next } = this.sequences;
    const { table, start, size } = batch;
    const last = bytes.length - leadBytes - SHORTEST;
    let { tableOf } = tables;
    let count = batch.count;
    let at = from;
    while (at <= last) {
      const head = at + leadBytes;
      const length = bytes[head + 1];
      let flags = 0;
      let counter = head + 2;
      let checksum = head + HEAD_1 + length;
      let slot: number;
      if (bytes[head] === START_2) {
        flags = bytes[head + 2];
        counter = head + 4;
        checksum = head + HEAD_2 + length;
        if (flags > SIGNED_FLAG || bytes[head + 9] !== 0) break;
        slot = slotOf[(bytes[head + 8] << 8) | bytes[head + 7]];
        if (length >= (facts[slot] & LIMIT)) break;
      } else if (bytes[head] === START_1) {
        slot = slotOf[bytes[head + 5]];
        const fact = facts[slot];
        if (length >= (fact & LIMIT) || length < ((fact >>> LEAST) & 0xff)) break;
      } else {
        break;
      }
      const end = checksum + SUM_BYTES + flags * SIGNED_BYTES;
      if (end > bytes.length) break;
      const sum = x25Sliced(bytes, head + 1, checksum, SEED);
      const fact = facts[slot];
      const stated = bytes[checksum] | (bytes[checksum + 1] << 8);
      if (((sum >>> 8) ^ TABLES[(sum ^ (fact >>> EXTRA)) & 0xff]) !== stated) break;
      if (lead !== undefined) {
        if (!lead.isPossible(bytes, at)) break;
        lead.take(bytes, at, batch.base + at);
      }
      const known = senderOf[(bytes[counter + 1] << 8) | bytes[counter + 2]];
      let sender = known & SENDER;
      let id = tableOf[sender * slots + slot];
      if (id === NONE) {
        sender = tables.sender(bytes[counter + 1], bytes[counter + 2]);
        id = tables.table(slot, sender);
        tableOf = tables.tableOf;
      }
      const sequence = bytes[counter];
      if (next[sender] === sequence) next[sender] = sequence + 1;
      else this.sequences.pass(sender, sequence);
      const isCut = length < ((fact >>> LEAST) & 0xff);
      // of a sender that is known to cut right there is nothing to be noted any more
      if (flags !== 0 || (isCut && known <= SENDER)) this.note(bytes[counter + 1], bytes[counter + 2], flags, isCut);
      table[count] = id;
      start[count] = at;
      size[count] = end - at;
      at = end;
      if (++count === BATCH) {
        batch.count = count;
        this.flush();
        count = 0;
      }
    }
    batch.count = count;
    if (at > from) this.stepAt = batch.base + at;
    return at;
  }

  /** What is to be kept in mind of a sender by a frame with a right checksum. */
  private note(system: number, component: number, flags: number, isCut: boolean): void {
    if (isCut) this.tables.sawCut(system, component);
    if (flags !== 0 && !this.signatures.areChecked) this.signatures.unchecked(system, component);
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
    if (bytes[from] === START_2 || bytes[from] === START_1) return from;
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
    const isCut = version === 2 && length < this.catalog.least(judge.slot);
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
    const isLearned = judge.unknowns.learned(id) >= 0;
    const code = judge.kind === 'unknown' ? (isLearned ? 'learned-extra' : 'unverified') : judge.kind;
    remarks.add(code, id * SENDERS + sender, offset, () => `${catalog.nameOf(id)} of ${stream()}`);
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
