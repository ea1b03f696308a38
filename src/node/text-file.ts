import { closeSync, openSync, readSync } from 'node:fs';

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
