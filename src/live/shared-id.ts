import { payloadAt } from '../formats/mavlink/header.ts';
import { frameNumber } from './message-slot.ts';

/** Numbers further apart than this are not of frames that overtook each other. */
const FAR = 16;
/** Frames lost between two of them that still let the second go on from the first. */
const STEP = 4;
/** Microseconds by which a copy of a frame may be late; and after the last sign, until it counts no more. */
const COPY = 3e6;
const APART = 3e6;
/** Microseconds after the last proof until there is one sender again. */
const OVER = 10e6;
const PROOF = 6;

/**
 * Finds two senders with the same ids at one address, such as vehicles behind one radio or router. Their numbers go on in
 * turn from two places or, where these are near to each other, each number comes twice. Copies of frames, from a second
 * path that is slower, do both too: they have the checksum of the frame that had their number before.
 */
export class SharedId {
  private last = -1;
  /** The last number before the numbers jumped far. */
  private other = -1;
  private isBehind = false;
  private signs = 0;
  private signAt: number = Number.NaN;
  private seenAt: number = Number.NaN;
  /** The checksum by number, -1 for none, since numbers were out of turn. */
  private sums: Int32Array | undefined;
  private sumsSince: number = Number.NaN;

  frame(bytes: Uint8Array, start: number, time: number): void {
    const number = frameNumber(bytes, start);
    const ahead = (number - this.last) & 0xff;
    if (ahead === 1 && this.sums && this.isCalm(time)) this.sums = undefined;
    const isUsual = this.last < 0 || (ahead === 1 && !this.sums);
    if (!isUsual) this.look(number, ahead, sumOf(bytes, start), time);
    if (isUsual || !this.isBehind) this.last = number;
  }

  /** Whether there are two, or were a moment ago. */
  isSeen(time: number): boolean {
    return Math.abs(time - this.seenAt) < OVER;
  }

  private look(number: number, ahead: number, sum: number, time: number): void {
    const sums = this.sumsAt(time);
    const known = sums[number];
    sums[number] = sum;
    const wasBehind = this.isBehind;
    this.isBehind = ahead === 0 || ahead >= 256 - FAR;
    if (this.isBehind) {
      if (known === sum) this.signs = 0;
      else if (!wasBehind && known >= 0) this.sign(time);
      return;
    }
    const step = (number - this.other) & 0xff;
    const isReturn = ahead > FAR && this.other >= 0 && step >= 1 && step <= STEP;
    // what is left out may come late
    const left = isReturn ? step : Math.min(ahead, FAR);
    for (let i = 1; i < left; i++) sums[(number - i) & 0xff] = -1;
    if (ahead <= FAR) return;
    this.other = this.last;
    if (!isReturn || known === sum) this.signs = 0;
    else if (known >= 0 || time - this.sumsSince > COPY) this.sign(time);
  }

  /** Whether checksums of so long ago say nothing. */
  private isCalm(time: number): boolean {
    return !(Math.abs(time - this.sumsSince) < OVER || Math.abs(time - this.signAt) < OVER);
  }

  private sumsAt(time: number): Int32Array {
    if (this.sums && !this.isCalm(time)) return this.sums;
    this.sums = new Int32Array(256).fill(-1);
    this.sumsSince = time;
    return this.sums;
  }

  /** Something that one sender cannot do. */
  prove(time: number): void {
    this.seenAt = time;
  }

  private sign(time: number): void {
    this.signs = Math.abs(time - this.signAt) < APART ? this.signs + 1 : 1;
    this.signAt = time;
    if (this.signs >= PROOF) this.prove(time);
  }
}

function sumOf(bytes: Uint8Array, start: number): number {
  const at = payloadAt(bytes, start) + bytes[start + 1];
  return bytes[at] | (bytes[at + 1] << 8);
}
