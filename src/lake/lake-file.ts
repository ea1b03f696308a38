import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../core/log.ts';
import { caseFolded, columnName, sqlName, sqlText, uniqueNames } from '../core/names.ts';
import { columnNames, type Table } from '../core/table.ts';
import { tablesOf } from '../sql/catalog.ts';
import { type Duckdb, type Engine, openEngine } from '../sql/engine.ts';
import { Loader } from '../sql/loader.ts';
import { toParquet } from '../sql/parquet.ts';
import { Scans } from '../sql/scan.ts';
import { sqlType } from '../sql/vectors.ts';
import { tableFolders } from './lake.ts';
import { hashOfFile } from './seal.ts';
import { type ColumnType, selectUnited, unitedColumns } from './united.ts';

/** Columns that rows have before the fields of their record: partitions, the log, the stream, the time. */
const PARTITIONS = ['vehicle', 'date'] as const;
const OWN = ['log', 'stream', 'time'] as const;

/** The log whose tables are written: its id, and what the metadata of its files says. */
interface About {
  readonly id: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** A file with all rows of one table of a log. */
export class LakeFile {
  readonly table: string;
  readonly tables: readonly Table[];
  /** The folder of the table in the lake. */
  readonly folder: string;
  /** These three are known once it is written; the hash is SHA-256, hexadecimal. */
  rows = 0;
  bytes = 0;
  hash = '';
  private readonly path: string;
  private readonly shapes: readonly TableShape[];
  private readonly united: readonly ColumnType[];
  private readonly units: ReadonlyMap<string, string>;

  constructor(duckdb: Duckdb, table: string, tables: readonly Table[], folder: string, parent: string) {
    this.table = table;
    this.tables = tables;
    this.folder = folder;
    this.path = join(parent, `${folder}.parquet`);
    this.shapes = tables.map((table) => shapeOf(duckdb, table));
    this.united = unitedColumns(this.shapes.map(({ types }) => types));
    this.units = new Map(this.shapes.flatMap(({ units }) => [...units]));
  }

  /** How many values it has, about, with each byte of a text as one; none where rows are not counted yet. */
  get values(): number {
    const width = ({ fields }: Table): number => fields.reduce((sum, { count }) => sum + count, 1);
    return this.tables.reduce((sum, table) => sum + table.rows * width(table), 0);
  }

  /** SQL that writes the file. @param source the SQL of the rows of a table */
  copy(source: (table: Table) => string, { id, metadata }: About): string {
    const selects = this.tables.map((table, i) => {
      const { sources, types } = this.shapes[i];
      const renamed = sources.map((value, k) => `${value} AS ${sqlName(types[k].name)}`).join(', ');
      const list = selectUnited(types, this.united).join(', ');
      return `SELECT ${sqlText(id)} AS log, ${sqlText(table.stream)} AS stream, ${list} FROM (SELECT ${renamed} FROM ${source(table)})`;
    });
    const units = JSON.stringify(Object.fromEntries(this.units));
    const about = new Map([...metadata, ['table', this.table], ['units', units]]);
    return `COPY (${selects.join(' UNION ALL BY NAME ')}) ${toParquet(this.path, about)}`;
  }

  /** Notes that the file was written, and how many rows it has. */
  async written(rows: number): Promise<void> {
    this.rows = rows;
    this.bytes = statSync(this.path).size;
    // the system still has the file in memory
    this.hash = await hashOfFile(this.path);
  }

