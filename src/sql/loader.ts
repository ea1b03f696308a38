import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { sqlName } from '../core/names.ts';
import { columnNames, type Table, titleOf } from '../core/table.ts';
import type { Duckdb } from './engine.ts';
import { NOT_READY } from './scan.ts';
import { sqlType, VectorWriter } from './vectors.ts';

/** Keeps tables in DuckDB's memory for a while: many small tables are slower to scan than to decode and keep. */
export class Loader {
  private readonly duckdb: Duckdb;
  private readonly connection: DuckDBConnection;
  private readonly writer: VectorWriter;

  constructor(duckdb: Duckdb, connection: DuckDBConnection) {
    this.duckdb = duckdb;
    this.connection = connection;
    this.writer = new VectorWriter(duckdb, {});
  }

  /** Makes a table of each table, all of which are ready to be read; `drop` takes them away. */
  async load(tables: readonly Table[]): Promise<Map<Table, LoadedTable>> {
    const shapes = tables.map((table) => this.shapeOf(table));
    const definitions = shapes.map(({ columns }, i) => `CREATE TABLE ${nameOf(i)} (${columns.join(', ')})`);
    // what is never committed is quicker to write, and to take away
    await this.connection.run(['BEGIN', ...definitions].join('; '));
    const loaded = new Map<Table, LoadedTable>();
    for (const [i, table] of tables.entries()) {
      const name = nameOf(i);
      loaded.set(table, { name, rows: await this.fill(name, table, shapes[i].types) });
    }
    return loaded;
  }

  async drop(): Promise<void> {
    // if BEGIN failed, the caller has that error
    await this.connection.run('ROLLBACK').catch(() => undefined);
  }

  private shapeOf(table: Table): { types: DuckDBType[]; columns: string[] } {
    const types = [this.duckdb.api.TIMESTAMP, ...table.fields.map((field) => sqlType(this.duckdb, field, {}))];
    return { types, columns: columnNames(table).map((name, i) => `${sqlName(name)} ${types[i]}`) };
  }

  /** Puts all rows of a table into its table, and says how many they are. */
  private async fill(target: string, table: Table, types: readonly DuckDBType[]): Promise<number> {
    const { api, bindings } = this.duckdb;
    const blocks = table.blocksNow(table.fields, true);
    if (!blocks) throw new Error(`${titleOf(table)} ${NOT_READY}`);
    const appender = await this.connection.createAppender(target);
    const part = api.DuckDBDataChunk.create(types);
    const { chunk } = part;
    const most = bindings.vector_size();
    let rows = 0;
    for (const { from, to, times, columns } of blocks) {
      for (let at = from; at < to; at += most) {
        const end = Math.min(to, at + most);
        bindings.data_chunk_reset(chunk);
        bindings.data_chunk_set_size(chunk, end - at);
        this.writer.writeTimes(chunk, 0, times, at, end);
        for (const [i, column] of columns.entries()) this.writer.write(chunk, i + 1, column, at, end);
        appender.appendDataChunk(part);
      }
      rows += to - from;
    }
    appender.closeSync();
    return rows;
  }
}

export interface LoadedTable {
  readonly name: string;
  readonly rows: number;
}

function nameOf(index: number): string {
  return `loaded_${index}`;
}
