import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { caseFolded, fileName, uniqueNames } from '../core/names.ts';
import type { Sheet } from '../core/sheet.ts';
import { writeZip, type ZipEntry } from '../export/zip.ts';
import { FileExistsError, writeDraft, writeFile } from '../node/atomic.ts';
import { UsageError } from './failure.ts';
import { tell } from './output.ts';
import type { Job, SheetFileWriter, Target } from './targets.ts';
import { counted } from './words.ts';
import { type WritingOptions, writeOut } from './write.ts';

/** Files of columns that are made at a time, each in a thread: compressing some leaves time to decode others. */
const AT_A_TIME = 5;

/** Writes the file of each sheet into a folder, or all of them into a zip file. */
export async function writeFolder(
  job: Job,
  target: Target,
  options: WritingOptions & { readonly zip?: boolean },
  onRows: (rows: number) => void,
): Promise<void> {
  const { output } = options;
  if (options.zip) {
    await writeZipped(job, target, options, onRows);
    return;
  }
  if (output === undefined || output === '-')
    throw new UsageError(`${counted(job.sheets.length, 'table')}: name a folder with -o, or one file with --zip`);
  const there = await stat(output).catch(() => undefined);
  if (there && !there.isDirectory()) throw new UsageError(`${output} is a file: name a folder for several tables`);
  const made = there ? undefined : await mkdir(output, { recursive: true });
  try {
    await writeFiles(job, target, output, options, onRows);
  } catch (error) {
    // a folder that was made for nothing; one with files in it stays
    if (made !== undefined) await rm(output, { recursive: false }).catch(() => undefined);
    throw error;
  }
  tell(`${counted(job.sheets.length, 'file')} in ${output}`);
}

async function writeFiles(
  job: Job,
  target: Target,
  folder: string,
  options: WritingOptions,
  onRows: (rows: number) => void,
): Promise<string[]> {
  if (target.whole) {
    const name = `${fileName(stemOf(job.file))}.${target.extension}`;
    await writeFile(join(folder, name), await target.whole(job), options);
    return [name];
  }
  const names = sheetFiles(job.sheets, target.extension);
  if (!options.force) await refuseTaken(folder, names);
  const writer = await target.writer?.(job);
  let rows = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < names.length) {
      const index = next++;
      const sheet = job.sheets[index];
      await writeSheet(job, target, writer, sheet, join(folder, names[index]), options);
      rows += sheet.rows;
      onRows(rows);
    }
  };
  try {
    // who failed must not leave another at work on a folder that is cleared away
    const ends = await Promise.allSettled(Array.from({ length: writer ? AT_A_TIME : 1 }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    writer?.close();
  }
  return names;
}

async function writeSheet(
  job: Job,
  target: Target,
  writer: SheetFileWriter | undefined,
  sheet: Sheet,
  path: string,
  { force }: WritingOptions,
): Promise<void> {
  const options = { force, inputs: [job.file] };
  if (writer) await writeDraft(path, (draft) => writer.write(sheet, draft), options);
  else if (target.each) await writeFile(path, await target.each({ ...job, range: quiet(job) }, sheet), options);
}

/** Rows of a single sheet say nothing about the whole. */
function quiet({ range }: Job): Job['range'] {
  return { from: range.from, to: range.to };
}

/** A file name for each sheet: its name and stream, and never the same one twice, whatever the case of its letters. */
function sheetFiles(sheets: readonly Sheet[], extension: string): string[] {
  const stems = sheets.map(({ name, stream }) => fileName(stream === '' ? name : `${name}_${stream}`));
  return uniqueNames(stems, caseFolded).map((stem) => `${stem}.${extension}`);
}

async function refuseTaken(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    if (await stat(path).catch(() => undefined))
      throw new FileExistsError(`${path} is there already: --force replaces it`);
  }
}

async function writeZipped(
  job: Job,
  target: Target,
  options: WritingOptions,
  onRows: (rows: number) => void,
): Promise<void> {
  const { output } = options;
  const isFile = output !== undefined && output !== '-';
  if (isFile && !options.force) await refuseTaken(dirname(resolve(output)), [basename(output)]);
  const folder = await mkdtemp(join(isFile ? dirname(resolve(output)) : tmpdir(), '.skein-'));
  try {
    const names = await writeFiles(job, target, folder, {}, onRows);
    await writeOut(writeZip(entriesOf(folder, names)), options, job.file);
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
