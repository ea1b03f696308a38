import {
  CHECKSUM,
  EXTENDED,
  EXTENDED_HEADER,
  HEADER,
  Header,
  INVERTED_SUM,
  MASTER,
  MOST_DATA,
  PREAMBLE,
  PROTOCOL_SUM,
} from './header.ts';
import { ITEM_HEADER } from './items.ts';
import type { Legacy } from './legacy.ts';
import { isKnownMessage, isUsualMessage } from './message-schema.ts';
import { MT_DATA, MT_DATA_2 } from './messages.ts';
import type { Failure } from './resync.ts';
import { isKnownItem } from './schema.ts';

/** What a place turned out to be; WAIT: the following bytes are needed to decide. */
export const WAIT = -1;
const NO_FRAME = 0;
export const FRAME = 1;

/** What follows a frame. */
const NOTHING = 0;
const ANOTHER = 1;
const THE_END = 2;

/** No checksum rule yet: before the first frame. */
const UNDECIDED = -1;

/** Looks at the content of false frames: a minimum, and more for each byte of the gap so far. */
const LEAST_STEPS = 256;
const STEPS_PER_BYTE = 2;

/**
 * Decides whether a frame begins at a place. One byte of checksum is right by chance once in 256 times, so it does not
 * decide alone. A frame is strong if what it holds fits too: items that fill it exactly, a message that has this length.
 * A strong frame is taken anywhere. A weak one, whose checksum is right but which is not known, is taken where a frame
 * had to begin if something follows it or no strong one begins inside it; elsewhere a strong one must follow, and none
 * begin inside.
 *
 * Some senders write 0xff minus the sum as the checksum. The first frames decide which rule a stream follows: one is
 * enough for the right rule, and can be damage still; for the wrong one there must be two in a row, or no more than one.
 */
export class Judge {
  /** Of the place that was looked at last. */
  readonly header: Header = new Header();
  /** Why it is not a frame, though one was expected, and where it would have ended. */
  failure: Failure | undefined;
  /** What the bytes of a frame add up to by the rule of the stream. */
  rule: number;
  /** Whether more than one frame bears the rule out. */
  private isProven: boolean;
  /** Whether a frame by the wrong rule was passed over because nothing followed it, before the rule was known. */
  isPassedOver = false;

  private readonly layoutOf: (bus: number) => Legacy | undefined;
  private readonly sums = new Sums();
  private readonly inner = new Header();
  private readonly next = new Header();
  private bytes: Uint8Array = new Uint8Array(0);
  private base = 0;
  private isFinal = false;
  /** Where the gap began, and how many items of false frames were looked at in it. */
  private origin = 0;
  private steps = 0;

  /** @param layoutOf what MTData of a device holds, if known. @param rule found by an earlier reading */
  constructor(layoutOf: (bus: number) => Legacy | undefined, rule: number = UNDECIDED) {
    this.layoutOf = layoutOf;
    this.rule = rule;
    this.isProven = rule !== UNDECIDED;
  }

  /** Frames that follow the rule came after the first one. */
  prove(): void {
    this.isProven = true;
  }

  /** The bytes to look at from now on; bytes[0] is at `base` in the source. */
  use(bytes: Uint8Array, base: number, isFinal: boolean): void {
    this.bytes = bytes;
    this.base = base;
    this.isFinal = isFinal;
  }

  /** A gap begins at this place in the source. */
  lose(offset: number): void {
    this.origin = offset;
    this.steps = 0;
  }

  /** The next place from `from` on with a preamble and a possible sum, or cut, or `led`; -1 if none. Most end here. */
  candidate(from: number, led: number): number {
    const { bytes, base, sums, rule, isProven } = this;
    const most = bytes.length;
    for (let at = from; ; at++) {
      // where false starts are dense, a call for each would take longer than all the rest
      if (bytes[at] !== PREAMBLE) at = bytes.indexOf(PREAMBLE, at);
      if (at < 0 || at === led || at + EXTENDED_HEADER > most) return at;
      let end = at + HEADER + bytes[at + 3] + CHECKSUM;
      if (bytes[at + 3] === EXTENDED) {
        const length = (bytes[at + 4] << 8) | bytes[at + 5];
        if (length > MOST_DATA) continue;
        end = at + EXTENDED_HEADER + length + CHECKSUM;
      }
      if (end > most) return at;
      const sum = sums.between(bytes, base, at + 1, end);
      if (sum === rule || (!isProven && (sum === PROTOCOL_SUM || sum === INVERTED_SUM))) return at;
    }
  }

