import type * as Api from '@duckdb/node-api';
import type Bindings from '@duckdb/node-bindings';

/** The query engine: what it offers, and what lies below that for moving many values at once. */
export interface Duckdb {
  readonly api: typeof Api;
  readonly bindings: typeof Bindings;
}

/** The engine is not installed. */
class MissingEngineError extends Error {
  override readonly name = 'MissingEngineError';
}

/** Loads the engine: it is large, and optional. */
export async function loadDuckdb(): Promise<Duckdb> {
  try {
    const [api, bindings] = await Promise.all([import('@duckdb/node-api'), import('@duckdb/node-bindings')]);
    return { api, bindings: bindings.default };
  } catch (error) {
    throw new MissingEngineError(
      'SQL and Parquet need the package @duckdb/node-api, which is not installed here: npm install @duckdb/node-api',
      { cause: error },
    );
  }
}
