import { sqlName, sqlText } from '../core/names.ts';
import { columnNames, type Table } from '../core/table.ts';
import { type Engine, openEngine } from './engine.ts';
import { QUERY_LIMITS } from './limits.ts';
import type { QueryResult } from './result.ts';
import { type ScanOptions, Scans } from './scan.ts';

/*
 * Parquet with zstd, written by DuckDB from rows that are decoded on the way. The first column is the time, a TIMESTAMP
 * in UTC; integers keep their width, arrays are lists, missing is null. Units and where the rows are from are in the
 * metadata of the file.
 * https://parquet.apache.org/docs/file-format/
 */

export interface ParquetOptions extends ScanOptions {
  /** What is said of the whole file: where the rows are from. */
  readonly metadata?: ReadonlyMap<string, string> | undefined;
}

/** What follows COPY in SQL that writes Parquet. @param isDraft whether the path is only ours, and may hold half a file */
export function toParquet(
  path: string,
  metadata: Iterable<readonly [key: string, value: string]> = [],
  isDraft = true,
): string {
  const pairs = Array.from(metadata, ([key, value]) => `${sqlName(key)}: ${sqlText(value)}`).join(', ');
  const options = [
    'FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2',
    ...(isDraft ? ['USE_TMP_FILE false'] : []),
    ...(pairs === '' ? [] : [`KV_METADATA {${pairs}}`]),
  ];
  return `TO ${sqlText(path)} (${options.join(', ')})`;
}

/** Writes tables to files. It keeps one engine for all of them, until it is closed. */
export class ParquetWriter {
  private readonly engine: Engine;
  private readonly scans: Scans;
  private readonly options: ParquetOptions;

  private constructor(engine: Engine, scans: Scans, options: ParquetOptions) {
    this.engine = engine;
    this.scans = scans;
    this.options = options;
  }

  static async create(options: ParquetOptions = {}): Promise<ParquetWriter> {
    // one thread writes each file: others would only spin while rows wait to be decoded
    const engine = await openEngine({ threads: 1 });
    return new ParquetWriter(engine, new Scans(engine.duckdb, engine.connection, options), options);
  }

  /** Writes a table to a path, over whatever is there. Several may be written at a time. */
  async write(table: Table, path: string): Promise<void> {
    await table.ready();
    const metadata = [...(this.options.metadata ?? []), ...tableMetadata(table, this.options)];
    const connection = await this.engine.instance.connect();
    try {
      await connection.run(`COPY (FROM ${this.scans.add(table)}) ${toParquet(path, metadata, false)}`);
    } finally {
      connection.closeSync();
    }
  }

  close(): void {
    this.engine.close();
  }
}

/** Whose rows they are, and the units of the columns that have one, as JSON. */
export function tableMetadata(table: Table, { si = false }: ScanOptions = {}): Map<string, string> {
  const names = columnNames(table).slice(1);
  const units: [string, string][] = table.fields.map(({ unit, siUnit, multiplier }, i) => [
    names[i],
    si && multiplier !== undefined ? siUnit : unit,
  ]);
  return new Map([
    ['table', table.name],
    ['stream', table.stream],
    ['units', JSON.stringify(Object.fromEntries(units.filter(([, unit]) => unit !== '')))],
  ]);
}

/** Writes the rows of a query to Parquet with an engine that sees no more than them: the query's may touch no files. */
export async function writeResult(
  result: QueryResult,
  path: string,
  memoryBytes: number = QUERY_LIMITS.memoryBytes,
): Promise<void> {
  const { connection, close } = await openEngine({ memoryBytes: memoryBytes / 4 });
  try {
    const columns = result.names.map((name, i) => `${sqlName(name)} ${result.types[i]}`);
    await connection.run(`CREATE TABLE result (${columns.join(', ')})`);
    const appender = await connection.createAppender('result');
    for await (const chunk of result.chunks()) appender.appendDataChunk(chunk);
    appender.closeSync();
    await connection.run(`COPY result ${toParquet(path, [], false)}`);
  } finally {
    close();
  }
}
