import type { DuckDBConnection } from '@duckdb/node-api';
import { sqlName, sqlText } from '../core/names.ts';
import { hexOf } from '../core/text.ts';
import { toParquet } from '../sql/parquet.ts';
import type { ColumnType } from './united.ts';

/** Types of the columns of one kind of catalogue file, by name. */
type Columns = Readonly<Record<string, string>>;

export type CatalogueKind = 'logs' | 'tables' | 'flights' | 'events' | 'findings' | 'parameters' | 'tracks' | 'faults';

/** What every row of the catalogue says of the log it is about. */
const ABOUT: Columns = { log: 'VARCHAR', vehicle: 'VARCHAR', date: 'DATE' };

/** Times are TIMESTAMPs in UTC, or since 1970 where the log counts from boot: see `utc` of the log. */
export const CATALOGUE: Readonly<Record<CatalogueKind, Columns>> = {
  logs: columns(`
    vehicle_from VARCHAR, path VARCHAR, bytes BIGINT, marks VARCHAR, format VARCHAR, kind VARCHAR, firmware VARCHAR,
    version VARCHAR, git VARCHAR, board VARCHAR, start TIMESTAMP, end TIMESTAMP, utc BOOLEAN, clock VARCHAR,
    records BIGINT, tables INTEGER, flights INTEGER, in_air DOUBLE, faults BIGINT, lost_bytes BIGINT, lost BOOLEAN,
    verdict VARCHAR, remark VARCHAR, ingested TIMESTAMP`),
  tables: columns(`
    table VARCHAR, folder VARCHAR, rows BIGINT, bytes BIGINT, hash VARCHAR,
    columns STRUCT("name" VARCHAR, "type" VARCHAR, "unit" VARCHAR)[]`),
  flights: columns(`
    flight INTEGER, stream VARCHAR, start TIMESTAMP, end TIMESTAMP, takeoff TIMESTAMP, landing TIMESTAMP,
    open BOOLEAN, begun_before BOOLEAN, duration DOUBLE, in_air DOUBLE, distance DOUBLE, max_height DOUBLE,
    max_speed DOUBLE, max_home_distance DOUBLE, modes STRUCT("mode" VARCHAR, "seconds" DOUBLE)[], start_volts DOUBLE,
    end_volts DOUBLE, least_volts DOUBLE, milliamp_hours DOUBLE, watt_hours DOUBLE, percent DOUBLE, errors INTEGER,
    warnings INTEGER, outline BLOB`),
  events: columns(`
    time TIMESTAMP, end TIMESTAMP, kind VARCHAR, severity VARCHAR, text VARCHAR, table VARCHAR, stream VARCHAR`),
  findings: columns(`
    check VARCHAR, severity VARCHAR, title VARCHAR, text VARCHAR, advice VARCHAR, start TIMESTAMP, end TIMESTAMP,
    value DOUBLE, unit VARCHAR, threshold DOUBLE, source VARCHAR, fields VARCHAR[], instance VARCHAR`),
  parameters: columns(`
    name VARCHAR, value DOUBLE, first DOUBLE, default DOUBLE, changes INTEGER, noise BOOLEAN`),
  tracks: columns(`
    source VARCHAR, points BIGINT, west DOUBLE, south DOUBLE, east DOUBLE, north DOUBLE, lowest DOUBLE,
    highest DOUBLE, wkb BLOB, outline BLOB`),
  faults: columns(`
    code VARCHAR, offset BIGINT, length BIGINT, lost BOOLEAN, text VARCHAR, subject VARCHAR`),
};

/** Columns as SQL declares them, behind those of every row. */
function columns(text: string): Columns {
  const own = text.matchAll(/(\w+) ((?:STRUCT\(.*?\)|[A-Z]+)(?:\[\])?)/g);
  return { ...ABOUT, ...Object.fromEntries(Array.from(own, ([, name, type]) => [name, type])) };
}

export const CATALOGUE_KINDS: readonly CatalogueKind[] = Object.keys(CATALOGUE) as CatalogueKind[];

