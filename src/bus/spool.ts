import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from '../core/checksum.ts';
import { writeFile } from '../node/atomic.ts';
import { FolderLock } from '../node/folder-lock.ts';
import { batchEnd, framesAt, isBatchAt, newRun } from './batch.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';

/*
 * A spool is a folder:
 *
 *     00000007.spool     batches of src/bus/batch.ts, only ever appended to; each start begins a new file
 *     acknowledged       `7 123456`: all before this place has been taken over
 *     collector          `9f3c0a5be41d7726 12`: the id of the collector, made once, and how often it was started
 *     lock               the process that works here
 *
 * Files of earlier versions have batches of theirs, each with a head:
 *
 *     0            4          8          12
 *     length (4)   crc32 (4)  count (4)  batch (length)
 *
 * Numbers of it are little-endian; the sum covers the count and the batch. Count is how many frames it holds.
 */
const OLD_HEAD = 12;
const COUNTED = 8;
const FILE = /^(\d{8,15})\.spool$/;
const POSITION = 'acknowledged';
const IDENTITY = 'collector';
/** What every batch begins with, and the fewest bytes of a frame with its time. */
const MARK = 'SKB';
const FRAME_BYTES = 16;
/** A full spool loses one of these parts at a time. */
const PARTS = 8;
/** Of these, one may be on its way: the rest is room for what comes meanwhile. */
const SHARES = 4;
/** Behind all that there may be. */
const LAST: SpoolPlace = { segment: Number.POSITIVE_INFINITY, offset: 0 };
const FULL = 'the spool is full';

/** A place between two records. */
export interface SpoolPlace {
  readonly segment: number;
  readonly offset: number;
}

export interface SpoolRecord {
  readonly bytes: Uint8Array;
  /** Frames in it. */
  readonly count: number;
  /** The place after it. */
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

interface SpoolFile {
  readonly index: number;
  size: number;
  /** Damage before it was counted. */
  judged: number;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** A queue on disk that survives a killed process; `append` never waits and never throws. */
export class Spool {
  /** This start of the collector, as `newRun` makes it. */
  readonly run: Uint8Array;
  private readonly folder: string;
  private readonly options: SpoolOptions;
  private readonly lock: FolderLock;
  private readonly segments: SpoolFile[];
  private file: FileHandle | undefined;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private work: Promise<void> | undefined;
  private released: SpoolPlace;
  /** What is between `released` and it is on its way: whether it is lost is known later. */
  private sent: SpoolPlace;
  private stored: SpoolPlace;
  private storing: Promise<void> | undefined;
  private failures = 0;
  private isDirty = false;
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;

  private constructor(
    folder: string,
    lock: FolderLock,
    run: Uint8Array,
    segments: SpoolFile[],
    released: SpoolPlace,
    options: SpoolOptions,
  ) {
    this.run = run;
    this.folder = folder;
    this.lock = lock;
    this.segments = segments;
    this.released = released;
    this.sent = released;
    this.stored = released;
    this.options = options;
    this.timer = setInterval(() => void this.settle(), BUS_LIVE_LIMITS.commitMilliseconds);
  }

