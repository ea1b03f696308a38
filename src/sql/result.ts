import type { DuckDBDataChunk, DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { hexOf } from '../core/text.ts';

/** The rows of a query, as they are made. */
export class QueryResult {
  readonly names: readonly string[];
  /** Types as SQL names them. */
  readonly types: readonly string[];
  private readonly result: DuckDBResult;
  private readonly onEnd: () => void;
  private readonly explain: (error: unknown) => Error;

  constructor(result: DuckDBResult, onEnd: () => void, explain: (error: unknown) => Error) {
    this.result = result;
    this.onEnd = onEnd;
    this.explain = explain;
    this.names = result.deduplicatedColumnNames();
    this.types = result.columnTypes().map(String);
  }

  /** Rows some thousands at a time; to stop reading ends the query. */
  async *chunks(): AsyncGenerator<DuckDBDataChunk> {
    try {
      for (;;) {
        const chunk = await this.result.fetchChunk().catch((error: unknown) => {
          throw this.explain(error);
        });
        if (!chunk || chunk.rowCount === 0) return;
        yield chunk;
      }
    } finally {
      this.onEnd();
    }
  }

  async *rows(): AsyncGenerator<readonly DuckDBValue[]> {
    for await (const chunk of this.chunks()) yield* chunk.getRows();
  }
}

/** A value as JSON holds it: what is not a number there is null, integers beyond 2^53 are texts, bytes hexadecimal. */
export function jsonOf(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if ('bytes' in value && value.bytes instanceof Uint8Array) return hexOf(value.bytes);
  if ('items' in value && Array.isArray(value.items)) return value.items.map(jsonOf);
  if ('entries' in value && typeof value.entries === 'object') return jsonOfEntries(value.entries);
  return String(value);
}

function jsonOfEntries(entries: unknown): unknown {
  if (Array.isArray(entries))
    return entries.map(({ key, value }: { key: DuckDBValue; value: DuckDBValue }) => [jsonOf(key), jsonOf(value)]);
  return Object.fromEntries(
    Object.entries(entries as Record<string, DuckDBValue>).map(([name, value]) => [name, jsonOf(value)]),
  );
}

export function textOf(value: DuckDBValue): string {
  if (value === null) return '';
  if (typeof value === 'object') {
    const json = jsonOf(value);
    return typeof json === 'string' ? json : JSON.stringify(json);
  }
  return String(value);
}
