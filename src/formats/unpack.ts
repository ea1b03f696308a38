import type { Fault } from '../core/fault.ts';
import { UnknownFormatError } from '../core/format.ts';
import { LIMITS } from '../core/limits.ts';
import { bytesSource, type Source } from '../core/source.ts';
import { type Archive, type ArchiveEntry, readArchive } from './archive.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import { isGzip, type UnzipOptions, unzip } from './unzip.ts';

export interface UnpackOptions extends UnzipOptions {
  /** Which file of an archive is meant, by its name there; needed only where there are several logs. */
  readonly entry?: string | undefined;
}

/** What a file holds once it is unpacked. */
export interface Unpacked {
  readonly source: Source;
  /** Why not all of it could be unpacked. */
  readonly fault: Fault | undefined;
  /** What it was packed in, outermost first: 'gzip', 'zip', 'tar'. Empty where it was not. */
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
    super(
      `${kind} archive with ${logs.length} logs: name one behind a #, as in FILE#${logs[0]}; it has ${listOf(logs)}`,
    );
    this.logs = logs;
  }
}

/** Unpacks what gzip, zip and tar packed, in memory: nothing is written but what the caller's spill takes. */
export async function unpack(given: Source, options: UnpackOptions = {}): Promise<Unpacked> {
  let source = given;
  let fault: Fault | undefined;
  let entry: string | undefined;
  const layers: string[] = [];
  while (layers.length < ARCHIVE_LIMITS.layers) {
    if (isGzip(await source.read(0, 3))) {
      const unzipped = await unzip(source, options);
      source = unzipped.source;
      fault ??= unzipped.fault;
      // the bytes of a zip file are compressed: no layer of its own
      if (layers.at(-1) !== 'zip') layers.push('gzip');
      else layers[layers.length - 1] = 'zip deflated';
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
  if (entries.length === 0) throw new UnknownFormatError({ name: `${kind} archive`, advice: 'there is no file in it' });
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

/** Names that are listed. */
const LISTED = 10;

function listOf(names: readonly string[]): string {
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  return `${names.slice(0, LISTED).join(', ')}${more}`;
}
