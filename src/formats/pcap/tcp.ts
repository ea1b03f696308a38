import { CAPTURE_LIMITS } from './limits.ts';

const SYN = 2;
/** Bytes by which a segment may be ahead or behind; one that is farther belongs to another connection. */
const FAR = 1 << 26;
/** Segments that wait. */
const MOST_WAITING = 1024;
/** Segments without a beginning that are put in order before the first of them is believed to be the first. */
const FIRST_FEW = 16;

/** A piece of a packet: bytes [from, to), at `file` in the capture. */
export interface Carried {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly file: number;
  readonly packet: number;
  readonly time: number;
}

interface Waiting {
  readonly sequence: number;
  readonly carried: Carried;
}

/** Who gets the bytes of a stream in order. */
export interface Delivery {
  deliver(carried: Carried): void;
  /** Bytes of the stream are not in the capture; undefined if their number is unknown. */
  hole(missing: number | undefined, before: Carried | undefined): void;
}

/** How many bytes wait in all streams together. */
export interface Waits {
  bytes: number;
}

/** Reorders one direction of a TCP connection, drops repeated bytes, reports holes. Numbers are modulo 2^32. */
export class TcpOrder {
  /** Bytes that came again. */
  repeated = 0;
  private readonly delivery: Delivery;
  private readonly waits: Waits;
  /** In the order of the stream. */
  private waiting: Waiting[] = [];
  private bytes = 0;
  private next = 0;
  private hasBegun = false;
  /** What the other side says to have got. */
  private acknowledged: number | undefined;

  constructor(delivery: Delivery, waits: Waits) {
    this.delivery = delivery;
    this.waits = waits;
  }

  segment(sequence: number, flags: number, missing: number, carried: Carried): void {
    const isFirst = (flags & SYN) !== 0;
    const first = isFirst ? (sequence + 1) >>> 0 : sequence;
    if (isFirst && !(this.hasBegun && this.next === first)) this.begin(first);
    if (carried.from >= carried.to && missing === 0) return;
    if (!this.hasBegun) {
      this.wait(first, carried);
      if (this.waiting.length >= FIRST_FEW) this.beginAnyhow();
      return;
    }
    const ahead = (first - this.next) | 0;
    if (ahead > FAR || ahead < -FAR) {
      this.finish();
      this.delivery.hole(undefined, carried);
      this.next = first;
    }
    this.addSegment(first, carried);
    // what was cut off the segment will not come
    if (missing > 0 && this.next === (first + carried.to - carried.from) >>> 0) {
      this.delivery.hole(missing, carried);
      this.next = (this.next + missing) >>> 0;
      this.drain();
    }
  }

  /** The other side got all bytes up to this one. */
  acknowledge(sequence: number): void {
    this.acknowledged = sequence;
  }

  /** At the end of a batch: what the other side has got and the capture has not will not come. */
  settle(): void {
    this.beginAnyhow();
    const { acknowledged } = this;
    if (acknowledged === undefined) return;
    while (this.waiting.length > 0 && ((acknowledged - this.waiting[0].sequence) | 0) >= 0) this.giveUp();
  }

  finish(): void {
    this.beginAnyhow();
    while (this.waiting.length > 0) this.giveUp();
  }

  private begin(first: number): void {
    if (this.hasBegun) {
      this.finish();
      this.delivery.hole(0, undefined);
    }
    this.hasBegun = true;
    this.next = first;
    this.drain();
  }

  /** A connection whose opening was not captured begins with the first byte that was. */
  private beginAnyhow(): void {
    if (this.hasBegun || this.waiting.length === 0) return;
    this.hasBegun = true;
    this.next = this.waiting[0].sequence;
    this.drain();
  }

  private addSegment(sequence: number, carried: Carried): void {
    const behind = (this.next - sequence) | 0;
    const length = carried.to - carried.from;
    if (behind < 0) {
      this.wait(sequence, carried);
      const isTooMuch = this.bytes > CAPTURE_LIMITS.waitingBytes || this.waiting.length > MOST_WAITING;
      if (isTooMuch || this.waits.bytes > CAPTURE_LIMITS.allWaitingBytes) this.giveUp();
      return;
    }
    const again = Math.min(behind, length);
    this.repeated += again;
    if (again === length) return;
    this.next = (sequence + length) >>> 0;
    this.delivery.deliver(again === 0 ? carried : later(carried, again));
    if (this.waiting.length > 0) this.drain();
  }

  /** Keeps a copy, since the bytes are only lent. */
  private wait(sequence: number, { bytes, from, to, file, packet, time }: Carried): void {
    const { waiting } = this;
    let at = waiting.length;
    while (at > 0 && ((sequence - waiting[at - 1].sequence) | 0) < 0) at--;
    const copy = bytes.slice(from, to);
    waiting.splice(at, 0, { sequence, carried: { bytes: copy, from: 0, to: copy.length, file, packet, time } });
    this.add(copy.length);
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    this.waits.bytes += bytes;
  }

  /** Delivers what need not wait any more. */
  private drain(): void {
    const { waiting } = this;
    let count = 0;
    while (count < waiting.length && ((waiting[count].sequence - this.next) | 0) <= 0) {
      const { sequence, carried } = waiting[count++];
      this.add(-carried.to);
      const again = Math.min((this.next - sequence) | 0, carried.to);
      this.repeated += again;
      if (again === carried.to) continue;
      this.next = (sequence + carried.to) >>> 0;
      this.delivery.deliver(again === 0 ? carried : later(carried, again));
    }
    if (count > 0) this.waiting = waiting.slice(count);
  }

  /** The first bytes that are missing will not come. */
  private giveUp(): void {
    const [{ sequence, carried }] = this.waiting;
    this.delivery.hole((sequence - this.next) >>> 0, carried);
    this.next = sequence;
    this.drain();
  }
}

function later(carried: Carried, by: number): Carried {
  return { ...carried, from: carried.from + by, file: carried.file + by };
}
