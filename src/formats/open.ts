import { NO_CLOCK } from '../core/clock.ts';
import type { Decoder } from '../core/decoder.ts';
import { FaultList } from '../core/fault.ts';
import { type ClockOptions, type Format, UnknownFormatError } from '../core/format.ts';
import { Indexer, Picker, type ReadPlan } from '../core/indexer.ts';
import { LIMITS } from '../core/limits.ts';
import { Log } from '../core/log.ts';
import { blobSource, bytesSource, type Source } from '../core/source.ts';
import type { RecordTable } from '../core/table.ts';
import { hex } from '../core/text.ts';
import type { CaptureOptions } from './pcap/decoder.ts';
import { type Unpacked, type UnpackOptions, unpack } from './unpack.ts';

export interface OpenOptions extends ClockOptions, CaptureOptions, Pick<UnpackOptions, 'entry' | 'logKey'> {
  /** The format, to override detection. */
  readonly format?: Format | undefined;
  /** Called now and then with the bytes read so far and their number in all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** What will be read, if known, for faster opening. Reading anything else indexes the log again. */
  readonly wanted?: ReadPlan | undefined;
  /** Ends the reading with an error when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a source into a log. Damage never makes it fail: the log says what was found. */
export async function openSource(given: Source, options: OpenOptions = {}): Promise<Log> {
  return openUnpacked(await unpack(given, options), given.size, options);
}

/** The same for a source that was unpacked before, with the size of the packed file. */
export async function openUnpacked(unpacked: Unpacked, size: number, options: OpenOptions = {}): Promise<Log> {
  const { source, layers, entry } = unpacked;
  const packing = layers.length > 0 ? { layers, entry, bytes: size } : undefined;
  const format = options.format ?? (await formatOf(source).catch((error: unknown) => rethrow(error, entry)));
  if (!format) {
    const faults = new FaultList();
    if (source.size > 0) faults.add(blank(source.size, (await source.read(0, 1))[0]));
    if (unpacked.fault) faults.add(unpacked.fault);
    return new Log(source.size > 0 ? 'blank' : 'empty', source, [], faults, NO_CLOCK, undefined, packing);
  }
  const { tables, faults, decoder } = await index(source, format, options);
  if (unpacked.fault) faults.add(unpacked.fault);
  const clock = await format.clock({ tables, options, decoder, faults });
  return new Log(format, source, tables, faults, clock, decoder, packing);
}

/** Says which file of an archive an error is about. */
function rethrow(error: unknown, entry: string | undefined): never {
  if (!(error instanceof UnknownFormatError) || entry === undefined) throw error;
  throw new UnknownFormatError({ name: `${entry} in the archive: ${error.kind}`, advice: error.advice });
}

/** The format of a source by its content. Mostly its first bytes decide, and no other is loaded. */
async function formatOf(source: Source): Promise<Format | undefined> {
  return (await formatByBeginning(source)) ?? (await import('./index.ts')).detectFormat(source);
}

/** Opens a log of any format from a Blob, a buffer, a URL to fetch, or a custom source. */
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

interface Indexed {
  readonly tables: RecordTable[];
  readonly faults: FaultList;
  readonly decoder: Decoder;
}

/** Finds all records of a source. */
async function index(source: Source, format: Format, options: OpenOptions): Promise<Indexed> {
  const { onProgress, signal } = options;
  const steps = indexing(source, format, options, source.readNow && wantedIn(format, options));
  const scratch = new Uint8Array(Math.min(source.size, LIMITS.chunkBytes));
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    signal?.throwIfAborted();
    const at = step.value;
    const chunk = await source.read(at, LIMITS.chunkBytes, scratch);
    step = steps.next(chunk);
    onProgress?.(at + chunk.length, source.size);
  }
}

/** The plan, with what the clock needs; undefined if that may be anything. */
function wantedIn({ clockTables }: Format, { wanted }: OpenOptions): ReadPlan | undefined {
  if (!wanted || !clockTables) return undefined;
  return {
    table: (name) => wanted.table(name) || clockTables.includes(name),
    field: (name, place) => wanted.field(name, place),
  };
}

