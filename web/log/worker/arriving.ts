import type { Source } from '../../../src/entry/pages.ts';

/** Bytes that are asked for at a time. */
const PIECE = 1 << 20;
/** Milliseconds of work after which calls that came meanwhile have their turn. */
const TURN = 12;

/**
 * Bytes in memory that may still be on their way: who reads ahead of them waits until they are there. A decoder can so
 * begin with the first of them. Reading also lets others have their turn: a report over a large log takes seconds, and
 * whoever drags a plot meanwhile must not wait for its end.
 */
export class ArrivingSource implements Source {
  readonly size: number;
  readonly isInMemory = true;
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly pause: () => Promise<void>;
  /** When this thread last saw to anything else. */
  private paused = performance.now();
  private done = 0;
  private failure: Error | undefined;
  private waiting: (() => void)[] = [];

  /**
   * @param onProgress called with the number of bytes that are there
   * @param pause lets the thread see to others
   */
  constructor(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    size: number,
    onProgress: (done: number) => void,
    pause: () => Promise<void> = messagePause(),
  ) {
    this.pause = pause;
    this.size = size;
    this.bytes = new Uint8Array(size);
    void this.take(stream, onProgress).catch((error: unknown) => {
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

  private async take(stream: ReadableStream<Uint8Array<ArrayBuffer>>, onProgress: (done: number) => void) {
    for await (const piece of piecesOf(stream)) {
      if (this.done + piece.length > this.size)
        throw new Error(`more than the ${this.size} bytes came that were announced`);
      this.bytes.set(piece, this.done);
      this.done += piece.length;
      onProgress(this.done);
      this.wake();
    }
    if (this.done < this.size) throw new Error(`${this.done} of ${this.size} bytes came, then no more`);
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** What a stream brings, each piece borrowed until the next. The same memory again and again is twice as fast. */
export async function* piecesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: 'byob' });
  } catch {
    // a browser whose streams bring memory of their own only
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

/** Lets messages that wait for this thread through: promises alone never do. */
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
