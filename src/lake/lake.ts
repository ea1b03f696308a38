import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { caseFolded, fileName } from '../core/names.ts';
import { readRegular } from '../node/text-file.ts';
import { Packs } from './packs.ts';

/*
 * A lake is a folder:
 *
 *     GPS/vehicle=<id>/date=<yyyy-mm-dd>/<log id>.parquet     the rows of one table of one log
 *     _catalogue/logs/<log id>.parquet                        one row: the log is there from the moment this file is
 *     _catalogue/<kind>/<log id>.parquet                      what else is known of a log: flights, events ...
 *     _catalogue/packs/, _catalogue/gone/                     many logs in few files, see packs.ts
 *     _catalogue/replaced/<log id>.<log id>                   the first is replaced by the second, once that is there
 *     _catalogue/seals/<log id>                               hashes of the files of a log in the catalogue, and where it is from
 *     _catalogue/id                                           what other machines know the lake by
 *     _staging/<log id>-<random>/                             files that are being written
 *     _quarantine/                                            broken files that a repair put aside
 *
 * Every file is written by one writer, under a name that is its own, and never changed. So any number of programs on any
 * number of machines may work on one lake at a time. Folders are those of Hive partitions, which DuckDB, Spark, Trino
 * and ClickHouse read as they are; they pass over names that begin with _.
 */

/** The value of a partition that has none, as Hive writes it. */
const NO_PARTITION = '__HIVE_DEFAULT_PARTITION__';

/** What the paths of a log's files are made of. */
export interface LogPlace {
  readonly log: string;
  readonly vehicle: string;
  /** The day on which the log begins in UTC; null if it never learned UTC. */
  readonly date: string | null;
}

/** The folders and files of a lake. */
export class Lake {
  readonly root: string;
  readonly packs: Packs;

  constructor(root: string) {
    this.root = resolve(root);
    this.packs = new Packs(this.catalogue('.'));
  }

  get staging(): string {
    return join(this.root, '_staging');
  }

  get replaced(): string {
    return this.catalogue('replaced');
  }

  get seals(): string {
    return this.catalogue('seals');
  }

  get quarantine(): string {
    return join(this.root, '_quarantine');
  }

  get idFile(): string {
    return this.catalogue('id');
  }

  catalogue(kind: string): string {
    return join(this.root, '_catalogue', kind);
  }

  catalogueFile(kind: string, log: string): string {
    return join(this.catalogue(kind), `${log}.parquet`);
  }

  /** The seal of a log: it is written after the log is there, and removed before. */
  seal(log: string): string {
    return join(this.seals, log);
  }

  /** The file of a table's rows, by the folder of that table. */
  dataFile(folder: string, { log, vehicle, date }: LogPlace): string {
    return join(this.root, folder, `vehicle=${vehicle}`, `date=${date ?? NO_PARTITION}`, `${log}.parquet`);
  }

  /** Makes the folders that every lake has. */
  async create(kinds: readonly string[]): Promise<void> {
    // alone first: with folders above it, a disk that is read only would be reported as not found
    await mkdir(this.root).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
    });
    for (const folder of [
      this.staging,
      this.replaced,
      this.seals,
      this.packs.folder,
      this.packs.gone,
      ...kinds.map((kind) => this.catalogue(kind)),
    ])
      await mkdir(folder, { recursive: true });
  }
}

/** A folder for each table name: the name if it is a plain file name; unique without regard to case. */
export function tableFolders(names: readonly string[]): Map<string, string> {
  const taken = new Set<string>();
  const folders = new Map<string, string>();
  for (const name of [...new Set(names)].sort()) {
    const isPlain = fileName(name) === name && !name.startsWith('_') && !taken.has(caseFolded(name));
    taken.add(caseFolded(name));
    folders.set(name, isPlain ? name : marked(name));
  }
  return folders;
}

/** The value of a partition: letters that need no escape in a path, in SQL and in Hive's own rules. */
export function partitionValue(text: string): string {
  const safe = fileName(text).replace(/[^\p{L}\p{N}_.-]+/gu, '_');
  return safe === text && !text.startsWith('_') ? text : marked(safe, text);
}

/** A name that was made safe, with a part of the hash of what it was, so that no two become one. */
function marked(name: string, original: string = name): string {
  const mark = createHash('sha256').update(original).digest('hex').slice(0, 8);
  const safe = fileName(name).replace(/^_+/, '');
  return `${safe === '' ? 'x' : safe}-${mark}`;
}

const ID = /^[0-9a-f]{16}$/;

/** The id of a lake, which those on other machines know it by, wherever they have its folder; null if it has none. */
export async function readLakeId(lake: Lake): Promise<string | null> {
  const text = await readRegular(lake.idFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  if (!ID.test(text.trim()))
    throw new Error(`${lake.idFile} does not hold the id of a lake: expected 16 hexadecimal digits`);
  return text.trim();
}

/** The id of a lake, made if missing. Any number of programs may do so at a time: all get the same. */
export async function lakeId(lake: Lake): Promise<string> {
  const known = await readLakeId(lake);
  if (known !== null) return known;
  for (const folder of [lake.staging, lake.catalogue('')]) await mkdir(folder, { recursive: true });
  const id = randomBytes(8).toString('hex');
  const draft = join(lake.staging, `id-${id}`);
  const file = await open(draft, 'wx');
  try {
    await file.write(`${id}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await commitFile(draft, lake.idFile);
  await unlink(draft).catch(() => undefined);
  return (await readLakeId(lake)) ?? id;
}

/** Puts the file that counts under its name; false where there is one already. */
export async function commitFile(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // not every file system has links
    await rename(draft, path);
    return true;
  }
}