/** The same without waiting. */
function indexNow(source: Source, format: Format, options: OpenOptions): Indexed {
  const steps = indexing(source, format, options);
  const scratch = new Uint8Array(Math.min(source.size, LIMITS.chunkBytes));
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    step = steps.next(source.readNow?.(step.value, LIMITS.chunkBytes, scratch) ?? new Uint8Array(0));
  }
}

/** Asks for the bytes from a place on, as many as there are, until all records are found. */
function* indexing(
  source: Source,
  format: Format,
  options: OpenOptions,
  wanted?: ReadPlan,
): Generator<number, Indexed, Uint8Array> {
  let indexer = new Indexer(source);
  let picker = wanted && new Picker(indexer, wanted, source.size);
  let decoder = format.decoder(picker ?? indexer, options);
  const own = decoder.source?.();
  if (own) indexer.readFrom(own);
  yield* decoding(source.size, decoder);
  const next = new Indexer(source);
  const nextPicker = wanted && new Picker(next, wanted, source.size);
  const again = decoder.again?.(nextPicker ?? next);
  if (again) {
    yield* decoding(source.size, again);
    decoder = again;
    indexer = next;
    picker = nextPicker;
  }
  const { tables, faults } = indexer;
  const counted = picker?.finish() ?? new Map<RecordTable, number>();
  const findPlaces = (): void => {
    const whole = indexNow(source, format, options).tables;
    for (const table of counted.keys()) table.place(whole[tables.indexOf(table)]);
  };
  for (const [table, count] of counted) table.postpone(count, findPlaces);
  return { tables, faults, decoder };
}

function* decoding(size: number, decoder: Decoder): Generator<number, void, Uint8Array> {
  for (let at = 0; at < size; ) {
    const chunk = yield at;
    if (chunk.length === 0) break;
    decoder.push(chunk);
    at += chunk.length;
  }
  decoder.end();
}

function blank(size: number, byte: number): Parameters<Indexer['fault']>[0] {
  const value = hex(byte);
  return { code: 'blank', offset: 0, length: size, lost: true, text: `file is blank: ${size} bytes of ${value}` };
}

interface Beginning {
  readonly isLike: (head: Uint8Array) => boolean;
  /** How sure the format then is, at least: more than any other can be of such a beginning. */
  readonly sure: number;
  readonly load: () => Promise<Format>;
}

/** Formats with unmistakable first bytes, one line each. */
const BEGINNINGS: readonly Beginning[] = [
  {
    isLike: (head) => head[0] === 0xa3 && head[1] === 0x95,
    sure: 1,
    load: async () => (await import('./dataflash/index.ts')).dataflash,
  },
  {
    isLike: (head) => head[0] === 0x55 && head[1] === 0x4c,
    sure: 1,
    load: async () => (await import('./ulog/index.ts')).ulog,
  },
  {
    // a stamp of 64 bits, which begins with a zero for the next two thousand years, and a frame that is not empty
    isLike: (head) => head[0] === 0 && (head[8] === 0xfd || head[8] === 0xfe) && head[9] > 0,
    sure: 0.97,
    load: async () => (await import('./tlog/index.ts')).tlog,
  },
  {
    // either byte order of either magic number, and that of pcapng
    isLike: (head) => [0xa1, 0xd4, 0x4d, 0x0a].includes(head[0]),
    sure: 1,
    load: async () => (await import('./pcap/index.ts')).pcap,
  },
];

/** The format of a source by its first bytes, if it is sure, so that no other is loaded; else undefined. */
async function formatByBeginning(source: Source): Promise<Format | undefined> {
  const head = await source.read(0, LIMITS.detectBytes);
  const found = BEGINNINGS.find(({ isLike }) => isLike(head));
  const format = await found?.load();
  return found && format && format.detect(head) >= found.sure ? format : undefined;
}
