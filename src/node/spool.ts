import { type FileHandle, open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BUS_LIVE_LIMITS } from '../core/bus-live-limits.ts';
import { crc32 } from '../core/crc32.ts';
import { writeFile } from './atomic.ts';
import { FolderLock } from './folder-lock.ts';

/*
 * A spool is a folder:
 *
 *     00000007.spool     records, only ever appended to; each start begins a new file
 *     acknowledged       `7 123456`: all before this place has been taken over
 *     lock               who works here
 *
 * A record:
 *
 *     0            4          8          12
 *     length (4)   crc32 (4)  count (4)  bytes (length)
 *
 * Numbers are little-endian; the sum covers the count and the bytes. Count is how many frames the bytes hold.
 */
const HEAD = 12;
const COUNTED = 8;
const FILE = /^(\d{8})\.spool$/;
const POSITION = 'acknowledged';
/** A full spool loses one of so many parts at a time. */
const PARTS = 8;

/** A place between two records. */
export interface SpoolPlace {
  readonly segment: number;
  readonly offset: number;
}

export interface SpoolRecord {
  readonly bytes: Uint8Array;
  /** Frames in it. */
  readonly count: number;
  /** The place behind it. */
  readonly end: SpoolPlace;
}

export interface SpoolOptions {
  /** Bytes on the disk; beyond, the oldest go. */
  readonly most: number;
  readonly segmentBytes?: number | undefined;
  /** Something can be read that could not before. */
  readonly more: () => void;
  /** Frames were lost: they were too many, or the disk did not take them. */
  readonly dropped: (frames: number, why: string) => void;
  /** The disk does not take anything; it is tried again. */
  readonly failed: (error: Error) => void;
}

interface Segment {
  readonly index: number;
  size: number;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/**
 * A queue on the disk: what is appended is handed to the system at once, so that a killed process does not lose it, and
 * stays until it is released. `append` never waits and never throws.
 */
export class Spool {
  private readonly folder: string;
  private readonly options: SpoolOptions;
  private readonly lock: FolderLock;
  private readonly segments: Segment[];
  private file: FileHandle | undefined;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private work: Promise<void> | undefined;
  private released: SpoolPlace;
  private stored: SpoolPlace;
  private storing: Promise<void> | undefined;
  private readonly damaged: WeakSet<Segment> = new WeakSet();
  private failures = 0;
  private isDirty = false;
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;

  private constructor(
    folder: string,
    lock: FolderLock,
    segments: Segment[],
    released: SpoolPlace,
    options: SpoolOptions,
  ) {
    this.folder = folder;
    this.lock = lock;
    this.segments = segments;
    this.released = released;
    this.stored = released;
    this.options = options;
    this.timer = setInterval(() => void this.settle(), BUS_LIVE_LIMITS.commitMilliseconds);
  }

  static async open(folder: string, options: SpoolOptions): Promise<Spool> {
    const lock = await FolderLock.take(folder);
    try {
      const names = (await readdir(folder)).map((name) => FILE.exec(name)?.[1]).filter((name) => name !== undefined);
      const indexes = names.map(Number).sort((a, b) => a - b);
      const sizes = await Promise.all(indexes.map((index) => stat(pathOf(folder, index))));
      const segments = indexes.map((index, i) => ({ index, size: sizes[i].size }));
      const text = await readFile(join(folder, POSITION), 'latin1').catch(() => '');
      const [, segment = '0', offset = '0'] = /^(\d{1,8}) (\d{1,15})\n$/.exec(text) ?? [];
      const place = { segment: Number(segment), offset: Number(offset) };
      const spool = new Spool(folder, lock, segments, place, options);
      // files that were all taken over, but not removed any more
      await spool.removeReleased();
      const next = Math.max(place.segment, segments.at(-1)?.index ?? 0) + 1;
      segments.push({ index: next, size: 0 });
      return spool;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Where reading begins: all before it was released. */
  get begin(): SpoolPlace {
    return this.released;
  }

  /** Bytes on the disk that are not released. */
  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + this.unreleased(segment), 0);
  }

  /** Takes a record; the bytes are the spool's from now on. */
  append(bytes: Uint8Array, count: number): void {
    if (this.isClosed) return;
    if (this.waitingBytes + bytes.length > BUS_LIVE_LIMITS.queueBytes) {
      this.options.dropped(count, 'the disk does not take them quickly enough');
      return;
    }
    this.waiting.push({ bytes, count });
    this.waitingBytes += bytes.length;
    this.start();
  }

  private start(): void {
    if (this.work || this.waiting.length === 0) return;
    this.work = this.write().finally(() => {
      this.work = undefined;
      if (!this.isClosed) this.start();
    });
  }

  private async write(): Promise<void> {
    const records = this.waiting;
    this.waiting = [];
    try {
      const block = blockOf(records);
      const { most, segmentBytes = Math.min(BUS_LIVE_LIMITS.segmentBytes, most / PARTS) } = this.options;
      if (this.current.size > 0 && this.current.size + block.length > segmentBytes) await this.rotate();
      const { current } = this;
      this.file ??= await open(pathOf(this.folder, current.index), 'wx');
      const { bytesWritten } = await this.file.write(block);
      if (bytesWritten < block.length) throw Object.assign(new Error('the disk takes no more'), { code: 'ENOSPC' });
      current.size += block.length;
      this.waitingBytes -= records.reduce((sum, { bytes }) => sum + bytes.length, 0);
      this.isDirty = true;
      await this.makeRoom();
      this.options.more();
    } catch (error) {
      this.failures++;
      this.waiting = [...records, ...this.waiting];
      this.options.failed(error instanceof Error ? error : new Error(String(error)));
      // a file that failed once is not trusted again; what it has of these records will be there twice, and is known by its number
      if (this.file) await this.rotate();
      if (!this.isClosed) await new Promise((done) => setTimeout(done, BUS_LIVE_LIMITS.retryMilliseconds));
    }
  }