  /** @param isLed whether a frame had to begin here: at the beginning, or after another one */
  look(at: number, isLed: boolean): number {
    const { bytes, header, isFinal } = this;
    this.failure = undefined;
    if (at < bytes.length && bytes[at] !== PREAMBLE) return NO_FRAME;
    if (!header.read(bytes, at)) return isFinal ? this.cut(at, isLed, undefined) : WAIT;
    if (header.length > MOST_DATA) return NO_FRAME;
    if (header.end > bytes.length) return isFinal ? this.cut(at, isLed, header.message) : WAIT;
    const { steps } = this;
    const sum = this.sums.between(bytes, this.base, at + 1, header.end);
    const found = this.isProven ? this.decide(at, isLed, sum, this.rule) : this.settle(at, isLed, sum);
    // what is looked at again when there are more bytes must not be charged twice
    if (found === WAIT) this.steps = steps;
    if (found === NO_FRAME && isLed) this.explain(at, sum);
    return found;
  }

  /** The first frames of a stream say which rule it follows. */
  private settle(at: number, isLed: boolean, sum: number): number {
    const isFirst = this.rule === UNDECIDED;
    const found = this.decide(at, isLed, sum, PROTOCOL_SUM);
    if (found === FRAME) {
      this.isProven = !isFirst;
      this.rule = PROTOCOL_SUM;
    }
    if (sum !== INVERTED_SUM || !this.isStrong(this.header, at, isLed)) return found;
    const behind = this.follower(this.header.end, INVERTED_SUM);
    if (behind === WAIT) return WAIT;
    if (behind === NOTHING || (behind === THE_END && !isFirst)) {
      this.isPassedOver = true;
      return NO_FRAME;
    }
    this.rule = INVERTED_SUM;
    this.isProven = true;
    return FRAME;
  }

  private decide(at: number, isLed: boolean, sum: number, rule: number): number {
    if (sum !== rule) return NO_FRAME;
    if (this.isStrong(this.header, at, isLed)) return FRAME;
    const behind = this.follower(this.header.end, rule);
    if (behind === WAIT) return WAIT;
    if (isLed) return behind === NOTHING ? this.holdsNone(at, isLed, rule) : FRAME;
    return behind === ANOTHER && this.leadsOn(at) ? this.holdsNone(at, isLed, rule) : NO_FRAME;
  }

  /** Whether a strong frame follows the one that is looked at. */
  private leadsOn(at: number): boolean {
    const { next, header } = this;
    if (this.isTired(at)) return false;
    this.steps += Math.floor(next.length / ITEM_HEADER);
    return this.isStrong(next, header.end, true);
  }

  /** Whether a frame whose checksum is right holds what fits. */
  private isStrong(header: Header, at: number, isLed: boolean): boolean {
    const { bus, message, length } = header;
    if (message === MT_DATA_2) return this.areItems(header, at, isLed);
    if (message === MT_DATA) return this.layoutOf(bus)?.bytes === length;
    return isLed ? isKnownMessage(message, length) : bus === MASTER && isUsualMessage(message, length);
  }

  /** Whether data are items that fill them exactly; where nothing leads to them, one of them must be known. */
  private areItems({ data, end }: Header, at: number, isLed: boolean): boolean {
    const { bytes } = this;
    if (!isLed && this.isTired(at)) return false;
    const stop = end - 1;
    const last = stop - ITEM_HEADER;
    let isKnown = isLed;
    let place = data;
    let count = 0;
    while (place <= last) {
      const length = bytes[place + 2];
      if (!isKnown) isKnown = isKnownItem((bytes[place] << 8) | bytes[place + 1], length);
      place += 3 + length;
      count++;
    }
    if (!isLed) this.steps += count;
    return isKnown && place === stop && stop > data;
  }

