import type { Catalog } from '../formats/mavlink/catalog.ts';
import { isRight, sumOf } from '../formats/mavlink/checksum.ts';
import { isStamp } from '../formats/mavlink/detect.ts';
import { Header, isMagic, SIGNED } from '../formats/mavlink/header.ts';
import type { RunningSum } from '../formats/mavlink/running-sum.ts';

/** What a message turned out to be. */
export type MessageState =
  | 'right'
  /** No definition of its id makes its checksum right. */
  | 'wrong-crc'
  /** Its id has no definition. */
  | 'unknown-id'
  /** It is sent with flags that say that it must not be read. */
  | 'incompatible';

/** Where bytes begin that belong to no message. */
export interface Stray {
  readonly from: number;
  readonly first: number;
  /** Whether they begin as a message does. */
  readonly seemsMessage: boolean;
}

/** Who is told what a stream consists of, in its order. Places count from the beginning of the stream. */
export interface WalkListener {
  /**
   * A whole message. `base` is the place of bytes[0].
   * @param slot the definition that its checksum is right by, or the first of its id, 0 for none
   */
  message(bytes: Uint8Array, header: Header, base: number, state: MessageState, slot: number): void;
  /** Bytes that belong to no message, up to the next one or the end. */
  stray(stray: Stray, length: number): void;
  /** The stream ends at `at` inside a message, or inside the time before it. */
  cut(from: number, at: number): void;
}

const STAMP = 8;
/** What is looked at behind a message whose checksum is wrong, to tell whether another follows. */
const LOOK = 10;

/**
 * Walks through a stream of messages strictly: they follow each other without a gap, in a telemetry log each with its
 * time before it. A message with a wrong checksum is one all the same if another follows it, or the end. Where that is
 * not so, what comes up to the next right message is stray.
 */
export class MessageWalker {
  private readonly catalog: Catalog;
  private readonly listener: WalkListener;
  private readonly lead: number;
  private readonly header = new Header();
  private readonly next = new Header();
  /** Nothing in it outlives a scan, so that many walkers may share it. */
  private readonly sums: RunningSum;
  /** Undefined in step; and where in the stream the search for the next message goes on. */
  private stray: Stray | undefined;
  private place = 0;
  /** Whether the stray bytes may be a message that is cut by the end. */
  private mayBeCut = false;

  /** @param isStamped whether a time stands before each message */
  constructor(catalog: Catalog, listener: WalkListener, isStamped: boolean, sums: RunningSum) {
    this.sums = sums;
    this.catalog = catalog;
    this.listener = listener;
    this.lead = isStamped ? STAMP : 0;
  }

  /** Stray bytes that are not told yet, since more of them may come. */
  get open(): Stray | undefined {
    return this.stray;
  }

  /** Begins with stray bytes: a message is looked for from `place` on. */
  beginStray(stray: Stray, place: number): void {
    this.stray = stray;
    this.place = place;
    this.mayBeCut = false;
  }

  /**
   * Walks on from `from`, as far as can be told, and returns where it stopped.
   * @param isEnd   whether a packet ends where the bytes end: a message that ends there too is followed well
   * @param isFinal whether nothing follows
   */
  scan(bytes: Uint8Array, from: number, base: number, isEnd: boolean, isFinal: boolean): number {
    this.sums.forget();
    let at = from;
    for (;;) {
      if (this.stray) {
        at = this.search(bytes, base, this.stray, isFinal);
        if (this.stray) {
          if (isFinal) this.endStray(this.stray, base + bytes.length, true);
          return isFinal ? bytes.length : at;
        }
      }
      const next = this.step(bytes, at, base, isEnd, isFinal);
      if (next < 0) return at;
      at = next;
    }
  }

  /** Looks at the message that should begin at a place; returns where it ends, or -1 where more bytes are needed. */
  private step(bytes: Uint8Array, at: number, base: number, isEnd: boolean, isFinal: boolean): number {
    const { header, lead } = this;
    const size = bytes.length;
    if (at === size) return -1;
    const head = at + lead;
    const isPossible = (lead === 0 || isStampSoFar(bytes, at)) && (head >= size || isMagic(bytes[head]));
    if (isPossible && (!header.read(bytes, head) || header.end > size)) {
      if (!isFinal) return -1;
      return this.lose(bytes, at, base, true);
    }
    if (!isPossible) return this.lose(bytes, at, base, false);
    const slot = this.slotOf(bytes);
    const state = this.stateOf(slot);
    if (state !== 'right') {
      const behind = this.isFollowed(bytes, isEnd, isFinal);
      if (behind === undefined) return -1;
      if (!behind) return this.lose(bytes, at, base, false);
    }
    this.listener.message(bytes, header, base, state, slot > 0 ? slot : -slot);
    return header.end;
  }

