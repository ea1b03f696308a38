import { LIMITS } from './limits.ts';
import { firstIndex } from './search.ts';

/** Stored bytes with random access: a file, a Blob, a URL or a buffer. */
export interface Source {
  readonly size: number;
  /** Bytes [offset, offset + length), fewer at the end; never write to them. @param scratch memory for the answer */
  read(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
  /** The same without waiting, for sources that can: a query engine's callback cannot wait. */
  readNow?(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Uint8Array;
  /** Whether all bytes are in one piece of memory: then reading many of them costs no more than reading few. */
  readonly isInMemory?: boolean;
}

export function bytesSource(bytes: Uint8Array): Source {
  const readNow = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length);
  return { size: bytes.length, read: async (offset, length) => readNow(offset, length), readNow, isInMemory: true };
}

export function blobSource(blob: Blob): Source {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

/** Where bytes go that are too many for memory, such as a deleted file. */
export interface Spill {
  write(offset: number, bytes: Uint8Array): void;
  read(offset: number, length: number): Uint8Array;
}

/** Makes a place for bytes when there are too many. */
export type MakeSpill = () => Spill;

/** Memory is taken in blocks, each twice the one before. */
const FIRST_BLOCK = 64 << 10;
const LARGEST_BLOCK = 8 << 20;

/** A source that grows by pieces: what a container held, one after the other. No piece is in two blocks of memory. */
export class Pieces implements Source {
  size = 0;
  private readonly blocks: Uint8Array[] = [];
  private readonly starts: number[] = [];
  /** Bytes of the last block that are used. */
  private used = 0;
  private readonly makeSpill: MakeSpill | undefined;
  private readonly most: number;
  private spill: Spill | undefined;
  /** From here on bytes are not in memory. */
  private spilledFrom: number = Number.POSITIVE_INFINITY;

  constructor(makeSpill?: MakeSpill, most: number = LIMITS.piecesBytes) {
    this.makeSpill = makeSpill;
    this.most = most;
  }

  /** Copies a piece to the end; returns the copy, which is lent until the next one comes. */
  append(piece: Uint8Array): Uint8Array {
    if (!this.spill && this.makeSpill && this.size + piece.length > this.most) {
      this.spill = this.makeSpill();
      this.spilledFrom = this.size;
    }
    const offset = this.size;
    this.size += piece.length;
    if (this.spill) {
      this.spill.write(offset - this.spilledFrom, piece);
      return piece;
    }
    let block = this.blocks[this.blocks.length - 1];
    if (!block || this.used + piece.length > block.length) {
      if (block) this.blocks[this.blocks.length - 1] = block.subarray(0, this.used);
      const next = Math.min(LARGEST_BLOCK, 2 * (block?.buffer.byteLength ?? FIRST_BLOCK / 2));
      block = new Uint8Array(Math.max(next, piece.length));
      this.blocks.push(block);
      this.starts.push(offset);
      this.used = 0;
    }
    block.set(piece, this.used);
    this.used += piece.length;
    return block.subarray(this.used - piece.length, this.used);
  }

  async read(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return this.readNow(offset, length, scratch);
  }

  readNow(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Uint8Array {
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    if (wanted === 0) return new Uint8Array(0);
    const stop = offset + wanted;
    const first = this.indexOf(offset);
    const inMemory = Math.min(stop, this.spilledFrom);
    const isInOne = first === this.blocks.length - 1 || stop <= this.starts[first + 1];
    if (stop === inMemory && isInOne) return this.part(first, offset, stop);
    const bytes = scratch && scratch.length >= wanted ? scratch.subarray(0, wanted) : new Uint8Array(wanted);
    for (let at = offset, index = first; at < inMemory; index++) {
      const part = this.part(index, at, inMemory);
      bytes.set(part, at - offset);
      at += part.length;
    }
    if (this.spill && stop > this.spilledFrom) {
      const from = Math.max(offset, this.spilledFrom);
      bytes.set(this.spill.read(from - this.spilledFrom, stop - from), from - offset);
    }
    return bytes;
  }

  /** What a block holds of [from, to). */
  private part(index: number, from: number, to: number): Uint8Array {
    return this.blocks[index].subarray(from - this.starts[index], to - this.starts[index]);
  }

  /** Which block holds an offset. */
  private indexOf(offset: number): number {
    return Math.max(0, firstIndex(this.starts.length, (i) => this.starts[i] > offset) - 1);
  }
}
