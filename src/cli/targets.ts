import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Log } from '../core/log.ts';
import type { Sheet, SheetRange } from '../core/sheet.ts';
import { TRACK_FORMATS, type TrackFormat } from '../export/index.ts';
import { factsOf } from '../facts/facts.ts';
import { readTrack } from '../geo/track.ts';
import { openInMemory } from '../node/open.ts';
import { UsageError } from './failure.ts';
import { writeFolder } from './folder.ts';
import { linesOf } from './lines.ts';
import { codeOf, load, type ReadingOptions } from './load.ts';
import { Progress } from './progress.ts';
import { type RangeOptions, rangeOf } from './range.ts';
import { chooseSheets, type SheetChoice } from './sheets.ts';
import { refuseTerminal, type WritingOptions, writeOut } from './write.ts';

/** Options of exports of tables. */
export interface TargetOptions {
  readonly type?: string;
  readonly fields?: string;
  readonly si?: boolean;
  readonly names?: boolean;
  readonly raw?: boolean;
  readonly wide?: string;
  readonly pymavlink?: boolean;
  readonly zip?: boolean;
}

export function addTargetOptions(command: Command): Command {
  return command
    .option('--fields <names>', 'only these fields, such as Lat,Lng or GPS.Alt')
    .option('--si', "values in SI units, by the log's own multipliers")
    .option('--names', 'with jsonl and mcap: the names of values and bits beside the numbers')
    .option('--raw', 'with csv: text as it is, also what a spreadsheet would run')
    .option('--wide <rate>', 'with csv: one table of all, N lines a second')
    .option('--pymavlink', 'with jsonl: lines as mavlogdump writes them')
    .option('--zip', 'one zip file of all files');
}

/** What is to be written, and how. */
export interface Job extends SheetChoice {
  readonly log: Log;
  readonly file: string;
  readonly range: SheetRange;
  readonly options: TargetOptions;
  /** What is said of the whole: where the tables are from. */
  readonly metadata: ReadonlyMap<string, string>;
}

type Pieces = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** A way to write tables down: a file for each of them, or one for all. */
export interface Target {
  readonly extension: string;
  readonly isText: boolean;
  /** The one file. */
  readonly whole?: (job: Job) => Promise<Pieces>;
  /** The file of one sheet; or who writes such files by their paths. */
  readonly each?: (job: Job, sheet: Sheet) => Promise<Pieces>;
  readonly writer?: (job: Job) => Promise<SheetFileWriter>;
}

export interface SheetFileWriter {
  write(sheet: Sheet, path: string): Promise<void>;
  close(): void;
}

/** Every way to write tables down. What is heavy is loaded when it is asked for. */
export const TARGETS: Readonly<Record<string, Target>> = {
  csv: {
    extension: 'csv',
    isText: true,
    each: async ({ range, options }, sheet) =>
      (await import('../export/csv.ts')).writeCsv(sheet, { ...range, si: options.si, raw: options.raw }),
  },
  jsonl: {
    extension: 'jsonl',
    isText: true,
    whole: async ({ log, tables, derived, fields, range, options }) =>
      linesOf(log, { tables, ...range }, derived, {
        si: options.si,
        names: options.names,
        pymavlink: options.pymavlink,
        fields,
      }),
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
    each: async ({ range, options, metadata }, sheet) =>
      (await import('../export/arrow.ts')).writeArrow(sheet, { ...range, si: options.si, metadata }),
  },
  mcap: {
    extension: 'mcap',
    isText: false,
    whole: async ({ log, tables, derived, fields, range, options, metadata }) =>
      (await import('../export/mcap.ts')).writeMcap(log, {
        tables,
        derived,
        ...range,
        si: options.si,
        names: options.names,
        fields,
        metadata,
      }),
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

function trackTarget(format: TrackFormat): Target {
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
function wideTarget(rate: number): Target {
  return {
    extension: 'csv',
    isText: true,
    whole: async ({ log, sheets, range, options }) => {
      const { start, end } = await factsOf(log).span();
      const { writeWide } = await import('../export/wide.ts');
      return writeWide(sheets, {
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

function targetOf({ to, wide, pymavlink }: TargetOptions & { readonly to: string }): Target {
  if (pymavlink && to !== 'jsonl') throw new UsageError('--pymavlink is for --to jsonl only');
  if (wide === undefined) return TARGETS[to];
  if (to !== 'csv') throw new UsageError('--wide is for --to csv only');
  const rate = Number(wide);
  if (!(rate > 0 && rate <= 1e6))
    throw new UsageError(`--wide ${wide}: expected a number of lines a second, such as 10`);
  return wideTarget(rate);
}

type Options = ReadingOptions & WritingOptions & RangeOptions & TargetOptions & { readonly to: string };

/** Writes tables of a log and promises the exit code. */
export async function exportTables(file: string, options: Options): Promise<number> {
  const target = targetOf(options);
  const isPacked = options.zip === true || !target.isText;
  if (isPacked && (target.whole || options.zip)) refuseTerminal(options);
  // each table is a way through the whole file
  const log = await load(file, options, openInMemory);
  const choice = await chooseSheets(log, options);
  const range = await rangeOf(log, options);
  const total = choice.sheets.reduce((sum, sheet) => sum + sheet.rows, 0);
  const progress = new Progress('writing');
  const onRows = (rows: number): void => progress.update(rows, total);
  const job: Job = { ...choice, log, file, range: { ...range, onRows }, options, metadata: metadataOf(log, file) };
  try {
    if (target.whole && !options.zip) await writeOut(await target.whole(job), options, file);
    else if (target.each && isOneFile(job, target, options))
      await writeOut(await target.each(job, job.sheets[0]), options, file);
    else await writeFolder(job, target, options, onRows);
  } finally {
    progress.stop();
  }
  return codeOf(log, options);
}

/** One table needs no folder: it goes to standard output, or to a file that is named as one. */
function isOneFile({ sheets }: Job, { extension, isText }: Target, { output, zip }: Options): boolean {
  if (sheets.length !== 1 || zip) return false;
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
