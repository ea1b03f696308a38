import type { Decoder, Sink } from '../../core/decoder.ts';
import type { OffsetLists } from '../../core/offsets.ts';
import { ScanningDecoder } from '../../core/scanning-decoder.ts';
import { Hop } from './hop.ts';
import { Resync, TYPE_SUBJECTS } from './resync.ts';
import { FMT_TYPE, HEAD_1, HEAD_2, HEADER_BYTES } from './schema.ts';
import { TIMED, TIMED_MS, Types } from './types.ts';

/*
 * A binary record, https://ardupilot.org/dev/docs/code-overview-adding-a-new-log-message.html
 *
 *     0    1    2      3 ...            length
 *     A3   95   type   fields           next record
 *
 * The length is what the FMT record of the type says, at most 255. There is no checksum: what tells a record from
 * bytes that look like one is that another record follows it.
 */

/** Records handed over at a time. */
const BATCH = 2048;
/** All that any rule looks at: a record, a second one that begins inside it, and the header after that. */
const LOOK_AHEAD = 255 + 255 + 3;
/** Microseconds by which the time of a lone record may differ from the last one and be believed. */
const TIME_BACK = 10e6;
const TIME_AHEAD = 3600e6;
/** Longest time since boot that is believed where no time is known yet: 30 days. */
const TIME_MAX = 30 * 86400e6;
/** Microseconds by which the time of a record follows the one before it in a log without fault. */
const STEP_BACK = 1e6;
const STEP_AHEAD = 3600e6;
/** Limit of logs in one file. */
const JUMPS = 256;
const MORE = -1;
const TWO_32 = 2 ** 32;

/**
 * Finds DataFlash records. In step, a record is taken when a header follows it. Where none does, a better start is
 * looked for inside it: a record there that another known one follows. Out of step, only a record that a known one
 * follows is believed, or a lone one with a time that fits, or a definition that is sound in itself.
 */
export class DataflashDecoder extends ScanningDecoder {
  private readonly types: Types;
  private readonly resync: Resync;
  private readonly hop: Hop;
  /** Of the bytes that are scanned, and where offsets in them go if not into the batch. */
  private view: DataView = new DataView(new ArrayBuffer(0));
  private lists: OffsetLists | undefined;
  /** Whether the place that is looked at follows a record directly. */
  private inStep = true;
  /** The last search for a better start: from where to where, what it found, and how much was known then. */
  private readonly searched = { from: 0, to: 0, found: -1, known: -1 };
  /** Time of the last record that has one, in microseconds. */
  private lastTime = Number.NaN;
  /** The latest time since the last definition: a log may begin with it. */
  private latest = Number.NaN;
  /** The latest time before that definition, and where the definition stands. */
  private before = Number.NaN;
  private definedAt = 0;
  private steady = true;
  /** Places from a definition to a time after it that does not follow those before it: a log begins there, or one rebooted. */
  private readonly jumps: { readonly from: number; readonly to: number }[] = [];

  constructor(sink: Sink, types: Types = new Types(sink)) {
    super(sink, BATCH);
    this.types = types;
    this.hop = new Hop(types);
    this.resync = new Resync(sink);
  }

  override end(): void {
    super.end();
    this.types.end();
  }

  again(sink: Sink): Decoder | undefined {
    const types = this.types.relearned(sink);
    return types && new DataflashDecoder(sink, types);
  }

  isSteady(starts: readonly number[] = []): boolean {
    return this.steady && this.jumps.every(({ from, to }) => starts.some((start) => start >= from && start <= to));
  }

