import { sqlName, sqlText } from '../core/names.ts';
import { openEngine } from './engine.ts';
import { QUERY_LIMITS } from './limits.ts';
import type { QueryResult } from './result.ts';

/**
 * Writes the rows of a query to a Parquet file. The engine that ran the query may not touch files, so another one does
 * it, which sees no more than these rows.
 */
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
    await connection.run(`COPY result TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2)`);
  } finally {
    close();
  }
}
