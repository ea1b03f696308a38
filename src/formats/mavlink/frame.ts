import type { Sink, StreamStatistics } from '../../core/decoder.ts';
import { ScanningDecoder } from '../../core/scanning-decoder.ts';
import { type Catalog, unknownName } from './dialect/catalog.ts';
import type { SchemaOptions } from './dialect/schema.ts';
import { SIGNED } from './header.ts';
import type { Judge, Lead } from './judge.ts';
import { Remarks } from './remarks.ts';
import { Resync } from './resync.ts';
import { FrameScan, type FrameSink } from './scan.ts';
import { Sequences } from './sequence.ts';
import { Signatures } from './signatures.ts';
import type { Verifier } from './signing.ts';
import { NO_TABLE, SENDER_MASK, SENDERS, Tables } from './tables.ts';

// a constant of this module is built into the machine code, what others export is looked up each time
const NONE = NO_TABLE;
const SENDER = SENDER_MASK;

/** Records handed over at a time. */
const BATCH = 4096;
/** Microseconds of a byte at 9600 baud, the slowest line that is in use. */
const BYTE_MICROS = 1e7 / 9600;

/** A lead that is called when a frame with it was taken. */
export interface TakenLead extends Lead {
  take(bytes: Uint8Array, at: number, offset: number): void;
  /** Places after a pause. */
  readonly starts: readonly number[];
}

export interface FrameOptions {
  readonly catalog: Catalog;
  readonly schemas: SchemaOptions;
  /** What is before each frame, if anything. */
  readonly lead?: TakenLead | undefined;
  readonly remarks?: Remarks | undefined;
  /** Decides which frames are accepted by their signature. */
  readonly verifier?: Verifier | undefined;
}

/** Makes records of the MAVLink frames of both versions in a stream of bytes, and faults of what is between them. */
export class MavlinkDecoder extends ScanningDecoder implements FrameSink {
  private readonly scanner: FrameScan;
  private readonly catalog: Catalog;
  private readonly tables: Tables;
  private readonly judge: Judge;
  private readonly remarks: Remarks;
  private readonly lead: TakenLead | undefined;
  private readonly leadBytes: number;
  private readonly sequences = new Sequences(SENDERS);
  private readonly signatures: Signatures;
  /** In the source: the first byte that waits for more, and since when. */
  private waitingFrom = -1;
  private waitingSince = 0;

  constructor(sink: Sink, { catalog, schemas, lead, remarks = new Remarks(sink), verifier }: FrameOptions) {
    super(sink, BATCH);
    this.catalog = catalog;
    this.lead = lead;
    this.leadBytes = lead?.bytes ?? 0;
    this.remarks = remarks;
    this.tables = new Tables(sink, catalog, schemas);
    this.signatures = new Signatures(catalog, verifier);
    const cutsRight = this.tables.cutsRight.bind(this.tables);
    // each signature is checked, so that no frame is ordinary
    const frames = this.signatures.areChecked ? { frame: this.frame.bind(this) } : this;
    this.scanner = new FrameScan(frames, new Resync(sink, () => this.flush()), { catalog, lead, cutsRight });
    this.judge = this.scanner.judge;
  }

  protected scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    return this.scanner.scan(bytes, from, base, final);
  }

  override end(): void {
    super.end();
    this.remarks.end();
  }

  interrupt(): void {
    this.chunks.end();
  }

  /**
   * A datagram ends here: a whole frame is held back no longer by an unfinished one that claims its bytes. What is
   * unfinished and hides none may still go on.
   * @param time for a stream, which does not say where it ends: microseconds. What is unfinished is then given as long
   *   as it takes on a slow line
   */
  settle(time?: number): void {
    const { chunks, judge } = this;
    if (chunks.waiting === 0) return;
    if (time !== undefined) {
      if (this.waitingFrom !== chunks.place) {
        this.waitingFrom = chunks.place;
        this.waitingSince = time;
      }
      if (time - this.waitingSince < judge.claimed * BYTE_MICROS) return;
    }
    judge.isSettling = true;
    chunks.again();
    judge.isSettling = false;
  }

  seams(): readonly number[] {
    return this.lead?.starts ?? [];
  }

  streams(): StreamStatistics[] {
    const counted = [...this.tables.senders()].map(([sender, stream]) => this.sequences.statistics(sender, stream));
    return this.signatures.added(counted);
  }

  /** How many frames had each outcome of their signature. */
  signatureTotals(): Readonly<Record<string, number>> {
    return this.signatures.totals();
  }

  /** A sender rebooted a moment ago, by its time since boot: what its numbers say of it may have another reason. */
  rebooted(system: number, component: number): void {
    this.sequences.rebooted(this.tables.sender(system, component));
  }

  ordinary(
    bytes: Uint8Array,
    at: number,
    end: number,
    slot: number,
    from: number,
    sequence: number,
    flags: number,
    isCut: boolean,
  ): void {
    const { tables, sequences, lead } = this;
    if (lead !== undefined) lead.take(bytes, at, this.batch.base + at);
    const known = tables.senderOf[from];
    let sender = known & SENDER;
    let id = tables.tableOf[sender * tables.slots + slot];
    if (id === NONE) {
      sender = tables.sender(from >> 8, from & 0xff);
      id = tables.table(slot, sender);
    }
    if (sequences.next[sender] === sequence) sequences.next[sender] = sequence + 1;
    else sequences.pass(sender, sequence);
    // of a sender that is known to cut right there is nothing to be noted any more
    if (flags !== 0 || (isCut && known <= SENDER)) this.note(from >> 8, from & 0xff, flags, isCut);
    this.add(id, at, end);
  }

  private add(table: number, from: number, end: number): void {
    const { batch } = this;
    const { count } = batch;
    batch.table[count] = table;
    batch.start[count] = from;
    batch.size[count] = end - from;
    batch.count = count + 1;
    if (count + 1 === BATCH) this.flush();
  }

  /** What is to be kept in mind of a sender by a frame with a right checksum. */
  private note(system: number, component: number, flags: number, isCut: boolean): void {
    const { tables, signatures } = this;
    if (isCut) tables.sawCut(system, component);
    if (flags !== 0) signatures.unchecked(system, component);
  }

  frame(bytes: Uint8Array, at: number, base: number): void {
    const { judge, leadBytes, lead } = this;
    const { header, kind } = judge;
    const isLed = lead !== undefined && at + leadBytes === header.start;
    const hasLead = isLed && lead.isPossible(bytes, at);
    const from = hasLead ? at : header.start;
    const { end } = header;
    if (isLed && !hasLead) this.refuseLead(base + at);
    if (kind === 'incompatible') {
      const text = `frame at offset ${base + from} has incompatibility flags ${header.flags}, only ${SIGNED} is known`;
      this.flush();
      this.sink.fault({ code: 'incompatible', offset: base + from, length: end - from, lost: true, text });
      this.sink.skipped?.(bytes, from, end, 'damaged');
      return;
    }
    const refusal = this.signatures.refusal(bytes, header, base + from, end - from);
    if (refusal) {
      this.flush();
      this.sink.fault(refusal);
      this.sink.skipped?.(bytes, from, end, 'refused');
      return;
    }
    const sender = this.tables.sender(header.system, header.component);
    this.sequences.pass(sender, header.sequence);
    if (hasLead) lead.take(bytes, at, base + at);
    this.remark(sender, base + from, lead !== undefined && !hasLead);
    this.add(this.tableOf(sender), from, end);
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
    const text = `${this.leadBytes} bytes at offset ${offset} are not a time stamp, but a frame follows`;
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
}
