import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Api from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type Bindings from '@duckdb/node-bindings';

/** What temporary folders of this machine begin with; the number of the process and random letters follow. */
export const FOLDER_PREFIX: string = `skein-sql-${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-`;

/** Makes a temporary folder with a random name, for this user only. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
}

/** A query engine with tables in memory. It fetches nothing from elsewhere. */
export interface Engine {
  readonly duckdb: Duckdb;
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  close(): void;
}

interface EngineOptions {
  readonly threads?: number | undefined;
  /** For tables and sorts in memory; as much again goes to a temporary folder. */
  readonly memoryBytes?: number | undefined;
}

export async function openEngine({
  threads,
  memoryBytes = Number.POSITIVE_INFINITY,
}: EngineOptions = {}): Promise<Engine> {
  const duckdb = await loadDuckdb();
  const folder = makeFolder();
  const bytes = `${Math.round(memoryBytes)}B`;
  let instance: DuckDBInstance | undefined;
  const close = (): void => {
    instance?.closeSync();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    instance = await duckdb.api.DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      temp_directory: folder,
      ...(Number.isFinite(memoryBytes) ? { memory_limit: bytes, max_temp_directory_size: bytes } : {}),
      ...(threads === undefined ? {} : { threads: String(threads) }),
    });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return { duckdb, instance, connection, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The query engine: its API, and the lower level for moving many values at once. */
export interface Duckdb {
  readonly api: typeof Api;
  readonly bindings: typeof Bindings;
}

/** Loads the engine: it is large, and optional. */
export async function loadDuckdb(): Promise<Duckdb> {
  try {
    const [api, bindings] = await Promise.all([import('@duckdb/node-api'), import('@duckdb/node-bindings')]);
    return { api, bindings: bindings.default };
  } catch (error) {
    throw new Error(
      'SQL and Parquet need the package @duckdb/node-api, which is not installed: npm install @duckdb/node-api',
      { cause: error },
    );
  }
}
