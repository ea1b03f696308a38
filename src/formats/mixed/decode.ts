import { resized } from '../../core/bytes.ts';
import { type Decoder, RecordBatch, type Sink, type StreamStatistics } from '../../core/decoder.ts';
import { type Fault, LazyFault } from '../../core/fault.ts';
import { words } from '../../core/text.ts';
import { frameDecoder, type MavlinkOptions } from '../mavlink/options.ts';
import { REFUSALS } from '../mavlink/signatures.ts';
import { SentenceDecoder } from '../nmea/frame.ts';
import { HEX, NO_DIGIT } from '../nmea/head.ts';
import { ALL_BINARY, BINARY, Resync } from '../nmea/resync.ts';
import { UbxDecoder } from '../ubx/frame.ts';
import { XbusDecoder } from '../xbus/frame.ts';
import { Header } from '../xbus/header.ts';
import { Claims } from './claims.ts';
import { MIXED_LIMITS } from './limits.ts';

/** Records handed over at a time: all of a frame of XBUS have room. */
const BATCH = 4096;
const LOOKAHEAD = MIXED_LIMITS.lookahead;
const NOWHERE = Number.POSITIVE_INFINITY;
/** Damage of sentences, whose beginning cannot be taken for anything else. */
const SENTENCE_FAULTS: ReadonlySet<string> = new Set(
  words('bad-checksum cut-sentence damaged-sentence no-checksum truncated'),
);
/** Frames of MAVLink that are whole and right, and yet not taken. */
const REFUSED: ReadonlySet<string> = new Set(['incompatible', ...Object.keys(REFUSALS)]);

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
 * Reads a stream in which several protocols take turns. The decoder of each looks at all bytes, as if they were all its
 * own, and claims its frames. Whose the bytes are is decided frame by frame, the strongest check first: a frame is taken
 * if it overlaps none that was taken before.
 *
 *  1. MAVLink: 16 bits of CRC, ids and lengths that are known. Frames that are refused count as frames.
 *  2. UBX and RTCM 3: two beginning bytes and sums of 16 bits, or 24 bits of CRC.
 *  3. NMEA: a sum of 8 bits in text.
 *  4. XBUS: a sum of 8 bits. All records of a frame are taken, or none.
 *
 * Of what is left, a damaged sentence that begins there is reported as NMEA does; where a frame begins inside it, it
 * is cut there. All else is a stretch of garbage or text. A remark is reported if the frame that it is on was taken; those
 * of MAVLink count frames, and come last.
 */
export class MixedDecoder implements Decoder {
  private readonly sink: Sink;
  private readonly options: MavlinkOptions;
  private readonly members: readonly Member[];
  private readonly claims: readonly Claims[];
  private readonly mavlink: Claims;
  private readonly nmea: Claims;
  private readonly batch = new RecordBatch(BATCH);
  private tableCount = 0;
  private readonly rest: Rest;
  /** All before this place of the source was handed over. */
  private cursor = 0;
  /** The bytes from `batch.base` on, and how much of this memory they use. */
  private held: Uint8Array = new Uint8Array(0);
  private filled = 0;

  constructor(sink: Sink, options: MavlinkOptions = {}) {
    this.sink = sink;
    this.options = options;
    this.rest = new Rest(sink);
    this.mavlink = new Claims({ role: (code) => (REFUSED.has(code) ? 'frame' : 'nothing') });
    const ubx = new Claims({ role: () => 'nothing' });
    this.nmea = new Claims({ role: (code) => (SENTENCE_FAULTS.has(code) ? 'damage' : 'nothing') });
    const header = new Header();
    const xbus = new Claims({
      frameEnd: (bytes, start) => {
        header.read(bytes, start);
        return header.end;
      },
      role: () => 'nothing',
    });
    this.members = [
      { claims: this.mavlink, decoder: frameDecoder(this.mavlink, options) },
      { claims: ubx, decoder: new UbxDecoder(ubx, 'silent') },
      { claims: this.nmea, decoder: new SentenceDecoder(this.nmea, options) },
      { claims: xbus, decoder: new XbusDecoder(xbus, options) },
    ];
    this.claims = this.members.map(({ claims }) => claims);
  }

  push(bytes: Uint8Array): void {
    // a little at a time: what is claimed and not decided yet is kept
    for (let at = 0; at < bytes.length; at += LOOKAHEAD) {
      const part = bytes.subarray(at, at + LOOKAHEAD);
      for (const { decoder } of this.members) decoder.push(part);
      this.hold(part);
      if (this.filled >= 2 * LOOKAHEAD) this.settle(this.batch.base + this.filled - LOOKAHEAD, false);
    }
  }

  private hold(bytes: Uint8Array): void {
    const { held, filled } = this;
    if (filled + bytes.length > held.length) this.held = resized(held, 2 * (filled + bytes.length));
    this.held.set(bytes, filled);
    this.filled += bytes.length;
  }

