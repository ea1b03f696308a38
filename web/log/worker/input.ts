import { blobSource, LIMITS, type Source } from '../../../src/entry/pages.ts';
import { failureOf } from '../../shared/server.ts';

/** A file that was dropped on the page, or the address of one at the server. */
export type Input = Blob | string;

type Progress = (done: number, total: number) => void;

/** Bytes in memory before they become part of a blob. */
const PART = 64 << 20;

/** Opens an input. Files that fit are kept in memory; reading begins before all of a file has arrived. */
export async function sourceOf(input: Input, onProgress: Progress): Promise<Source> {
  if (typeof input !== 'string') return fromBlob(input, onProgress);
  const answer = await fetch(input);
  if (!answer.ok || !answer.body) throw new Error(await failureOf(answer));
  // of a compressed answer this is the compressed length
  const length = answer.headers.has('content-encoding') ? null : answer.headers.get('content-length');
  const size = length === null ? Number.NaN : Number(length);
  if (size <= LIMITS.heldBytes) return new ArrivingSource(answer.body, size, (done) => onProgress(done, size));
  const parts = await collected(answer.body, (done) => onProgress(done, Math.max(done, size || 0)));
  return fromBlob(parts, () => {});
}

function fromBlob(blob: Blob, onProgress: Progress): Source {
  if (blob.size > LIMITS.heldBytes) {
    onProgress(blob.size, blob.size);
    return blobSource(blob);
  }
  return new ArrivingSource(blob, blob.size, (done) => onProgress(done, blob.size));
}

/** Leaves to the browser what is too large for memory, or of unknown size. */
async function collected(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onProgress: (done: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let [held, done] = [0, 0];
  const flush = (): void => {
    parts.push(new Blob(pieces));
    pieces = [];
    held = 0;
  };
  for await (const piece of piecesOf(stream)) {
    pieces.push(piece.slice());
    held += piece.length;
    done += piece.length;
    onProgress(done);
    if (held >= PART) flush();
  }
  flush();
  return new Blob(parts);
}

/** Bytes that are asked for at a time. */
const PIECE = 1 << 20;
const SLICE = 4 << 20;
/** Milliseconds of work after which waiting calls run. */
const TURN = 12;

/** Bytes in memory that still arrive: reading waits for them, and lets other calls run, so that plots do not wait. */
export class ArrivingSource implements Source {
  readonly size: number;
  readonly isInMemory = true;
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly pause: () => Promise<void>;
  /** When other calls last had a turn. */
  private paused = performance.now();
  private done = 0;
  private failure: Error | undefined;
  private waiting: (() => void)[] = [];

  /** @param onProgress called with the bytes so far. @param pause lets other calls run */
  constructor(
    stream: ReadableStream<Uint8Array<ArrayBuffer>> | Blob,
    size: number,
    onProgress: (done: number) => void,
    pause: () => Promise<void> = messagePause(),
  ) {
    this.pause = pause;
    this.size = size;
    this.bytes = new Uint8Array(size);
    void this.fill(stream, onProgress).catch((error: unknown) => {
      this.failure = error instanceof Error ? error : new Error(String(error));
      this.wake();
    });
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, offset + length);
    while (this.done < end && !this.failure) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.failure && this.done < end) throw this.failure;
    if (performance.now() - this.paused > TURN) {
      await this.pause();
      this.paused = performance.now();
    }
    return this.readNow(offset, length);
  }

  readNow(offset: number, length: number): Uint8Array {
    return this.bytes.subarray(offset, offset + length);
  }

  private async fill(stream: ReadableStream<Uint8Array<ArrayBuffer>> | Blob, onProgress: (done: number) => void) {
    for await (const piece of piecesOf(stream)) {
      if (this.done + piece.length > this.size) throw new Error(`received more than the announced ${this.size} bytes`);
      this.bytes.set(piece, this.done);
      this.done += piece.length;
      onProgress(this.done);
      this.wake();
    }
    if (this.done < this.size) throw new Error(`connection ended after ${this.done} of ${this.size} bytes`);
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** The pieces of a stream, each borrowed until the next. Reusing the memory is twice as fast. */
async function* piecesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | Blob,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (stream instanceof Blob) {
    // Chromium forgets a stream of a file that nothing but a pending read holds: the read never ends
    for (let at = 0; at < stream.size; at += SLICE)
      yield new Uint8Array(await stream.slice(at, at + SLICE).arrayBuffer());
    return;
  }
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: 'byob' });
  } catch {
    // browsers whose streams cannot fill our memory
    const plain = stream.getReader();
    for (let piece = await plain.read(); !piece.done; piece = await plain.read()) yield piece.value;
    return;
  }
  let memory = new ArrayBuffer(PIECE);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(memory));
    if (done || !value) return;
    yield value;
    memory = value.buffer;
  }
}

/** Lets waiting messages through: promises alone never do. */
function messagePause(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}
