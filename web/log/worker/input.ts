import { blobSource, LIMITS, type Source } from '../../../src/entry/pages.ts';
import { ArrivingSource, piecesOf } from './arriving.ts';

/** A file that was dropped on the page, or the address of one at the server. */
export type Input = Blob | string;

type Progress = (done: number, total: number) => void;

/** Bytes that are held in memory before they are put away. */
const PART = 64 << 20;

/**
 * Makes a source of an input. Files that fit are held in memory, since each field that is plotted reads them again; they
 * are there to be read before all of them has come.
 */
export async function sourceOf(input: Input, onProgress: Progress): Promise<Source> {
  if (typeof input !== 'string') return fromBlob(input, onProgress);
  const answer = await fetch(input);
  if (!answer.ok || !answer.body) throw new Error(await reasonOf(answer));
  // the length is that of what travels, which is no help where it was compressed
  const length = answer.headers.has('content-encoding') ? null : answer.headers.get('content-length');
  const size = length === null ? Number.NaN : Number(length);
  if (size <= LIMITS.heldBytes) return new ArrivingSource(answer.body, size, (done) => onProgress(done, size));
  const parts = await putAway(answer.body, (done) => onProgress(done, Math.max(done, size || 0)));
  return fromBlob(parts, () => {});
}

function fromBlob(blob: Blob, onProgress: Progress): Source {
  if (blob.size > LIMITS.heldBytes) {
    // it is read while it is decoded
    onProgress(blob.size, blob.size);
    return blobSource(blob);
  }
  return new ArrivingSource(blob.stream(), blob.size, (done) => onProgress(done, blob.size));
}

/** Gives to the browser what is too large for memory, or of unknown size. */
async function putAway(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onProgress: (done: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let [held, done] = [0, 0];
  const put = (): void => {
    parts.push(new Blob(pieces));
    pieces = [];
    held = 0;
  };
  for await (const piece of piecesOf(stream)) {
    pieces.push(piece.slice());
    held += piece.length;
    done += piece.length;
    onProgress(done);
    if (held >= PART) put();
  }
  put();
  return new Blob(parts);
}

/** What the server says about why; where it says nothing, its status. */
async function reasonOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => null)) as { error?: { message?: unknown } } | null;
  const message = body?.error?.message;
  return typeof message === 'string' ? message : `the server answered ${answer.status} ${answer.statusText}`;
}
