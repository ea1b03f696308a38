import { sqlName, sqlText } from '../core/names.ts';
import { CATALOGUE, type CatalogueKind } from './catalogue.ts';
import type { Lake } from './lake.ts';
import { namesIn, type Pack, packFile, stateName } from './packs.ts';

/** The part of a pack that counts: other packs may have newer copies, and logs are removed. */
export interface PackShare {
  readonly pack: Pack;
  readonly logs: ReadonlySet<string>;
}

/** Which logs are in a lake at a moment, and in which files the catalogue has them. */
export interface CatalogueState {
  readonly ids: ReadonlySet<string>;
  /** Those that have files of their own. */
  readonly singles: ReadonlySet<string>;
  readonly shares: readonly PackShare[];
}

const SINGLE = /^([0-9a-f]+)\.parquet$/;

/**
 * Looks at the catalogue. The order matters, since others pack and replace logs meanwhile: what was removed first, so
 * that what took its place is seen; packs last, so that a log that leaves its own files is found there.
 */
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

/** Ids of the logs that have a file of their own in a folder of the catalogue. */
export async function singlesIn(folder: string): Promise<Set<string>> {
  return new Set((await namesIn(folder)).flatMap((name) => SINGLE.exec(name)?.[1] ?? []));
}

/**
 * What stands in SQL for all rows of one kind: of those logs only, and without those files.
 * @param own the ids that have a file of this kind
 */
export function rowsOfKind(
  lake: Lake,
  kind: CatalogueKind,
  { singles, shares }: CatalogueState,
  own: ReadonlySet<string>,
  isWanted: (log: string) => boolean,
  without: ReadonlySet<string> = new Set(),
): string {
  const none = Object.entries(CATALOGUE[kind]).map(([name, type]) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`);
  const parts = [`SELECT * FROM (SELECT ${none.join(', ')} WHERE false)`];
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
