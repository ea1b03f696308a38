import { createHash } from 'node:crypto';
import { LIMITS } from '../core/limits.ts';
import type { Source } from '../core/source.ts';

/** What identifies a log: all its bytes, wherever they are kept and whatever their file is called. */
export interface Content {
  /** 128 bits of the SHA-256 of all bytes, hexadecimal. */
  readonly id: string;
  readonly bytes: number;
  /**
   * 16 digits for each of the first 4 KiB, 16 KiB, 64 KiB ... as far as the log goes. Where one log is the beginning of
   * another, so are its marks.
   */
  readonly marks: string;
}

const ID_DIGITS = 32;
const MARK_DIGITS = 16;
const FIRST_MARK = 4096;
const MARK_STEP = 4;

export async function readContent(source: Source): Promise<Content> {
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
export function mayBegin(part: Content, whole: Content): boolean {
  return part.bytes < whole.bytes && part.marks !== '' && whole.marks.startsWith(part.marks);
}

/** Whether a source begins with a log that is known by its id and its size. */
export async function beginsWith(source: Source, { id, bytes }: Pick<Content, 'id' | 'bytes'>): Promise<boolean> {
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
