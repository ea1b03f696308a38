import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Log } from '../core/log.ts';
import { caseFolded, fileName, uniqueNames } from '../core/names.ts';
import type { Table, TableRange } from '../core/table.ts';
import { TRACK_FORMATS, type TrackFormat } from '../export/index.ts';
import { writeZip, type ZipEntry } from '../export/zip.ts';
import { factsOf } from '../facts/facts.ts';
import { readTrack } from '../geo/track.ts';
import { FileExistsError, writeDraft, writeFile } from '../node/atomic.ts';
import { openInMemory } from '../node/open.ts';
import { chooseFields, type TableChoice } from './choose.ts';
import { UsageError } from './failure.ts';
import { joined, linesOf } from './lines.ts';
import { codeOf, load, type ReadingOptions } from './load.ts';
import { notice, Output, refuseTerminal, type WritingOptions, writeOut } from './output.ts';
import { Progress } from './progress.ts';
import { type RangeOptions, rangeOf } from './range.ts';
import { counted } from './words.ts';

export interface TargetOptions {
  readonly type?: string;
  readonly fields?: string;
  readonly si?: boolean;
  readonly names?: boolean;
  readonly raw?: boolean;
  readonly wide?: string;
  readonly pymavlink?: boolean;
  readonly zip?: boolean;
  readonly json?: boolean;
}

export function addTargetOptions(command: Command): Command {
  return command
    .option('--fields <names>', 'only these fields, such as Lat,Lng or GPS.Alt')
    .option('--si', "values in SI units, by the log's own multipliers")
    .option('--names', 'with jsonl and mcap: names of enum values and bits beside the numbers')
    .option('--raw', 'with csv: unescaped text, even if a spreadsheet would run it')
    .option('--wide <rate>', 'with csv: one table of all tables, N lines per second')
    .option('--pymavlink', 'with jsonl: lines in the format of mavlogdump')
    .option('--zip', 'all files in one zip file');
}

