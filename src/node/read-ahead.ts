import { close, read } from 'node:fs';

/** Bytes asked for at a time: many enough that waiting for a thread costs little, few enough to begin with soon. */
const PART = 4 << 20;
/** Parts that are read at the same time. */
const READERS = 2;

/** All bytes of a file in memory, read by other threads while the caller uses the first ones. */
export class ReadAhead {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly descriptor: number;
  /** For each part a promise of whether it came whole; what did not is read again, to find out why. */
  private readonly parts: Promise<boolean>[] = [];
  private readonly isThere: boolean[] = [];
  /** Whether all of it is there. */
  isWhole = false;

  /** @param descriptor is closed when all is read */
  constructor(descriptor: number, size: number) {
    this.descriptor = descriptor;
    this.bytes = new Uint8Array(size);
    const count = Math.ceil(size / PART);
    for (let index = 0; index < count; index++) {
      const before = index < READERS ? Promise.resolve(true) : this.parts[index - READERS];
      this.parts.push(before.then(() => this.readPart(index)));
    }
    void Promise.all(this.parts).then((came) => {
      this.isWhole = came.every(Boolean);
      close(descriptor);
    });
  }

  /** Bytes [offset, offset + length) when they are there; undefined if they did not come. */
  async read(offset: number, length: number): Promise<Uint8Array | undefined> {
    for (let index = Math.floor(offset / PART); index * PART < offset + length && index < this.parts.length; index++)
      if (!this.isThere[index] && !(await this.parts[index])) return undefined;
    return this.bytes.subarray(offset, offset + length);
  }

  /** The same without waiting: undefined also where they did not come yet. */
  readNow(offset: number, length: number): Uint8Array | undefined {
    for (let index = Math.floor(offset / PART); index * PART < offset + length && index < this.parts.length; index++)
      if (!this.isThere[index]) return undefined;
    return this.bytes.subarray(offset, offset + length);
  }

  private async readPart(index: number): Promise<boolean> {
    const stop = Math.min((index + 1) * PART, this.bytes.length);
    let at = index * PART;
    while (at < stop) {
      const count = await this.readSome(at, stop - at);
      if (count === 0) break;
      at += count;
    }
    this.isThere[index] = at === stop;
    return at === stop;
  }

  private readSome(at: number, length: number): Promise<number> {
    return new Promise((resolve) => {
      read(this.descriptor, this.bytes, at, length, at, (error, count) => resolve(error ? 0 : count));
    });
  }
}
