import { joined } from '../core/bytes.ts';
import type { Catalog } from '../formats/mavlink/catalog.ts';
import { survey } from '../formats/mavlink/detect.ts';
import { Header, isMagic, LONGEST_FRAME, SIGNED } from '../formats/mavlink/header.ts';
import { Segments } from '../formats/pcap/segments.ts';
import type { Carried, Delivery, TcpOrder } from '../formats/pcap/tcp.ts';
import { type MessageJudgement, MessageLevels } from './message-levels.ts';
import { MessageWalker } from './message-walker.ts';
import type { Level, Violation } from './violation.ts';

/** Bytes of a flow without messages that are kept: the first message may have come in several packets. */
const KEPT = 2 * LONGEST_FRAME;
const NOTHING: Uint8Array = new Uint8Array(0);
/** Places of bytes that are not asked for any more are forgotten with every so many pieces. */
const SELDOM = 16;

/**
 * The messages that one side of a conversation sends. They are a stream: one may come in two packets. What is no
 * MAVLink at all is none of our business, so a flow is looked at from the first packet on that holds a message.
 */
export class MessageFlow implements Delivery {
  /** Puts segments in order, if it is TCP. */
  order: TcpOrder | undefined;
  private readonly judgement: MessageJudgement;
  private readonly segments = new Segments();
  private readonly levels: MessageLevels;
  private walker: MessageWalker | undefined;
  /** Bytes that are not decided yet, the last ones of the stream. */
  private left: Uint8Array = NOTHING;
  private pieces = 0;
  /** Where the stream begins, or begins anew behind what is missing. */
  private start = 0;
  /** Whether its first message is still to come. */
  private isBefore = true;

  constructor(judgement: MessageJudgement, receiver: string) {
    this.judgement = judgement;
    this.levels = new MessageLevels(judgement, { segments: this.segments, receiver });
  }

  deliver({ bytes, from, to, file, packet, time }: Carried): void {
    const { segments, left } = this;
    const piece = bytes.subarray(from, to);
    const base = segments.end - left.length;
    segments.add(piece.length, file, packet, time);
    const both = left.length === 0 ? piece : joined([left, piece]);
    const walker = this.walker ?? this.begin(both, base === this.start);
    const stop = walker ? walker.scan(both, 0, base, true, false) : Math.max(0, both.length - KEPT);
    // a copy also of a Buffer, whose own slice is none
    this.left = stop === both.length ? NOTHING : new Uint8Array(both.subarray(stop));
    if (++this.pieces % SELDOM === 0) segments.keepFrom(Math.min(base + stop, walker?.open?.from ?? base + stop));
  }

  hole(): void {
    this.finish();
  }

  /** Nothing more will come, or not what should come next. */
  finish(): void {
    this.walker?.scan(this.left, 0, this.segments.end - this.left.length, true, true);
    this.left = NOTHING;
    this.walker = undefined;
    this.start = this.segments.end;
  }

  /** The violation that bytes are which belong to no message so far, and are not told yet. */
  openViolation(level: Level): Violation | undefined {
    const open = this.walker?.open;
    if (!open || this.isBefore) return undefined;
    return this.levels.strayViolation(level, open.from, this.segments.end - open.from, open.first);
  }

  /** A walker from the first bytes on that hold a message. They may begin in the middle of another. */
  private begin(both: Uint8Array, isFirst: boolean): MessageWalker | undefined {
    const { judgement } = this;
    const begins = isFirst && beginsWithMessage(both, judgement.catalog);
    if (!begins && survey(both, judgement.catalog).frames === 0) return undefined;
    this.isBefore = !begins;
    const { levels } = this;
    this.walker = new MessageWalker(judgement.catalog, {
      message: (bytes, header, base, state, slot) => {
        this.isBefore = false;
        levels.message(bytes, header, base, state, slot);
      },
      stray: (at, length, first) => {
        if (!this.isBefore) levels.stray(at, length, first);
        this.isBefore = false;
      },
      cut: (at, end) => levels.cut(at, end),
    });
    return this.walker;
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
