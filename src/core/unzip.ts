import type { Fault } from './fault.ts';
import { LIMITS } from './limits.ts';
import { type MakeSpill, Pieces } from './pieces.ts';
import type { Source } from './source.ts';

/** Compressed bytes that are unpacked at a time, and near the place where they are damaged. */
const CHUNK = 64 << 10;
const CAREFUL_CHUNK = 256;
/** Below it a high ratio harms nobody. */
const HARMLESS = 16 << 20;

export interface UnzipOptions {
  /** Where bytes go that are too many for the memory. */
  readonly spill?: MakeSpill | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What compressed bytes became, and why not all of them did. */
export interface Unzipped {
  readonly source: Source;
  readonly fault: Fault | undefined;
}

/** Whether bytes begin as those of gzip do, https://www.rfc-editor.org/rfc/rfc1952 */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** Unpacks a source that was compressed by gzip, as far as that can be done. */
export async function unzip(source: Source, options: UnzipOptions = {}): Promise<Unzipped> {
  const quick = await attempt(source, options, Number.POSITIVE_INFINITY);
  // near damage in smaller pieces, since what was unpacked with the damaged piece is lost with it
  const { pieces, failure, at } =
    quick.failure && quick.at < source.size ? await attempt(source, options, quick.at) : quick;
  if (failure === undefined) return { source: pieces, fault: undefined };
  const text = `${failure}: ${pieces.size} bytes were unpacked from ${Math.min(at, source.size)} of ${source.size} bytes`;
  return { source: pieces, fault: { code: 'bad-gzip', offset: pieces.size, length: 0, lost: true, text } };
}

interface Attempt {
  readonly pieces: Pieces;
  readonly failure: string | undefined;
  /** How many compressed bytes were taken without a failure. */
  readonly at: number;
}

async function attempt(source: Source, { spill, signal }: UnzipOptions, carefulFrom: number): Promise<Attempt> {
  const pieces = new Pieces(spill);
  const { readable, writable } = new DecompressionStream('gzip');
  const writer = writable.getWriter();
  const reader = readable.getReader();
  let at = 0;
  let failure: string | undefined;
  const fail = (error: unknown): void => {
    failure ??= `gzip data is damaged (${error instanceof Error ? error.message : String(error)})`;
  };
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pieces.append(value);
      if (!isTooMuch(pieces.size, at + CHUNK)) continue;
      failure = `gzip data becomes more than ${LIMITS.unzippedBytes} bytes or ${LIMITS.unzippedRatio} times as much`;
      await reader.cancel();
      return;
    }
  })().catch(fail);
  try {
    while (at < source.size && failure === undefined) {
      signal?.throwIfAborted();
      const isCareful = at >= carefulFrom;
      const chunk = await source.read(at, isCareful ? CAREFUL_CHUNK : CHUNK);
      if (chunk.length === 0) break;
      await writer.write(new Uint8Array(chunk));
      if (isCareful) await pause();
      at += chunk.length;
    }
    // an early end is a failure, which takes with it what was not fetched yet
    await pause();
    await writer.close();
  } catch (error) {
    if (signal?.aborted) throw error;
    fail(error);
  }
  await reading;
  return { pieces, failure, at };
}

function isTooMuch(size: number, packed: number): boolean {
  return size > LIMITS.unzippedBytes || (size > HARMLESS && size > packed * LIMITS.unzippedRatio);
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
