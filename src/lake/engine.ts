import { openEngine as openQueryEngine, type Engine as QueryEngine } from '../sql/engine.ts';
import { Loader } from '../sql/loader.ts';
import { Scans } from '../sql/scan.ts';

/** A query engine for large tables of logs, and for small ones. */
export interface Engine extends QueryEngine {
  readonly scans: Scans;
  readonly loader: Loader;
}

/** @param threads one where there is an engine for each core */
export async function openEngine(threads?: number): Promise<Engine> {
  const engine = await openQueryEngine({ threads });
  const { duckdb, connection } = engine;
  return { ...engine, scans: new Scans(duckdb, connection), loader: new Loader(duckdb, connection) };
}
