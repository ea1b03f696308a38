import { isStamp, STAMPS } from '../formats/mavlink/detect.ts';
import type { Catalog } from '../formats/mavlink/dialect/catalog.ts';
import { Header, isMagic, SIGNED } from '../formats/mavlink/header.ts';
import { type FailedFrame, FrameScan, type FrameSink, type GapSink } from '../formats/mavlink/scan.ts';
import type { MessageJudgement } from './message-levels.ts';

export type MessageState =
  | 'right'
  /** No definition of its id makes its checksum right. */
  | 'wrong-crc'
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

/** Gets what a stream consists of, in its order. Places count from the beginning of the stream. */
export interface WalkListener {
  /** A whole message; `base` is the offset of bytes[0], `slot` the definition with its checksum, 0 if none. */
  message(bytes: Uint8Array, header: Header, base: number, state: MessageState, slot: number): void;
  /** Bytes that belong to no message, up to the next one or the end. */
  stray(stray: Stray, length: number): void;
  /** The stream ends at `at` inside a message, or inside the time before it. */
  cut(from: number, at: number): void;
}

/**
 * Takes a stream of messages strictly: they follow each other without a gap, in a telemetry log each with its time
 * before it. A message with a wrong checksum is one all the same if another follows it, or the end. Where that is not
 * so, what comes up to the next right message is stray.
 */
export class MessageWalker implements FrameSink, GapSink {
  /** Stray bytes that are not reported yet, since more of them may come. */
  pending: Stray | undefined;
  /** Where the last reported stray bytes ended. */
  private strayEnd = -1;
  private readonly listener: WalkListener;
  private readonly catalog: Catalog;
  private readonly lead: number;
  private readonly frames: FrameScan;
  private readonly header = new Header();
  private base = 0;

  /**
   * @param isStamped whether a time is before each message
   * @param isPackets whether the bytes of each scan end where a packet does: what ends there too is followed well
   */
  constructor({ catalog, sums }: MessageJudgement, listener: WalkListener, isStamped: boolean, isPackets: boolean) {
    const lead = isStamped ? STAMPS : undefined;
    this.listener = listener;
    this.catalog = catalog;
    this.lead = lead?.bytes ?? 0;
    this.frames = new FrameScan(this, this, { catalog, sums, lead, isStrict: true });
    this.frames.judge.isSettling = isPackets;
  }

  /** Begins with stray bytes: a message is looked for from `place` on. */
  beginStray(stray: Stray, place: number): void {
    this.pending = stray;
    this.frames.beginGap(place);
  }

  /** Walks on from `from`, as far as it can be decided, and returns where it stopped. */
  scan(bytes: Uint8Array, from: number, base: number, isFinal: boolean): number {
    this.base = base;
    return this.frames.scan(bytes, from, base, isFinal);
  }

  frame(bytes: Uint8Array, at: number, base: number): void {
    const { header, kind, slot } = this.frames.judge;
    const isRight = kind === 'ordinary' || kind === 'odd-length';
    this.message(bytes, at, header, base, isRight ? 'right' : this.stateOf(header), slot);
  }

  ordinary(bytes: Uint8Array, at: number, _: number, slot: number): void {
    const { header } = this;
    header.read(bytes, at + this.lead);
    this.listener.message(bytes, header, this.base, 'right', slot);
  }

  lost(bytes: Uint8Array, at: number, base: number, isDamaged: boolean): void {
    if (!isDamaged) this.passed(bytes, at, at, base);
  }

  passed(bytes: Uint8Array, from: number, _: number, base: number): void {
    this.pending ??= { from: base + from, first: bytes[from], seemsMessage: isMagic(bytes[from + this.lead]) };
  }

  failed(bytes: Uint8Array, to: number, base: number, { failure, isSure, from, head, end }: FailedFrame): void {
    const { header } = this;
    if (isSure && base + to === end) {
      header.read(bytes, head - base);
      this.message(bytes, from - base, header, base, this.stateOf(header), 0);
    } else if (failure.code === 'truncated' && base + to === end) {
      this.pending = undefined;
      this.listener.cut(from, end);
    } else this.passed(bytes, from - base, to, base);
  }

  ended(offset: number): void {
    const { pending } = this;
    this.pending = undefined;
    if (!pending || offset === pending.from) return;
    this.listener.stray(pending, offset - pending.from);
    this.strayEnd = offset;
  }

  /** A message with what is before it from `at` on: stray bytes if that should be a time and is none. */
  private message(
    bytes: Uint8Array,
    at: number,
    header: Header,
    base: number,
    state: MessageState,
    slot: number,
  ): void {
    const from = base + at;
    const length = header.start - at;
    const hasTime = this.lead === 0 || (length > 0 && isStamp(bytes, at));
    if (!hasTime && this.strayEnd !== from + length)
      this.listener.stray({ from, first: bytes[at], seemsMessage: length > 0 }, length);
    this.listener.message(bytes, header, base, state, slot);
  }

  /** What a message is that is not right. */
  private stateOf({ flags, id }: Header): MessageState {
    if (flags > SIGNED) return 'incompatible';
    return this.catalog.find(id) === 0 ? 'unknown-id' : 'wrong-crc';
  }
}
