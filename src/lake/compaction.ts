import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { syncPath } from '../node/atomic.ts';
import { openEngine } from '../sql/engine.ts';
import { toParquet } from '../sql/parquet.ts';
import { CATALOGUE_KINDS, type CatalogueKind, ingestedIn } from './catalogue.ts';
import {
  type CatalogueState,
  catalogueState,
  type PackShare,
  replacedLogs,
  rowsOfKind,
  singlesIn,
} from './catalogue-state.ts';
import type { Lake } from './lake.ts';
import { LakeFiles } from './lake-files.ts';
import { LAKE_LIMITS } from './limits.ts';
import { ageOf, membersFile, membersText, namesIn, packFile, packName, packTime, sealFile } from './packs.ts';
import { removeSingle } from './removal.ts';
import { hashOfFile, sealText } from './seal.ts';

export interface CompactionOptions {
  /** Pack when this many logs have separate files. */
  readonly least?: number | undefined;
  /** How long files stay that a pack made superfluous: earlier readers may still need them. */
  readonly graceMilliseconds?: number | undefined;
}

export interface Compaction {
  /** Logs that are in a new pack. */
  readonly packed: number;
  /** Logs whose own files, and packs whose folders, were superfluous for long enough and are gone. */
  readonly cleared: number;
  /** Logs whose own files stay for a while. */
  readonly waiting: number;
}

/** Makes few files of many in the catalogue, while others may read, ingest and compact; see packs.ts. */
export async function compact(lake: Lake, options: CompactionOptions = {}): Promise<Compaction> {
  const { least = 2, graceMilliseconds = LAKE_LIMITS.packGraceMilliseconds } = options;
  const nothing = { packed: 0, cleared: 0, waiting: 0 };
  // mostly there is nothing to do, and starting the engine takes longer than to see that
  const before = await catalogueState(lake);
  const hasPacks = (await lake.packs.list()).length > 0;
  if (!hasPacks && before.singles.size < least) return nothing;
  const engine = await openEngine();
  try {
    const packed = await packLogs(lake, engine.connection, least);
    const cleared = await clear(lake, engine.connection, graceMilliseconds);
    const { singles } = await catalogueState(lake);
    const own = await singlesIn(lake.catalogue('logs'));
    return { packed, cleared, waiting: [...own].filter((log) => !singles.has(log)).length };
  } finally {
    engine.close();
  }
}

/** Logs with separate files become packs, one after the other; small packs become larger ones. */
async function packLogs(lake: Lake, connection: DuckDBConnection, least: number): Promise<number> {
  const state = await catalogueState(lake);
  const replaced = await replacedLogs(lake, state.ids);
  let singles = [...state.singles].filter((log) => !replaced.has(log));
  let small = state.shares.filter(({ logs }) => logs.size < LAKE_LIMITS.packLogs / 2);
  const isDue = singles.length >= Math.max(1, least);
  const isScattered = small.length >= LAKE_LIMITS.smallPacks;
  if (!isDue && !isScattered) return 0;
  // what is broken stays where it is, for a repair
  const files = new LakeFiles(lake);
  for (const kind of CATALOGUE_KINDS) await files.brokenOf(kind, state);
  const broken = new Set([...files.logs.values()].flatMap((logs) => [...logs]));
  singles = singles.filter((log) => !broken.has(log));
  small = small.filter(({ logs }) => ![...logs].some((log) => broken.has(log)));
  let packed = 0;
  let shares = isScattered ? small : [];
  for (let at = 0; at < singles.length || shares.length > 0; ) {
    const room = LAKE_LIMITS.packLogs;
    const taken: PackShare[] = [];
    let count = 0;
    for (const share of shares) {
      if (count > 0 && count + share.logs.size > room) break;
      taken.push(share);
      count += share.logs.size;
    }
    shares = shares.slice(taken.length);
    const some = singles.slice(at, at + Math.max(0, room - count));
    at += some.length;
    if (!(await writePack(lake, connection, { ids: state.ids, singles: new Set(some), shares: taken }))) break;
    packed += some.length;
  }
  return packed;
}

