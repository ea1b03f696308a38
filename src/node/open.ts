import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { type OpenOptions, openInput } from '../formats/open.ts';
import { FileSource } from './file.ts';
import { fileSpill } from './spill.ts';

/** What a log can be opened from: a path, a URL (`file:` or one that is fetched), a Blob, a buffer. */
export type Input = string | URL | Blob | Uint8Array | ArrayBuffer;

/** Opens a log of any format. Damage never makes it fail; a source that no format claims does. */
export async function openLog(input: Input, options: OpenOptions = {}): Promise<Log> {
  const path = pathOf(input);
  const all = { spill: fileSpill, ...options };
  if (path === undefined) return openInput(input as Exclude<Input, string>, all);
  const { file, entry } = await placeOf(path);
  return openInput(await FileSource.open(file), { ...all, entry: options.entry ?? entry });
}

/**
 * Opens a file whose tables will be read one after the other: it is kept in memory, unless it is large.
 * @param meanwhile called as soon as the file is being read
 */
export async function openInMemory(
  path: string,
  options: OpenOptions = {},
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Log> {
  const { file, entry } = await placeOf(path);
  const source = await FileSource.open(file);
  source.keepInMemory(LIMITS.heldBytes);
  const [log] = await Promise.all([openInput(source, { spill: fileSpill, entry, ...options }), meanwhile()]);
  return log;
}

/** A file, and the name of a log in it where the path has one behind a #, as in `flights.zip#second.bin`. */
export async function placeOf(path: string): Promise<{ readonly file: string; readonly entry: string | undefined }> {
  const isFile = async (name: string): Promise<boolean> => (await stat(name).catch(() => undefined))?.isFile() === true;
  for (let at = path.indexOf('#', 1); at > 0 && !(await isFile(path)); at = path.indexOf('#', at + 1)) {
    const file = path.slice(0, at);
    if (await isFile(file)) return { file, entry: path.slice(at + 1) };
  }
  return { file: path, entry: undefined };
}

function pathOf(input: Input): string | undefined {
  if (typeof input === 'string') return input;
  return input instanceof URL && input.protocol === 'file:' ? fileURLToPath(input) : undefined;
}