  protected scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.lists = base + bytes.length < TWO_32 ? this.sink.lists : undefined;
    let at = from;
    for (;;) {
      if (this.inStep) at = this.run(bytes, at);
      else at = this.search(bytes, at, final);
      if (!this.inStep) break;
      const next = this.decide(bytes, at, final);
      if (next === MORE) break;
      at = next;
    }
    this.flush();
    if (final) this.resync.close(base + bytes.length, true);
    return at;
  }

  /** Takes records as long as each is followed by a header and has nothing new: nearly all of a good log. */
  private run(bytes: Uint8Array, from: number): number {
    const { hop, lists, batch, view } = this;
    if (!Hop.canBegin(view, from)) return from;
    hop.begin(this.latest);
    let at = from;
    if (lists && !this.types.hasMillis) {
      for (hop.full = 0; hop.full >= 0; ) {
        at = hop.listed(lists, batch, view, at);
        if (hop.full >= 0) lists.more(hop.full);
      }
    } else {
      at = hop.batched(batch, view, at);
    }
    if (hop.timed >= 0) {
      this.latest = hop.latest;
      this.noteTime(bytes, hop.timed);
    }
    return at;
  }

  /** A definition was met: the next time may be that of another log. Returns what is the latest then. */
  private defined(latest: number, offset: number): number {
    if (Number.isNaN(latest)) return latest;
    this.before = latest;
    this.definedAt = offset;
    return Number.NaN;
  }

  /** A time that does not follow the latest at once; returns what is the latest then. */
  private leap(latest: number, time: number, offset: number): number {
    const last = Number.isNaN(latest) ? this.before : latest;
    if (Number.isNaN(last) || (time > last && time <= last + STEP_AHEAD)) return time;
    if (time <= last && time >= last - STEP_BACK) return last;
    if (Number.isNaN(latest) && this.jumps.length < JUMPS) this.jumps.push({ from: this.definedAt, to: offset });
    else this.steady = false;
    return time;
  }

  /** In step, where the quick way ended: looks at one place by all the rules and returns where to go on. */
  private decide(bytes: Uint8Array, at: number, final: boolean): number {
    const left = bytes.length - at;
    if (left === 0 || (left < LOOK_AHEAD && !final && !this.isFollowed(bytes, at))) return MORE;
    if (!isHeader(bytes, at)) return this.loseStep(bytes, at, 'garbage');
    if (left < 3) return this.cut(bytes, at);
    const type = bytes[at + 2];
    const length = this.types.length[type];
    if (length === 0) {
      this.types.missing(type, true);
      return this.loseStep(bytes, at, 'unknown-type', TYPE_SUBJECTS[type]);
    }
    if (isHeader(bytes, at + length)) return this.addRecord(bytes, at, type, length);
    const other = this.otherLength(bytes, at, type);
    if (other !== 0) return this.addRecord(bytes, at, type, other);
    const better = this.betterStart(bytes, at, Math.min(at + length, bytes.length));
    if (better >= 0) {
      this.flush();
      this.resync.open(this.batch.base + at, 'damaged-record', this.types.nameOf(type));
      this.resync.close(this.batch.base + better, false);
      return better;
    }
    return left < length ? this.cut(bytes, at) : this.addRecord(bytes, at, type, length);
  }

  /** Whether a record is all there, and the header of the next one: then nothing that comes later matters. */
  private isFollowed(bytes: Uint8Array, at: number): boolean {
    const length = isHeader(bytes, at) ? (this.types.length[bytes[at + 2]] ?? 0) : 0;
    return length > 0 && at + length + HEADER_BYTES <= bytes.length && isHeader(bytes, at + length);
  }

  /** Out of step: goes to the next place where a record is believed, or as far as decidable. */
  private search(bytes: Uint8Array, from: number, final: boolean): number {
    let at = from;
    for (;;) {
      const found = bytes.indexOf(HEAD_1, at);
      const stop = found < 0 ? bytes.length : found;
      this.resync.extend(bytes, at, stop);
      at = stop;
      if (found < 0 || (bytes.length - at < LOOK_AHEAD && !final)) return at;
      if (bytes[at + 1] === HEAD_2 && at + 2 < bytes.length && this.isRecord(bytes, at)) {
        this.resync.close(this.batch.base + at, false);
        this.inStep = true;
        return at;
      }
      this.resync.extend(bytes, at, at + 1);
      at++;
    }
  }

  /** Whether what begins here is to be believed although nothing led to it. */
  private isRecord(bytes: Uint8Array, at: number): boolean {
    const type = bytes[at + 2];
    const length = this.types.length[type];
    if (length === 0) {
      this.types.missing(type, false);
      this.resync.unknownType(this.batch.base + at, type);
      return false;
    }
    const next = at + length;
    if (this.isKnown(bytes, next) || this.otherLength(bytes, at, type) !== 0) return true;
    if (type === FMT_TYPE && next <= bytes.length && this.types.isSound(bytes, at)) return true;
    return next <= bytes.length && this.isTimely(bytes, at, type) && this.betterStart(bytes, at, next) < 0;
  }

  /** A length by which a known record follows although the stated one leads nowhere, or 0. */
  private otherLength(bytes: Uint8Array, at: number, type: number): number {
    for (const other of this.types.otherLengths[type]) if (this.isKnown(bytes, at + other)) return other;
    return 0;
  }

  /** A start inside (from, to) of a record that a known one follows, or -1; searched again only for new types. */
  private betterStart(bytes: Uint8Array, from: number, to: number): number {
    const { base } = this.batch;
    const { searched, types } = this;
    const isSame = searched.known === types.known && base + from >= searched.from;
    if (isSame && searched.found > base + from) return searched.found < base + to ? searched.found - base : -1;
    const start = isSame && searched.found < 0 ? Math.max(from + 1, searched.to - base) : from + 1;
    let found = -1;
    for (let at = start; at < to && found < 0; at++) {
      if (bytes[at] !== HEAD_1 || bytes[at + 1] !== HEAD_2) continue;
      const length = types.length[bytes[at + 2]];
      if (length !== 0 && this.isKnown(bytes, at + length)) found = at;
    }
    searched.known = types.known;
    searched.from = base + from;
    searched.to = Math.max(base + to, isSame && searched.found < 0 ? searched.to : 0);
    searched.found = found < 0 ? -1 : base + found;
    return found;
  }

  /** Whether the end is here, or a record of a type that is defined or was met in step before. */
  private isKnown(bytes: Uint8Array, at: number): boolean {
    return isHeader(bytes, at) && (at + 2 >= bytes.length || this.types.isMet(bytes[at + 2]));
  }

  /** Whether the time of the record is near the last one that was seen. */
  private isTimely(bytes: Uint8Array, at: number, type: number): boolean {
    const time = this.types.timeOf(type, bytes, at);
    const last = this.lastTime;
    return Number.isNaN(last) ? time < TIME_MAX : time > last - TIME_BACK && time < last + TIME_AHEAD;
  }

  /** Keeps the time of a record, if it has one, for when damage asks for it. */
  private noteTime(bytes: Uint8Array, at: number): void {
    const time = at < 0 ? Number.NaN : this.types.timeOf(bytes[at + 2], bytes, at);
    if (!Number.isNaN(time)) this.lastTime = time;
  }

  private addRecord(bytes: Uint8Array, at: number, type: number, length: number): number {
    const { batch } = this;
    if (type === FMT_TYPE) {
      this.flush();
      this.latest = this.defined(this.latest, batch.base + at);
    }
    const form = this.types.shape[type];
    if (form >= TIMED && length >= HEADER_BYTES + 8) {
      const time = timeIn(this.view, at, form);
      const isNext = time >= this.latest && time <= this.latest + STEP_AHEAD;
      this.latest = isNext ? time : this.leap(this.latest, time, batch.base + at);
    }
    const id = this.types.meet(type, bytes, at, length, batch.base + at);
    this.noteTime(bytes, at);
    if (this.lists && !this.types.hasMillis) {
      this.lists.push(id, batch.base + at);
      return at + length;
    }
    batch.table[batch.count] = id;
    batch.start[batch.count] = at;
    batch.size[batch.count] = length;
    if (++batch.count === BATCH) this.flush();
    return at + length;
  }

  private loseStep(bytes: Uint8Array, at: number, code: string, subject?: string): number {
    this.flush();
    this.inStep = false;
    this.resync.open(this.batch.base + at, code, subject);
    this.resync.extend(bytes, at, at + 1);
    return at + 1;
  }

  /** The end came inside a record. */
  private cut(bytes: Uint8Array, at: number): number {
    this.flush();
    const known = bytes.length - at >= 3 ? bytes[at + 2] : undefined;
    this.resync.cut(
      this.batch.base + at,
      bytes.length - at,
      known === undefined ? undefined : this.types.nameOf(known),
    );
    return bytes.length;
  }
}

/** The time of a record in microseconds, by the shape of its type. */
function timeIn(view: DataView, at: number, form: number): number {
  const low = view.getUint32(at + HEADER_BYTES, true);
  return form < TIMED_MS ? low + view.getUint32(at + HEADER_BYTES + 4, true) * 2 ** 32 : low * 1000;
}

/** A header, or as much of one as the end leaves room for; the end itself is as good as one. */
function isHeader(bytes: Uint8Array, at: number): boolean {
  if (at > bytes.length) return false;
  return (at === bytes.length || bytes[at] === HEAD_1) && (at + 1 >= bytes.length || bytes[at + 1] === HEAD_2);
}
