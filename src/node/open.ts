import { fileURLToPath } from 'node:url';
import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { type OpenOptions, openInput } from '../open.ts';
import { FileSource } from './file.ts';
import { fileSpill } from './spill.ts';

/** What a log can be opened from: a path, a URL (`file:` or one that is fetched), a Blob, a buffer. */
export type Input = string | URL | Blob | Uint8Array | ArrayBuffer;

/** Opens a log of any format. Damage never makes it fail; a source that no format claims does. */
export async function openLog(input: Input, options: OpenOptions = {}): Promise<Log> {
  const path = pathOf(input);
  const all = { spill: fileSpill, ...options };
  if (path === undefined) return openInput(input as Exclude<Input, string>, all);
  return openInput(await FileSource.open(path), all);
}

/** Opens a file whose tables will be read one after the other: it is kept in memory, unless it is large. */
export async function openHeld(path: string, options: OpenOptions = {}): Promise<Log> {
  const source = await FileSource.open(path);
  source.hold(LIMITS.heldBytes);
  return openInput(source, { spill: fileSpill, ...options });
}

function pathOf(input: Input): string | undefined {
  if (typeof input === 'string') return input;
  return input instanceof URL && input.protocol === 'file:' ? fileURLToPath(input) : undefined;
}
