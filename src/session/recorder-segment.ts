import { open, unlink } from 'node:fs/promises';
import { RECORD_LIMITS } from './limits.ts';

export type SyncPolicy = 'always' | '1s' | 'off';

/** Bytes that are written together, and how many records they hold. */
export interface Block {
  readonly bytes: Uint8Array;
  used: number;
  records: number;
}

export interface SegmentOptions {
  /** Makes the file, when there is something to write. */
  readonly open: () => Promise<RecordFile>;
  readonly sync: SyncPolicy;
  /** Time of its first record, microseconds. */
  readonly started: number;
  /** These records are written: a killed process does not lose them. */
  readonly acknowledged: (records: number, bytes: number) => void;
  /** It cannot be written any more; what was not acknowledged is to be written elsewhere. */
  readonly failed: (segment: Segment, error: Error) => void;
}

/** One file of a recording, only appended to. Writes are gathered, and synced now and then; no caller waits. */
export class Segment {
  readonly started: number;
  /** Bytes handed in so far. */
  size = 0;
  private readonly options: SegmentOptions;
  private blocks: Block[] = [];
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;
  private syncTimer: NodeJS.Timeout | undefined;
  private work: Promise<void> | undefined;
  private file: RecordFile | undefined;
  private isDirty = false;
  private isBroken = false;
  private isHeld = false;
  private isEmpty = true;

  constructor(options: SegmentOptions) {
    this.options = options;
    this.started = options.started;
  }

  /** Only gathers, until it is released: the disk is given time. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.start();
  }

  /** Takes one record in two parts, which are copied; false where too much waits already. */
  append(head: Uint8Array, body: Uint8Array): boolean {
    const length = head.length + body.length;
    if (this.waiting + length > RECORD_LIMITS.queueBytes) return false;
    let block = this.blocks.at(-1);
    if (!block || block.used + length > block.bytes.length) {
      block = { bytes: new Uint8Array(Math.max(RECORD_LIMITS.blockBytes, length)), used: 0, records: 0 };
      this.blocks.push(block);
    }
    block.bytes.set(head, block.used);
    block.bytes.set(body, block.used + head.length);
    block.used += length;
    block.records++;
    this.size += length;
    this.waiting += length;
    if (this.blocks.length > 1) this.start();
    else this.timer ??= setTimeout(() => this.start(), RECORD_LIMITS.blockMilliseconds);
    return true;
  }

  /** Hands all to the system, and to the disk if that is asked for. */
  async flush(toDisk = false): Promise<void> {
    this.start();
    await this.work;
    if (toDisk) await this.bringToDisk();
  }

  async close(): Promise<void> {
    this.isHeld = false;
    await this.flush(this.options.sync !== 'off');
    clearTimeout(this.syncTimer);
    const { file } = this;
    this.file = undefined;
    await file?.close().catch(() => undefined);
  }

  /** What was not acknowledged, for another file. It is ours no more. */
  handOver(): Block[] {
    const { blocks } = this;
    this.blocks = [];
    this.waiting = 0;
    return blocks;
  }

  /** Takes over what another could not write. */
  adopt(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.blocks.push(block);
      this.waiting += block.used;
      this.size += block.used;
    }
    this.start();
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.work || this.isBroken || this.isHeld || this.blocks.length === 0) return;
    this.work = this.writeAll()
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.work = undefined;
      });
  }

  private async writeAll(): Promise<void> {
    this.file ??= await this.options.open();
    while (this.blocks.length > 0) {
      const block = this.blocks[0];
      const { used, records } = block;
      // what comes while it is written goes into the next one
      if (this.blocks.length === 1)
        this.blocks.push({ bytes: new Uint8Array(RECORD_LIMITS.blockBytes), used: 0, records: 0 });
      await this.write(block.bytes.subarray(0, used));
      this.isDirty = true;
      if (this.options.sync === 'always') await this.file?.sync();
      // it was given up, and another has the block: twice is better than never
      if (this.isBroken) return;
      this.blocks.shift();
      this.waiting -= used;
      this.options.acknowledged(records, used);
      if (this.blocks.length === 1 && this.blocks[0].used === 0) this.blocks = [];
    }
    if (this.options.sync === '1s')
      this.syncTimer ??= setTimeout(() => void this.bringToDisk(), RECORD_LIMITS.syncMilliseconds);
  }

  private async write(bytes: Uint8Array): Promise<void> {
    const { file } = this;
    for (let done = 0; file && done < bytes.length; ) {
      const taken = await file.append(bytes.subarray(done));
      this.isEmpty &&= taken <= 0;
      if (taken <= 0) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
      done += taken;
    }
  }

  private async bringToDisk(): Promise<void> {
    clearTimeout(this.syncTimer);
    this.syncTimer = undefined;
    const { file } = this;
    if (!file || !this.isDirty || this.isBroken) return;
    this.isDirty = false;
    try {
      await file.sync();
      if (await file.isGone()) throw new Error('the file was removed');
    } catch (error) {
      this.fail(error);
    }
  }

  /** A file that failed once is not trusted again: what it did not take goes to another. */
  private fail(error: unknown): void {
    if (this.isBroken) return;
    this.isBroken = true;
    clearTimeout(this.timer);
    clearTimeout(this.syncTimer);
    const { file } = this;
    this.file = undefined;
    // a disk that is full takes file after file, and not a byte
    void (this.isEmpty ? file?.discard() : file?.close())?.catch(() => undefined);
    this.options.failed(this, error instanceof Error ? error : new Error(String(error)));
  }
}

/** What recording needs of a file: so that a test can let each call fail in turn. */
export interface RecordFile {
  /** Appends and promises how many bytes were taken, fewer where the disk is full. */
  append(bytes: Uint8Array): Promise<number>;
  /** What was appended is on the disk. */
  sync(): Promise<void>;
  /** Whether the file was removed while it was written. */
  isGone(): Promise<boolean>;
  close(): Promise<void>;
  /** Takes the file away again, because nothing could be written to it. */
  discard(): Promise<void>;
}

/** Makes a file that must not be there yet. */
export type CreateFile = (path: string) => Promise<RecordFile>;

export const createFile: CreateFile = async (path) => {
  const handle = await open(path, 'wx', 0o644);
  return {
    append: async (bytes) => (await handle.write(bytes)).bytesWritten,
    sync: () => handle.datasync(),
    isGone: async () => (await handle.stat()).nlink === 0,
    close: () => handle.close(),
    discard: async () => {
      await handle.close();
      await unlink(path);
    },
  };
};
