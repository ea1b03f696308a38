import { firstIndex } from '../../core/search.ts';

/** Entries of a block, and of the first one; each is twice as large as the one before. */
const BLOCK = 1 << 16;
const FIRST_BLOCK = 1 << 8;
/** How far an entry may be behind the first of its block. */
const FARTHEST = 2 ** 31;
/** Entries after the last one found that are looked at first. */
const NEAR = 64;

interface PlaceBlock {
  /** Of the first entry, and of each how far it is behind. */
  readonly base: number;
  readonly offsets: Uint32Array;
  readonly files: Float64Array;
  readonly packets: Uint32Array;
  readonly times: Float64Array;
}

function blockOf(base: number, room: number): PlaceBlock {
  return {
    base,
    offsets: new Uint32Array(room),
    files: new Float64Array(room),
    packets: new Uint32Array(room),
    times: new Float64Array(room),
  };
}

const NO_BLOCK: PlaceBlock = blockOf(0, 0);

/** For each run of records of one packet: its file offset, the packet that completed it, and the capture time. */
export class Places {
  private readonly blocks: PlaceBlock[] = [];
  /** The current block and how much of it is used: none yet. */
  private last: PlaceBlock = NO_BLOCK;
  private count = 0;
  /** What follows on the last run is part of it. */
  private nextFile = -1;
  private lastPacket = -1;
  /** What was asked for last. */
  private foundBlock = 0;
  private foundEntry = 0;

  /** Records [from, to) are one after the other from an offset on, which never falls. */
  add(
    offset: number,
    from: number,
    to: number,
    sizes: Uint32Array,
    files: Float64Array,
    packets: Uint32Array,
    times: Float64Array,
  ): void {
    let block = this.last;
    let { nextFile, lastPacket, count } = this;
    let at = offset;
    for (let i = from; i < to; i++) {
      const file = files[i];
      const packet = packets[i];
      if (file !== nextFile || packet !== lastPacket) {
        if (count === block.offsets.length || at - block.base > FARTHEST) {
          this.trim(count);
          block = this.begin(at);
          count = 0;
        }
        block.offsets[count] = at - block.base;
        block.files[count] = file;
        block.packets[count] = packet;
        block.times[count] = times[i];
        count++;
        lastPacket = packet;
      }
      at += sizes[i];
      nextFile = file + sizes[i];
    }
    this.nextFile = nextFile;
    this.lastPacket = lastPacket;
    this.count = count;
  }

  /** A block is closed: its unused part is dropped. */
  private trim(count: number): void {
    const { last, blocks } = this;
    if (count === last.offsets.length) return;
    blocks[blocks.length - 1] = { ...last, offsets: last.offsets.subarray(0, count) };
  }

  private begin(base: number): PlaceBlock {
    const room = Math.min(BLOCK, Math.max(FIRST_BLOCK, 2 * this.last.offsets.length));
    this.last = blockOf(base, room);
    this.blocks.push(this.last);
    return this.last;
  }

  fileAt(offset: number): number {
    const [block, entry] = this.find(offset);
    return block.files[entry] + (offset - block.base - block.offsets[entry]);
  }

  packetAt(offset: number): number {
    const [block, entry] = this.find(offset);
    return block.packets[entry];
  }

  timeAt(offset: number): number {
    const [block, entry] = this.find(offset);
    return block.times[entry];
  }

  private find(offset: number): [PlaceBlock, number] {
    const { blocks } = this;
    // mostly asked in order
    const cached = blocks[this.foundBlock];
    if (cached && cached.base <= offset) {
      const last = (cached === this.last ? this.count : cached.offsets.length) - 1;
      const wanted = offset - cached.base;
      const stop = Math.min(last, this.foundEntry + NEAR);
      for (let entry = this.foundEntry; entry < stop; entry++) {
        if (cached.offsets[entry] > wanted) break;
        if (cached.offsets[entry + 1] <= wanted) continue;
        this.foundEntry = entry;
        return [cached, entry];
      }
    }
    const low = Math.max(0, firstIndex(blocks.length, (i) => blocks[i].base > offset) - 1);
    const block = blocks[low];
    const wanted = offset - block.base;
    const end = block === this.last ? this.count : block.offsets.length;
    const entry = Math.max(0, firstIndex(end, (i) => block.offsets[i] > wanted) - 1);
    this.foundBlock = low;
    this.foundEntry = entry;
    return [block, entry];
  }
}
