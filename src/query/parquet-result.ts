import { sqlName, sqlText } from '../core/names.ts';
import { loadDuckdb } from './duckdb.ts';
import type { QueryResult } from './result.ts';

/**
 * Writes the rows of a query to a Parquet file. The engine that ran the query may not touch files, so another one does
 * it, which sees no more than these rows.
 */
export async function writeResult(result: QueryResult, path: string): Promise<void> {
  const { api } = await loadDuckdb();
  const instance = await api.DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    const columns = result.names.map((name, i) => `${sqlName(name)} ${result.types[i]}`);
    await connection.run(`CREATE TABLE result (${columns.join(', ')})`);
    const appender = await connection.createAppender('result');
    for await (const chunk of result.chunks()) appender.appendDataChunk(chunk);
    appender.closeSync();
    await connection.run(`COPY result TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2)`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
