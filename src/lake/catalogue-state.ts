import { readdir, stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { sqlText } from '../core/names.ts';
import { type CatalogueKind, columnsOf, noRows } from './catalogue.ts';
import type { Lake, LogPlace } from './lake.ts';
import type { LakeFiles } from './lake-files.ts';
import type { LogIdentity } from './log-identity.ts';
import { namesIn, type Pack, packFile, stateName } from './packs.ts';

/** The part of a pack that counts: other packs may have newer copies, and logs are removed. */
export interface PackShare {
  readonly pack: Pack;
  readonly logs: ReadonlySet<string>;
}

/** Which logs are in a lake at a moment, and in which files the catalogue has them. */
export interface CatalogueState {
  readonly ids: ReadonlySet<string>;
  /** Those with separate files. */
  readonly singles: ReadonlySet<string>;
  readonly shares: readonly PackShare[];
}

const SINGLE = /^([0-9a-f]+)\.parquet$/;

/** Reads the catalogue: removed files first and packs last, so that nothing is missed while others change it. */
export async function catalogueState(lake: Lake): Promise<CatalogueState> {
  const removed = await lake.packs.removed();
  const own = await singlesIn(lake.catalogue('logs'));
  const packed = new Set<string>();
  const shares: PackShare[] = [];
  for (const pack of await lake.packs.list()) {
    const logs = new Set<string>();
    for (const [log, ingested] of pack.members) {
      if (packed.has(log) || removed.has(stateName(log, ingested))) continue;
      logs.add(log);
    }
    for (const log of logs) packed.add(log);
    if (logs.size > 0) shares.push({ pack, logs });
  }
  const singles = new Set([...own].filter((log) => !packed.has(log)));
  return { ids: new Set([...singles, ...packed]), singles, shares };
}

/** Ids of the logs with a separate file in a folder of the catalogue. */
export async function singlesIn(folder: string): Promise<Set<string>> {
  return new Set((await namesIn(folder)).flatMap((name) => SINGLE.exec(name)?.[1] ?? []));
}

/** The SQL of all rows of one kind, of those logs only. @param own ids that have a file of this kind */
export function rowsOfKind(
  lake: Lake,
  kind: CatalogueKind,
  { singles, shares }: CatalogueState,
  own: ReadonlySet<string>,
  isWanted: (log: string) => boolean,
  without: ReadonlySet<string> = new Set(),
): string {
  const parts = [`SELECT * FROM (${noRows(columnsOf(kind))})`];
  const files = [...singles]
    .filter((log) => own.has(log) && isWanted(log))
    .map((log) => lake.catalogueFile(kind, log))
    .filter((path) => !without.has(path));
  // a lake that an earlier version wrote has fewer columns
  if (files.length > 0) parts.push(`FROM read_parquet([${files.map(sqlText).join(', ')}], union_by_name = true)`);
  for (const { pack, logs } of shares) {
    const path = packFile(pack, kind);
    if (without.has(path)) continue;
    const wanted = [...logs].filter(isWanted);
    const others = [...pack.members.keys()].filter((log) => !logs.has(log) || !isWanted(log));
    if (wanted.length === 0) continue;
    const list = (ids: readonly string[]): string => ids.map(sqlText).join(', ');
    const choice =
      others.length === 0
        ? ''
        : others.length < wanted.length
          ? ` WHERE log NOT IN (${list(others)})`
          : ` WHERE log IN (${list(wanted)})`;
    parts.push(`FROM read_parquet(${sqlText(path)})${choice}`);
  }
  return parts.join(' UNION ALL BY NAME ');
}

/** What shows whether a log is known already, or is another state of a known one. */
export interface KnownLog extends LogPlace, LogIdentity {
  readonly path: string;
  readonly utc: boolean;
  /** Microseconds. */
  readonly start: number | null;
  readonly end: number | null;
}

/** The logs of a lake, read as far as they came since the last look. Others may add and remove logs at any time. */
export class LogIndex {
  private readonly connection: DuckDBConnection;
  private readonly files: LakeFiles;
  private readonly read = new Map<string, KnownLog>();

  /** @param files those that are broken are left out */
  constructor(files: LakeFiles, connection: DuckDBConnection) {
    this.connection = connection;
    this.files = files;
  }

  async logs(state?: CatalogueState): Promise<KnownLog[]> {
    const now = state ?? (await catalogueState(this.files.lake));
    for (const id of this.read.keys()) if (!now.ids.has(id)) this.read.delete(id);
    const fresh = [...now.ids].filter((id) => !this.read.has(id));
    for (let at = 0; at < fresh.length; at += FILES) {
      for (const log of await this.rowsOf(now, new Set(fresh.slice(at, at + FILES)))) this.read.set(log.log, log);
    }
    const replaced = await replacedLogs(this.files.lake, now.ids);
    return [...this.read.values()].filter(({ log }) => !replaced.has(log));
  }

  private async rowsOf(state: CatalogueState, ids: ReadonlySet<string>): Promise<KnownLog[]> {
    const isWanted = (log: string): boolean => ids.has(log);
    const broken = await this.files.brokenOf('logs', state, isWanted);
    const source = rowsOfKind(this.files.lake, 'logs', state, state.singles, isWanted, broken);
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

export async function isThere(lake: Lake, id: string): Promise<boolean> {
  if (await stat(lake.catalogueFile('logs', id)).catch(() => undefined)) return true;
  return (await lake.packs.holderOf(id)) !== undefined;
}
