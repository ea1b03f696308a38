import type { DuckDBConnection } from '@duckdb/node-api';
import { caseFolded, columnName, sqlName, sqlText, uniqueNames } from '../core/names.ts';
import { CATALOGUE, CATALOGUE_KINDS, type CatalogueKind } from './catalogue.ts';
import { type CatalogueState, rowsOfKind, singlesIn } from './catalogue-state.ts';
import type { Lake } from './lake.ts';
import type { KnownLog } from './log-index.ts';
import { type ColumnType, selectUnited, unitedColumns } from './united.ts';

/** A table of a lake as SQL knows it. */
export interface LakeTable {
  /** '' for tables that need none to be named. */
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** The query that stands for it. */
  readonly query: string;
}

/** The schema in which the catalogue is in any case; its tables are also in the main one, where no table has the name. */
const CATALOGUE_SCHEMA = 'catalogue';

const PARTITIONS: readonly ColumnType[] = [
  { name: 'vehicle', type: 'VARCHAR' },
  { name: 'date', type: 'DATE' },
];

/** What of a lake is wanted. */
interface TableChoice {
  /** Files of the catalogue that are passed over. */
  readonly without?: ReadonlySet<string> | undefined;
  readonly isCatalogueOnly?: boolean | undefined;
}

/** All tables of a lake: those of its logs, and those of its catalogue. */
export async function lakeTables(
  lake: Lake,
  connection: DuckDBConnection,
  state: CatalogueState,
  logs: readonly KnownLog[],
  { without, isCatalogueOnly }: TableChoice = {},
): Promise<LakeTable[]> {
  const ids = new Set(logs.map(({ log }) => log));
  const sources = new Map<CatalogueKind, string>();
  for (const kind of CATALOGUE_KINDS) {
    const own = await singlesIn(lake.catalogue(kind));
    sources.set(
      kind,
      rowsOfKind(lake, kind, state, own, (log) => ids.has(log), without),
    );
  }
  const data = isCatalogueOnly ? [] : await dataTables(lake, connection, logs, sources.get('tables') as string);
  const catalogue = CATALOGUE_KINDS.map((kind) => catalogueTable(kind, sources.get(kind) as string));
  const taken = new Set(data.map(({ name }) => caseFolded(name)));
  return [
    ...data,
    ...catalogue.filter(({ name }) => !taken.has(name)).map((each) => ({ ...each, schema: '' })),
    ...catalogue,
  ];
}

function catalogueTable(kind: CatalogueKind, query: string): LakeTable {
  return { schema: CATALOGUE_SCHEMA, name: kind, columns: Object.keys(CATALOGUE[kind]), query };
}

/** Files of one table that have the same columns. */
interface Group {
  readonly columns: readonly ColumnType[];
  readonly files: readonly string[];
}

async function dataTables(
  lake: Lake,
  connection: DuckDBConnection,
  logs: readonly KnownLog[],
  tables: string,
): Promise<LakeTable[]> {
  const rows = await connection.runAndReadAll(
    `SELECT "table", folder, CAST(to_json(list_transform(columns, lambda c: [c.name, c.type])) AS VARCHAR) AS shape, string_agg(log, ' ' ORDER BY log) FROM (${tables}) GROUP BY ALL ORDER BY ALL`,
  );
  const places = new Map(logs.map((log) => [log.log, log]));
  const byTable = new Map<string, Group[]>();
  for (const [table, folder, shape, list] of rows.getRows()) {
    const columns = (JSON.parse(String(shape)) as [string, string][]).map(([name, type]) => ({ name, type }));
    const paths = String(list)
      .split(' ')
      .flatMap((id) => places.get(id) ?? [])
      .map((place) => lake.dataFile(String(folder), place));
    const groups = byTable.get(String(table));
    if (groups) groups.push({ columns, files: paths });
    else byTable.set(String(table), [{ columns, files: paths }]);
  }
  const names = uniqueNames([...byTable.keys()].map(columnName), caseFolded);
  return [...byTable.values()].map((groups, i) => dataTable(names[i], groups));
}

/**
 * Firmwares differ in the fields of their tables: files with the same columns are read together, and all of them are
 * united by name. A filter on vehicle or date leaves out files by their path, before any is opened.
 */
function dataTable(name: string, groups: readonly Group[]): LakeTable {
  const united = unitedColumns(groups.map(({ columns }) => columns));
  const all = [...PARTITIONS, ...united];
  const selects = groups.map(({ columns, files }) => {
    const list = [...PARTITIONS.map((column) => sqlName(column.name)), ...selectUnited(columns, united)].join(', ');
    const types = PARTITIONS.map((column) => `${sqlText(column.name)}: ${column.type}`).join(', ');
    return `SELECT ${list} FROM read_parquet([${files.map(sqlText).join(', ')}], hive_partitioning = true, hive_types = {${types}})`;
  });
  return { schema: '', name, columns: all.map((column) => column.name), query: selects.join(' UNION ALL BY NAME ') };
}
