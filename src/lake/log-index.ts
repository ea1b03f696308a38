import { readdir, stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type CatalogueState, catalogueState, rowsOfKind } from './catalogue-state.ts';
import type { Content } from './content.ts';
import type { Lake, LogPlace } from './lake.ts';
import type { LakeFiles } from './lake-files.ts';
import { namesIn } from './packs.ts';

/** What is looked at in order to tell whether a log is known already, or is another state of one that is. */
export interface KnownLog extends LogPlace, Content {
  readonly path: string;
  readonly utc: boolean;
  /** Microseconds. */
  readonly start: number | null;
  readonly end: number | null;
}

/** The logs of a lake, read as far as they came since the last look. Others may add and remove logs at any time. */
export class LogIndex {
  private readonly lake: Lake;
  private readonly connection: DuckDBConnection;
  private readonly files: LakeFiles;
  private readonly read = new Map<string, KnownLog>();

  /** @param files those that are broken are left out */
  constructor(files: LakeFiles, connection: DuckDBConnection) {
    this.lake = files.lake;
    this.connection = connection;
    this.files = files;
  }

  /** All logs that are there and not replaced. */
  async logs(state?: CatalogueState): Promise<KnownLog[]> {
    const now = state ?? (await catalogueState(this.lake));
    for (const id of this.read.keys()) if (!now.ids.has(id)) this.read.delete(id);
    const fresh = [...now.ids].filter((id) => !this.read.has(id));
    for (let at = 0; at < fresh.length; at += FILES) {
      for (const log of await this.rowsOf(now, new Set(fresh.slice(at, at + FILES)))) this.read.set(log.log, log);
    }
    const replaced = await replacedLogs(this.lake, now.ids);
    return [...this.read.values()].filter(({ log }) => !replaced.has(log));
  }

  private async rowsOf(state: CatalogueState, ids: ReadonlySet<string>): Promise<KnownLog[]> {
    const isWanted = (log: string): boolean => ids.has(log);
    const broken = await this.files.brokenOf('logs', state, isWanted);
    const source = rowsOfKind(this.lake, 'logs', state, state.singles, isWanted, broken);
    const rows = await this.connection.runAndReadAll(
      `SELECT log, vehicle, CAST(date AS VARCHAR), path, bytes, marks, utc, epoch_us(start), epoch_us("end") FROM (${source})`,
    );
    return rows.getRows().map(([log, vehicle, date, path, bytes, marks, utc, start, end]) => ({
      id: String(log),
      log: String(log),
      vehicle: String(vehicle),
      date: date === null ? null : String(date),
      path: String(path),
      bytes: Number(bytes),
      marks: String(marks),
      utc: utc === true,
      start: start === null ? null : Number(start),
      end: end === null ? null : Number(end),
    }));
  }
}

/** Logs that are read at a time. */
const FILES = 10_000;

/** Which logs are replaced by which. One that is to be replaced stays until the other is there. */
export async function replacedLogs(lake: Lake, ids: ReadonlySet<string>): Promise<Map<string, string>> {
  const replaced = new Map<string, string>();
  for (const name of await namesIn(lake.replaced)) {
    const [old, by] = name.split('.');
    if (by !== undefined && ids.has(by)) replaced.set(old, by);
  }
  return replaced;
}

/** The log that takes the place of another, if there is one. */
export async function replacedBy(lake: Lake, id: string): Promise<string | undefined> {
  for (const name of await readdir(lake.replaced)) {
    const [old, by] = name.split('.');
    if (old === id && by !== undefined && (await isThere(lake, by))) return by;
  }
  return undefined;
}

/** Whether a log is in the lake. */
export async function isThere(lake: Lake, id: string): Promise<boolean> {
  if (await stat(lake.catalogueFile('logs', id)).catch(() => undefined)) return true;
  return (await lake.packs.holderOf(id)) !== undefined;
}