  end(): void {
    for (const { decoder } of this.members) decoder.end();
    // all of its frames are taken
    const remarks = this.mavlink.notes.filter(({ length }) => length === 0);
    this.mavlink.notes = this.mavlink.notes.filter(({ length }) => length > 0);
    this.settle(this.batch.base + this.filled, true);
    for (const remark of remarks) this.sink.fault(remark);
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

  /** How much of the stream each protocol has: MAVLink, UBX and RTCM 3, NMEA, XBUS. */
  shares(): Share[] {
    return this.claims.map(({ frames, bytes }) => ({ frames, bytes }));
  }

  /** All members have decided what begins before a place: hands over what is final. */
  private settle(place: number, isLast: boolean): void {
    const { claims } = this;
    // frames that reach beyond it are decided later, and so are those of weaker members that overlap them
    let open = place;
    claims.forEach((each, k) => {
      open = each.decide(open, claims.slice(0, k));
    });
    const first = this.giveBefore(open);
    // damage is reported in one piece, whatever the pieces in which the bytes came
    const until = Math.min(open, first, isLast ? open : this.nmea.startOfDamageAcross(open));
    if (until > this.cursor) this.pass(until);
    if (isLast) this.rest.close(true);
    this.flush();
    const done = this.cursor - this.batch.base;
    this.held.copyWithin(0, done, this.filled);
    this.filled -= done;
    this.batch.base = this.cursor;
    for (const each of claims) each.forget();
  }

  /** Hands over the frames that end before a place, and what is between them; returns where the next begins. */
  private giveBefore(place: number): number {
    const { claims } = this;
    const starts = claims.map((each) => each.next());
    for (;;) {
      let k = 0;
      for (let i = 1; i < starts.length; i++) if (starts[i] < starts[k]) k = i;
      if (starts[k] === NOWHERE || claims[k].ends[claims[k].given] > place) return starts[k];
      this.give(claims[k]);
      starts[k] = claims[k].next();
    }
  }

  /** Hands over the next frame of a member. */
  private give(member: Claims): void {
    const { given, triples, until } = member;
    const start = member.starts[given];
    const end = member.ends[given];
    if (start > this.cursor) this.pass(start);
    this.rest.close(false);
    const { batch } = this;
    const first = given === 0 ? 0 : until[given - 1];
    if (batch.count + (until[given] - first) / 3 > BATCH) this.flush();
    for (let i = first; i < until[given]; i += 3) {
      batch.table[batch.count] = member.ids[triples[i]] ?? this.announce(member, triples[i]);
      batch.start[batch.count] = triples[i + 1] - batch.base;
      batch.size[batch.count++] = triples[i + 2];
    }
    for (let note = member.noteAt(start); note; note = member.noteAt(start)) this.sink.fault(note);
    member.given++;
    member.frames++;
    member.bytes += end - start;
    this.cursor = end;
  }

  /** Passes over bytes up to a place that no protocol claims: known damage is reported, the rest is a gap. */
  private pass(to: number): void {
    for (let fault = this.nmea.damageBefore(to); fault; fault = this.nmea.damageBefore(to)) {
      const { offset, length } = fault;
      if (offset < this.cursor) continue;
      this.extend(offset);
      this.rest.close(false);
      this.sink.fault(offset + length > to ? cutSentence(offset, to - offset) : fault);
      this.cursor = Math.min(offset + length, to);
    }
    this.extend(to);
  }

  private extend(to: number): void {
    const { base } = this.batch;
    if (to > this.cursor) this.rest.extend(this.held, this.cursor - base, to - base, base);
    this.cursor = to;
  }

  private announce(member: Claims, table: number): number {
    const { schema, stream } = member.tables[table];
    member.ids[table] = this.tableCount++;
    this.sink.table(member.ids[table], schema, stream);
    return member.ids[table];
  }

  private flush(): void {
    if (this.batch.count === 0) return;
    this.batch.bytes = this.held.subarray(0, this.filled);
    this.sink.records(this.batch);
    this.batch.count = 0;
  }
}

function cutSentence(offset: number, length: number): Fault {
  const text = (): string =>
    `sentence at offset ${offset} is cut after ${length} bytes: a frame of another protocol begins`;
  return new LazyFault('cut-sentence', offset, length, true, undefined, text);
}

const STAR = 42;
/** Bytes of a checksum of a sentence: a star and two digits. */
const CHECKSUM = 3;

/** Bytes that no protocol claims, until they become a fault. */
class Rest {
  private readonly resync: Resync;
  private binary = 0;
  /** How many bytes of a checksum were seen last. */
  private seen = 0;

  constructor(sink: Pick<Sink, 'fault'>) {
    this.resync = new Resync(sink, 'protocol');
  }

  extend(bytes: Uint8Array, from: number, to: number, base: number): void {
    if (!this.resync.isOpen) {
      this.binary = 0;
      this.seen = 0;
    }
    let hasChecksum = false;
    for (let at = from; at < to && this.binary !== ALL_BINARY; at++) {
      const byte = bytes[at];
      this.binary |= BINARY[byte];
      if (byte === STAR) this.seen = 1;
      else if (this.seen > 0) this.seen = HEX[byte] < NO_DIGIT ? this.seen + 1 : 0;
      if (this.seen < CHECKSUM) continue;
      hasChecksum = true;
      this.seen = 0;
    }
    this.resync.extend(bytes, from, to, base, this.binary);
    if (hasChecksum) this.resync.checksum();
  }

  close(isLast: boolean): void {
    this.resync.close(isLast);
  }
}
