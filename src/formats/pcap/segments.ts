import { resized } from '../../core/bytes.ts';

const FIRST_ROOM = 16;
/** Room that is given back when it is not needed any more. */
const MUCH_ROOM = 512;
/** Bytes at the end of a stream whose places are kept: a record that is not decided yet begins among them. */
const RECENT = 8 << 10;

/** Where the bytes of a stream are in the file: one entry for each piece of a packet. */
export class Segments {
  /** Bytes of the stream so far. */
  end = 0;
  count = 0;
  /** Of each piece: where it begins in the stream and in the file, its packet, and the time of that. */
  starts: Float64Array = new Float64Array(FIRST_ROOM);
  files: Float64Array = new Float64Array(FIRST_ROOM);
  packets: Uint32Array = new Uint32Array(FIRST_ROOM);
  times: Float64Array = new Float64Array(FIRST_ROOM);
  /** The piece that was asked for last. */
  private cursor = 0;

  /** The next `length` bytes are at `file` and came with a packet at a time. */
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

  indexOf(offset: number): number {
    const { starts } = this;
    let { cursor } = this;
    if (starts[cursor] > offset) cursor = 0;
    while (cursor + 1 < this.count && starts[cursor + 1] <= offset) cursor++;
    this.cursor = cursor;
    return cursor;
  }

  /** Where a byte of the stream is in the file. */
  fileAt(offset: number): number {
    const index = this.indexOf(offset);
    return this.files[index] + offset - this.starts[index];
  }

  /** Pieces of [from, to) one by one, as offsets in the stream and their index. */
  *within(from: number, to: number): Generator<[start: number, end: number, index: number]> {
    for (let i = 0; i < this.count; i++) {
      const start = Math.max(from, this.starts[i]);
      const end = Math.min(to, i + 1 < this.count ? this.starts[i + 1] : this.end);
      if (start < end) yield [start, end, i];
    }
  }

  /** Forgets what is no longer needed: all but the piece at `offset` and those of the last bytes. */
  keepFrom(offset: number): void {
    if (this.count === 0) return;
    const first = this.indexOf(offset);
    const recent = Math.max(this.indexOf(Math.max(offset, this.end - RECENT)), first + 1);
    for (const array of [this.starts, this.files, this.packets, this.times]) {
      array[0] = array[first];
      array.copyWithin(1, recent, this.count);
    }
    const used = this.count;
    this.count -= recent - 1;
    this.cursor = 0;
    if (this.starts.length > MUCH_ROOM && used < this.starts.length / 4) this.resize(Math.max(MUCH_ROOM, this.count));
  }

  private resize(room: number): void {
    this.starts = resized(this.starts, room);
    this.files = resized(this.files, room);
    this.packets = resized(this.packets, room);
    this.times = resized(this.times, room);
  }
}
