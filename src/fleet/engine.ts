import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Duckdb, loadDuckdb } from '../query/duckdb.ts';
import { Scans } from '../query/scan.ts';

/** A query engine of its own: it fetches nothing from elsewhere, and works on one core, since there is one for each. */
export interface Engine {
  readonly duckdb: Duckdb;
  readonly connection: DuckDBConnection;
  /** For tables of logs. */
  readonly scans: Scans;
  close(): void;
}

export async function openEngine(threads?: number): Promise<Engine> {
  const duckdb = await loadDuckdb();
  const instance: DuckDBInstance = await duckdb.api.DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  return {
    duckdb,
    connection,
    scans: new Scans(duckdb, connection),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
