/**
 * Accounts for the bytes from `from` on as far as it can decide and returns where it stopped. What it decides must not
 * depend on where the bytes end unless `final` is set; then it must reach the end. `base` is the place of bytes[0] in
 * the source.
 */
export type Scan = (bytes: Uint8Array, from: number, base: number, final: boolean) => number;

/** The least that is joined to what was left over, so that a record across two chunks is whole in one piece. */
const JOIN = 4096;
/** The most that is scanned at once: scanners count places in a piece with 32 bits. */
const PIECE = 2 ** 30;
const NOTHING: Uint8Array = new Uint8Array(0);

/** Hands chunks to a scanner without a copy; joins what it leaves undecided with the start of the next one. */
export class ChunkBuffer {
  private readonly scan: Scan;
  private readonly piece: number;
  private left: Uint8Array = NOTHING;
  /** Place in the source of the first byte that is not yet accounted for. */
  private offset = 0;

  constructor(scan: Scan, piece: number = PIECE) {
    this.scan = scan;
    this.piece = piece;
  }

  push(chunk: Uint8Array): void {
    const { piece } = this;
    for (let at = 0; at < chunk.length; at += piece) this.pushPiece(chunk.subarray(at, at + piece));
  }

  private pushPiece(chunk: Uint8Array): void {
    let from = 0;
    for (let join = JOIN; this.left.length > 0; join *= 2) {
      if (from === chunk.length) return;
      const kept = this.left.length;
      const taken = Math.min(chunk.length - from, join);
      const joined = new Uint8Array(kept + taken);
      joined.set(this.left);
      joined.set(chunk.subarray(from, from + taken), kept);
      const stop = this.scan(joined, 0, this.offset, false);
      this.offset += stop;
      if (stop >= kept) {
        from += stop - kept;
        this.left = NOTHING;
      } else {
        this.left = joined.subarray(stop);
        from += taken;
      }
    }
    if (from === chunk.length) return;
    const stop = this.scan(chunk, from, this.offset - from, false);
    this.offset += stop - from;
    // a copy also of a Buffer, whose own slice is none
    this.left = stop === chunk.length ? NOTHING : new Uint8Array(chunk.subarray(stop));
  }

  /** Bytes that are not decided yet. */
  get waiting(): number {
    return this.left.length;
  }

  /** Where the first of them is in the source. */
  get place(): number {
    return this.offset;
  }

  /** Scans again what is not decided: what its scanner decides by may have changed. */
  again(): void {
    const stop = this.scan(this.left, 0, this.offset, false);
    this.offset += stop;
    this.left = this.left.subarray(stop);
  }

  end(): void {
    const { left } = this;
    this.left = NOTHING;
    this.scan(left, 0, this.offset, true);
    this.offset += left.length;
  }
}