/** A row: what is missing is null; times are microseconds, dates text. */
export type CatalogueRow = Readonly<Record<string, unknown>>;

/** The columns of one kind of catalogue file. */
export function columnsOf(kind: CatalogueKind): ColumnType[] {
  return Object.entries(CATALOGUE[kind]).map(([name, type]) => ({ name, type }));
}

/** The SQL of some columns without rows. */
export function noRows(columns: readonly ColumnType[]): string {
  return `SELECT ${columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`).join(', ')} WHERE false`;
}

/** When the logs of some files were ingested, in microseconds: a row a log. */
export async function ingestedIn(
  connection: DuckDBConnection,
  paths: readonly string[],
): Promise<[log: string, ingested: string][]> {
  const files = paths.map(sqlText).join(', ');
  const rows = await connection.runAndReadAll(
    `SELECT log, CAST(epoch_us(ingested) AS VARCHAR) FROM read_parquet([${files}])`,
  );
  return rows.getRows().map(([log, ingested]) => [String(log), String(ingested)]);
}

/** Rows that are handed to the engine at a time. */
const ROWS = 2000;

/** How values of a type come as JSON, and what makes them of it. */
const FROM_JSON: Readonly<Record<string, readonly [type: string, expression: (column: string) => string]>> = {
  TIMESTAMP: ['BIGINT', (column) => `make_timestamp(${column})`],
  DATE: ['VARCHAR', (column) => `CAST(${column} AS DATE)`],
  BLOB: ['VARCHAR', (column) => `unhex(${column})`],
};

export async function writeCatalogueFile(
  connection: DuckDBConnection,
  kind: CatalogueKind,
  rows: readonly CatalogueRow[],
  path: string,
): Promise<void> {
  const columns = Object.entries(CATALOGUE[kind]);
  const shape = columns.map(([name, type]) => `${sqlName(name)} ${FROM_JSON[type]?.[0] ?? type}`).join(', ');
  const values = columns.map(([name, type]) => [FROM_JSON[type]?.[1](sqlName(name)) ?? sqlName(name), sqlName(name)]);
  const list = values.map(([value, name]) => `${value} AS ${name}`).join(', ');
  // what a row says beyond its columns is not kept
  const source = (part: readonly CatalogueRow[]): string => {
    const plain = part.map((row) => Object.fromEntries(columns.map(([name]) => [name, row[name] ?? null])));
    const json = JSON.stringify(plain, (_, value: unknown) => plainValue(value));
    return `SELECT ${list} FROM (SELECT unnest(CAST(json(${sqlText(json)}) AS STRUCT(${shape})[]), max_depth := 2))`;
  };
  const to = toParquet(path);
  if (rows.length > 0 && rows.length <= ROWS) {
    await connection.run(`COPY (${source(rows)}) ${to}`);
    return;
  }
  const typed = columns.map(([name, type]) => `${sqlName(name)} ${type}`).join(', ');
  await connection.run(`CREATE OR REPLACE TEMP TABLE rows_of_kind (${typed})`);
  for (let at = 0; at < rows.length; at += ROWS)
    await connection.run(`INSERT INTO rows_of_kind ${source(rows.slice(at, at + ROWS))}`);
  await connection.run(`COPY rows_of_kind ${to}; DROP TABLE rows_of_kind`);
}

/** Texts come from logs: what JSON or SQL cannot hold becomes U+FFFD. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string')
    return value.replace(/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
  return value;
}

/** Microseconds as a TIMESTAMP holds them, and the catalogue says them; null if not a time. */
export function moment(micros: number | null): number | null {
  if (micros === null) return null;
  const whole = Math.round(micros);
  return Number.isSafeInteger(whole) ? whole : null;
}

/** The day of a time in UTC. */
export function dayOf(micros: number | null): string | null {
  const whole = moment(micros);
  if (whole === null) return null;
  const text = new Date(Math.floor(whole / 1000)).toISOString();
  return /^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 10) : null;
}

/** Bytes as the catalogue takes them. */
export function blob(bytes: Uint8Array): string {
  return hexOf(bytes);
}
