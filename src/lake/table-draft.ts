import { statSync } from 'node:fs';
import { join } from 'node:path';
import { caseFolded, columnName, sqlName, sqlText, uniqueNames } from '../core/names.ts';
import { columnNames, type Sheet } from '../core/sheet.ts';
import type { Duckdb } from '../sql/duckdb.ts';
import { sqlType } from '../sql/vectors.ts';
import { hashOfFile } from './seal.ts';
import { type ColumnType, selectUnited, unitedColumns } from './united.ts';

/** A file with all rows of one table of a log. */
export interface TableFile {
  readonly table: string;
  /** The folder of the table in the lake. */
  readonly folder: string;
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  readonly columns: readonly (ColumnType & { readonly unit: string })[];
}

/** Columns that rows have before the fields of their record: partitions, the log, the stream, the time. */
const PARTITIONS = ['vehicle', 'date'] as const;
const OWN = ['log', 'stream', 'time'] as const;

/** What stands in the files of a log. */
export interface About {
  readonly id: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** A file that is to be. */
export class TableDraft {
  readonly table: string;
  readonly sheets: readonly Sheet[];
  private readonly folder: string;
  private readonly path: string;
  private readonly shapes: readonly Shape[];
  private readonly columns: readonly ColumnType[];
  private readonly units: ReadonlyMap<string, string>;

  constructor(duckdb: Duckdb, table: string, sheets: readonly Sheet[], folder: string, parent: string) {
    this.table = table;
    this.sheets = sheets;
    this.folder = folder;
    this.path = join(parent, `${folder}.parquet`);
    this.shapes = sheets.map((sheet) => shapeOf(duckdb, sheet));
    this.columns = unitedColumns(this.shapes.map(({ types }) => types));
    this.units = new Map(this.shapes.flatMap(({ units }) => [...units]));
  }

  /** How many values it has, about, with each byte of a text as one; none where rows are not counted yet. */
  get values(): number {
    const width = ({ fields }: Sheet): number => fields.reduce((sum, { count }) => sum + count, 1);
    return this.sheets.reduce((sum, sheet) => sum + sheet.rows * width(sheet), 0);
  }

  /**
   * SQL that writes the file.
   *
   * @param source what stands for the rows of a sheet
   */
  copy(source: (sheet: Sheet) => string, { id, metadata }: About): string {
    const selects = this.sheets.map((sheet, i) => {
      const { sources, types } = this.shapes[i];
      const renamed = sources.map((value, k) => `${value} AS ${sqlName(types[k].name)}`).join(', ');
      const list = selectUnited(types, this.columns).join(', ');
      return `SELECT ${sqlText(id)} AS log, ${sqlText(sheet.stream)} AS stream, ${list} FROM (SELECT ${renamed} FROM ${source(sheet)})`;
    });
    const units = JSON.stringify(Object.fromEntries(this.units));
    const about = new Map([...metadata, ['table', this.table], ['units', units]]);
    const pairs = [...about].map(([key, value]) => `${sqlName(key)}: ${sqlText(value)}`).join(', ');
    return `COPY (${selects.join(' UNION ALL BY NAME ')}) TO ${sqlText(this.path)} (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, USE_TMP_FILE false, KV_METADATA {${pairs}})`;
  }

  /** The file that was written. */
  async file(rows: number): Promise<TableFile> {
    const text = (name: string): ColumnType & { unit: string } => ({ name, type: 'VARCHAR', unit: '' });
    const columns = this.columns.map((column) => ({ ...column, unit: this.units.get(column.name) ?? '' }));
    return {
      table: this.table,
      folder: this.folder,
      rows,
      bytes: statSync(this.path).size,
      // the system still has the file in memory
      hash: await hashOfFile(this.path),
      columns: [text('log'), text('stream'), ...columns],
    };
  }
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
