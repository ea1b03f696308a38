import { blobSource, bytesSource, LIMITS, type Source } from '../../../src/browser.ts';

/** A file that was dropped on the page, or the address of one at the server. */
export type Input = Blob | string;

type Progress = (done: number, total: number) => void;

/** Bytes that are read at a time before decoding begins. */
const PIECE = 8 << 20;

/** Makes a source of an input. Files that fit are held in memory, since each field that is plotted reads them again. */
export async function sourceOf(input: Input, onProgress: Progress): Promise<Source> {
  const blob = typeof input === 'string' ? await fetched(input, onProgress) : input;
  if (blob.size > LIMITS.heldBytes) return blobSource(blob);
  const bytes = new Uint8Array(blob.size);
  for (let at = 0; at < blob.size; at += PIECE) {
    bytes.set(new Uint8Array(await blob.slice(at, at + PIECE).arrayBuffer()), at);
    onProgress(Math.min(at + PIECE, blob.size), blob.size);
  }
  return bytesSource(bytes);
}

async function fetched(address: string, onProgress: Progress): Promise<Blob> {
  const answer = await fetch(address);
  if (!answer.ok || !answer.body) throw new Error(await reasonOf(answer));
  const total = Number(answer.headers.get('content-length') ?? 0);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const reader = answer.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    done += piece.value.length;
    onProgress(done, Math.max(done, total));
  }
  return new Blob(pieces);
}

/** What the server says about why; where it says nothing, its status. */
async function reasonOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => null)) as { error?: { message?: unknown } } | null;
  const message = body?.error?.message;
  return typeof message === 'string' ? message : `the server answered ${answer.status} ${answer.statusText}`;
}
