import { LIMITS } from './limits.ts';
import type { Source } from './source.ts';

/** Where bytes go that are too many for the memory: a file that nobody else sees, say. */
export interface Spill {
  write(offset: number, bytes: Uint8Array): void;
  read(offset: number, length: number): Uint8Array;
}

/** Makes a place for bytes when there are too many. */
export type MakeSpill = () => Spill;

/** A source that grows by pieces: what a container held, one piece behind the other. */
export class Pieces implements Source {
  size = 0;
  private readonly pieces: Uint8Array[] = [];
  private readonly starts: number[] = [];
  private readonly makeSpill: MakeSpill | undefined;
  private readonly most: number;
  private spill: Spill | undefined;
  /** From here on bytes are not in memory. */
  private spilledFrom: number = Number.POSITIVE_INFINITY;

  constructor(makeSpill?: MakeSpill, most: number = LIMITS.piecesBytes) {
    this.makeSpill = makeSpill;
    this.most = most;
  }

  /** Takes the piece as its own. */
  append(piece: Uint8Array): void {
    if (piece.length === 0) return;
    if (!this.spill && this.makeSpill && this.size + piece.length > this.most) {
      this.spill = this.makeSpill();
      this.spilledFrom = this.size;
    }
    if (this.spill) {
      this.spill.write(this.size - this.spilledFrom, piece);
    } else {
      this.pieces.push(piece);
      this.starts.push(this.size);
    }
    this.size += piece.length;
  }

  async read(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const stop = offset + wanted;
    const first = this.indexOf(offset);
    const start = this.starts[first];
    if (stop <= this.spilledFrom && wanted > 0 && stop <= start + this.pieces[first].length)
      return this.pieces[first].subarray(offset - start, stop - start);
    const bytes = scratch && scratch.length >= wanted ? scratch.subarray(0, wanted) : new Uint8Array(wanted);
    const inMemory = Math.min(stop, this.spilledFrom);
    for (let at = offset, index = first; at < inMemory; index++) {
      const piece = this.pieces[index].subarray(at - this.starts[index], inMemory - this.starts[index]);
      bytes.set(piece, at - offset);
      at += piece.length;
    }
    if (this.spill && stop > this.spilledFrom) {
      const from = Math.max(offset, this.spilledFrom);
      bytes.set(this.spill.read(from - this.spilledFrom, stop - from), from - offset);
    }
    return bytes;
  }

  /** Which piece holds an offset. */
  private indexOf(offset: number): number {
    let low = 0;
    let high = this.starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}
