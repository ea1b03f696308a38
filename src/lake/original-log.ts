import { stat } from 'node:fs/promises';
import { unpack } from '../formats/unpack.ts';
import { FileSource } from '../node/file.ts';
import { placeOf } from '../node/open.ts';
import { fileSpill } from '../node/spill.ts';
import { readContent } from './content.ts';

/** A log where the catalogue says that it came from. */
export interface OriginalLog {
  readonly log: string;
  readonly path: string;
}

/** Finds out whether a file still holds the log that was ingested from it. To read all of it takes time: it is kept. */
export class Originals {
  /** What a file was found to hold, by its path and state. */
  private readonly known = new Map<string, Promise<string>>();

  /** A sentence where the log is not to be had any more, undefined where it is. */
  async problemOf({ log, path }: OriginalLog): Promise<string | undefined> {
    const found = await stat((await placeOf(path)).file).catch(() => undefined);
    if (!found?.isFile()) return `the log is no longer at ${path}`;
    const key = `${path}\0${found.size}\0${found.mtimeMs}`;
    const reading = this.known.get(key) ?? contentId(path);
    this.known.set(key, reading);
    try {
      return (await reading) === log
        ? undefined
        : `the log is no longer at ${path}: that file holds something else now`;
    } catch (error) {
      this.known.delete(key);
      return `the log at ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

async function contentId(path: string): Promise<string> {
  const { file, entry } = await placeOf(path);
  const { source } = await unpack(await FileSource.open(file), { spill: fileSpill, entry });
  return (await readContent(source)).id;
}

/** Whether there is a file at all; it may hold something else by now. */
export async function isFile(path: string): Promise<boolean> {
  return (await stat((await placeOf(path)).file).catch(() => undefined))?.isFile() === true;
}