  /** The definition by which the checksum is right; the first one of the id, negative, where none makes it right. */
  private slotOf(bytes: Uint8Array): number {
    const { header, catalog } = this;
    const first = catalog.find(header.id);
    if (first === 0) return 0;
    const sum = sumOf(bytes, header);
    const stated = header.stated(bytes);
    for (let slot = first; slot !== 0; slot = catalog.other[slot]) {
      if (isRight(sum, catalog.extra(slot), stated)) return slot;
    }
    return -first;
  }

  private stateOf(slot: number): MessageState {
    if (this.header.flags > SIGNED) return 'incompatible';
    if (slot === 0) return 'unknown-id';
    return slot > 0 ? 'right' : 'wrong-crc';
  }

  /** Whether a message follows the one at hand, or the end; undefined where more bytes are needed to tell. */
  private isFollowed(bytes: Uint8Array, isEnd: boolean, isFinal: boolean): boolean | undefined {
    const { header, next, lead, catalog } = this;
    const { end } = header;
    if (end === bytes.length && (isEnd || isFinal)) return true;
    if (end + lead + LOOK > bytes.length && !isFinal && !isEnd) return undefined;
    if (lead > 0 && !isStampSoFar(bytes, end)) return false;
    if (end + lead >= bytes.length) return true;
    if (!next.read(bytes, end + lead)) return isMagic(bytes[end + lead]);
    return catalog.find(next.id) !== 0 || (next.system === header.system && next.component === header.component);
  }

  private lose(bytes: Uint8Array, at: number, base: number, mayBeCut: boolean): number {
    const seemsMessage = !mayBeCut && isMagic(bytes[at + this.lead]);
    this.stray = { from: base + at, first: bytes[at], seemsMessage };
    // with a time before it, what stands here itself was not looked at yet
    this.place = base + at + (this.lead > 0 ? 0 : 1);
    this.mayBeCut = mayBeCut;
    return at;
  }

  /** Looks for the next right message; returns where to go on. */
  private search(bytes: Uint8Array, base: number, stray: Stray, isFinal: boolean): number {
    const { header, lead } = this;
    for (let head = this.place - base; head < bytes.length; head++) {
      this.place = base + head;
      if (!isMagic(bytes[head])) continue;
      if (!header.read(bytes, head)) {
        if (!isFinal) return Math.max(0, head - lead);
        continue;
      }
      if (!this.isUsual(header)) continue;
      if (header.end > bytes.length) {
        if (!isFinal) return Math.max(0, head - lead);
        continue;
      }
      if (!this.isRightAt(bytes)) continue;
      const before = head - lead;
      const isLed = lead > 0 && base + before >= stray.from && before >= 0 && isStamp(bytes, before);
      this.endStray(stray, base + (isLed ? before : head), false);
      if (isLed || lead === 0) return isLed ? before : head;
      // no time before it: the message is there, and what it lacks was told with the stray bytes
      this.listener.message(bytes, header, base, 'right', Math.abs(this.slotOf(bytes)));
      return header.end;
    }
    this.place = Math.max(this.place, base + bytes.length);
    return Math.max(0, bytes.length - lead);
  }

  /** What is asked before a sum is made, which bytes full of beginnings would make costly. */
  private isUsual({ id, flags, length, version }: Header): boolean {
    return flags <= SIGNED && this.catalog.firstFit(this.catalog.find(id), length, version) !== 0;
  }

  private isRightAt(bytes: Uint8Array): boolean {
    const { header, catalog } = this;
    const sum = this.sums.of(bytes, header.start + 1, header.checksum);
    for (let slot = catalog.find(header.id); slot !== 0; slot = catalog.other[slot]) {
      if (isRight(sum, catalog.extra(slot), header.stated(bytes))) return true;
    }
    return false;
  }

  private endStray(stray: Stray, at: number, isLast: boolean): void {
    this.stray = undefined;
    // what was looked for may begin where the search did
    if (at === stray.from && this.lead === 0) return;
    if (isLast && this.mayBeCut) this.listener.cut(stray.from, at);
    else this.listener.stray(stray, at - stray.from);
  }
}

/** Whether the bytes that are there may be the beginning of a time. */
function isStampSoFar(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0 && (at + 1 >= bytes.length || bytes[at + 1] < 0x10);
}
