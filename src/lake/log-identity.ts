import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { LIMITS } from '../core/limits.ts';
import type { Source } from '../core/source.ts';
import { errorText } from '../core/text.ts';
import { unpack } from '../formats/unpack.ts';
import { FileSource } from '../node/file.ts';
import { placeOf } from '../node/open.ts';
import { fileSpill } from '../node/spill.ts';

/** What identifies a log: all its bytes, wherever they are kept and whatever their file is called. */
export interface LogIdentity {
  /** 128 bits of the SHA-256 of all bytes, hexadecimal. */
  readonly id: string;
  readonly bytes: number;
  /** 16 digits for each of the first 4 KiB, 16 KiB, 64 KiB ...: the start of a log has the start of its marks. */
  readonly marks: string;
}

const ID_DIGITS = 32;
const MARK_DIGITS = 16;
const FIRST_MARK = 4096;
const MARK_STEP = 4;

export async function readIdentity(source: Source): Promise<LogIdentity> {
  const hash = createHash('sha256');
  let marks = '';
  let mark = FIRST_MARK;
  for (let at = 0; at < source.size; ) {
    const chunk = await source.read(at, Math.min(LIMITS.chunkBytes, mark - at));
    if (chunk.length === 0) break;
    hash.update(chunk);
    at += chunk.length;
    if (at < mark) continue;
    marks += hash.copy().digest('hex').slice(0, MARK_DIGITS);
    mark *= MARK_STEP;
  }
  return { id: hash.digest('hex').slice(0, ID_DIGITS), bytes: source.size, marks };
}

/** Whether these may be the beginning of those: it takes all bytes to be sure. */
export function mayBegin(part: LogIdentity, whole: LogIdentity): boolean {
  return part.bytes < whole.bytes && part.marks !== '' && whole.marks.startsWith(part.marks);
}

/** Whether a source begins with a log that is known by its id and its size. */
export async function beginsWith(source: Source, { id, bytes }: Pick<LogIdentity, 'id' | 'bytes'>): Promise<boolean> {
  if (source.size < bytes) return false;
  const hash = createHash('sha256');
  for (let at = 0; at < bytes; ) {
    const chunk = await source.read(at, Math.min(LIMITS.chunkBytes, bytes - at));
    if (chunk.length === 0) return false;
    hash.update(chunk);
    at += chunk.length;
  }
  return hash.digest('hex').slice(0, ID_DIGITS) === id;
}

/** A log where the catalogue says that it came from. */
export interface OriginalLog {
  readonly log: string;
  readonly path: string;
}

/** Finds out whether a file still holds the log that was ingested from it. To read all of it takes time: it is kept. */
export class Originals {
  /** What a file was found to hold, by its path and state. */
  private readonly known = new Map<string, Promise<string>>();

  /** A sentence where the log is not to be had any more, undefined if it is. */
  async problemOf({ log, path }: OriginalLog): Promise<string | undefined> {
    const found = await stat((await placeOf(path)).file).catch(() => undefined);
    if (!found?.isFile()) return `the log is no longer at ${path}`;
    const key = `${path}\0${found.size}\0${found.mtimeMs}`;
    const reading = this.known.get(key) ?? idOfFile(path);
    this.known.set(key, reading);
    try {
      return (await reading) === log ? undefined : `the log is no longer at ${path}: that file has other content now`;
    } catch (error) {
      this.known.delete(key);
      return `the log at ${path} cannot be read: ${errorText(error)}`;
    }
  }
}

async function idOfFile(path: string): Promise<string> {
  const { file, entry } = await placeOf(path);
  const { source } = await unpack(await FileSource.open(file), { spill: fileSpill, entry });
  return (await readIdentity(source)).id;
}

/** Whether there is a file at all; it may hold something else by now. */
export async function isFile(path: string): Promise<boolean> {
  return (await stat((await placeOf(path)).file).catch(() => undefined))?.isFile() === true;
}
