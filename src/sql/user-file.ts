import type { DuckDBConnection } from '@duckdb/node-api';
import { caseFolded, sqlName, sqlText, uniqueNames } from '../core/names.ts';
import type { TableNames } from './query-error.ts';

/** A file of tables, not a log. */
export interface UserFile {
  readonly path: string;
  readonly kind: UserFileKind;
}

export type UserFileKind = 'csv' | 'parquet';

const KINDS: Readonly<Record<string, UserFileKind>> = { csv: 'csv', tsv: 'csv', parquet: 'parquet' };

/** What a file is by its name; undefined if it may be a log. */
export function userFileKind(path: string): UserFileKind | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1].toLowerCase() ?? '';
  return Object.hasOwn(KINDS, ending) ? KINDS[ending] : undefined;
}

/** Reads a file into a table named as the file is. */
export async function userTable(
  connection: DuckDBConnection,
  { path, kind }: UserFile,
  taken: readonly TableNames[],
): Promise<TableNames> {
  const stem = path.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '');
  const names = taken.filter(({ schema }) => schema === '').map(({ name }) => name);
  const name = uniqueNames([...names, stem || '_'], caseFolded)[names.length];
  // a path with such letters would mean several files
  const literal = sqlText(path.replace(/[*?[]/g, '[$&]'));
  const reader = kind === 'csv' ? `read_csv(${literal})` : `read_parquet(${literal})`;
  await connection.run(`CREATE TABLE ${sqlName(name)} AS FROM ${reader}`);
  const described = await connection.runAndReadAll(`SELECT column_name FROM (DESCRIBE ${sqlName(name)})`);
  return { schema: '', name, columns: described.getRowsJson().map(([column]) => String(column)) };
}
