import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a file to read it. One that could have no end, a pipe or a device, is refused; nothing waits for it. */
export async function openRegular(path: string): Promise<FileHandle> {
  // not known on Windows, which has no such files either
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if ((await file.stat()).isFile()) return file;
    throw new Error(`${path} is not a regular file`);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The text of a file as `openRegular` opens it. */
export async function readRegular(path: string): Promise<string> {
  const file = await openRegular(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** The text of a small file, of a pipe too; an error where it has more bytes than that: no file fills the memory. */
export function readText(path: string, mostBytes: number): string {
  const descriptor = openSync(path, 'r');
  try {
    return textOf(descriptor, mostBytes, path);
  } finally {
    closeSync(descriptor);
  }
}

/** The same for a file that is open. */
export function textOf(descriptor: number, mostBytes: number, path: string): string {
  const bytes = Buffer.alloc(mostBytes + 1);
  let used = 0;
  while (used < bytes.length) {
    const read = readSync(descriptor, bytes, used, bytes.length - used, null);
    if (read === 0) return bytes.toString('utf8', 0, used);
    used += read;
  }
  throw new Error(`${path} has more than ${mostBytes} bytes`);
}
