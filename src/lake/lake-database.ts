import type { DuckDBConnection } from '@duckdb/node-api';
import { getOrAdd } from '../core/maps.ts';
import { caseFolded, columnName, sqlName, sqlText, uniqueNames } from '../core/names.ts';
import { type Engine, openEngine } from '../sql/engine.ts';
import type { QueryLimits } from '../sql/limits.ts';
import { engineBytes, SqlDatabase } from '../sql/sql-database.ts';
import type { Statement } from '../sql/statements.ts';
import { CATALOGUE, CATALOGUE_KINDS, type CatalogueKind, columnsOf, noRows } from './catalogue.ts';
import {
  type CatalogueState,
  catalogueState,
  type KnownLog,
  LogIndex,
  rowsOfKind,
  singlesIn,
} from './catalogue-state.ts';
import type { Lake, LogPlace } from './lake.ts';
import { LakeFiles } from './lake-files.ts';
import { namesIn } from './packs.ts';
import { type ColumnType, selectUnited, unitedColumns } from './united.ts';

export interface LakeDatabaseOptions extends Partial<QueryLimits> {
  readonly files?: LakeFiles | undefined;
  /** Whether the tables of logs are left out, which takes less time. */
  readonly isCatalogueOnly?: boolean | undefined;
}

/** The tables of a lake for SQL, as of its opening. Broken files are left out; `files` names the needed ones. */
export class LakeDatabase extends SqlDatabase {
  readonly files: LakeFiles;
  private readonly all: readonly LakeTable[];
  private readonly known = new Set<LakeTable>();
  private readonly listed = new Set<LakeTable>();

  private constructor(engine: Engine, all: readonly LakeTable[], files: LakeFiles, limits: Partial<QueryLimits>) {
    super(engine, all, limits);
    this.all = all;
    this.files = files;
  }

