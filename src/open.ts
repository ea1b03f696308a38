import type { Decoder } from './core/decoder.ts';
import type { Format } from './core/format.ts';
import { Indexer } from './core/indexer.ts';
import { LIMITS } from './core/limits.ts';
import { Log } from './core/log.ts';
import { blobSource, bytesSource, type Source } from './core/source.ts';
import { isGzip, unzip } from './core/unzip.ts';
import { detectFormat } from './formats/index.ts';
import type { CaptureOptions } from './formats/pcap/decoder.ts';
import { type ClockOptions, findClock } from './time/index.ts';

export interface OpenOptions extends ClockOptions, CaptureOptions {
  /** The format, for those who know better than its content tells. */
  readonly format?: Format | undefined;
  /** Called now and then with the bytes read so far and their number in all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Ends the reading with an error when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a source into a log. Damage never makes it fail: the log says what was found. */
export async function openSource(given: Source, options: OpenOptions = {}): Promise<Log> {
  const packed = isGzip(await given.read(0, 3)) ? await unzip(given, options) : undefined;
  const source = packed?.source ?? given;
  const packedBytes = packed && given.size;
  const format = options.format ?? (await detectFormat(source));
  let indexer = new Indexer(source);
  if (!format) {
    if (source.size > 0) indexer.fault(blank(source.size, (await source.read(0, 1))[0]));
    if (packed?.fault) indexer.fault(packed.fault);
    const clock = await findClock('', [], options);
    return new Log(source.size > 0 ? 'blank' : 'empty', source, [], indexer.faults, clock, undefined, packedBytes);
  }
  let decoder = format.decoder(indexer, options);
  indexer.readFrom(decoder.source?.() ?? source);
  await decode(source, decoder, options);
  const next = new Indexer(source);
  const again = decoder.again?.(next);
  if (again) {
    await decode(source, again, options);
    decoder = again;
    indexer = next;
  }
  if (packed?.fault) indexer.fault(packed.fault);
  const clock = await findClock(format.name, indexer.tables, options, decoder.timeOf?.bind(decoder));
  return new Log(format.name, source, indexer.tables, indexer.faults, clock, decoder, packedBytes);
}

/** Opens a log of any format from a Blob, a buffer, a URL to fetch, or a source of one's own. */
export async function openInput(
  input: URL | Blob | Uint8Array | ArrayBuffer | Source,
  options: OpenOptions = {},
): Promise<Log> {
  return openSource(await sourceOf(input, options), options);
}

async function sourceOf(
  input: URL | Blob | Uint8Array | ArrayBuffer | Source,
  { signal }: OpenOptions,
): Promise<Source> {
  if (input instanceof Uint8Array) return bytesSource(input);
  if (input instanceof ArrayBuffer) return bytesSource(new Uint8Array(input));
  if (input instanceof Blob) return blobSource(input);
  if (!(input instanceof URL)) return input;
  const answer = await fetch(input, signal ? { signal } : {});
  if (!answer.ok) throw new Error(`${input.href} answered ${answer.status} ${answer.statusText}`);
  return blobSource(await answer.blob());
}

async function decode(source: Source, decoder: Decoder, { onProgress, signal }: OpenOptions): Promise<void> {
  const scratch = new Uint8Array(Math.min(source.size, LIMITS.chunkBytes));
  for (let at = 0; at < source.size; ) {
    signal?.throwIfAborted();
    const chunk = await source.read(at, LIMITS.chunkBytes, scratch);
    if (chunk.length === 0) break;
    decoder.push(chunk);
    at += chunk.length;
    onProgress?.(at, source.size);
  }
  decoder.end();
}

function blank(size: number, byte: number): Parameters<Indexer['fault']>[0] {
  const value = `0x${byte.toString(16).padStart(2, '0')}`;
  return { code: 'blank', offset: 0, length: size, lost: true, text: `file is blank: ${size} bytes of ${value}` };
}
