import { joined } from '../core/bytes.ts';
import type { Catalog } from '../formats/mavlink/catalog.ts';
import { survey } from '../formats/mavlink/detect.ts';
import { Header, isMagic, LONGEST_FRAME, SIGNED } from '../formats/mavlink/header.ts';
import { type MessageJudgement, MessageLevels } from './message-levels.ts';
import { MessageWalker } from './message-walker.ts';
import { SegmentPlaces } from './places.ts';

/** Bytes of a flow without messages that are kept: the first message may have come in several packets. */
const KEPT = 2 * LONGEST_FRAME;

/** A piece of a packet: bytes [from, to) that stand at `file` in the capture. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly file: number;
  readonly packet: number;
}

/**
 * The messages that one side of a conversation sends. They are a stream: one may come in two packets. What is no
 * MAVLink at all is none of our business, so a flow is looked at from the first packet on that holds a message.
 */
export class MessageFlow {
  private readonly judgement: MessageJudgement;
  private walker: MessageWalker | undefined;
  private readonly places = new SegmentPlaces();
  private left: Uint8Array = new Uint8Array(0);
  /** Bytes of the stream so far. */
  private end = 0;

  constructor(judgement: MessageJudgement) {
    this.judgement = judgement;
  }

  push({ bytes, from, to, file, packet }: Piece): void {
    const piece = bytes.subarray(from, to);
    this.places.add(this.end, file, packet);
    const base = this.end - this.left.length;
    this.end += piece.length;
    const both = this.left.length === 0 ? piece : joined([this.left, piece]);
    const walker = this.walker ?? this.begin(both, piece);
    const stop = walker ? walker.scan(both, 0, base, true, false) : Math.max(0, both.length - KEPT);
    this.left = both.slice(stop);
    const open = this.end - this.left.length;
    this.places.forget(open, Math.min(open, walker?.openFrom ?? open));
  }

  /** Nothing more will come, or not what should come next. */
  finish(): void {
    this.walker?.scan(this.left, 0, this.end - this.left.length, true, true);
    this.left = new Uint8Array(0);
    this.walker = undefined;
  }

  /** A walker from the first bytes on that hold a message. They may begin in the middle of another. */
  private begin(both: Uint8Array, piece: Uint8Array): MessageWalker | undefined {
    const { judgement } = this;
    const begins = this.left.length === 0 && beginsWithMessage(piece, judgement.catalog);
    if (!begins && survey(both, judgement.catalog).frames === 0) return undefined;
    const levels = new MessageLevels(judgement, this.places);
    let isBefore = !begins;
    this.walker = new MessageWalker(judgement.catalog, {
      message: (bytes, header, base, state, slot) => {
        isBefore = false;
        levels.message(bytes, header, base, state, slot);
      },
      stray: (at, length, first) => {
        if (!isBefore) levels.stray(at, length, first);
        isBefore = false;
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
