const TWO_32 = 2 ** 32;

/** Rows in a block: few are left over where a log has thousands of tables, and few blocks are opened. */
export const BLOCK_OFFSETS = 256;
const SHIFT = Math.log2(BLOCK_OFFSETS);
const MASK = BLOCK_OFFSETS - 1;
/** Offsets that there is room for at first. */
const FIRST = 8 * BLOCK_OFFSETS;

/**
 * Where the records of many tables begin, in four bytes each: one memory, in blocks that belong to one table each.
 * After an offset is written to `memory[next[table]++]`, `more` opens another block if `next` is a multiple of BLOCK_OFFSETS.
 */
export class OffsetLists {
  /** The lower 32 bits of offsets; another one after it has grown. */
  memory: Uint32Array = new Uint32Array(0);
  /** By the number of a table: where its next offset goes. */
  readonly next: Int32Array;
  /** Bytes of the source. */
  size: number;
  private used = 0;
  private readonly tables: Offsets[] = [];

  /** @param size bytes of the source, for a good guess of how many records it has */
  constructor(tables: number, size: number) {
    this.next = new Int32Array(tables);
    this.size = size;
  }

  /** The list of one table. */
  static single(): Offsets {
    return new OffsetLists(1, 0).open(0);
  }

  /** Begins the list of a table with this number. */
  open(table: number): Offsets {
    const offsets = new Offsets(this, table);
    this.tables[table] = offsets;
    this.more(table);
    return offsets;
  }

  /** @param offset below 4 GiB, or its lower 32 bits */
  push(table: number, offset: number): void {
    this.memory[this.next[table]++] = offset;
    if ((this.next[table] & MASK) === 0) this.more(table);
  }

  /** Opens another block for a table. */
  more(table: number): void {
    const offsets = this.tables[table];
    if (this.used === this.memory.length) this.grow(offsets.length > 0 ? offsets.at(offsets.length - 1) : this.size);
    offsets.blocks.push(this.used);
    this.next[table] = this.used;
    this.used += BLOCK_OFFSETS;
  }

  /** Makes room for twice as many, for more if the rest of the source is like what was seen: up to an offset. */
  private grow(seen: number): void {
    const { length } = this.memory;
    const expected = length * Math.min(64, (1.05 * this.size) / Math.max(1, seen));
    const blocks = Math.ceil(Math.max(FIRST, length * 2, expected) / BLOCK_OFFSETS);
    const grown = new Uint32Array(blocks * BLOCK_OFFSETS);
    grown.set(this.memory);
    this.memory = grown;
  }
}

/** Ascending offsets of the records of one table; the upper half is kept once for each time that it grows. */
export class Offsets {
  private readonly lists: OffsetLists;
  private readonly table: number;
  /** Where its blocks are in the memory. */
  readonly blocks: number[];
  /** carries[k] is the first row whose upper half is k + 1 or more. */
  private readonly carries: number[];
  /** The rows of a part, counted as those of the whole; it has no last one while the list may grow. */
  private readonly first: number;
  private readonly last: number | undefined;

  constructor(lists: OffsetLists, table: number, whole?: Offsets, first = 0, last?: number) {
    this.lists = lists;
    this.table = table;
    this.blocks = whole?.blocks ?? [];
    this.carries = whole?.carries ?? [];
    this.first = first;
    this.last = last;
  }

  get length(): number {
    return (this.last ?? this.count) - this.first;
  }

  private get count(): number {
    const { blocks } = this;
    const full = blocks.length - 1;
    return full < 0 ? 0 : (full << SHIFT) + this.lists.next[this.table] - blocks[full];
  }

  push(offset: number): void {
    while (offset >= (this.carries.length + 1) * TWO_32) this.carries.push(this.length);
    this.lists.push(this.table, offset % TWO_32);
  }

  /** The offsets of rows [from, to), in the same memory. */
  slice(from: number, to: number): Offsets {
    const first = this.first + Math.min(from, this.length);
    return new Offsets(this.lists, this.table, this, first, Math.max(first, this.first + Math.min(to, this.length)));
  }

  at(row: number): number {
    const { carries } = this;
    const place = this.first + row;
    let high = 0;
    while (high < carries.length && carries[high] <= place) high++;
    return high * TWO_32 + this.lists.memory[this.blocks[place >> SHIFT] + (place & MASK)];
  }

  /** The first row at or after an offset in the source. */
  rowFrom(offset: number): number {
    const high = Math.floor(offset / TWO_32);
    const lower = offset - high * TWO_32;
    const { blocks, carries, first } = this;
    const { memory } = this.lists;
    const end = first + this.length;
    let from = Math.max(first, high > 0 ? (carries[high - 1] ?? end) : 0);
    let to = Math.min(end, carries[high] ?? end);
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (memory[blocks[middle >> SHIFT] + (middle & MASK)] < lower) from = middle + 1;
      else to = middle;
    }
    return Math.min(from, end) - first;
  }

  /** Writes the offsets of rows [from, to) relative to `base`, which is less than 2 GiB before the last of them. */
  relative(from: number, to: number, base: number, out: Int32Array): void {
    const { blocks, first } = this;
    const { memory } = this.lists;
    const baseLow = base % TWO_32;
    const end = first + to;
    let i = 0;
    for (let row = first + from; row < end; ) {
      const stop = Math.min(end, (row | MASK) + 1);
      // differences modulo 2^32 are right whatever the upper halves are
      for (let at = blocks[row >> SHIFT] + (row & MASK); row < stop; row++) out[i++] = memory[at++] - baseLow;
    }
  }
}
