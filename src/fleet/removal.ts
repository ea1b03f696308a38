import { mkdir, readdir, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { FLEET_LIMITS } from '../core/fleet-limits.ts';
import { sqlText } from '../core/names.ts';
import { CATALOGUE_KINDS } from './catalogue.ts';
import { catalogueState } from './catalogue-state.ts';
import { type Engine, openEngine } from './engine.ts';
import type { Lake, LogPlace } from './lake.ts';
import { replacedLogs } from './log-index.ts';
import { packFile, stateName } from './packs.ts';

/** Removes the files of a log. Its row in the catalogue goes last: who is interrupted can go on. */
export async function removeLog(lake: Lake, connection: DuckDBConnection, log: string): Promise<void> {
  const found = await stateOf(lake, connection, log);
  if (!found) return;
  const { place, ingested, folders } = found;
  for (const folder of folders) {
    const path = lake.dataFile(folder, place);
    await unlink(path).catch(ignoreAbsent);
    // folders that are empty now: date and vehicle, and that of the table
    for (let at = dirname(path), depth = 0; depth < 3; at = dirname(at), depth++) {
      if (!(await rmdir(at).then(done, () => undefined))) break;
    }
  }
  // before its own files go: somebody may be packing them, and that copy must not count
  await mkdir(lake.packs.gone, { recursive: true });
  await writeFile(join(lake.packs.gone, stateName(log, ingested)), '');
  await removeSingle(lake, log);
}

/** Removes the catalogue's own files of a log. */
export async function removeSingle(lake: Lake, log: string): Promise<void> {
  const kinds = CATALOGUE_KINDS.filter((kind) => kind !== 'logs' && kind !== 'tables');
  for (const kind of [...kinds, 'tables', 'logs'] as const)
    await unlink(lake.catalogueFile(kind, log)).catch(ignoreAbsent);
}

interface LogState {
  readonly place: LogPlace;
  readonly ingested: string;
  /** Folders of the tables that it has rows of. */
  readonly folders: readonly string[];
}

/** What the catalogue says of one log, in its own files or in a pack. */
async function stateOf(lake: Lake, connection: DuckDBConnection, log: string): Promise<LogState | undefined> {
  const pack = await lake.packs.holderOf(log);
  const file = (kind: 'logs' | 'tables'): string => (pack ? packFile(pack, kind) : lake.catalogueFile(kind, log));
  const rowsOf = async (kind: 'logs' | 'tables', list: string) => {
    if (!(await stat(file(kind)).catch(() => undefined))) return [];
    const sql = `SELECT ${list} FROM read_parquet(${sqlText(file(kind))}) WHERE log = ${sqlText(log)}`;
    return (await connection.runAndReadAll(sql)).getRows();
  };
  const [row] = await rowsOf('logs', 'vehicle, CAST(date AS VARCHAR), CAST(epoch_us(ingested) AS VARCHAR)');
  if (!row) return undefined;
  const [vehicle, date, ingested] = row;
  const folders = (await rowsOf('tables', 'folder')).map(([folder]) => String(folder));
  const place = { log, vehicle: String(vehicle), date: date === null ? null : String(date) };
  return { place, ingested: String(ingested), folders };
}

function done(): true {
  return true;
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Takes away what interrupted runs left behind: logs that are replaced, and drafts that nobody works on any more. */
export async function sweep(lake: Lake): Promise<void> {
  const { ids } = await catalogueState(lake);
  const left = [...(await replacedLogs(lake, ids)).keys()].filter((old) => ids.has(old));
  const engine = left.length > 0 ? await openEngine(1) : undefined;
  try {
    for (const old of left) await removeLog(lake, (engine as Engine).connection, old);
  } finally {
    engine?.close();
  }
  for (const name of await readdir(lake.staging).catch(() => [] as string[])) {
    const path = join(lake.staging, name);
    // whoever was interrupted right after the log was there left its drafts
    const isDone = ids.has(name.slice(0, name.lastIndexOf('-')));
    const found = await stat(path).catch(() => undefined);
    if (found && (isDone || Date.now() - found.mtimeMs > FLEET_LIMITS.stagingMilliseconds))
      await rm(path, { recursive: true, force: true });
  }
}
