import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { openRegular } from '../node/text-file.ts';
import type { CatalogueKind } from './catalogue.ts';
import { type CatalogueState, isThere } from './catalogue-state.ts';
import type { Lake } from './lake.ts';
import { namesIn, packFile, sealFile } from './packs.ts';
import { hashOfFile, readSeal, type Seal } from './seal.ts';

/** Files that are looked at at a time. */
const AT_ONCE = 16;
export const CHANGED = 'its bytes changed since it was written';

/** Which files of a lake are whole: hashed when a query first needs them, and again when size or time changed. */
export class LakeFiles {
  /** Broken files, with the reason. */
  readonly problems: Map<string, string> = new Map();
  /** The logs of each broken file. */
  readonly logs: Map<string, ReadonlySet<string>> = new Map();
  /** Files without a hash: an earlier version wrote them. */
  readonly unhashed: Set<string> = new Set();
  readonly lake: Lake;
  /** How a file was found, by its state. */
  private readonly checked = new Map<string, { readonly state: string; readonly problem: string | undefined }>();
  private readonly seals = new Map<string, Seal | undefined>();

  constructor(lake: Lake) {
    this.lake = lake;
  }

  /** Begins a new look at the lake. */
  restart(): void {
    for (const each of [this.problems, this.logs, this.unhashed, this.seals]) each.clear();
  }

  get count(): number {
    return this.checked.size;
  }

  get sentences(): string[] {
    return [...this.problems].map(([path, problem]) => `${path} cannot be read: ${problem}`);
  }

  /** Names logs that were there and are not in the catalogue any more. @param sealed those with a seal before the look */
  async findLost(sealed: readonly string[], { ids }: CatalogueState): Promise<void> {
    for (const path of this.lake.packs.broken) this.add(path, CHANGED, new Set());
    for (const log of sealed) {
      if (ids.has(log)) continue;
      // another program may have removed it
      const isLost = !(await isThere(this.lake, log)) && (await readSeal(this.lake.seal(log))) !== undefined;
      if (isLost) this.add(this.lake.catalogueFile('logs', log), 'missing', new Set([log]));
    }
  }

  /** The broken files of one kind of the catalogue. */
  async brokenOf(
    kind: CatalogueKind,
    { singles, shares }: CatalogueState,
    isWanted: (log: string) => boolean = () => true,
  ): Promise<Set<string>> {
    const broken = new Set<string>();
    const check = async (path: string, hash: string | undefined, logs: ReadonlySet<string>): Promise<void> => {
      if (!(await this.isWhole(path, hash, logs))) broken.add(path);
    };
    const present = new Set(await namesIn(this.lake.catalogue(kind)));
    await inParts(
      [...singles].filter(isWanted).map((log) => async () => {
        const logs = new Set([log]);
        const seal = await this.sealAt(this.lake.seal(log), logs);
        const path = this.lake.catalogueFile(kind, log);
        // a log without flights, say, has no file of them
        const isExpected = seal ? seal.files[kind] !== undefined : present.has(basename(path));
        if (isExpected) await check(path, seal?.files[kind], logs);
      }),
    );
    for (const { pack, logs } of shares) {
      const seal = await this.sealAt(sealFile(pack), logs);
      await check(packFile(pack, kind), seal?.files[kind], logs);
    }
    return broken;
  }

  /** Those of a log's files of one table that are whole. */
  async wholeOf(files: readonly { path: string; log: string; hash: string | undefined }[]): Promise<Set<string>> {
    const whole = new Set<string>();
    await inParts(
      files.map(({ path, log, hash }) => async () => {
        if (await this.isWhole(path, hash, new Set([log]))) whole.add(path);
      }),
    );
    return whole;
  }

  private async sealAt(path: string, logs: ReadonlySet<string>): Promise<Seal | undefined> {
    if (!this.seals.has(path)) {
      const seal = await readSeal(path);
      if (seal === null) this.add(path, CHANGED, logs);
      this.seals.set(path, seal ?? undefined);
    }
    return this.seals.get(path);
  }

  private async isWhole(path: string, hash: string | undefined, logs: ReadonlySet<string>): Promise<boolean> {
    const found = await stat(path).catch(() => undefined);
    if (!found) {
      // a log that another program removed is not lost
      const left = await Promise.all([...logs].slice(0, 1).map((log) => isThere(this.lake, log)));
      if (left.includes(true)) this.add(path, 'missing', logs);
      return false;
    }
    if (hash === undefined) this.unhashed.add(path);
    const state = `${found.size} ${found.mtimeMs} ${hash ?? ''}`;
    const known = this.checked.get(path);
    const problem = known?.state === state ? known.problem : await problemOf(path, found.size, hash);
    this.checked.set(path, { state, problem });
    if (problem !== undefined) this.add(path, problem, logs);
    return problem === undefined;
  }

  add(path: string, problem: string, logs: ReadonlySet<string>): void {
    this.problems.set(path, problem);
    this.logs.set(path, logs);
  }
}

/** What is wrong with a file. Without a hash, only its beginning and end are checked. */
async function problemOf(path: string, size: number, hash: string | undefined): Promise<string | undefined> {
  try {
    if (hash !== undefined) return (await hashOfFile(path)) === hash ? undefined : CHANGED;
    return (await isParquet(path, size)) ? undefined : 'not a whole Parquet file';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** PAR1 ... footer, length of the footer (4 bytes), PAR1 */
async function isParquet(path: string, size: number): Promise<boolean> {
  if (size < 12) return false;
  const file = await openRegular(path);
  try {
    const ends = Buffer.alloc(12);
    await file.read(ends, 0, 4, 0);
    await file.read(ends, 4, 8, size - 8);
    const isMarked = ends.toString('latin1', 0, 4) === 'PAR1' && ends.toString('latin1', 8) === 'PAR1';
    return isMarked && ends.readUInt32LE(4) <= size - 12;
  } finally {
    await file.close();
  }
}

async function inParts(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  for (let at = 0; at < tasks.length; at += AT_ONCE)
    await Promise.all(tasks.slice(at, at + AT_ONCE).map((task) => task()));
}