/** Whether the pack is there. It is given up if another program removed one of its logs. */
async function writePack(lake: Lake, connection: DuckDBConnection, from: CatalogueState): Promise<boolean> {
  const random = randomBytes(6).toString('hex');
  const draft = join(lake.staging, `pack-${random}`);
  try {
    await mkdir(draft, { recursive: true });
    await mkdir(lake.packs.folder, { recursive: true });
    for (const kind of CATALOGUE_KINDS) await copyKind(lake, connection, kind, from, packFile({ folder: draft }, kind));
    const rows = await ingestedIn(connection, [packFile({ folder: draft }, 'logs')]);
    const members = new Map(rows);
    const wanted = [...from.singles, ...from.shares.flatMap(({ logs }) => [...logs])];
    const isWhole = members.size === wanted.length && wanted.every((log) => members.has(log));
    if (!isWhole || rows.length !== members.size) return false;
    await writeFile(membersFile(draft), membersText(members));
    const hashes: Record<string, string> = { members: await hashOfFile(membersFile(draft)) };
    for (const kind of CATALOGUE_KINDS) hashes[kind] = await hashOfFile(packFile({ folder: draft }, kind));
    await writeFile(sealFile({ folder: draft }), sealText({ files: hashes }));
    await syncPath(sealFile({ folder: draft }));
    for (const kind of CATALOGUE_KINDS) await syncPath(packFile({ folder: draft }, kind));
    await syncPath(membersFile(draft));
    await syncPath(draft);
    await rename(draft, join(lake.packs.folder, packName(await lake.packs.list(), random)));
    await syncPath(lake.packs.folder);
    return true;
  } catch (error) {
    // a file that went while it was copied
    const isGone = await isAnyGone(lake, from);
    if (isGone) return false;
    throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function copyKind(
  lake: Lake,
  connection: DuckDBConnection,
  kind: CatalogueKind,
  from: CatalogueState,
  path: string,
): Promise<void> {
  const own = await singlesIn(lake.catalogue(kind));
  const source = rowsOfKind(lake, kind, from, own, () => true);
  await connection.run(`COPY (${source}) ${toParquet(path)}`);
}

async function isAnyGone(lake: Lake, { singles, shares }: CatalogueState): Promise<boolean> {
  for (const log of singles) {
    if (!(await stat(lake.catalogueFile('logs', log)).catch(() => undefined))) return true;
  }
  const there = new Set((await lake.packs.list()).map(({ name }) => name));
  return shares.some(({ pack }) => !there.has(pack.name));
}

/** Takes away what newer packs made superfluous a while ago, and notes of removals that no pack needs any more. */
async function clear(lake: Lake, connection: DuckDBConnection, grace: number): Promise<number> {
  const { shares } = await catalogueState(lake);
  const isOld = (name: string): boolean => Date.now() - packTime({ name }) >= grace;
  const settled = shares.filter(({ pack }) => isOld(pack.name));
  let cleared = 0;
  for (const log of await superfluousSingles(lake, connection, settled)) {
    await removeSingle(lake, log);
    cleared++;
  }
  const used = new Set(shares.map(({ pack }) => pack.name));
  for (const { name, folder } of await lake.packs.list()) {
    // nothing in it counts: what took its place must have been there for long enough
    const isSettled = isOld(name) && shares.every(({ pack }) => pack.name < name || isOld(pack.name));
    if (used.has(name) || !isSettled) continue;
    const aside = join(lake.staging, `pack-${name}-${randomBytes(4).toString('hex')}`);
    await rename(folder, aside).catch(() => undefined);
    await rm(aside, { recursive: true, force: true });
    cleared++;
  }
  await forgetRemovals(lake);
  return cleared;
}

/** Logs with separate files whose content has been in a pack for long enough. */
async function superfluousSingles(
  lake: Lake,
  connection: DuckDBConnection,
  settled: readonly PackShare[],
): Promise<string[]> {
  const packed = new Map(settled.flatMap(({ pack, logs }) => [...logs].map((log) => [log, pack.members.get(log)])));
  const both = [...(await singlesIn(lake.catalogue('logs')))].filter((log) => packed.has(log));
  const found: string[] = [];
  for (let at = 0; at < both.length; at += FILES) {
    const files = both.slice(at, at + FILES).map((log) => lake.catalogueFile('logs', log));
    // one that was removed and came again is another state of the log, which no pack has
    for (const [log, ingested] of await ingestedIn(connection, files).catch(() => []))
      if (packed.get(log) === ingested) found.push(log);
  }
  return found;
}

/** Files that are looked at together. */
const FILES = 1000;

async function forgetRemovals(lake: Lake): Promise<void> {
  const packs = await lake.packs.list();
  for (const name of await namesIn(lake.packs.gone)) {
    const [log, ingested] = name.split('.');
    const isNeeded = packs.some(({ members }) => members.get(log) === ingested);
    const path = join(lake.packs.gone, name);
    // another program may be packing what was just removed
    if (!isNeeded && (await ageOf(path)) > LAKE_LIMITS.stagingMilliseconds) await unlink(path).catch(() => undefined);
  }
}
