import { type FileHandle, open } from 'node:fs/promises';
import type { Source } from '../core/source.ts';

/** How long a file stays open after the last read, in milliseconds. */
const IDLE = 1000;

/** A file that is read and never written. It needs no closing: it is open only while it is read. */
export class FileSource implements Source {
  readonly path: string;
  size = 0;
  private identity = '';
  private opened: Promise<FileHandle> | undefined;
  private reads = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(path: string): Promise<FileSource> {
    const source = new FileSource(path);
    await source.refresh();
    return source;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(wanted).buffer);
    return this.use(async (handle) => {
      let done = 0;
      while (done < wanted) {
        const { bytesRead } = await handle.read(bytes, done, wanted - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done === wanted ? bytes : bytes.subarray(0, done);
    });
  }

  /** Looks again how large the file is, for one that grows. */
  async refresh(): Promise<number> {
    return this.use(async (handle) => {
      this.size = (await handle.stat()).size;
      return this.size;
    });
  }

  private async use<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    clearTimeout(this.timer);
    this.reads++;
    try {
      this.opened ??= this.reopen();
      return await work(await this.opened);
    } finally {
      if (--this.reads === 0) this.closeLater();
    }
  }

  private async reopen(): Promise<FileHandle> {
    const handle = await open(this.path, 'r').catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    const stat = await handle.stat();
    const identity = `${stat.dev}:${stat.ino}`;
    const reason = stat.isDirectory()
      ? 'is a folder, not a file'
      : this.identity !== '' && identity !== this.identity
        ? 'was replaced by another file while it was read'
        : '';
    if (reason !== '') {
      this.opened = undefined;
      await handle.close();
      throw new Error(`${this.path} ${reason}`);
    }
    this.identity = identity;
    return handle;
  }

  private closeLater(): void {
    this.timer = setTimeout(() => {
      const { opened } = this;
      this.opened = undefined;
      // nothing is lost when closing a file fails that was only read
      void opened?.then((handle) => handle.close()).catch(() => undefined);
    }, IDLE);
    this.timer.unref();
  }
}