  private get current(): Segment {
    return this.segments[this.segments.length - 1];
  }

  private async rotate(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    this.segments.push({ index: this.current.index + 1, size: 0 });
    await file?.datasync().catch(() => undefined);
    await file?.close().catch(() => undefined);
  }

  /** The oldest go where there are too many. */
  private async makeRoom(): Promise<void> {
    while (this.segments.length > 1 && this.bytes > this.options.most) {
      const [oldest] = this.segments;
      const frames = await this.countFrom(oldest);
      this.segments.shift();
      await unlink(pathOf(this.folder, oldest.index)).catch(() => undefined);
      if (frames > 0) this.options.dropped(frames, 'the spool is full');
    }
  }

  private async countFrom({ index }: Segment): Promise<number> {
    const from = this.released.segment === index ? this.released.offset : 0;
    const bytes = await readFile(pathOf(this.folder, index)).catch(() => new Uint8Array(0));
    let frames = 0;
    for (const { count } of recordsIn(bytes, { segment: index, offset: from }, from)) frames += count;
    return frames;
  }

  private unreleased({ index, size }: Segment): number {
    if (index < this.released.segment) return 0;
    return index === this.released.segment ? Math.max(0, size - this.released.offset) : size;
  }

  /** Some records from a place on; none where there are no more yet. */
  async read(from: SpoolPlace): Promise<SpoolRecord[]> {
    for (const segment of this.segments) {
      if (segment.index < from.segment) continue;
      const offset = segment.index === from.segment ? from.offset : 0;
      if (offset >= segment.size) continue;
      const bytes = await this.piece(segment, offset);
      const records = [...recordsIn(bytes, { segment: segment.index, offset })];
      if (records.length > 0) return records;
      if (segment !== this.current) this.tellDamage(segment, offset);
    }
    return [];
  }

  /** As a rule the end of a file that was being written when its process was killed. */
  private tellDamage(segment: Segment, offset: number): void {
    if (this.damaged.has(segment)) return;
    this.damaged.add(segment);
    const name = pathOf(this.folder, segment.index);
    this.options.failed(new Error(`${name}: ${segment.size - offset} bytes from ${offset} on are not whole: left out`));
  }

  /** As much of a file as is read at a time, but no less than one record. */
  private async piece({ index, size }: Segment, offset: number): Promise<Uint8Array> {
    const file = await open(pathOf(this.folder, index)).catch(() => undefined);
    if (!file) return new Uint8Array(0);
    try {
      const bytes = new Uint8Array(Math.min(BUS_LIVE_LIMITS.readBytes, size - offset));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** All before a place is taken over. */
  release(place: SpoolPlace): void {
    this.released = place;
  }

  /** Brings to the disk what was written and how much of it was released, and removes what nobody needs any more. */
  private async settle(): Promise<void> {
    this.storing ??= this.store().finally(() => {
      this.storing = undefined;
    });
    await this.storing;
  }

  private async store(): Promise<void> {
    try {
      if (this.isDirty) {
        this.isDirty = false;
        await this.file?.datasync();
      }
      const { released } = this;
      if (released === this.stored) return;
      await writeFile(join(this.folder, POSITION), [`${released.segment} ${released.offset}\n`], { force: true });
      this.stored = released;
      await this.removeReleased();
    } catch (error) {
      this.options.failed(error as Error);
    }
  }

  private async removeReleased(): Promise<void> {
    // the last one is being written, or will be
    while (this.segments.length > 1 && this.isDone(this.segments[0])) {
      const [{ index }] = this.segments.splice(0, 1);
      await unlink(pathOf(this.folder, index)).catch(() => undefined);
    }
  }

  private isDone({ index, size }: Segment): boolean {
    return index < this.stored.segment || (index === this.stored.segment && size <= this.stored.offset);
  }

  /** All that was appended is with the system, unless the disk refuses it. */
  async flush(): Promise<void> {
    const { failures } = this;
    while (this.work && this.failures === failures) await this.work;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    await this.flush();
    this.isClosed = true;
    clearInterval(this.timer);
    await this.work;
    await this.settle();
    await this.settle();
    await this.file?.close().catch(() => undefined);
    await this.lock.release();
  }
}

function pathOf(folder: string, index: number): string {
  return join(folder, `${String(index).padStart(8, '0')}.spool`);
}

function blockOf(records: readonly Waiting[]): Uint8Array {
  const block = new Uint8Array(records.reduce((sum, { bytes }) => sum + HEAD + bytes.length, 0));
  const view = new DataView(block.buffer);
  let at = 0;
  for (const { bytes, count } of records) {
    view.setUint32(at, bytes.length, true);
    view.setUint32(at + COUNTED, count, true);
    block.set(bytes, at + HEAD);
    const end = at + HEAD + bytes.length;
    view.setUint32(at + 4, crc32(block.subarray(at + COUNTED, end)), true);
    at = end;
  }
  return block;
}

/** The whole records of some bytes, up to one that is damaged. */
function* recordsIn(bytes: Uint8Array, place: SpoolPlace, from = 0): Generator<SpoolRecord> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = from; at + HEAD <= bytes.length; ) {
    const end = at + HEAD + view.getUint32(at, true);
    if (end > bytes.length || crc32(bytes.subarray(at + COUNTED, end)) !== view.getUint32(at + 4, true)) return;
    const count = view.getUint32(at + COUNTED, true);
    yield {
      ...{ bytes: bytes.slice(at + HEAD, end), count },
      end: { segment: place.segment, offset: place.offset + end - from },
    };
    at = end;
  }
}
