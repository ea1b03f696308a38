import { readdir, stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { sqlText } from '../core/names.ts';
import type { Content } from './content.ts';
import type { Lake, LogPlace } from './lake.ts';

/** What is looked at in order to tell whether a log is known already, or is another state of one that is. */
export interface KnownLog extends LogPlace, Content {
  readonly path: string;
  readonly utc: boolean;
  /** Microseconds. */
  readonly start: number | null;
  readonly end: number | null;
}

const ENDING = '.parquet';

/** The logs of a lake, read as far as they came since the last look. Others may add and remove logs at any time. */
export class LogIndex {
  private readonly lake: Lake;
  private readonly connection: DuckDBConnection;
  private readonly without: ReadonlySet<string>;
  private readonly read = new Map<string, KnownLog>();

  /** @param without files that are passed over, since they cannot be read */
  constructor(lake: Lake, connection: DuckDBConnection, without: ReadonlySet<string> = new Set()) {
    this.lake = lake;
    this.connection = connection;
    this.without = without;
  }

  /** All logs that are there and not replaced. */
  async logs(): Promise<KnownLog[]> {
    const ids = await idsIn(this.lake.catalogue('logs'));
    for (const id of this.read.keys()) if (!ids.has(id)) this.read.delete(id);
    const isWhole = (id: string): boolean => !this.without.has(this.lake.catalogueFile('logs', id));
    const fresh = [...ids].filter((id) => !this.read.has(id) && isWhole(id));
    for (let at = 0; at < fresh.length; at += FILES) {
      for (const log of await this.rowsOf(fresh.slice(at, at + FILES))) this.read.set(log.log, log);
    }
    const replaced = await replacedLogs(this.lake, ids);
    return [...this.read.values()].filter(({ log }) => !replaced.has(log));
  }

  private async rowsOf(ids: readonly string[]): Promise<KnownLog[]> {
    const list = ids.map((id) => sqlText(this.lake.catalogueFile('logs', id))).join(', ');
    const rows = await this.connection.runAndReadAll(
      `SELECT log, vehicle, CAST(date AS VARCHAR), path, bytes, marks, utc, epoch_us(start), epoch_us("end") FROM read_parquet([${list}], union_by_name = true)`,
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

/** Files that are read at a time. */
const FILES = 1000;

/** Ids of the logs that have a file in a folder of the catalogue. */
export async function idsIn(folder: string): Promise<Set<string>> {
  return new Set((await parquetFiles(folder)).map((name) => name.slice(0, -ENDING.length)));
}

/** Names of the files in a folder of the catalogue. */
export async function parquetFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.filter((name) => /^[0-9a-f]+\.parquet$/.test(name));
}

/** Which logs are replaced by which. One that is to be replaced stays until the other is there. */
export async function replacedLogs(lake: Lake, ids: ReadonlySet<string>): Promise<Map<string, string>> {
  const replaced = new Map<string, string>();
  for (const name of await readdir(lake.replaced).catch(() => [] as string[])) {
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
  return (await stat(lake.catalogueFile('logs', id)).catch(() => undefined)) !== undefined;
}
