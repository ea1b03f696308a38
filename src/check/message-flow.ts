import { joined } from '../core/bytes.ts';
import { survey } from '../formats/mavlink/detect.ts';
import type { Catalog } from '../formats/mavlink/dialect/catalog.ts';
import { Header, isMagic, LONGEST_FRAME, SIGNED } from '../formats/mavlink/header.ts';
import type { Ends } from '../formats/pcap/flow-table.ts';
import { TCP } from '../formats/pcap/layers.ts';
import { Segments } from '../formats/pcap/segments.ts';
import type { Carried, Delivery, TcpOrder } from '../formats/pcap/tcp.ts';
import { type MessageJudgement, MessageLevels } from './message-levels.ts';
import { MessageWalker, type Stray } from './message-walker.ts';
import type { CheckLevel, Violation } from './violation.ts';

/** Bytes of a flow without messages that are kept: the first message may have come in several packets. */
const KEPT = 2 * LONGEST_FRAME;
const NOTHING: Uint8Array = new Uint8Array(0);
/** Places of bytes that are not asked for any more are forgotten now and then. */
const SELDOM = 16;

/** The messages of one side of a conversation, as a stream. A flow is judged once a packet holds a message. */
export class MessageFlow implements Delivery {
  readonly ends: Ends;
  /** Puts segments in order, if it is TCP. */
  order: TcpOrder | undefined;
  /** Whether the stream is there from its beginning on: else it may begin in the middle of a message. */
  isWhole: boolean;
  /** Whether a message was ever found. */
  isRecognized = false;
  private readonly judgement: MessageJudgement;
  private readonly segments = new Segments();
  private readonly levels: MessageLevels;
  private walker: MessageWalker | undefined;
  /** Bytes that are not decided yet, the last ones of the stream. */
  private left: Uint8Array = NOTHING;
  private pieces = 0;
  /** Where the stream begins, or begins again after what is missing, and its first byte. */
  private start = 0;
  private first = 0;

  constructor(judgement: MessageJudgement, ends: Ends) {
    this.judgement = judgement;
    this.ends = ends;
    this.isWhole = ends.kind !== TCP;
    this.levels = new MessageLevels(judgement, { segments: this.segments, receiver: ends.destination });
  }

  deliver({ bytes, from, to, file, packet, time }: Carried): void {
    const { segments, left } = this;
    const piece = bytes.subarray(from, to);
    const base = segments.end - left.length;
    if (segments.end === this.start) this.first = piece[0];
    segments.add(piece.length, file, packet, time);
    const both = left.length === 0 ? piece : joined([left, piece]);
    const walker = this.walker ?? this.begin(both, base);
    const stop = walker ? walker.scan(both, 0, base, false) : Math.max(0, both.length - KEPT);
    // a copy also of a Buffer, whose own slice is none
    this.left = stop === both.length ? NOTHING : new Uint8Array(both.subarray(stop));
    const open = walker ? (walker.pending?.from ?? base + stop) : this.start;
    if (++this.pieces % SELDOM === 0) segments.keepFrom(Math.min(base + stop, open));
  }

  hole(): void {
    this.finish();
    this.isWhole = false;
  }

  /** Nothing more will come, or not what should come next. */
  finish(): void {
    const { segments, left } = this;
    this.left = NOTHING;
    // a flow that was not recognized yet may be so later
    if (!this.isRecognized) return;
    if (this.walker) this.walker.scan(left, 0, segments.end - left.length, true);
    else if (this.isWhole) this.strayThroughout();
    this.walker = undefined;
    this.start = segments.end;
  }

  /** The violation that bytes are which belong to no message so far, and are not reported yet. */
  openViolation(level: CheckLevel): Violation | undefined {
    const open = this.walker?.pending;
    if (!open || this.levels.isSilent) return undefined;
    return this.levels.strayViolation(level, open, this.segments.end - open.from);
  }

  /** None of it is a message, though some should be there. */
  strayThroughout(levels?: readonly CheckLevel[]): void {
    const { segments, start } = this;
    if (segments.end > start) this.levels.stray(this.whole, segments.end - start, levels);
  }

  /** All of it, as bytes outside any message. */
  private get whole(): Stray {
    return { from: this.start, first: this.first, seemsMessage: false };
  }

  /** A walker once the bytes hold a message. */
  private begin(both: Uint8Array, base: number): MessageWalker | undefined {
    const { judgement, levels, start } = this;
    const begins = base === start && beginsWithMessage(both, judgement.catalog);
    if (!begins && survey(both, judgement.catalog).frames === 0) return undefined;
    this.isRecognized = true;
    levels.isSilent = !begins && !this.isWhole;
    const walker = new MessageWalker(judgement, levels, false, true);
    if (!begins) walker.beginStray(this.whole, base);
    this.walker = walker;
    return walker;
  }
}

/** Whether bytes begin with the header of a known message that ends where they do, or where another begins. */
function beginsWithMessage(bytes: Uint8Array, catalog: Catalog): boolean {
  const header = new Header();
  // of version 1, whose headers say little, a right checksum is asked for instead
  if (!header.read(bytes, 0) || header.version === 1) return false;
  const { id, length, version, flags, end } = header;
  if (flags > SIGNED || catalog.firstFit(catalog.find(id), length, version) === 0) return false;
  return end === bytes.length || (end < bytes.length && isMagic(bytes[end]));
}
