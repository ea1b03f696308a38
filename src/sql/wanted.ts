import type { ReadPlan } from '../core/indexer.ts';

/** Statements that look at the tables themselves. */
const LISTS_TABLES: RegExp = /\b(show|describe|pragma|information_schema|pg_catalog|duckdb_\w+|sqlite_master)\b/i;
/** All columns: `SELECT *`, `a.*`, `FROM t` without a SELECT, `COLUMNS(...)`. */
const ALL_COLUMNS = /(\bselect|\bdistinct|[,.])\s*\*|(^|[;(])\s*from\b|\bcolumns\s*\(/i;

/** What a query may read, by its words, unless it has `*` or the like. Too much costs time, never an answer. */
export function wantedBy(sql: string): ReadPlan | undefined {
  if (LISTS_TABLES.test(sql)) return undefined;
  const folded = sql.toLowerCase();
  const isNamed = (name: string): boolean => folded.includes(name.toLowerCase());
  const isAll = ALL_COLUMNS.test(sql);
  // the time of a row is made from its first field, in logs whose rows carry one
  const isTimed = isAll || isNamed('time');
  return { table: isNamed, field: (name, place) => isAll || isNamed(name) || (isTimed && place === 0) };
}
