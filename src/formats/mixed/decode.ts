import { type Decoder, RecordBatch, type Sink, type StreamStatistics } from '../../core/decoder.ts';
import type { Fault } from '../../core/fault.ts';
import { MIXED_LIMITS } from '../../core/limits.ts';
import { frameDecoder, type MavlinkOptions } from '../mavlink/options.ts';
import { SentenceDecoder } from '../nmea/frame.ts';
import { BINARY, Gap } from '../nmea/gap.ts';
import { FrameDecoder as XbusDecoder } from '../xbus/frame.ts';
import { PREAMBLE } from '../xbus/header.ts';
import { type Claim, Claims } from './claims.ts';
import { SKIMMED, Skimmer } from './skim.ts';

const BATCH = 1024;
const LOOKAHEAD = MIXED_LIMITS.lookahead;
const NO_FAULTS = (): boolean => false;
const NEVER = (): boolean => false;
/** Damage of sentences, whose beginning cannot be taken for anything else. */
const SENTENCE_FAULTS: ReadonlySet<string> = new Set(['bad-checksum', 'cut-sentence', 'no-checksum', 'truncated']);

/** How much of a stream is of one protocol. */
export interface Share {
  readonly frames: number;
  readonly bytes: number;
}

interface Member {
  readonly claims: Claims;
  decoder: Decoder;
}

/**
 * Reads a stream in which several protocols take turns. The decoder of each looks at all bytes; where two claim the
 * same, the one with the stronger check has them. What no protocol claims becomes faults, as ever.
 */
export class MixedDecoder implements Decoder {
  private readonly sink: Sink;
  private readonly options: MavlinkOptions;
  /** The strongest check first: 16 and 24 bits, sums of 16, a sum of 8 in text, a sum of 8. */
  private readonly members: readonly Member[];
  private readonly skimmed: Claims;
  private readonly nmea: Claims;
  private readonly found: Map<Claims, Share> = new Map();
  private readonly batch = new RecordBatch(BATCH);
  private readonly ids: Map<Claims, number[]> = new Map();
  private tableCount = 0;
  private readonly gap: Gap;
  /** Frames that were accepted and are not handed over yet, in the order of the source. */
  private accepted: Claim[] = [];
  /** All before this place of the source was handed over. */
  private cursor = 0;
  /** The bytes from there on: so many of this memory. */
  private held: Uint8Array = new Uint8Array(4 * LOOKAHEAD);
  private filled = 0;

  constructor(sink: Sink, options: MavlinkOptions = {}) {
    this.sink = sink;
    this.options = options;
    this.gap = new Gap({ fault: (fault) => this.report(fault) }, 'protocol');
    const mavlink = new Claims(NEVER, NO_FAULTS);
    this.skimmed = new Claims(NEVER, NO_FAULTS);
    this.nmea = new Claims(NEVER, ({ code }) => SENTENCE_FAULTS.has(code));
    const xbus = new Claims((bytes, start) => bytes[start] !== PREAMBLE, NO_FAULTS);
    this.members = [
      { claims: mavlink, decoder: frameDecoder(mavlink, options) },
      { claims: this.skimmed, decoder: new Skimmer(this.skimmed) },
      { claims: this.nmea, decoder: new SentenceDecoder(this.nmea, options) },
      { claims: xbus, decoder: new XbusDecoder(xbus, options) },
    ];
  }

  push(bytes: Uint8Array): void {
    // a little at a time: what is claimed and not decided yet is kept
    for (let at = 0; at < bytes.length; at += LOOKAHEAD) {
      const part = bytes.subarray(at, at + LOOKAHEAD);
      for (const { decoder } of this.members) decoder.push(part);
      this.hold(part);
      if (this.filled >= 2 * LOOKAHEAD) this.settle(this.cursor + this.filled - LOOKAHEAD, false);
    }
  }

  private hold(bytes: Uint8Array): void {
    const { held, filled } = this;
    if (filled + bytes.length > held.length) {
      this.held = new Uint8Array(2 * (filled + bytes.length));
      this.held.set(held.subarray(0, filled));
    }
    this.held.set(bytes, filled);
    this.filled += bytes.length;
  }

  end(): void {
    for (const { decoder } of this.members) decoder.end();
    this.settle(this.cursor + this.filled, true);
  }

  again(sink: Sink): Decoder | undefined {
    const next = new MixedDecoder(sink, this.options);
    let isBetter = false;
    this.members.forEach(({ decoder }, i) => {
      const again = decoder.again?.(next.members[i].claims);
      if (again) next.members[i].decoder = again;
      isBetter ||= again !== undefined;
    });
    return isBetter ? next : undefined;
  }

  streams(): StreamStatistics[] {
    return this.members.flatMap(({ decoder }) => decoder.streams?.() ?? []);
  }

  /** How much of the stream each protocol has: MAVLink, those that are passed over, NMEA, XBUS. */
  shares(): Share[] {
    return this.members.map(({ claims }) => this.found.get(claims) ?? { frames: 0, bytes: 0 });
  }

