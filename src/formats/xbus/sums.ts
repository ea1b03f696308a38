/** Twice the longest frame and more: all that is asked for lies so near together. */
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

  /** The bytes [start, end) added up, modulo 256; bytes[0] stands at `base` in the source. */
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
