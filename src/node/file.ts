import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Source } from '../core/source.ts';
import { ReadAhead } from './read-ahead.ts';

/** How long a file stays open after the last read, in milliseconds. */
const IDLE = 1000;

/** A file, open only while it is read. Reads are synchronous: far faster than a thread pool for cached files. */
export class FileSource implements Source {
  readonly path: string;
  size = 0;
  private identity = '';
  private descriptor: number | undefined;
  private kept: ReadAhead | undefined;
  private timer: NodeJS.Timeout | undefined;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(path: string): Promise<FileSource> {
    const source = new FileSource(path);
    await source.refresh();
    return source;
  }

  async read(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return (await this.kept?.read(offset, length)) ?? this.readNow(offset, length, scratch);
  }

  readNow(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Uint8Array {
    const kept = this.kept?.readNow(offset, length);
    if (kept) return kept;
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const bytes = scratch && scratch.length >= wanted ? scratch : new Uint8Array(wanted);
    const descriptor = this.use();
    let done = 0;
    while (done < wanted) {
      const count = readSync(descriptor, bytes, done, wanted - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return done === bytes.length ? bytes : bytes.subarray(0, done);
  }

  /** Keeps all bytes in memory if there are at most `most`, for repeated reads. */
  keepInMemory(most: number): void {
    if (this.size <= most) this.kept ??= new ReadAhead(this.reopen(), this.size);
  }

  get isInMemory(): boolean {
    return this.kept?.isWhole ?? false;
  }

  /** Looks again how large the file is, for one that grows. */
  async refresh(): Promise<number> {
    this.kept = undefined;
    this.size = fstatSync(this.use()).size;
    return this.size;
  }

  private use(): number {
    this.descriptor ??= this.reopen();
    if (this.timer) this.timer.refresh();
    else this.timer = setTimeout(() => this.close(), IDLE).unref();
    return this.descriptor;
  }

  private reopen(): number {
    // asked before it is opened: opening a pipe would wait for someone to write to it
    const found = statSync(this.path);
    if (found.isDirectory()) throw new Error(`${this.path} is a folder, not a file`);
    if (!found.isFile()) throw new Error(`${this.path} is not a regular file`);
    const descriptor = openSync(this.path, 'r');
    const { dev, ino } = fstatSync(descriptor);
    const identity = `${dev}:${ino}`;
    if (this.identity !== '' && identity !== this.identity) {
      closeSync(descriptor);
      throw new Error(`${this.path} was replaced while it was read`);
    }
    this.identity = identity;
    return descriptor;
  }

  private close(): void {
    const { descriptor } = this;
    this.descriptor = undefined;
    this.timer = undefined;
    try {
      if (descriptor !== undefined) closeSync(descriptor);
    } catch {
      // a disk that is gone: all that was read is here, and the descriptor is free
    }
  }
}
