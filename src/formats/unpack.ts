import type { Fault } from '../core/fault.ts';
import { UnknownFormatError } from '../core/format.ts';
import { LIMITS } from '../core/limits.ts';
import { bytesSource, type MakeSpill, Pieces, type Source } from '../core/source.ts';
import { errorText } from '../core/text.ts';
import { type Archive, type ArchiveEntry, readArchive } from './archive.ts';
import { ARCHIVE_LIMITS } from './limits.ts';

export interface UnpackOptions extends UnzipOptions {
  /** Which file of an archive is meant, by its name there; needed only where there are several logs. */
  readonly entry?: string | undefined;
  /** The private key of encrypted logs of PX4, as PEM text. */
  readonly logKey?: string | undefined;
}

/** What a file holds once it is unpacked. */
export interface Unpacked {
  readonly source: Source;
  /** Why not all of it could be unpacked. */
  readonly fault: Fault | undefined;
  /** What it was packed in, outermost first: 'gzip', 'zip', 'tar', 'ulge'. Empty where it was not. */
  readonly layers: readonly string[];
  /** The name of the file in the archive, if it was in one. */
  readonly entry: string | undefined;
}

/** An archive holds several logs, and none was named. */
export class SeveralLogsError extends Error {
  override readonly name = 'SeveralLogsError';
  /** The logs by their names in the archive. */
  readonly logs: readonly string[];

  constructor(kind: string, logs: readonly string[]) {
    super(`${kind} archive with ${logs.length} logs: choose one, as in FILE#${logs[0]}; it has ${listOf(logs)}`);
    this.logs = logs;
  }
}

/** Unpacks what gzip, zip and tar packed, and PX4 encrypted, in memory: nothing is written but what the caller's spill takes. */
export async function unpack(given: Source, options: UnpackOptions = {}): Promise<Unpacked> {
  let source = given;
  let fault: Fault | undefined;
  let entry: string | undefined;
  const layers: string[] = [];
  while (layers.length < ARCHIVE_LIMITS.layers) {
    if (isGzip(await source.read(0, 3))) {
      const unzipped = await unzip(source, { ...options, packedBytes: given.size });
      source = unzipped.source;
      fault ??= unzipped.fault;
      // the bytes of a zip file are compressed: not another layer
      if (layers.at(-1) !== 'zip') layers.push('gzip');
      else layers[layers.length - 1] = 'zip deflated';
      continue;
    }
    if (options.logKey !== undefined && isEncrypted(await source.read(0, ENCRYPTED.length))) {
      const { decrypted } = await import('./ulog/encrypted.ts');
      source = await decrypted(source, options.logKey, options);
      layers.push('ulge');
      continue;
    }
    const archive = entry === undefined ? await readArchive(source) : undefined;
    if (!archive) break;
    const chosen = await choose(archive, options);
    layers.push(archive.kind);
    entry = chosen.name;
    source = chosen.source;
  }
  if (options.entry !== undefined && entry === undefined)
    throw new Error(`${options.entry} cannot be taken out of a file that is not a zip or tar archive`);
  return { source, fault, layers: layers.map((layer) => layer.split(' ', 1)[0]), entry };
}

