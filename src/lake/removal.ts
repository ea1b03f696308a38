import { mkdir, readdir, rename, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { sqlText } from '../core/names.ts';
import { type Engine, openEngine } from '../sql/engine.ts';
import { CATALOGUE_KINDS } from './catalogue.ts';
import { catalogueState, replacedLogs } from './catalogue-state.ts';
import type { Lake } from './lake.ts';
import { LAKE_LIMITS } from './limits.ts';
import { namesIn, packFile, stateName } from './packs.ts';
import { hashOfFile, readSeal } from './seal.ts';

/** Removes the files of a log. Its row in the catalogue goes last, so an interrupted removal can go on. */
export async function removeLog(lake: Lake, connection: DuckDBConnection, log: string): Promise<void> {
  const found = await stateOf(lake, connection, log);
  if (!found) return;
  await unlink(lake.seal(log)).catch(ignoreAbsent);
  await removeFiles(lake, log, found);
}

async function removeFiles(lake: Lake, log: string, { ingested, files }: LogState): Promise<void> {
  for (const path of files) {
    await unlink(path).catch(ignoreAbsent);
    // folders that are empty now: date and vehicle, and that of the table
    for (let at = dirname(path), depth = 0; depth < 3; at = dirname(at), depth++) {
      if (!(await rmdir(at).then(done, () => undefined))) break;
    }
  }
  // before its own files go: another program may be packing them, and that copy must not count
  await mkdir(lake.packs.gone, { recursive: true });
  for (const state of ingested) await writeFile(join(lake.packs.gone, stateName(log, state)), '');
  await removeSingle(lake, log);
}

/** Removes the catalogue's own files of a log. */
export async function removeSingle(lake: Lake, log: string): Promise<void> {
  const kinds = CATALOGUE_KINDS.filter((kind) => kind !== 'logs' && kind !== 'tables');
  for (const kind of [...kinds, 'tables', 'logs'] as const)
    await unlink(lake.catalogueFile(kind, log)).catch(ignoreAbsent);
}

interface LogState {
  /** When it was ingested, as far as that is known. */
  readonly ingested: readonly string[];
  readonly files: readonly string[];
}

/** What the catalogue says of one log, in its own files or in a pack; where that is broken, what the folders say. */
async function stateOf(lake: Lake, connection: DuckDBConnection, log: string): Promise<LogState | undefined> {
  const pack = await lake.packs.holderOf(log);
  const file = (kind: 'logs' | 'tables'): string => (pack ? packFile(pack, kind) : lake.catalogueFile(kind, log));
  const rowsOf = async (kind: 'logs' | 'tables', list: string) => {
    if (!(await stat(file(kind)).catch(() => undefined))) return [];
    const sql = `SELECT ${list} FROM read_parquet(${sqlText(file(kind))}) WHERE log = ${sqlText(log)}`;
    return (await connection.runAndReadAll(sql)).getRows();
  };
  try {
    const [row] = await rowsOf('logs', 'vehicle, CAST(date AS VARCHAR), CAST(epoch_us(ingested) AS VARCHAR)');
    if (!row) return undefined;
    const [vehicle, date, ingested] = row;
    const place = { log, vehicle: String(vehicle), date: date === null ? null : String(date) };
    const folders = (await rowsOf('tables', 'folder')).map(([folder]) => String(folder));
    return { ingested: [String(ingested)], files: folders.map((folder) => lake.dataFile(folder, place)) };
  } catch {
    return brokenState(lake, log);
  }
}

async function brokenState(lake: Lake, log: string): Promise<LogState> {
  const packs = (await lake.packs.list()).flatMap(({ members }) => members.get(log) ?? []);
  return { ingested: packs, files: await dataFilesOf(lake, log) };
}

/** Removes what is left of a log whose files are broken. Its seal stays, since it has the path of the original. */
export async function removeBroken(lake: Lake, log: string): Promise<void> {
  await removeFiles(lake, log, await brokenState(lake, log));
}

/** The files of a log's tables, found in all folders. */
async function dataFilesOf(lake: Lake, log: string): Promise<string[]> {
  const found: string[] = [];
  const tables = (await namesIn(lake.root)).filter((name) => !name.startsWith('_'));
  for (const table of tables)
    for (const vehicle of await namesIn(join(lake.root, table)))
      for (const date of await namesIn(join(lake.root, table, vehicle))) {
        const path = join(lake.root, table, vehicle, date, `${log}.parquet`);
        if (await stat(path).catch(() => undefined)) found.push(path);
      }
  return found;
}

function done(): true {
  return true;
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Takes away what interrupted runs left behind: logs that are replaced, and abandoned drafts. */
export async function sweep(lake: Lake): Promise<void> {
  const { ids } = await catalogueState(lake);
  const left = [...(await replacedLogs(lake, ids)).keys()].filter((old) => ids.has(old));
  const engine = left.length > 0 ? await openEngine({ threads: 1 }) : undefined;
  try {
    for (const old of left) await removeLog(lake, (engine as Engine).connection, old);
  } finally {
    engine?.close();
  }
  for (const name of await readdir(lake.staging).catch(() => [] as string[])) {
    const path = join(lake.staging, name);
    // a program that was interrupted right after the log was there left its drafts
    const id = name.slice(0, name.lastIndexOf('-'));
    const isDone = ids.has(id);
    if (isDone) await keepSeal(lake, id, join(path, 'seal'));
    const found = await stat(path).catch(() => undefined);
    if (found && (isDone || Date.now() - found.mtimeMs > LAKE_LIMITS.stagingMilliseconds))
      await rm(path, { recursive: true, force: true });
  }
}

/** A program that was interrupted between a log and its seal: the seal is kept if it is that of the files that are there. */
async function keepSeal(lake: Lake, id: string, draft: string): Promise<void> {
  const seal = (await readSeal(lake.seal(id))) === undefined ? await readSeal(draft) : undefined;
  const hash = seal && (await hashOfFile(lake.catalogueFile('logs', id)).catch(() => undefined));
  if (hash !== undefined && hash === seal?.files.logs) await rename(draft, lake.seal(id));
}
