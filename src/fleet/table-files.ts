import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedTables } from '../analyze/derived.ts';
import type { Log } from '../core/log.ts';
import { caseFolded, columnName, sqlName, sqlText, uniqueNames } from '../core/names.ts';
import { DerivedSheet } from '../export/derived-sheet.ts';
import { columnNames, type Sheet } from '../export/sheet.ts';
import { TableSheet } from '../export/table-sheet.ts';
import type { Duckdb } from '../query/duckdb.ts';
import { sqlType } from '../query/vectors.ts';
import type { Engine } from './engine.ts';
import { tableFolders } from './lake.ts';
import { type ColumnType, selectUnited, unitedColumns } from './united.ts';

/** A file with all rows of one table of a log. */
export interface TableFile {
  readonly table: string;
  /** The folder of the table in the lake. */
  readonly folder: string;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly (ColumnType & { readonly unit: string })[];
}

/** Columns that rows have before the fields of their record: partitions, the log, the stream, the time. */
const PARTITIONS = ['vehicle', 'date'] as const;
const OWN = ['log', 'stream', 'time'] as const;

/**
 * Writes each table of a log to a file in a folder: the rows of all its streams, one after the other, each with the id
 * of the log and the name of the stream. Fields keep their types; where two definitions of a table differ, columns are
 * united by name.
 */
export async function writeTables(
  { duckdb, connection, scans }: Engine,
  log: Log,
  id: string,
  folder: string,
  metadata: ReadonlyMap<string, string>,
): Promise<TableFile[]> {
  const byName = new Map<string, Sheet[]>();
  for (const sheet of sheetsOf(log)) byName.set(sheet.name, [...(byName.get(sheet.name) ?? []), sheet]);
  const folders = tableFolders([...byName.keys()]);
  const files: TableFile[] = [];
  for (const [table, sheets] of byName) {
    const name = folders.get(table) as string;
    const path = join(folder, `${name}.parquet`);
    const shapes = sheets.map((sheet) => shapeOf(duckdb, sheet));
    const columns = unitedColumns(shapes.map(({ types }) => types));
    const selects: string[] = [];
    for (const [i, sheet] of sheets.entries()) {
      await sheet.ready();
      const renamed = shapes[i].sources.map((source, k) => `${source} AS ${sqlName(shapes[i].types[k].name)}`);
      const list = selectUnited(shapes[i].types, columns).join(', ');
      selects.push(
        `SELECT ${sqlText(id)} AS log, ${sqlText(sheet.stream)} AS stream, ${list} FROM (SELECT ${renamed.join(', ')} FROM ${scans.add(sheet)})`,
      );
    }
    const units = new Map(shapes.flatMap(({ units }) => [...units]));
    const about = new Map([...metadata, ['table', table], ['units', JSON.stringify(Object.fromEntries(units))]]);
    const pairs = [...about].map(([key, value]) => `${sqlName(key)}: ${sqlText(value)}`).join(', ');
    // rows are decoded while they are written
    const copied = await connection.runAndReadAll(
      `COPY (${selects.join(' UNION ALL BY NAME ')}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, USE_TMP_FILE false, KV_METADATA {${pairs}})`,
    );
    scans.clear();
    const rows = Number(copied.getRows()[0][0]);
    if (rows === 0) continue;
    const text = (column: string): ColumnType & { unit: string } => ({ name: column, type: 'VARCHAR', unit: '' });
    files.push({
      table,
      folder: name,
      rows,
      bytes: (await stat(path)).size,
      columns: [
        text('log'),
        text('stream'),
        ...columns.map((column) => ({ ...column, unit: units.get(column.name) ?? '' })),
      ],
    });
  }
  return files;
}

function sheetsOf(log: Log): Sheet[] {
  const tables = log.tables.filter(({ rows }) => rows > 0).map((table) => new TableSheet(table));
  return [...tables, ...derivedTables(log).map((table) => new DerivedSheet(table))];
}

interface Shape {
  /** What stands in SQL for each column of the sheet. */
  readonly sources: readonly string[];
  /** Their names and types in the lake: arrays are lists there. */
  readonly types: readonly ColumnType[];
  readonly units: ReadonlyMap<string, string>;
}

/** Names of fields give way to those of the columns that every table of the lake has. */
function shapeOf(duckdb: Duckdb, sheet: Sheet): Shape {
  const own: string[] = [...PARTITIONS, ...OWN];
  const names = uniqueNames([...own, ...sheet.fields.map(({ name }) => columnName(name))], caseFolded);
  const [time, ...fields] = columnNames(sheet);
  const inLake = names.slice(own.length);
  const types = sheet.fields.map((field) => String(sqlType(duckdb, field, {})));
  const lists = types.map((type) => type.replace(/\[\d+\]$/, '[]'));
  return {
    sources: [sqlName(time), ...fields.map((field, i) => castToList(sqlName(field), types[i], lists[i]))],
    types: [{ name: 'time', type: 'TIMESTAMP' }, ...lists.map((type, i) => ({ name: inLake[i], type }))],
    units: new Map(sheet.fields.flatMap(({ unit }, i) => (unit === '' ? [] : [[inLake[i], unit] as const]))),
  };
}

function castToList(column: string, type: string, list: string): string {
  return type === list ? column : `CAST(${column} AS ${list})`;
}