  /** Decides about all frames that end before a place of the source, and hands over what nothing can change any more. */
  private settle(place: number, final: boolean): void {
    let open = place;
    for (const { claims } of this.members) {
      const decided = final ? claims.pending.length : countWhile(claims.pending, ({ end }) => end <= place);
      this.accept(claims.pending.slice(0, decided));
      claims.pending = claims.pending.slice(decided);
      open = Math.min(open, claims.pending[0]?.start ?? open);
    }
    const sure = countWhile(this.accepted, ({ end }) => end <= open);
    for (const claim of this.accepted.slice(0, sure)) this.give(claim);
    this.accepted = this.accepted.slice(sure);
    // damage is told in one piece, whatever the pieces in which the bytes came
    const until = Math.min(open, this.accepted[0]?.start ?? open, final ? open : this.nmea.startOfFaultAcross(open));
    if (until > this.cursor) this.pass(until);
    if (final) this.closeGap(true);
    this.flush();
    const done = this.cursor - this.batch.base;
    this.held.copyWithin(0, done, this.filled);
    this.filled -= done;
    this.batch.base = this.cursor;
    for (const { claims } of this.members) claims.forget(this.cursor);
  }

  /** Takes frames that overlap none of a stronger protocol: those were accepted before. */
  private accept(claims: readonly Claim[]): void {
    const merged: Claim[] = [];
    let k = 0;
    for (const claim of claims) {
      while (k < this.accepted.length && this.accepted[k].end <= claim.start) merged.push(this.accepted[k++]);
      if (!(this.accepted[k]?.start < claim.end)) merged.push(claim);
    }
    while (k < this.accepted.length) merged.push(this.accepted[k++]);
    this.accepted = merged;
  }

  private give(claim: Claim): void {
    if (claim.start > this.cursor) this.pass(claim.start);
    this.closeGap(false);
    const { member, records } = claim;
    if (member === this.skimmed) this.skim(claim);
    for (let i = 0; i < records.length && member !== this.skimmed; i += 3) {
      const [table, start, size] = records.slice(i, i + 3);
      this.batch.table[this.batch.count] = this.idOf(member, table);
      this.batch.start[this.batch.count] = start - this.batch.base;
      this.batch.size[this.batch.count] = size;
      if (++this.batch.count === BATCH) this.flush();
    }
    for (let fault = member.faultBefore(claim.end); fault; fault = member.faultBefore(claim.end))
      if (fault.length === 0 && fault.offset >= claim.start) this.report(fault);
    const found = this.found.get(member) ?? { frames: 0, bytes: 0 };
    this.found.set(member, { frames: found.frames + 1, bytes: found.bytes + claim.end - claim.start });
    this.cursor = claim.end;
  }

  private skim({ start, end, records }: Claim): void {
    const name = SKIMMED[records[0]];
    const text = `${name} frame of ${end - start} bytes at offset ${start} is passed over`;
    const code = `${name.toLowerCase()}-frame`;
    this.report({ code, offset: start, length: end - start, lost: false, text });
  }

  /** Passes over bytes up to a place that no protocol claims: what is known to be damage is told, the rest is a gap. */
  private pass(to: number): void {
    for (let fault = this.nmea.faultBefore(to); fault; fault = this.nmea.faultBefore(to)) {
      const end = fault.offset + fault.length;
      if (fault.length === 0 || fault.offset < this.cursor || end > to) continue;
      this.extend(fault.offset);
      this.closeGap(false);
      this.report(fault);
      this.cursor = end;
    }
    this.extend(to);
  }

  private extend(to: number): void {
    const { held, batch } = this;
    const [from, end] = [this.cursor - batch.base, to - batch.base];
    let at = from;
    while (at < end && BINARY[held[at]] === 0) at++;
    this.gap.extend(held, from, end, batch.base, at < end);
    this.cursor = to;
  }

  private closeGap(isLast: boolean): void {
    if (this.gap.isOpen) this.gap.close(isLast);
  }

  private report(fault: Fault): void {
    this.flush();
    this.sink.fault(fault);
  }

  private idOf(member: Claims, table: number): number {
    const ids = this.ids.get(member) ?? [];
    this.ids.set(member, ids);
    if (ids[table] === undefined) {
      ids[table] = this.tableCount++;
      const { schema, stream } = member.tables[table];
      this.sink.table(ids[table], schema, stream);
    }
    return ids[table];
  }

  private flush(): void {
    if (this.batch.count === 0) return;
    this.batch.bytes = this.held.subarray(0, this.filled);
    this.sink.records(this.batch);
    this.batch.count = 0;
  }
}

function countWhile<T>(list: readonly T[], isMeant: (each: T) => boolean): number {
  const stop = list.findIndex((each) => !isMeant(each));
  return stop < 0 ? list.length : stop;
}
