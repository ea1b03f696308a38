import { X25_SEED, X25_TABLES } from '../../core/checksum.ts';

/** The longest stretch that sums are kept of: 2^JUMPS bytes and more than that. */
const SPAN = 8192;
const JUMPS = 9;
const NEAR = 512;

// constants of this module are built into the machine code of its loops, those of others are not
const SEED = X25_SEED;
const TABLE: Uint16Array = X25_TABLES.slice(0, 256);

/** For each k what the halves of a sum become when 2^k zeros follow: 256 entries for the lower one, 256 for the upper. */
const ZEROS: Uint16Array = makeZeros();

function makeZeros(): Uint16Array {
  const zeros = new Uint16Array(JUMPS * 512);
  for (let byte = 0; byte < 256; byte++) {
    zeros[byte] = TABLE[byte];
    zeros[256 | byte] = byte;
  }
  for (let i = 512; i < zeros.length; i++) {
    const half = zeros[i - 512];
    const jump = (i & ~511) - 512;
    zeros[i] = zeros[jump | (half & 0xff)] ^ zeros[jump | 256 | (half >>> 8)];
  }
  return zeros;
}

/** A sum after `count` zeros, fewer than 512. */
export function afterZeros(sum: number, count: number): number {
  let state = sum;
  for (let jump = 0, left = count; left !== 0; jump += 512, left >>>= 1) {
    if (left & 1) state = ZEROS[jump | (state & 0xff)] ^ ZEROS[jump | 256 | (state >>> 8)];
  }
  return state;
}

/**
 * Sums of overlapping stretches. Garbage that is full of headers would have each byte summed up again for every frame
 * that it seems to be part of. Here each byte is added once, and a stretch's sum follows from those of all bytes up to
 * its beginning and up to its end: what came before it is taken away, with as many zeros after it as it is long.
 */
export class RunningSum {
  /** Sums from `from` on, begun with 0: entry k is that of the first k bytes. Made when needed: good streams need none. */
  private sums: Uint16Array | undefined;
  private from = 0;
  private to = -SPAN;

  /** What was summed so far is gone: other bytes will come. */
  forget(): void {
    this.to = -SPAN;
  }

  /** The sum of bytes [from, to), fewer than 512. */
  of(bytes: Uint8Array, from: number, to: number): number {
    this.sums ??= new Uint16Array(SPAN + 1);
    const { sums } = this;
    // what is far ahead begins again; a short way there is summed too, for what comes back to it
    if (from < this.from || from > this.to + NEAR || to - this.from > SPAN) {
      this.from = from;
      this.to = from;
    }
    const base = this.from;
    let sum = sums[this.to - base];
    for (let at = this.to; at < to; at++) {
      sum = (sum >>> 8) ^ TABLE[(sum ^ bytes[at]) & 0xff];
      sums[at + 1 - base] = sum;
    }
    if (to > this.to) this.to = to;
    return sums[to - base] ^ afterZeros(sums[from - base] ^ SEED, to - from);
  }
}
