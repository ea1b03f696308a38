import { open } from 'node:fs/promises';

/** Brings a file or folder to the disk. Not every system can do that with a folder. */
export async function syncPath(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}