async function choose({ kind, entries }: Archive, { entry, signal }: UnpackOptions): Promise<ArchiveEntry> {
  if (entry !== undefined) {
    const named = entries.find(({ name }) => name === entry) ?? entries.find(({ name }) => name.endsWith(`/${entry}`));
    if (!named) throw new Error(`${kind} archive without ${entry}: it has ${listOf(entries.map(({ name }) => name))}`);
    return readable(named, kind);
  }
  if (entries.length === 0) throw new UnknownFormatError({ name: `${kind} archive`, advice: 'it is empty' });
  // a single file is what is meant, whatever it is
  if (entries.length === 1) return readable(entries[0], kind);
  const largest = entries.toSorted((a, b) => b.size - a.size).slice(0, ARCHIVE_LIMITS.looked);
  const logs: ArchiveEntry[] = [];
  const others: string[] = [];
  for (const each of largest) {
    signal?.throwIfAborted();
    const other = await whatElse(each);
    if (other === undefined) logs.push(each);
    else others.push(`${each.name} (${other})`);
  }
  if (logs.length === 1) return logs[0];
  if (logs.length > 1) throw new SeveralLogsError(kind, logs.map(({ name }) => name).sort());
  const isMap = entries.some(({ name }) => /(^|\/)doc\.kml$/i.test(name));
  throw new UnknownFormatError({
    name: isMap ? 'KMZ map' : `${kind} archive without a log`,
    advice: isMap ? 'not supported; open the log that it was made from' : `it has ${listOf(others)}`,
  });
}

function readable(entry: ArchiveEntry, kind: string): ArchiveEntry {
  if (entry.problem === undefined) return entry;
  throw new UnknownFormatError({
    name: `${kind} archive`,
    advice: `${entry.name} ${entry.problem}; unpack it first`,
  });
}

/** What a file of an archive is, by its beginning, if it is not a log. */
async function whatElse({ source, problem }: ArchiveEntry): Promise<string | undefined> {
  if (problem !== undefined) return problem;
  let bytes = source;
  // deflated, and compressed by gzip before
  for (let layer = 0; layer < 2 && isGzip(await bytes.read(0, 3)); layer++)
    bytes = (await unzip(bytes, { enough: LIMITS.detectBytes })).source;
  const { detectFormat } = await import('./index.ts');
  const head = bytesSource(new Uint8Array(await bytes.read(0, LIMITS.detectBytes)));
  try {
    return (await detectFormat(head)) ? undefined : 'blank';
  } catch (error) {
    if (error instanceof UnknownFormatError) return error.kind;
    throw error;
  }
}

const LISTED = 10;

function listOf(names: readonly string[]): string {
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  return `${names.slice(0, LISTED).join(', ')}${more}`;
}

/** Compressed bytes that are unpacked at a time, and near the place where they are damaged. */
const CHUNK = 64 << 10;
const CAREFUL_CHUNK = 256;
/** Bytes of the sum and the size at the end. */
const TRAILER = 8;
/** Below it a high ratio does no harm. */
const HARMLESS = 16 << 20;

interface UnzipOptions {
  /** Where bytes go that are too many for the memory. */
  readonly spill?: MakeSpill | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Stop after about this many unpacked bytes. */
  readonly enough?: number | undefined;
  /** Bytes of the whole file, which these are packed in. */
  readonly packedBytes?: number | undefined;
}

/** What compressed bytes became, and why not all of them did. */
interface Unzipped {
  readonly source: Source;
  readonly fault: Fault | undefined;
}

/** Whether bytes begin as those of gzip do, https://www.rfc-editor.org/rfc/rfc1952 */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** "ULogE": what an encrypted log of PX4 begins with. */
const ENCRYPTED = [0x55, 0x4c, 0x6f, 0x67, 0x45];

function isEncrypted(head: Uint8Array): boolean {
  return ENCRYPTED.every((byte, i) => head[i] === byte);
}

/** Unpacks a source that was compressed by gzip, as far as that can be done. */
export async function unzip(source: Source, options: UnzipOptions = {}): Promise<Unzipped> {
  // counted from the whole file, not from what was read so far: each run gives the same answer
  const { packedBytes = source.size } = options;
  const most = Math.min(LIMITS.unzippedBytes, Math.max(HARMLESS, packedBytes * LIMITS.unzippedRatio));
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
    failure ??= `gzip data is damaged (${errorText(error)})`;
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
  if (isFull && most <= enough) failure = `gzip data unpacks to more than ${most} bytes`;
  // the stream reads ahead: how far it was when the room was full differs from run to run
  return { pieces, failure, at: isFull ? source.size : at };
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
