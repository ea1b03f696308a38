import type { PlainFault } from '../../suite/plain.ts';

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly code: string;
}

/** What lies between two frames, in the plainest way: failed frames that do not overlap, and the rest between them. */
export class PlainGap {
  private readonly bytes: Uint8Array;
  private readonly faults: PlainFault[];
  private piece: Piece | undefined;
  /** Where what is not a fault yet begins. */
  from: number;
  /** How much was asked about frames that fail. */
  asked = 0;

  constructor(bytes: Uint8Array, faults: PlainFault[], from: number) {
    this.bytes = bytes;
    this.faults = faults;
    this.from = from;
  }

  /** A frame at [from, to) failed. */
  fail(from: number, to: number, code: string): void {
    this.pass(from);
    this.asked += this.piece ? 16 : 1;
    if (this.piece) return;
    this.rest(from, false);
    this.piece = { from, to, code };
  }

  /** Bytes before `place` are not part of a frame. */
  pass(place: number): void {
    const { piece } = this;
    if (!piece || place < piece.to) return;
    this.add(piece.code, piece.to);
    this.piece = undefined;
  }

  /** A frame begins at `place`, or the bytes end there. */
  close(place: number): void {
    this.pass(place);
    if (this.piece) this.add('cut-frame', place);
    else this.rest(place, place === this.bytes.length);
  }

  private rest(to: number, isLast: boolean): void {
    // long blank stretches are told apart from what follows
    for (;;) {
      const first = this.bytes[this.from];
      let end = this.from;
      while (end < to && this.bytes[end] === first) end++;
      if (![0, 255].includes(first) || end === to || end - this.from < 64) break;
      this.add('blank', end);
    }
    const stretch = this.bytes.subarray(this.from, to);
    const isBlank = [0, 255].includes(stretch[0]) && stretch.every((byte) => byte === stretch[0]);
    const isText = stretch.every((byte) => [9, 10, 13, 27].includes(byte) || (byte > 31 && byte < 127));
    if (isBlank && isLast) this.add('padding', to);
    else if (isBlank && stretch.length >= 4) this.add('blank', to);
    else if (isText && stretch.length >= 4) this.add('text', to);
    else this.add('garbage', to);
  }

  private add(code: string, to: number): void {
    if (to > this.from) this.faults.push({ code, offset: this.from, length: to - this.from });
    this.from = to;
  }
}
