import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Duckdb, loadDuckdb } from '../query/duckdb.ts';
import { Loader } from '../query/loader.ts';
import { Scans } from '../query/scan.ts';

/** A query engine of its own: it fetches nothing from elsewhere, and works on one core, since there is one for each. */
export interface Engine {
  readonly duckdb: Duckdb;
  readonly connection: DuckDBConnection;
  /** For large tables of logs, and for small ones. */
  readonly scans: Scans;
  readonly loader: Loader;
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
    loader: new Loader(duckdb, connection),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
