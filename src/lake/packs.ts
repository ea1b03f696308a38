import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from '../node/text-file.ts';
import { readSeal } from './seal.ts';

/*
 * A pack holds what the catalogue says of many logs, since opening a file for each of them takes time:
 *
 *     _catalogue/packs/<time>-<random>/<kind>.parquet     the rows of all its logs; files of a kind that has none are empty
 *     _catalogue/packs/<time>-<random>/members            a line for each log: its id, and when it was ingested
 *     _catalogue/packs/<time>-<random>/seal               the hashes of these files
 *     _catalogue/gone/<log id>.<ingested>                 this state of a log was removed, whichever packs hold it
 *
 * A pack comes into its place as a whole, by the renaming of its folder, and is never changed. A log that has files of
 * its own and is in packs as well counts once: it is that of the newest pack. So any number of programs may pack at a
 * time, and an interrupted program leaves nothing that is seen twice or not at all. What became superfluous is removed
 * a while later, so that earlier readers still find all their files.
 */

/** Many logs in few files. */
export interface Pack {
  readonly name: string;
  readonly folder: string;
  /** When each log was ingested, in microseconds: another state of the same log has another time. */
  readonly members: ReadonlyMap<string, string>;
}

const NAME = /^[0-9a-f]{12}-[0-9a-f]{12}$/;
const MEMBERS = 'members';

/** The packs of a lake. Those that were read before are not read again. */
export class Packs {
  /** The folder of packs, and the folder that lists what was removed. */
  readonly folder: string;
  readonly gone: string;
  private readonly known = new Map<string, Pack>();
  /** Lists of members that are not as they were written: their packs are left out. */
  readonly broken: Set<string> = new Set();

  constructor(catalogue: string) {
    this.folder = join(catalogue, 'packs');
    this.gone = join(catalogue, 'gone');
  }

  /** From the newest to the oldest. */
  async list(): Promise<Pack[]> {
    const names = (await namesIn(this.folder)).filter((name) => NAME.test(name)).sort();
    for (const name of this.known.keys()) if (!names.includes(name)) this.known.delete(name);
    this.broken.clear();
    const packs: Pack[] = [];
    for (const name of names.reverse()) {
      const pack = this.known.get(name) ?? (await this.read(name));
      if (pack) packs.push(pack);
    }
    return packs;
  }

  /** States of logs that were removed, as `<log id>.<ingested>`. */
  async removed(): Promise<Set<string>> {
    return new Set(await namesIn(this.gone));
  }

  async holderOf(log: string): Promise<Pack | undefined> {
    const packs = (await this.list()).filter(({ members }) => members.has(log));
    if (packs.length === 0) return undefined;
    const removed = await this.removed();
    return packs.find(({ members }) => !removed.has(stateName(log, members.get(log) as string)));
  }

  private async read(name: string): Promise<Pack | undefined> {
    const folder = join(this.folder, name);
    // one that is superfluous may go while it is looked at
    const text = await readRegular(join(folder, MEMBERS)).catch(() => undefined);
    if (text === undefined) return undefined;
    const seal = await readSeal(sealFile({ folder }));
    if (seal && seal.files[MEMBERS] !== createHash('sha256').update(text).digest('hex')) {
      this.broken.add(membersFile(folder));
      return undefined;
    }
    const lines = text.split('\n').filter((line) => line !== '');
    const pack = { name, folder, members: new Map(lines.map((line) => line.split(' ') as [string, string])) };
    this.known.set(name, pack);
    return pack;
  }
}

export function membersText(members: ReadonlyMap<string, string>): string {
  return [...members].map(([log, ingested]) => `${log} ${ingested}\n`).join('');
}

export function sealFile({ folder }: Pick<Pack, 'folder'>): string {
  return join(folder, 'seal');
}

export function membersFile(folder: string): string {
  return join(folder, MEMBERS);
}

export function stateName(log: string, ingested: string): string {
  return `${log}.${ingested}`;
}

export function packFile({ folder }: Pick<Pack, 'folder'>, kind: string): string {
  return join(folder, `${kind}.parquet`);
}

/** A name that is later than all those that are there. */
export function packName(packs: readonly Pack[], random: string): string {
  const newest = Math.max(0, ...packs.map(packTime));
  return `${Math.max(Date.now(), newest + 1)
    .toString(16)
    .padStart(12, '0')}-${random}`;
}

/** When a pack was made, in milliseconds. */
export function packTime({ name }: Pick<Pack, 'name'>): number {
  return Number.parseInt(name.slice(0, 12), 16);
}

export async function namesIn(folder: string): Promise<string[]> {
  // a folder that cannot be read is not an empty one
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

export async function ageOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found ? Date.now() - found.mtimeMs : 0;
}