/** What to write, and how. */
interface Job extends TableChoice {
  readonly log: Log;
  readonly file: string;
  readonly range: TableRange;
  readonly options: Options;
  /** Where the tables are from. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly target: ExportTarget;
}

type FilePieces = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** An output format: a file per table, or one for all. */
export interface ExportTarget {
  readonly extension: string;
  readonly isText: boolean;
  readonly whole?: (job: Job) => Promise<FilePieces>;
  /** The file of one table, as bytes or written to a path. */
  readonly each?: (job: Job, table: Table) => Promise<FilePieces>;
  readonly writer?: (job: Job) => Promise<TableFileWriter>;
}

interface TableFileWriter {
  write(table: Table, path: string): Promise<void>;
  close(): void;
}

/** Every output format of tables. Heavy ones are loaded when asked for. */
export const TARGETS: Readonly<Record<string, ExportTarget>> = {
  csv: {
    extension: 'csv',
    isText: true,
    each: async ({ range, options }, table) =>
      (await import('../export/csv.ts')).writeCsv(table, { ...range, si: options.si, raw: options.raw }),
  },
  jsonl: {
    extension: 'jsonl',
    isText: true,
    whole: async ({ log, tables, derived, fields, range, options: { si, names, pymavlink } }) =>
      joined(linesOf(log, { tables, ...range }, derived, { si, names, pymavlink, fields })),
  },
  parquet: {
    extension: 'parquet',
    isText: false,
    writer: async ({ range, options, metadata }) =>
      (await import('../sql/parquet.ts')).ParquetWriter.create({ ...range, si: options.si, metadata }),
  },
  arrow: {
    extension: 'arrow',
    isText: false,
    each: async ({ range, options, metadata }, table) =>
      (await import('../export/arrow.ts')).writeArrow(table, { ...range, si: options.si, metadata }),
  },
  mcap: {
    extension: 'mcap',
    isText: false,
    whole: async ({ log, tables, derived, fields, range, options: { si, names }, metadata }) =>
      (await import('../export/mcap.ts')).writeMcap(log, { tables, derived, ...range, si, names, fields, metadata }),
  },
  param: {
    extension: 'param',
    isText: true,
    whole: async ({ log, range }) =>
      (await import('../export/param.ts')).writeParam((await factsOf(log).parameters()).values(), range),
  },
  ...Object.fromEntries(
    TRACK_FORMATS.filter(({ name }) => name !== 'csv').map((format) => [format.name, trackTarget(format)]),
  ),
};

function trackTarget(format: TrackFormat): ExportTarget {
  return {
    extension: format.extension,
    isText: true,
    whole: async ({ log, file, range }) => {
      const modes = await factsOf(log).modes();
      return format.write(await readTrack(log, { name: basename(file), ...range }), { modes });
    },
  };
}

/** The one table of all. */
function wideTarget(rate: number): ExportTarget {
  return {
    extension: 'csv',
    isText: true,
    whole: async ({ log, all, range, options }) => {
      const { start, end } = await factsOf(log).span();
      const { writeWide } = await import('../export/wide.ts');
      return writeWide(all, {
        rate,
        start: range.from ?? start ?? 0,
        // the last record is one of the table
        end: range.to ?? (end ?? -1) + 1,
        si: options.si,
        raw: options.raw,
        onRows: range.onRows,
      });
    },
  };
}

function targetOf({ to, wide, pymavlink }: TargetOptions & { readonly to: string }): ExportTarget {
  if (pymavlink && to !== 'jsonl') throw new UsageError('--pymavlink needs --to jsonl');
  if (wide === undefined) return TARGETS[to];
  if (to !== 'csv') throw new UsageError('--wide needs --to csv');
  const rate = Number(wide);
  if (!(rate > 0 && rate <= 1e6)) throw new UsageError(`--wide ${wide}: expected lines per second, such as 10`);
  return wideTarget(rate);
}

type Options = ReadingOptions & WritingOptions & RangeOptions & TargetOptions & { readonly to: string };

/** Writes tables of a log; resolves to the exit code. */
export async function exportTables(file: string, options: Options): Promise<number> {
  const target = targetOf(options);
  const isPacked = options.zip === true || !target.isText;
  if (isPacked && (target.whole || options.zip)) refuseTerminal(options);
  // each table is a pass over the whole file
  const log = await load(file, options, openInMemory);
  const choice = await chooseFields(log, options);
  const range = await rangeOf(log, options);
  const total = choice.all.reduce((sum, table) => sum + table.rows, 0);
  const progress = new Progress('writing');
  const onRows = (rows: number): void => progress.update(rows, total);
  const metadata = metadataOf(log, file);
  const job: Job = { ...choice, log, file, range: { ...range, onRows }, options, target, metadata };
  try {
    let written = [options.output ?? '-'];
    if (options.zip) await writeZipped(job);
    else if (target.whole) await writeOut(await target.whole(job), options, file);
    else if (target.each && isOneFile(job)) await writeOut(await target.each(job, job.all[0]), options, file);
    else written = await writeFolder(job);
    if (options.json) await printWritten(file, log, options, written);
  } finally {
    progress.stop();
  }
  return codeOf(log, options);
}

/** A single table goes to standard output or a file, not to a folder. */
function isOneFile({ all, target: { extension, isText }, options: { output } }: Job): boolean {
  if (all.length !== 1) return false;
  if (output === undefined || output === '-') return isText || !process.stdout.isTTY;
  return output.toLowerCase().endsWith(`.${extension}`);
}

function metadataOf({ format, clock }: Log, file: string): Map<string, string> {
  return new Map([
    ['source', basename(file)],
    ['format', format],
    ['clock', `${clock.kind}: ${clock.source}`],
    ['utc', String(clock.utc)],
    ...(clock.guessed ? [['guessed', 'true'] as const] : []),
  ]);
}

/** Column files written at a time, each in a thread: some compress while others decode. */
const AT_A_TIME = 5;

/** Writes the file of each table into a folder, and returns their paths. */
async function writeFolder(job: Job): Promise<string[]> {
  const { output } = job.options;
  if (output === undefined || output === '-')
    throw new UsageError(`${counted(job.all.length, 'table')}: give a folder with -o, or one file with --zip`);
  const there = await stat(output).catch(() => undefined);
  if (there && !there.isDirectory()) throw new UsageError(`${output} is a file: several tables need a folder`);
  const made = there ? undefined : await mkdir(output, { recursive: true });
  const names = await writeFiles(job, output, job.options.force).catch(async (error: unknown) => {
    // removes an empty folder that we made; one with files stays
    if (made !== undefined) await rm(output, { recursive: false }).catch(() => undefined);
    throw error;
  });
  notice(`${counted(job.all.length, 'file')} in ${output}`);
  return names.map((name) => join(output, name));
}

/** What an export wrote, for `--json`. */
export async function printWritten(
  file: string,
  { format }: Log,
  { to, output }: WritingOptions & { readonly to: string },
  paths: readonly string[],
): Promise<void> {
  const files = await Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(path)).size })));
  const out = new Output();
  out.json({ file, format, to, output, files });
  await out.flush();
}