  private follower(end: number, rule: number): number {
    const { bytes, next, isFinal } = this;
    if (end === bytes.length) return isFinal ? THE_END : WAIT;
    if (bytes[end] !== PREAMBLE) return NOTHING;
    if (!next.read(bytes, end)) return isFinal ? THE_END : WAIT;
    if (next.length > MOST_DATA) return NOTHING;
    if (next.end > bytes.length) return isFinal ? THE_END : WAIT;
    return this.isRight(next.end, end, rule) ? ANOTHER : NOTHING;
  }

  private isRight(end: number, at: number, rule: number): boolean {
    return this.sums.between(this.bytes, this.base, at + 1, end) === rule;
  }

  /** Whether looking further in this gap would take too long. */
  private isTired(at: number): boolean {
    return this.steps > LEAST_STEPS + STEPS_PER_BYTE * (this.base + at - this.origin);
  }

  /** FRAME if no strong frame begins inside the weak one that is looked at, as far as can be found in reasonable time. */
  private holdsNone(at: number, isLed: boolean, rule: number): number {
    const { origin, steps } = this;
    if (isLed) this.lose(this.base + at);
    const found = this.strongInside(at, rule);
    if (isLed) {
      this.origin = origin;
      this.steps = steps;
    }
    return found === FRAME ? NO_FRAME : found === NO_FRAME ? FRAME : WAIT;
  }

  /** FRAME if a strong frame begins inside the one that is looked at. */
  private strongInside(at: number, rule: number): number {
    const { bytes, inner, isFinal, header } = this;
    for (let place = bytes.indexOf(PREAMBLE, at + 1); place >= 0 && place < header.end; ) {
      this.steps++;
      const isWhole = inner.read(bytes, place) && (inner.length > MOST_DATA || inner.end <= bytes.length);
      if (!isWhole && !isFinal) return WAIT;
      if (
        isWhole &&
        inner.length <= MOST_DATA &&
        this.isRight(inner.end, place, rule) &&
        this.isStrong(inner, place, false)
      )
        return FRAME;
      place = bytes.indexOf(PREAMBLE, place + 1);
    }
    return NO_FRAME;
  }

  /** The end comes before that of the frame. */
  private cut(at: number, isLed: boolean, message: number | undefined): number {
    const { bytes, header } = this;
    const length = header.end - at;
    if (isLed && at < bytes.length) this.failure = { code: 'truncated', message, length, stated: 0, wanted: 0 };
    header.end = bytes.length;
    return NO_FRAME;
  }

  /** Why it is not a frame, though one was expected. */
  private explain(at: number, sum: number): void {
    const { bytes, header, rule } = this;
    const stated = bytes[header.end - 1];
    this.failure = {
      code: 'bad-checksum',
      message: header.message,
      length: header.end - at,
      stated,
      wanted: (stated - sum + (rule === INVERTED_SUM ? INVERTED_SUM : PROTOCOL_SUM)) & 0xff,
    };
  }
}

/** Twice the longest frame and more: all that is asked for is within it. */
const SIZE = 1 << 15;
const MASK = SIZE - 1;

/**
 * Sums of bytes that overlap, each in one step: what was summed from a starting point up to each place is kept, and a
 * sum is the difference of two of them. Without it, garbage full of false headers would be added up again and again.
 * Places are those in the source, so that it does not matter how the source comes in pieces.
 */
export class Sums {
  /** The sum up to each place, modulo 256, in a ring. */
  private readonly ring = new Uint8Array(SIZE);
  private from = 0;
  private to = 0;

  /** The bytes [start, end) added up, modulo 256; bytes[0] is at `base` in the source. */
  between(bytes: Uint8Array, base: number, start: number, end: number): number {
    const { ring } = this;
    const first = base + start;
    const last = base + end;
    if (first < this.from || first > this.to || this.to - first >= SIZE) {
      this.from = first;
      this.to = first;
      ring[first & MASK] = 0;
    }
    if (this.to < last) {
      let place = this.to & MASK;
      let sum = ring[place];
      for (let at = this.to - base; at < end; at++) {
        sum += bytes[at];
        place = (place + 1) & MASK;
        ring[place] = sum;
      }
      this.to = last;
    }
    return (ring[last & MASK] - ring[first & MASK]) & 0xff;
  }
}
