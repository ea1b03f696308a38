import { X25_SEED, X25_TABLES, x25Sliced } from '../../core/checksum.ts';
import { BASE_SHIFT, EXTRA_SHIFT, LIMIT_MASK } from './dialect/catalog.ts';
import { CHECKSUM, HEADER_1, HEADER_2, MAGIC_1, MAGIC_2, SIGNATURE, SIGNED } from './header.ts';
import { type Failure, FRAME, Judge, type JudgeOptions, WAIT } from './judge.ts';

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
const BASE = BASE_SHIFT;
const EXTRA = EXTRA_SHIFT;
const SEED = X25_SEED;
const SUMS = X25_TABLES;
/** All of the shortest frame of version 2: what is shorter is left to the careful way. */
const SHORTEST = HEAD_2 + SUM_BYTES;
/** Failed frames of a gap that are explained, which is slow. Ones inside others are not reported and count more. */
const MOST_FAILURES = 4096;
const INNER_FAILURE = 16;

/** Gets the frames of a stream in their order. bytes[0] is at `base` in the source. */
export interface FrameSink {
  /** The frame that the judge looked at last, with what is before it from index `at` on. */
  frame(bytes: Uint8Array, at: number, base: number): void;
  /**
   * An ordinary frame in step, with its lead from index `at` on. Most are: what it needs is handed over, not read again.
   * A sink without it gets all of them by `frame`.
   * @param from its system, times 256, and component
   * @param isCut whether zeros are cut off its end
   */
  ordinary?(
    bytes: Uint8Array,
    at: number,
    end: number,
    slot: number,
    from: number,
    sequence: number,
    flags: number,
    isCut: boolean,
  ): void;
}

/** What seems to be a frame and is none. Places in the source: where its lead or its first byte is, and its end. */
export interface FailedFrame {
  readonly failure: Failure;
  readonly from: number;
  readonly head: number;
  readonly end: number;
  /** Whether both its neighbours speak for it. */
  readonly isSure: boolean;
}

/** Gets the bytes between frames, in turn with them. */
export interface GapSink {
  /** No frame begins at index `at`, though one should. @param isDamaged whether a damaged one does, as far as is known */
  lost?(bytes: Uint8Array, at: number, base: number, isDamaged: boolean): void;
  /** Bytes [from, to) are not part of a frame. */
  passed?(bytes: Uint8Array, from: number, to: number, base: number): void;
  /** Bytes that were passed, if any, end before a place in the source: at a frame, a failed one or the end of all. */
  ended?(offset: number, isLast: boolean): void;
  /** A frame failed. It goes up to index `to`: its end, or a right frame that begins inside it. */
  failed?(bytes: Uint8Array, to: number, base: number, frame: FailedFrame): void;
}

/** Finds frames: in step one after the other, else at every byte, so a false start costs one byte, never a frame. */
export class FrameScan {
  readonly judge: Judge;
  private readonly sink: FrameSink;
  private readonly gap: GapSink;
  private readonly options: JudgeOptions;
  private readonly leadBytes: number;
  /** Whether the sink has `ordinary`: asked once, since machine code for one kind of sink is thrown away at the second. */
  private readonly isQuick: boolean;
  private base = 0;
  /** In the source: where the last frame ended, a damaged one included, and in a gap where the next is looked for. */
  private stepAt = 0;
  private place = 0;
  /** A place that was looked at in step, and was none. */
  private tried = -1;
  /** In a gap: up to where in the source its bytes were passed; -1 in step. */
  private seen = -1;
  private failed: FailedFrame | undefined;
  private failures = 0;

  constructor(sink: FrameSink, gap: GapSink, options: JudgeOptions) {
    this.sink = sink;
    this.gap = gap;
    this.options = options;
    this.leadBytes = options.lead?.bytes ?? 0;
    this.isQuick = sink.ordinary !== undefined;
    this.judge = new Judge(options);
  }

  /** Accounts for bytes as far as possible, and returns where it stopped; at the end that is their end. */
  scan(bytes: Uint8Array, from: number, base: number, isFinal: boolean): number {
    this.base = base;
    let at = this.seen < 0 ? this.run(bytes, from) : from;
    // nearly all datagrams end here, before the judge is bothered
    if (at === bytes.length && this.seen < 0) return at;
    this.place = Math.max(this.place, base + from);
    this.judge.begin();
    for (let next = at; next !== WAIT; ) {
      at = this.seen < 0 ? this.run(bytes, next) : next;
      next = this.seen < 0 ? this.step(bytes, at, isFinal) : this.search(bytes, isFinal);
    }
    if (this.seen < 0) return at;
    if (!isFinal) return this.seen - base;
    this.pass(bytes, bytes.length);
    this.close(bytes, bytes.length, true);
    return bytes.length;
  }

  /** Begins in a gap: what was passed of it, before `place` in the source, is known to the sink. */
  beginGap(place: number): void {
    this.seen = place;
  }

