/** Entries of a block. */
const BLOCK = 4096;
/** Entries behind the last one found that are looked at first. */
const NEAR = 64;

interface Block {
  /** Of the first entry, and of each how far it is behind. */
  readonly base: number;
  readonly offsets: Uint32Array;
  readonly files: Float64Array;
  readonly packets: Uint32Array;
  readonly times: Float64Array;
}

/**
 * Where records stand that were taken out of packets: for each run of them that came with one packet its place in the
 * file, the packet that completed it and when that was captured. Runs are told by the offset of their first record.
 */
export class Places {
  private readonly blocks: Block[] = [];
  /** Entries of the last block. */
  private count = 0;
  /** What follows on the last run is part of it. */
  private nextFile = -1;
  private nextOffset = -1;
  private lastPacket = -1;
  /** What was asked for last. */
  private foundBlock = 0;
  private foundEntry = 0;

  /** A record of `size` bytes at an offset, which never falls, begins at `file` in the file. */
  add(offset: number, size: number, file: number, packet: number, time: number): void {
    const isNext = file === this.nextFile && offset === this.nextOffset && packet === this.lastPacket;
    this.nextFile = file + size;
    this.nextOffset = offset + size;
    if (isNext) return;
    this.lastPacket = packet;
    let block = this.blocks[this.blocks.length - 1];
    if (!block || this.count === BLOCK) {
      block = {
        base: offset,
        offsets: new Uint32Array(BLOCK),
        files: new Float64Array(BLOCK),
        packets: new Uint32Array(BLOCK),
        times: new Float64Array(BLOCK),
      };
      this.blocks.push(block);
      this.count = 0;
    }
    const { count } = this;
    block.offsets[count] = offset - block.base;
    block.files[count] = file;
    block.packets[count] = packet;
    block.times[count] = time;
    this.count = count + 1;
  }

  /** Where the record at an offset begins in the file. */
  fileAt(offset: number): number {
    const [block, entry] = this.find(offset);
    return block.files[entry] + (offset - block.base - block.offsets[entry]);
  }

  /** The number of the packet that completed it. */
  packetAt(offset: number): number {
    const [block, entry] = this.find(offset);
    return block.packets[entry];
  }

  timeAt(offset: number): number {
    const [block, entry] = this.find(offset);
    return block.times[entry];
  }

  private find(offset: number): [Block, number] {
    const { blocks } = this;
    // mostly asked in order
    const cached = blocks[this.foundBlock];
    if (cached && cached.base <= offset) {
      const last = (this.foundBlock === blocks.length - 1 ? this.count : BLOCK) - 1;
      const wanted = offset - cached.base;
      const stop = Math.min(last, this.foundEntry + NEAR);
      for (let entry = this.foundEntry; entry < stop; entry++) {
        if (cached.offsets[entry] > wanted) break;
        if (cached.offsets[entry + 1] <= wanted) continue;
        this.foundEntry = entry;
        return [cached, entry];
      }
    }
    let low = 0;
    let high = blocks.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (blocks[middle].base <= offset) low = middle;
      else high = middle;
    }
    const block = blocks[low];
    const wanted = offset - block.base;
    let entry = 0;
    let end = low === blocks.length - 1 ? this.count : BLOCK;
    while (end - entry > 1) {
      const middle = (entry + end) >>> 1;
      if (block.offsets[middle] <= wanted) entry = middle;
      else end = middle;
    }
    this.foundBlock = low;
    this.foundEntry = entry;
    return [block, entry];
  }
}