  static async open(folder: string, options: SpoolOptions): Promise<Spool> {
    const lock = await FolderLock.acquire(folder);
    try {
      const names = (await readdir(folder)).map((name) => FILE.exec(name)?.[1]).filter((name) => name !== undefined);
      const indexes = names.map(Number).sort((a, b) => a - b);
      const sizes = await Promise.all(indexes.map((index) => stat(pathOf(folder, index))));
      const segments = indexes.map((index, i) => ({ index, size: sizes[i].size, judged: 0 }));
      const text = await readFile(join(folder, POSITION), 'latin1').catch(() => '');
      const [, segment = '0', offset = '0'] = /^(\d{1,8}) (\d{1,15})\n$/.exec(text) ?? [];
      const place = { segment: Number(segment), offset: Number(offset) };
      const spool = new Spool(folder, lock, await nextRun(folder), segments, place, options);
      // files that were all taken over, but not removed any more
      await spool.removeReleased();
      spool.sent = spool.mostlySent();
      const next = Math.max(place.segment, segments.at(-1)?.index ?? 0) + 1;
      segments.push({ index: next, size: 0, judged: 0 });
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
    return this.bytesBetween(this.released, LAST);
  }

  private bytesBetween(from: SpoolPlace, to: SpoolPlace): number {
    let bytes = 0;
    for (const { index, size } of this.segments) {
      if (index < from.segment || index > to.segment) continue;
      const begin = index === from.segment ? from.offset : 0;
      bytes += Math.max(0, (index === to.segment ? Math.min(size, to.offset) : size) - begin);
    }
    return bytes;
  }

  /** Takes a batch; the bytes are the spool's from now on. */
  append(bytes: Uint8Array, count: number): void {
    if (this.isClosed) return;
    if (this.waitingBytes + bytes.length > BUS_LIVE_LIMITS.queueBytes) {
      this.options.dropped(count, 'the disk is too slow');
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
    const { most, segmentBytes = Math.min(BUS_LIVE_LIMITS.segmentBytes, most / PARTS) } = this.options;
    const records = this.waiting.splice(0, countWithin(this.waiting, segmentBytes));
    try {
      const block = Buffer.concat(records.map(({ bytes }) => bytes));
      if (this.current.size > 0 && this.current.size + block.length > segmentBytes) await this.rotate();
      if (!(await this.makeRoom(block.length))) {
        this.waitingBytes -= block.length;
        this.lose(records, FULL);
        return;
      }
      const { current } = this;
      this.file ??= await open(pathOf(this.folder, current.index), 'wx');
      const { bytesWritten } = await this.file.write(block);
      if (bytesWritten < block.length) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      current.size += block.length;
      this.waitingBytes -= block.length;
      this.isDirty = true;
      this.options.more();
    } catch (error) {
      this.failures++;
      this.waiting = [...records, ...this.waiting];
      this.options.failed(error instanceof Error ? error : new Error(String(error)));
      // a file that failed once is not trusted again; what it has of these records would be there twice, or count as lost
      await this.file?.truncate(this.current.size).catch(() => undefined);
      if (this.file) await this.rotate();
      if (!this.isClosed) await sleep(BUS_LIVE_LIMITS.retryMilliseconds);
    }
  }

  private get current(): SpoolFile {
    return this.segments[this.segments.length - 1];
  }

  private async rotate(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    this.segments.push({ index: this.current.index + 1, size: 0, judged: 0 });
    await file?.datasync().catch(() => undefined);
    await file?.close().catch(() => undefined);
  }

  /** Drops the oldest for new bytes, but nothing that is being sent. @returns if there is room */
  private async makeRoom(bytes: number): Promise<boolean> {
    while (this.bytes + bytes > this.options.most) {
      const { segment: begin, offset } = this.sent;
      const isOnItsWay = this.released !== this.sent;
      const at = this.segments.findIndex(({ index }) => index > begin || (index === begin && !isOnItsWay));
      if (at < 0 || at === this.segments.length - 1) return false;
      // from here on nothing of it is sent
      const [segment] = this.segments.splice(at, 1);
      const records = await this.recordsOf(segment, segment.index === begin ? offset : 0);
      await unlink(pathOf(this.folder, segment.index)).catch(() => undefined);
      this.lose(records, FULL);
    }
    return true;
  }

  private lose(records: readonly { readonly count: number }[], why: string): void {
    const frames = records.reduce((sum, { count }) => sum + count, 0);
    if (frames > 0) this.options.dropped(frames, why);
  }

  /** Whether a record is still here, given the place after it. */
  has({ segment }: SpoolPlace): boolean {
    return this.segments.some(({ index }) => index === segment);
  }

  /**
   * Whether what ends at a place may leave. After a kill the fate of all after the stored place is unknown,
   * so it is kept small: it does not count as lost, and is sent again.
   */
  mayLeave(end: SpoolPlace): boolean {
    const { sent, stored } = this;
    if (later(end, sent) === sent) return true;
    if (this.bytesBetween(stored, sent) === 0 || this.bytesBetween(stored, end) <= this.options.most / SHARES)
      return true;
    // what was taken over meanwhile makes room
    void this.settle();
    return false;
  }

  /** How far an earlier start may have sent, at most. */
  private mostlySent(): SpoolPlace {
    const { released, segments } = this;
    let left = this.options.most / SHARES;
    let place = released;
    for (const { index, size } of segments) {
      const begin = index === released.segment ? released.offset : 0;
      if (index < released.segment || size <= begin || left <= 0) continue;
      place = { segment: index, offset: Math.min(size, begin + left) };
      left -= size - begin;
    }
    return place;
  }

  /** Some records from a place on; none where there are no more yet. */
  async read(from: SpoolPlace): Promise<SpoolRecord[]> {
    // files may go while one is read
    for (const segment of [...this.segments]) {
      if (segment.index < from.segment) continue;
      const offset = segment.index === from.segment ? from.offset : 0;
      if (offset >= segment.size) continue;
      const records = await this.recordsOf(segment, offset);
      if (records.length > 0) return records;
    }
    return [];
  }

  /** The records of a file from a place on. What is damaged is counted, once, and left out; the next one is found again. */
  private async recordsOf(segment: SpoolFile, offset: number): Promise<SpoolRecord[]> {
    const { index, size } = segment;
    const bytes = await this.piece(segment, offset);
    const records: SpoolRecord[] = [];
    for (let at = 0; at < bytes.length; ) {
      const record = recordAt(bytes, at);
      const end = record?.end ?? nextRecord(bytes, at + 1, this.run);
      if (record) {
        const { begin, count } = record;
        records.push({ bytes: bytes.slice(begin, end), count, end: { segment: index, offset: offset + end } });
      } else if (offset + at >= segment.judged) {
        segment.judged = offset + end;
        const why = `${end - at} of ${size} bytes from offset ${offset + at} are damaged and skipped`;
        this.options.failed(new Error(`${pathOf(this.folder, index)}: ${why}`));
        this.options.dropped(framesIn(bytes.subarray(at, end), this.run), 'corrupted on disk');
      }
      at = end;
    }
    return records;
  }

  /** A file from a place on, as far as it is written. */
  private async piece({ index, size }: SpoolFile, offset: number): Promise<Buffer> {
    const file = await open(pathOf(this.folder, index)).catch(() => undefined);
    if (!file) return Buffer.alloc(0);
    try {
      const bytes = Buffer.alloc(Math.min(BUS_LIVE_LIMITS.readBytes, size - offset));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** All before a place is on its way, or was: whether it arrived is known when it is released. */
  send(place: SpoolPlace): void {
    this.sent = later(this.sent, place);
  }

  /** All before a place is taken over. */
  release(place: SpoolPlace): void {
    this.released = place;
    this.send(place);
  }

  /** Brings to the disk what was written and how much of it was released, and removes what is no longer needed. */
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
      // more may leave
      this.options.more();
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

  private isDone({ index, size }: SpoolFile): boolean {
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
    this.lose(this.waiting, 'the disk did not accept them');
    await this.settle();
    await this.settle();
    await this.file?.close().catch(() => undefined);
    await this.lock.release();
  }
}

function pathOf(folder: string, index: number): string {
  return join(folder, `${String(index).padStart(8, '0')}.spool`);
}

/** The second, if it is not before the first. */
function later(one: SpoolPlace, other: SpoolPlace): SpoolPlace {
  return one.segment > other.segment || (one.segment === other.segment && one.offset > other.offset) ? one : other;
}

/** How many records, and at least one, fit into some bytes. */
function countWithin(records: readonly Waiting[], most: number): number {
  let count = 0;
  for (let size = 0; count < records.length; count++) {
    size += records[count].bytes.length;
    if (count > 0 && size > most) break;
  }
  return count;
}

/** The id of the collector, made if missing, and a new start of it. */
async function nextRun(folder: string): Promise<Uint8Array> {
  const path = join(folder, IDENTITY);
  const text = await readFile(path, 'latin1').catch(() => '');
  const [, id = randomBytes(8).toString('hex'), starts = '0'] = /^([\da-f]{16}) (\d{1,9})\n$/.exec(text) ?? [];
  const count = Number(starts) + 1;
  await writeFile(path, [`${id} ${count}\n`], { force: true });
  return newRun(Buffer.from(id, 'hex'), count, randomBytes(4).readUInt32BE());
}

interface FoundRecord {
  /** Where the batch begins and ends. */
  readonly begin: number;
  readonly end: number;
  readonly count: number;
}

/** The whole record at a place; undefined if it is damaged. */
function recordAt(bytes: Buffer, at: number): FoundRecord | undefined {
  const end = batchEnd(bytes, at);
  if (end !== undefined) return { begin: at, end, count: framesAt(bytes, at) };
  const begin = at + OLD_HEAD;
  if (at < 0 || begin > bytes.length || bytes.toString('latin1', begin, begin + MARK.length) !== MARK) return undefined;
  const oldEnd = begin + bytes.readUInt32LE(at);
  const isWhole = oldEnd <= bytes.length && crc32(bytes.subarray(at + COUNTED, oldEnd)) === bytes.readUInt32LE(at + 4);
  return isWhole ? { begin, end: oldEnd, count: bytes.readUInt32LE(at + COUNTED) } : undefined;
}

/** Where the next whole record begins. Frames may be made to look like one, but do not know the id of the collector. */
function nextRecord(bytes: Buffer, from: number, run: Uint8Array): number {
  for (let at = bytes.indexOf(MARK, from); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    if (isBatchAt(bytes, at, run) && recordAt(bytes, at)) return at;
    if (at - OLD_HEAD >= from && recordAt(bytes, at - OLD_HEAD)) return at - OLD_HEAD;
  }
  return bytes.length;
}

/** How many frames damaged records say they have, as far as that can be, and at least one. The first begins at 0. */
function framesIn(bytes: Buffer, run: Uint8Array): number {
  let frames = 0;
  for (let at = 0; at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    const count = at === 0 || isBatchAt(bytes, at, run) ? framesAt(bytes, at) : 0;
    if (count * FRAME_BYTES <= bytes.length) frames += count;
  }
  return Math.max(1, frames);
}
