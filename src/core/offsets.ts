const TWO_32 = 2 ** 32;
/** Rows that there is room for at first: a log may have thousands of tables with few. */
const FIRST = 16;

const NOTHING = new Uint32Array(0);

/** Ascending offsets of records in four bytes each; the upper half is kept once for each time that it grows. */
export class Offsets {
  /** The lower 32 bits; only the first `length` are in use. */
  low: Uint32Array = NOTHING;
  length = 0;
  /** carries[k] is the first row whose upper half is k + 1 or more. */
  private readonly carries: number[] = [];

  push(offset: number): void {
    if (this.length === this.low.length) this.grow();
    while (offset >= (this.carries.length + 1) * TWO_32) this.carries.push(this.length);
    this.low[this.length++] = offset % TWO_32;
  }

  /** The places of rows [from, to), in the same memory. */
  slice(from: number, to: number): Offsets {
    const part = new Offsets();
    part.low = this.low.subarray(from, to);
    part.length = part.low.length;
    for (const row of this.carries) part.carries.push(Math.max(0, row - from));
    return part;
  }

  /** Makes room for at least twice as many rows, for as many as are expected in all if that is not out of reason. */
  grow(expected = 0): void {
    const { length } = this.low;
    const next = new Uint32Array(Math.max(FIRST, Math.min(Math.max(length * 2, expected), length * 64)));
    next.set(this.low);
    this.low = next;
  }

  at(row: number): number {
    let high = 0;
    while (high < this.carries.length && this.carries[high] <= row) high++;
    return high * TWO_32 + this.low[row];
  }

  /** The first row at or after an offset in the source. */
  rowFrom(offset: number): number {
    const high = Math.floor(offset / TWO_32);
    const lower = offset - high * TWO_32;
    const { low, carries } = this;
    let from = high > 0 ? (carries[high - 1] ?? this.length) : 0;
    let to = carries[high] ?? this.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (low[middle] < lower) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Writes the places of rows [from, to) relative to `base`, which is less than 2 GiB before the last of them. */
  relative(from: number, to: number, base: number, out: Int32Array): void {
    const low = this.low;
    const baseLow = base % TWO_32;
    // differences modulo 2^32 are right whatever the upper halves are
    for (let row = from, i = 0; row < to; row++, i++) out[i] = low[row] - baseLow;
  }
}
