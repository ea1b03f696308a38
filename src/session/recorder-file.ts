import { open, unlink } from 'node:fs/promises';

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
