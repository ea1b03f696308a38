const FIRST_ROOM = 16;
/** Room that is given back when it is not needed any more. */
const MUCH_ROOM = 512;
/** Bytes at the end of a stream whose places are kept: a record that is not decided yet begins among them. */
const RECENT = 8 << 10;

/** Where the bytes of a stream stand in the file: one entry for each piece that came with a packet. */
export class Segments {
  /** Bytes of the stream so far. */
  end = 0;
  private count = 0;
  private starts = new Float64Array(FIRST_ROOM);
  private files = new Float64Array(FIRST_ROOM);
  private packets = new Uint32Array(FIRST_ROOM);
  private times = new Float64Array(FIRST_ROOM);
  /** The piece that was asked for last. */
  private cursor = 0;

  /** The next `length` bytes stand at `file` and came with a packet at a time. */
  add(length: number, file: number, packet: number, time: number): void {
    if (this.count === this.starts.length) this.resize(2 * this.count);
    const { count } = this;
    this.starts[count] = this.end;
    this.files[count] = file;
    this.packets[count] = packet;
    this.times[count] = time;
    this.count = count + 1;
    this.end += length;
  }

  /** Where a byte of the stream stands in the file. */
  fileAt(offset: number): number {
    const { starts } = this;
    let { cursor } = this;
    if (starts[cursor] > offset) cursor = 0;
    while (cursor + 1 < this.count && starts[cursor + 1] <= offset) cursor++;
    this.cursor = cursor;
    return this.files[cursor] + offset - starts[cursor];
  }

  /** Which of the packets that brought [from, to) came last, as the index that `packet` and `time` take. */
  lastOf(from: number, to: number): number {
    this.fileAt(from);
    const { starts, packets, count } = this;
    let last = this.cursor;
    for (let i = last + 1; i < count && starts[i] < to; i++) if (packets[i] > packets[last]) last = i;
    return last;
  }

  packet(index: number): number {
    return this.packets[index];
  }

  time(index: number): number {
    return this.times[index];
  }

  /** Pieces of [from, to) one by one, as offsets in the stream and the index that `packet` and `time` take. */
  *within(from: number, to: number): Generator<[start: number, end: number, index: number]> {
    for (let i = 0; i < this.count; i++) {
      const start = Math.max(from, this.starts[i]);
      const end = Math.min(to, i + 1 < this.count ? this.starts[i + 1] : this.end);
      if (start < end) yield [start, end, i];
    }
  }

  /** Forgets what nobody asks for any more: all but the piece at `offset` and those of the last bytes. */
  keepFrom(offset: number): void {
    if (this.count === 0) return;
    this.fileAt(offset);
    const first = this.cursor;
    this.fileAt(Math.max(offset, this.end - RECENT));
    const recent = Math.max(this.cursor, first + 1);
    for (const array of [this.starts, this.files, this.packets, this.times]) {
      array[0] = array[first];
      array.copyWithin(1, recent, this.count);
    }
    this.count -= recent - 1;
    this.cursor = 0;
    if (this.starts.length > MUCH_ROOM && this.count < MUCH_ROOM / 4) this.resize(MUCH_ROOM);
  }

  private resize(room: number): void {
    const { starts, files, packets, times, count } = this;
    this.starts = new Float64Array(room);
    this.files = new Float64Array(room);
    this.packets = new Uint32Array(room);
    this.times = new Float64Array(room);
    this.starts.set(starts.subarray(0, count));
    this.files.set(files.subarray(0, count));
    this.packets.set(packets.subarray(0, count));
    this.times.set(times.subarray(0, count));
  }
}