  static async open(lake: Lake, options: LakeDatabaseOptions = {}): Promise<LakeDatabase> {
    const engine = await openEngine({ memoryBytes: engineBytes(options) });
    const { connection } = engine;
    const { files = new LakeFiles(lake) } = options;
    files.restart();
    try {
      const sealed = await namesIn(lake.seals);
      const state = await catalogueState(lake);
      await files.findLost(sealed, state);
      const logs = await new LogIndex(files, connection).logs(state);
      const tables = await lakeTables(files, connection, state, logs, options.isCatalogueOnly);
      for (const schema of new Set(tables.map((table) => table.schema)))
        if (schema !== '') await connection.run(`CREATE SCHEMA ${sqlName(schema)}`);
      await SqlDatabase.lock(engine, lake.root);
      return new LakeDatabase(engine, tables, files, options);
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  protected async define({ tables, isListing }: Statement): Promise<void> {
    for (const table of this.all) {
      const isRead = tables.has(caseFolded(table.name));
      if (this.known.has(table) || !(isRead || (isListing && !this.listed.has(table)))) continue;
      const name = table.schema === '' ? sqlName(table.name) : `${sqlName(table.schema)}.${sqlName(table.name)}`;
      // a list of tables needs no rows, so no file is looked at for it
      const query = isRead ? await table.query(this.engine.connection) : table.empty;
      await this.engine.connection.run(`CREATE OR REPLACE VIEW ${name} AS ${query}`);
      (isRead ? this.known : this.listed).add(table);
    }
  }
}

interface LakeTable {
  /** '' for tables that need none to be named. */
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** A query of all its columns, without rows. */
  readonly empty: string;
  /** The query for its rows in files that are whole. */
  query(connection: DuckDBConnection): Promise<string>;
}

/** The schema in which the catalogue is in any case; its tables are also in the main one, where no table has the name. */
const CATALOGUE_SCHEMA = 'catalogue';

const PARTITIONS: readonly ColumnType[] = [
  { name: 'vehicle', type: 'VARCHAR' },
  { name: 'date', type: 'DATE' },
];

export async function lakeTables(
  files: LakeFiles,
  connection: DuckDBConnection,
  state: CatalogueState,
  logs: readonly KnownLog[],
  isCatalogueOnly = false,
): Promise<LakeTable[]> {
  const ids = new Set(logs.map(({ log }) => log));
  const isWanted = (log: string): boolean => ids.has(log);
  const rowsOf = async (kind: CatalogueKind): Promise<string> => {
    const own = await singlesIn(files.lake.catalogue(kind));
    return rowsOfKind(files.lake, kind, state, own, isWanted, await files.brokenOf(kind, state, isWanted));
  };
  const data = isCatalogueOnly ? [] : await dataTables(files, connection, logs, await rowsOf('tables'));
  const catalogue = CATALOGUE_KINDS.map((kind) => ({
    schema: CATALOGUE_SCHEMA,
    name: kind,
    columns: Object.keys(CATALOGUE[kind]),
    empty: noRows(columnsOf(kind)),
    query: () => rowsOf(kind),
  }));
  const taken = new Set(data.map(({ name }) => caseFolded(name)));
  return [
    ...data,
    ...catalogue.filter(({ name }) => !taken.has(name)).map((each) => ({ ...each, schema: '' })),
    ...catalogue,
  ];
}

/** Files of one table that have the same columns. */
interface FileGroup {
  readonly columns: readonly ColumnType[];
  readonly folder: string;
  readonly places: readonly LogPlace[];
}

async function dataTables(
  files: LakeFiles,
  connection: DuckDBConnection,
  logs: readonly KnownLog[],
  tables: string,
): Promise<LakeTable[]> {
  const rows = await connection.runAndReadAll(
    `SELECT "table", folder, CAST(to_json(list_transform(columns, lambda c: [c.name, c.type])) AS VARCHAR) AS shape, string_agg(log, ' ' ORDER BY log) FROM (${tables}) GROUP BY ALL ORDER BY ALL`,
  );
  const known = new Map(logs.map((log) => [log.log, log]));
  const byTable = new Map<string, FileGroup[]>();
  for (const [table, folder, shape, list] of rows.getRows()) {
    const columns = (JSON.parse(String(shape)) as [string, string][]).map(([name, type]) => ({ name, type }));
    const places = String(list)
      .split(' ')
      .flatMap((id) => known.get(id) ?? []);
    getOrAdd(byTable, String(table), () => []).push({ columns, folder: String(folder), places });
  }
  const names = uniqueNames([...byTable.keys()].map(columnName), caseFolded);
  return [...byTable].map(([table, groups], i) => dataTable(files, names[i], groups, hashesOf(table, tables)));
}

function hashesOf(table: string, tables: string): string {
  return `SELECT folder, log, hash FROM (${tables}) WHERE "table" = ${sqlText(table)}`;
}

/** Files with the same columns are read together, then united by name. Filters by vehicle or date skip paths. */
function dataTable(files: LakeFiles, name: string, groups: readonly FileGroup[], hashes: string): LakeTable {
  const united = unitedColumns(groups.map(({ columns }) => columns));
  const all = [...PARTITIONS, ...united];
  const empty = noRows(all);
  const types = PARTITIONS.map((column) => `${sqlText(column.name)}: ${column.type}`).join(', ');
  return {
    schema: '',
    name,
    columns: all.map((column) => column.name),
    empty,
    async query(connection) {
      const kept = (await connection.runAndReadAll(hashes)).getRows();
      const known = new Map(kept.map(([folder, log, hash]) => [`${folder}/${log}`, hash]));
      const selects: string[] = [];
      for (const { columns, folder, places } of groups) {
        const wanted = places.map((place) => ({
          path: files.lake.dataFile(folder, place),
          log: place.log,
          hash: known.get(`${folder}/${place.log}`)?.toString(),
        }));
        const whole = await files.wholeOf(wanted);
        const paths = wanted.filter(({ path }) => whole.has(path)).map(({ path }) => sqlText(path));
        if (paths.length === 0) continue;
        const list = [...PARTITIONS.map((column) => sqlName(column.name)), ...selectUnited(columns, united)].join(', ');
        selects.push(
          `SELECT ${list} FROM read_parquet([${paths.join(', ')}], hive_partitioning = true, hive_types = {${types}})`,
        );
      }
      return (selects.length < groups.length ? [`SELECT * FROM (${empty})`, ...selects] : selects).join(
        ' UNION ALL BY NAME ',
      );
    },
  };
}
