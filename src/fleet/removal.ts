import { readdir, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { FLEET_LIMITS } from '../core/fleet-limits.ts';
import { sqlText } from '../core/names.ts';
import { CATALOGUE_KINDS } from './catalogue.ts';
import { type Engine, openEngine } from './engine.ts';
import type { Lake, LogPlace } from './lake.ts';
import { idsIn, replacedLogs } from './log-index.ts';

/** Removes the files of a log. Its row in the catalogue goes last: who is interrupted can go on. */
export async function removeLog(lake: Lake, connection: DuckDBConnection, place: LogPlace): Promise<void> {
  for (const folder of await foldersOf(lake, connection, place.log)) {
    const path = lake.dataFile(folder, place);
    await unlink(path).catch(ignoreAbsent);
    // folders that are empty now: date and vehicle, and that of the table
    for (let at = dirname(path), depth = 0; depth < 3; at = dirname(at), depth++) {
      if (!(await rmdir(at).then(done, () => undefined))) break;
    }
  }
  const kinds = CATALOGUE_KINDS.filter((kind) => kind !== 'logs' && kind !== 'tables');
  for (const kind of [...kinds, 'tables', 'logs'] as const)
    await unlink(lake.catalogueFile(kind, place.log)).catch(ignoreAbsent);
}

function done(): true {
  return true;
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function foldersOf(lake: Lake, connection: DuckDBConnection, log: string): Promise<string[]> {
  const file = lake.catalogueFile('tables', log);
  if (!(await stat(file).catch(() => undefined))) return [];
  const rows = await connection.runAndReadAll(`SELECT folder FROM read_parquet(${sqlText(file)})`);
  return rows.getRows().map(([folder]) => String(folder));
}

/** Takes away what interrupted runs left behind: logs that are replaced, and drafts that nobody works on any more. */
export async function sweep(lake: Lake): Promise<void> {
  const ids = await idsIn(lake.catalogue('logs'));
  const left = [...(await replacedLogs(lake, ids)).keys()].filter((old) => ids.has(old));
  const engine = left.length > 0 ? await openEngine(1) : undefined;
  try {
    for (const old of left) {
      const { connection } = engine as Engine;
      await removeLog(lake, connection, await placeOf(lake, connection, old));
    }
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

async function placeOf(lake: Lake, connection: DuckDBConnection, log: string): Promise<LogPlace> {
  const rows = await connection.runAndReadAll(
    `SELECT vehicle, CAST(date AS VARCHAR) FROM read_parquet(${sqlText(lake.catalogueFile('logs', log))})`,
  );
  const [vehicle, date] = rows.getRows()[0];
  return { log, vehicle: String(vehicle), date: date === null ? null : String(date) };
}