async function writeFiles(job: Job, folder: string, force: boolean | undefined): Promise<string[]> {
  const { all, file, range, target } = job;
  if (target.whole) {
    const name = `${fileName(stemOf(file))}.${target.extension}`;
    await writeFile(join(folder, name), await target.whole(job), { force });
    return [name];
  }
  const names = tableFiles(all, target.extension);
  if (!force) await refuseTaken(folder, names);
  const options = { force, inputs: [file] };
  // rows of a single table say nothing about the whole
  const quiet = { ...job, range: { from: range.from, to: range.to } };
  const writer = await target.writer?.(job);
  let rows = 0;
  const left = all.entries();
  const work = async (): Promise<void> => {
    for (const [index, table] of left) {
      const path = join(folder, names[index]);
      if (writer) await writeDraft(path, (draft) => writer.write(table, draft), options);
      else if (target.each) await writeFile(path, await target.each(quiet, table), options);
      rows += table.rows;
      range.onRows?.(rows);
    }
  };
  try {
    // all must have stopped before the folder is removed
    const ends = await Promise.allSettled(Array.from({ length: writer ? AT_A_TIME : 1 }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    writer?.close();
  }
  return names;
}

/** A file name for each table: its name and stream, unique in any case. */
function tableFiles(tables: readonly Table[], extension: string): string[] {
  const stems = tables.map(({ name, stream }) => fileName(stream === '' ? name : `${name}_${stream}`));
  return uniqueNames(stems, caseFolded).map((stem) => `${stem}.${extension}`);
}

async function refuseTaken(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    if (await stat(path).catch(() => undefined))
      throw new FileExistsError(`${path} already exists: use --force to replace it`);
  }
}

async function writeZipped(job: Job): Promise<void> {
  const { output, force } = job.options;
  const isFile = output !== undefined && output !== '-';
  if (isFile && !force) await refuseTaken(dirname(resolve(output)), [basename(output)]);
  const folder = await mkdtemp(join(isFile ? dirname(resolve(output)) : tmpdir(), '.skein-'));
  try {
    const names = await writeFiles(job, folder, false);
    await writeOut(writeZip(entriesOf(folder, names)), job.options, job.file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* entriesOf(folder: string, names: readonly string[]): AsyncGenerator<ZipEntry> {
  for (const name of names) {
    const path = join(folder, name);
    yield { name, size: (await stat(path)).size, bytes: createReadStream(path) };
  }
}

function stemOf(file: string): string {
  return basename(file).replace(/\.[^.]*$/, '');
}
