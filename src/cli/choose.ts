import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { UsageError } from './failure.ts';

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
  for (const wanted of list.split(',').map((word) => word.trim())) {
    const found = log.tables.filter((table) => table.name === wanted || titleOf(table) === wanted);
    if (found.length === 0) throw new UsageError(`no table ${wanted} in this log${nearest(log, wanted)}`);
    for (const table of found) chosen.add(table);
  }
  return log.tables.filter((table) => chosen.has(table));
}

function nearest(log: Log, wanted: string): string {
  const names = [...new Set(log.tables.map((table) => table.name))];
  const [best] = names.map((name) => ({ name, far: distance(wanted, name) })).sort((a, b) => a.far - b.far);
  return best && best.far <= 2 ? `: did you mean ${best.name}?` : `: it has ${names.sort().join(', ') || 'none'}`;
}

/** How many letters must be changed, added, taken away or swapped with their neighbour, whatever their case. */
function distance(a: string, b: string): number {
  const [from, to] = [a.toUpperCase(), b.toUpperCase()];
  const rows = [Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) {
    rows[i] = [i];
    for (let k = 1; k <= to.length; k++) {
      const isSame = from[i - 1] === to[k - 1];
      const isSwapped = i > 1 && k > 1 && from[i - 1] === to[k - 2] && from[i - 2] === to[k - 1];
      rows[i][k] = Math.min(
        rows[i - 1][k] + 1,
        rows[i][k - 1] + 1,
        rows[i - 1][k - 1] + (isSame ? 0 : 1),
        isSwapped ? rows[i - 2][k - 2] + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return rows[from.length][to.length];
}
