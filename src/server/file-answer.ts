import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { fileName } from '../core/names.ts';
import { HttpError } from './http.ts';

export interface FileToSend {
  readonly path: string;
  readonly type: string;
  readonly cache: string;
  /** The name to save it under; without one the browser shows it. */
  readonly name?: string | undefined;
  /** Whether a link in its place is refused. */
  readonly plain: boolean;
}

// a pipe would keep a thread until someone writes to it; neither flag exists everywhere
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/** Sends a file as it is at this moment, or the part that was asked for. Throws a `HttpError` before anything is sent. */
export async function sendFile(request: IncomingMessage, response: ServerResponse, file: FileToSend): Promise<void> {
  const handle = await opened(file);
  try {
    await send(handle, request, response, file);
  } finally {
    await handle.close();
  }
}

async function opened({ path, plain }: FileToSend): Promise<FileHandle> {
  try {
    return await open(path, O_RDONLY | O_NONBLOCK | (plain ? O_NOFOLLOW : 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') throw new HttpError(404, 'the file is gone');
    throw error;
  }
}

async function send(handle: FileHandle, request: IncomingMessage, response: ServerResponse, file: FileToSend) {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new HttpError(404, 'not a regular file');
  const { size, mtimeMs } = stats;
  const tag = `"${size.toString(16)}-${Math.round(mtimeMs * 1000).toString(16)}"`;
  const modified = new Date(mtimeMs).toUTCString();
  response.setHeader('ETag', tag);
  response.setHeader('Last-Modified', modified);
  response.setHeader('Cache-Control', file.cache);
  response.setHeader('Accept-Ranges', 'bytes');
  if (isKnown(request, tag)) {
    response.writeHead(304).end();
    return;
  }
  const condition = request.headers['if-range'];
  const isSame = condition === undefined || condition === tag || condition === modified;
  const range = isSame ? rangeOf(request.headers.range, size) : undefined;
  if (range === 'none') {
    throw new HttpError(416, `range not satisfiable: the file has ${size} bytes`, {
      'Content-Range': `bytes */${size}`,
    });
  }
  response.setHeader('Content-Type', file.type);
  if (file.name !== undefined) response.setHeader('Content-Disposition', disposition(file.name));
  await sendBytes(handle, request, response, size, range);
}

function isKnown({ headers }: IncomingMessage, tag: string): boolean {
  const tags = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}

async function sendBytes(
  handle: FileHandle,
  { method }: IncomingMessage,
  response: ServerResponse,
  size: number,
  range: ByteRange | undefined,
): Promise<void> {
  const { first, last } = range ?? { first: 0, last: size - 1 };
  response.setHeader('Content-Length', last - first + 1);
  if (range) response.setHeader('Content-Range', `bytes ${first}-${last}/${size}`);
  response.writeHead(range ? 206 : 200);
  if (method === 'HEAD' || size === 0) {
    response.end();
    return;
  }
  try {
    await pipeline(handle.createReadStream({ start: first, end: last, autoClose: false }), response);
  } catch {
    // the client went away, or the file became shorter than was promised: it must not look complete
    response.destroy();
  }
}

/** The name twice: in plain letters, and as it is (RFC 6266). */
function disposition(name: string): string {
  const safe = fileName(name);
  const plain = safe.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(safe).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A part of a file: both ends are within it. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * What a Range header asks for (https://www.rfc-editor.org/rfc/rfc9110#section-14):
 *
 *   bytes=0-99      the first hundred
 *   bytes=100-      all from there on
 *   bytes=-100      the last hundred
 *
 * `undefined` where the whole is to be sent (no header, another unit, several ranges, nonsense), 'none' if the range is not
 * satisfiable.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(match[1]);
  const last = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < first) return undefined;
  return first >= size ? 'none' : { first, last };
}