  /** Takes ordinary frames, each a length and a checksum; returns where it stopped. Touches few arrays, for speed. */
  private run(bytes: Uint8Array, from: number): number {
    if (!this.isQuick) return from;
    const { sink } = this;
    const { lead, catalog } = this.options;
    // from the lead itself: without one, the machine code adds nothing
    const leadBytes = lead?.bytes ?? 0;
    const { slotOf, facts } = catalog;
    const last = bytes.length - leadBytes - SHORTEST;
    let at = from;
    while (at <= last) {
      const head = at + leadBytes;
      const magic = bytes[head];
      const length = bytes[head + 1];
      let flags = 0;
      let sequence: number;
      let sender: number;
      let fact: number;
      let slot: number;
      let sum: number;
      let end: number;
      if (magic === START_2) {
        flags = bytes[head + 2];
        sequence = bytes[head + 4];
        const system = bytes[head + 5];
        const component = bytes[head + 6];
        const low = bytes[head + 7];
        const high = bytes[head + 8];
        if (flags > SIGNED_FLAG || bytes[head + 9] !== 0) break;
        slot = slotOf[(high << 8) | low];
        fact = facts[slot];
        if (length >= (fact & LIMIT)) break;
        end = head + HEAD_2 + length;
        if (end + SUM_BYTES + flags * SIGNED_BYTES > bytes.length) break;
        // the sum of the header, of bytes that were just read; its last one is 0 and adds nothing
        sum =
          SUMS[2048 | (length ^ 0xff)] ^
          SUMS[1792 | (flags ^ 0xff)] ^
          SUMS[1536 | bytes[head + 3]] ^
          SUMS[1280 | sequence] ^
          SUMS[1024 | system] ^
          SUMS[768 | component] ^
          SUMS[512 | low] ^
          SUMS[256 | high];
        sum = x25Sliced(bytes, head + HEAD_2, end, sum);
        sender = (system << 8) | component;
      } else if (magic === START_1) {
        sequence = bytes[head + 2];
        sender = (bytes[head + 3] << 8) | bytes[head + 4];
        slot = slotOf[bytes[head + 5]];
        fact = facts[slot];
        if (length >= (fact & LIMIT) || length !== ((fact >>> BASE) & 0xff)) break;
        end = head + HEAD_1 + length;
        if (end + SUM_BYTES > bytes.length) break;
        sum = x25Sliced(bytes, head + 1, end, SEED);
      } else {
        break;
      }
      const stated = bytes[end] | (bytes[end + 1] << 8);
      if (((sum >>> 8) ^ SUMS[(sum ^ (fact >>> EXTRA)) & 0xff]) !== stated) break;
      if (lead !== undefined && !lead.isPossible(bytes, at)) break;
      end += SUM_BYTES + flags * SIGNED_BYTES;
      sink.ordinary?.(bytes, at, end, slot, sender, sequence, flags, length < ((fact >>> BASE) & 0xff));
      at = end;
    }
    if (at > from) this.stepAt = this.base + at;
    return at;
  }

  /** In step: looks at one place and returns where to go on. */
  private step(bytes: Uint8Array, at: number, isFinal: boolean): number {
    if (at === bytes.length) return WAIT;
    const { judge, base } = this;
    const head = at + this.leadBytes;
    const found = judge.look(bytes, head, true, true, isFinal);
    if (found === WAIT) return WAIT;
    if (found === FRAME) return this.addFrame(bytes, at);
    this.failures = 0;
    this.seen = base + at;
    if (judge.failure) this.fail(at);
    this.gap.lost?.(bytes, at, base, judge.isSure);
    this.place = base + at;
    this.tried = base + head;
    return at;
  }

  /** In a gap: goes to the next place where a frame begins and takes it, or goes as far as possible. */
  private search(bytes: Uint8Array, isFinal: boolean): number {
    const { judge, leadBytes, base } = this;
    const { lead, isStrict } = this.options;
    for (; ; this.place++) {
      let head = this.place - base;
      while (head < bytes.length && bytes[head] !== START_1 && bytes[head] !== START_2) head++;
      this.place = base + head;
      if (head >= bytes.length) break;
      if (this.place === this.tried) continue;
      const ended = this.place - this.stepAt;
      const isLed = ended === 0 || ended === leadBytes;
      // strictly, only what follows a frame is asked why it is none
      const asks = isStrict ? isLed : this.failures < MOST_FAILURES;
      const found = judge.look(bytes, head, isLed, asks, isFinal);
      if (found === WAIT) break;
      if (found !== FRAME && !(judge.failure && asks)) continue;
      const before = head - leadBytes;
      const hasLead = lead !== undefined && base + before >= this.seen && lead.isLikely(bytes, before);
      const at = hasLead ? before : head;
      this.pass(bytes, at);
      if (found === FRAME) {
        this.close(bytes, at, false);
        return this.addFrame(bytes, at);
      }
      this.fail(at);
    }
    this.pass(bytes, this.place - base - leadBytes);
    return WAIT;
  }

  private addFrame(bytes: Uint8Array, at: number): number {
    const { end } = this.judge.header;
    this.stepAt = this.base + end;
    this.sink.frame(bytes, at, this.base);
    return end;
  }

  /** What was just looked at failed. Inside another one that failed that does not count. */
  private fail(at: number): void {
    const { judge, base } = this;
    const { failure, isSure, header } = judge;
    const end = base + header.end;
    if (isSure) this.stepAt = end;
    this.failures += this.failed ? INNER_FAILURE : 1;
    if (this.failed || !failure) return;
    this.gap.ended?.(base + at, false);
    this.failed = { failure, isSure, from: base + at, head: base + header.start, end };
  }

  /** Bytes up to index `to` are not part of a frame, but those of a failed one do to it. */
  private pass(bytes: Uint8Array, to: number): void {
    const { base, failed } = this;
    if (failed) {
      if (base + to < failed.end) return;
      this.gap.failed?.(bytes, failed.end - base, base, failed);
      this.failed = undefined;
      this.seen = failed.end;
    }
    if (base + to <= this.seen) return;
    this.gap.passed?.(bytes, this.seen - base, to, base);
    this.seen = base + to;
  }

  /** A frame begins at index `at`, or the source ends there; all bytes before it were passed. */
  private close(bytes: Uint8Array, at: number, isLast: boolean): void {
    const { base, failed } = this;
    if (failed) this.gap.failed?.(bytes, at, base, failed);
    this.gap.ended?.(base + at, isLast);
    this.failed = undefined;
    this.seen = -1;
  }
}
