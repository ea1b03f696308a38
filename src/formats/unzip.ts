import type { Fault } from '../core/fault.ts';
import { LIMITS } from '../core/limits.ts';
import { type MakeSpill, Pieces } from '../core/pieces.ts';
import type { Source } from '../core/source.ts';

/** Compressed bytes that are unpacked at a time, and near the place where they are damaged. */
const CHUNK = 64 << 10;
const CAREFUL_CHUNK = 256;
/** Bytes of the sum and the size at the end. */
const TRAILER = 8;
/** Below it a high ratio harms nobody. */
const HARMLESS = 16 << 20;

export interface UnzipOptions {
  /** Where bytes go that are too many for the memory. */
  readonly spill?: MakeSpill | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes that are enough: no more than about so many are unpacked. */
  readonly enough?: number | undefined;
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
  // counted from the whole file, not from what was read so far: each run gives the same answer
  const most = Math.min(LIMITS.unzippedBytes, Math.max(HARMLESS, source.size * LIMITS.unzippedRatio));
  const quick = await attempt(source, options, most, Number.POSITIVE_INFINITY);
  // near damage in smaller pieces, since what was unpacked with the damaged piece is lost with it
  const { pieces, failure, at } =
    quick.failure && quick.at < source.size ? await attempt(source, options, most, quick.at) : quick;
  if (failure === undefined) return { source: pieces, fault: undefined };
  const text = `${failure}: ${pieces.size} bytes were unpacked from ${at} of ${source.size} bytes`;
  return { source: pieces, fault: { code: 'bad-gzip', offset: pieces.size, length: 0, lost: true, text } };
}

interface Attempt {
  readonly pieces: Pieces;
  readonly failure: string | undefined;
  /** How many compressed bytes were taken without a failure. */
  readonly at: number;
}

async function attempt(
  source: Source,
  { spill, signal, enough = Number.POSITIVE_INFINITY }: UnzipOptions,
  most: number,
  carefulFrom: number,
): Promise<Attempt> {
  const pieces = new Pieces(spill);
  const { readable, writable } = new DecompressionStream('gzip');
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const end = source.size - TRAILER;
  const room = Math.min(most, enough);
  let at = 0;
  let failure: string | undefined;
  let isFull = false;
  const fail = (error: unknown): void => {
    if (isFull) return;
    failure ??= `gzip data is damaged (${error instanceof Error ? error.message : String(error)})`;
  };
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      isFull = pieces.size + value.length > room;
      pieces.append(isFull ? value.subarray(0, room - pieces.size) : value);
      if (!isFull) continue;
      await reader.cancel();
      return;
    }
  })().catch(fail);
  try {
    while (at < source.size && failure === undefined && !isFull) {
      signal?.throwIfAborted();
      const isCareful = at >= carefulFrom;
      // the sum at the end comes alone: what is before it may be good though the sum is not
      const stop = at < end ? end : source.size;
      const chunk = await source.read(at, Math.min(isCareful ? CAREFUL_CHUNK : CHUNK, stop - at));
      if (chunk.length === 0) break;
      await writer.write(new Uint8Array(chunk));
      at += chunk.length;
      if (isCareful || at === end) await pause();
    }
    // an early end is a failure, which takes with it what was not fetched yet
    await pause();
    if (!isFull) await writer.close();
  } catch (error) {
    if (signal?.aborted) throw error;
    fail(error);
  }
  await reading;
  if (isFull && most <= enough) failure = `gzip data becomes more than ${most} bytes`;
  // the stream reads ahead: how far it was when the room was full differs from run to run
  return { pieces, failure, at: isFull ? source.size : at };
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