  /** Its columns, as the catalogue lists them. */
  get columns(): readonly (ColumnType & { readonly unit: string })[] {
    const texts = ['log', 'stream'].map((name) => ({ name, type: 'VARCHAR', unit: '' }));
    return [...texts, ...this.united.map((column) => ({ ...column, unit: this.units.get(column.name) ?? '' }))];
  }
}

interface TableShape {
  /** The SQL of each column of the table. */
  readonly sources: readonly string[];
  /** Their names and types in the lake: arrays are lists there. */
  readonly types: readonly ColumnType[];
  readonly units: ReadonlyMap<string, string>;
}

/** Names of fields give way to those of the columns that every table of the lake has. */
function shapeOf(duckdb: Duckdb, table: Table): TableShape {
  const own: string[] = [...PARTITIONS, ...OWN];
  const names = uniqueNames([...own, ...table.fields.map(({ name }) => columnName(name))], caseFolded);
  const [time, ...fields] = columnNames(table);
  const inLake = names.slice(own.length);
  const types = table.fields.map((field) => String(sqlType(duckdb, field, {})));
  const lists = types.map((type) => type.replace(/\[\d+\]$/, '[]'));
  return {
    sources: [sqlName(time), ...fields.map((field, i) => castToList(sqlName(field), types[i], lists[i]))],
    types: [{ name: 'time', type: 'TIMESTAMP' }, ...lists.map((type, i) => ({ name: inLake[i], type }))],
    units: new Map(table.fields.flatMap(({ unit }, i) => (unit === '' ? [] : [[inLake[i], unit] as const]))),
  };
}

function castToList(column: string, type: string, list: string): string {
  return type === list ? column : `CAST(${column} AS ${list})`;
}

/** Values of tables that are in memory at a time; a table with more is decoded while it is written. */
const LOADED_VALUES = 4_000_000;

/**
 * Writes each table of a log to a file in a folder: the rows of all its streams, one after the other, each with the id
 * of the log and the name of the stream. Fields keep their types; where two definitions of a table differ, columns are
 * united by name.
 */
export async function writeTables(
  engine: IngestEngine,
  log: Log,
  id: string,
  folder: string,
  metadata: ReadonlyMap<string, string>,
): Promise<LakeFile[]> {
  const byName = new Map<string, Table[]>();
  for (const table of await tablesOf(log)) byName.set(table.name, [...(byName.get(table.name) ?? []), table]);
  const folders = tableFolders([...byName.keys()]);
  const files = [...byName].map(
    ([name, tables]) => new LakeFile(engine.duckdb, name, tables, folders.get(name) as string, folder),
  );
  const about = { id, metadata };
  let batch: LakeFile[] = [];
  let values = 0;
  for (const file of files) {
    if (file.values > LOADED_VALUES) {
      await writeScanned(engine, file, about);
      continue;
    }
    if (values + file.values > LOADED_VALUES) {
      await writeLoaded(engine, batch, about);
      batch = [];
      values = 0;
    }
    batch.push(file);
    values += file.values;
  }
  await writeLoaded(engine, batch, about);
  return files.filter(({ rows }) => rows > 0);
}

/** Writes a table whose rows are decoded on the way. */
async function writeScanned({ connection, scans }: IngestEngine, file: LakeFile, about: About): Promise<void> {
  for (const table of file.tables) await table.ready();
  const copied = await connection.runAndReadAll(file.copy((table) => scans.add(table), about));
  scans.clear();
  await file.written(Number(copied.getRows()[0][0]));
}

/** Writes small tables all at once. */
async function writeLoaded(
  { connection, loader }: IngestEngine,
  files: readonly LakeFile[],
  about: About,
): Promise<void> {
  const tables = files.flatMap((file) => file.tables);
  if (tables.length === 0) return;
  for (const table of tables) await table.ready();
  try {
    const loaded = await loader.load(tables);
    const rowsOf = ({ tables }: LakeFile): number =>
      tables.reduce((sum, table) => sum + (loaded.get(table)?.rows ?? 0), 0);
    const filled = files.filter((file) => rowsOf(file) > 0);
    const copies = filled.map((file) => file.copy((table) => loaded.get(table)?.name ?? '', about));
    if (copies.length > 0) await connection.run(copies.join('; '));
    await Promise.all(filled.map((file) => file.written(rowsOf(file))));
  } finally {
    await loader.drop();
  }
}

/** A query engine with what brings tables of logs into it: large ones, and small ones. */
export interface IngestEngine extends Engine {
  readonly scans: Scans;
  readonly loader: Loader;
}

/** Opens an engine with one thread: there is a process for each core. */
export async function openIngestEngine(): Promise<IngestEngine> {
  const engine = await openEngine({ threads: 1 });
  const { duckdb, connection } = engine;
  return { ...engine, scans: new Scans(duckdb, connection), loader: new Loader(duckdb, connection) };
}
