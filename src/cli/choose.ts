import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { UsageError } from './failure.ts';
import { nearest } from './words.ts';

/** A table as people write it: its name, and its stream in brackets if it has one. */
export function titleOf({ name, stream }: Table): string {
  return stream === '' ? name : `${name}[${stream}]`;
}

/**
 * The tables that a list like `GPS,IMU[0]` means. A name that no table has is an error with the nearest one that there
 * is, since a typing mistake must not look like a log without data.
 */
export function chooseTables(log: Log, list: string | undefined): readonly Table[] {
  if (list === undefined) return log.tables;
  const chosen = new Set<Table>();
  for (const word of list.split(',')) {
    const wanted = word.trim();
    // a name may begin or end with a blank
    const found = tablesOf(log, word) ?? tablesOf(log, wanted);
    if (!found) throw new UsageError(`no table ${wanted} in this log${others(log, wanted)}`);
    for (const table of found) chosen.add(table);
  }
  return log.tables.filter((table) => chosen.has(table));
}

function tablesOf(log: Log, wanted: string): Table[] | undefined {
  const found = log.tables.filter((table) => table.name === wanted || titleOf(table) === wanted);
  return found.length > 0 ? found : undefined;
}

function others(log: Log, wanted: string): string {
  const names = [...new Set(log.tables.map((table) => table.name))];
  const meant = nearest(wanted, names);
  return meant === undefined ? `: it has ${names.sort().join(', ') || 'none'}` : `: did you mean ${meant}?`;
}
