import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { derivedTables } from '../sensors/derived.ts';
import type { DerivedTable } from '../sensors/derived-table.ts';
import { UsageError } from './failure.ts';
import { nearest } from './words.ts';

/** A table as people write it: its name, and its stream in brackets if it has one. */
export function titleOf({ name, stream }: Pick<Table, 'name' | 'stream'>): string {
  return stream === '' ? name : `${name}[${stream}]`;
}

/**
 * The tables that a list like `GPS,IMU[0]` means. A name that no table has is an error with the nearest one that there
 * is, since a typing mistake must not look like a log without data.
 */
export async function chooseTables(log: Log, list: string | undefined): Promise<readonly Table[]> {
  if (list === undefined) return log.tables;
  const chosen = new Set<Table>();
  for (const word of list.split(',')) {
    const wanted = word.trim();
    // a name may begin or end with a blank
    const found = tablesOf(log, word) ?? tablesOf(log, wanted);
    if (!found) throw new UsageError(`no table ${wanted} in this log${await others(log, wanted)}`);
    for (const table of found) chosen.add(table);
  }
  return log.tables.filter((table) => chosen.has(table));
}

/** The tables that a list means, and those in it that are made from others. */
export interface Choice {
  readonly tables: readonly Table[];
  readonly derived: readonly DerivedTable[];
}

/** As `chooseTables`, but tables that are made from others may be named too. Without a list there are none of them. */
export async function chooseAll(log: Log, list: string | undefined): Promise<Choice> {
  if (list === undefined) return { tables: log.tables, derived: [] };
  const words = list.split(',');
  const isMeant = (table: DerivedTable, word: string): boolean => [table.name, titleOf(table)].includes(word.trim());
  const known = await derivedTables(log);
  const derived = known.filter((table) => words.some((word) => isMeant(table, word)));
  const others = words.filter((word) => !known.some((table) => isMeant(table, word)));
  return { tables: others.length === 0 ? [] : await chooseTables(log, others.join(',')), derived };
}

function tablesOf(log: Log, wanted: string): Table[] | undefined {
  const found = log.tables.filter((table) => table.name === wanted || titleOf(table) === wanted);
  return found.length > 0 ? found : undefined;
}

async function others(log: Log, wanted: string): Promise<string> {
  const names = [...new Set([...log.tables, ...(await derivedTables(log))].map((table) => table.name))];
  const meant = nearest(wanted, names);
  return meant === undefined ? `: it has ${names.sort().join(', ') || 'none'}` : `: did you mean ${meant}?`;
}
