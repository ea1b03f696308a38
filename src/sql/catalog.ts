import type { Log } from '../core/log.ts';
import { getOrAdd } from '../core/maps.ts';
import { caseFolded, columnName, sqlName, sqlText, uniqueNames } from '../core/names.ts';
import { columnNames, type Table, titleOf } from '../core/table.ts';
import { derivedTables } from '../sensors/derived.ts';

/** A log under the name that rows of it have in the column `file`. */
export interface NamedLog {
  readonly file: string;
  readonly log: Log;
}

/** A table as SQL knows it: the rows of one or several tables. */
export interface SqlView {
  /** '' for the one that needs none to be named. */
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly parts: readonly SourceTables[];
  /** The columns with the file and stream of a row, where there are several. */
  readonly fileColumn: string | undefined;
  readonly streamColumn: string | undefined;
}

interface SourceTables {
  readonly file: string;
  readonly table: Table;
}

const TAKEN = ['main', 'temp', 'system', 'information_schema', 'pg_catalog'];

/** The views of some logs: by name, by stream, and, for several logs, again in a schema for each. */
export async function viewsOf(logs: readonly NamedLog[]): Promise<SqlView[]> {
  const parts: SourceTables[][] = [];
  for (const { file, log } of logs) parts.push((await tablesOf(log)).map((table) => ({ file, table })));
  const all = viewsIn('', parts.flat(), logs.length > 1);
  if (logs.length < 2) return all;
  return [...all, ...schemaNames(logs).flatMap((schema, i) => viewsIn(schema, parts[i], false))];
}

/** The tables of a log that have rows, and those that are made from them. */
export async function tablesOf(log: Log): Promise<Table[]> {
  return [...log.tables.filter(({ rows }) => rows > 0), ...(await derivedTables(log))];
}

/** A schema for each log, named by its file with letters that need no quotes. */
export function schemaNames(logs: readonly Pick<NamedLog, 'file'>[]): string[] {
  const stems = logs.map(({ file }) => file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, ''));
  const safe = stems.map((stem) => stem.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^(?=\p{N})|^$/u, '_'));
  return uniqueNames([...TAKEN, ...safe], caseFolded).slice(TAKEN.length);
}

function viewsIn(schema: string, parts: readonly SourceTables[], withFile: boolean): SqlView[] {
  const groups = new Map<string, SourceTables[]>();
  const put = (name: string, part: SourceTables) => getOrAdd(groups, name, () => []).push(part);
  for (const part of parts) put(part.table.name, part);
  for (const part of parts) if (part.table.stream !== '') put(titleOf(part.table), part);
  const names = uniqueNames([...groups.keys()].map(columnName), caseFolded);
  return [...groups.values()].map((group, i) => viewFrom(schema, names[i], group, withFile));
}

function viewFrom(schema: string, name: string, parts: readonly SourceTables[], withFile: boolean): SqlView {
  const byFolded = new Map(
    parts.flatMap(({ table }) => columnNames(table)).map((column) => [caseFolded(column), column]),
  );
  const columns = [...byFolded.values()];
  const isStreamed = parts.some(({ table }) => table.stream !== '');
  const [fileColumn, streamColumn] = uniqueNames([...columns, 'file', 'stream'], caseFolded).slice(columns.length);
  const extra = [...(withFile ? [fileColumn] : []), ...(isStreamed ? [streamColumn] : [])];
  return {
    schema,
    name,
    parts,
    columns: [...extra, ...columns],
    fileColumn: withFile ? fileColumn : undefined,
    streamColumn: isStreamed ? streamColumn : undefined,
  };
}

/** The statement that makes a view, from the SQL of each table. */
export function viewOf(view: SqlView, scanOf: (table: Table) => string): string {
  const { schema, name, parts, fileColumn, streamColumn } = view;
  const selects = parts.map(({ file, table }) => {
    const extra = [
      [file, fileColumn],
      [table.stream, streamColumn],
    ].flatMap(([text, column]) =>
      text === undefined || column === undefined ? [] : [`${sqlText(text)} AS ${sqlName(column)}`],
    );
    return `SELECT ${[...extra, '*'].join(', ')} FROM ${scanOf(table)}`;
  });
  return `CREATE VIEW ${qualified(schema, name)} AS ${selects.join(' UNION ALL BY NAME ')}`;
}

function qualified(schema: string, name: string): string {
  return schema === '' ? sqlName(name) : `${sqlName(schema)}.${sqlName(name)}`;
}
