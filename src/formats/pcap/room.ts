/** Smallest piece of memory that is lent, and how many sizes there are, each twice the one before. */
const SMALLEST = 256;
const SIZES = 13;
/** Pieces of one size that are kept for later. */
const KEPT = 4;

/** Memory that is lent for the time of a batch: what one flow gives back another may use. */
export class Room {
  private readonly free: Uint8Array[][] = Array.from({ length: SIZES }, () => []);

  /** A piece of at least `least` bytes, with anything in it. */
  borrow(least: number): Uint8Array {
    let size = SMALLEST;
    let index = 0;
    while (size < least) {
      size *= 2;
      index++;
    }
    return this.free[index]?.pop() ?? new Uint8Array(size);
  }

  /** Gives a piece back that `borrow` gave. */
  release(piece: Uint8Array): void {
    const free = this.free[31 - Math.clz32(piece.length / SMALLEST)];
    if (free && free.length < KEPT) free.push(piece);
  }
}
