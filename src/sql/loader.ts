import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { sqlName } from '../core/names.ts';
import { columnNames, type Sheet, sheetTitle } from '../core/sheet.ts';
import type { Duckdb } from './engine.ts';
import { NOT_READY } from './scan.ts';
import { sqlType, VectorWriter } from './vectors.ts';

/**
 * Sheets as tables that DuckDB holds in its memory for a while. A scan asks for rows again and again, each time from
 * another thread, which waits: with many small sheets that takes longer than to decode and to keep them.
 */
export class Loader {
  private readonly duckdb: Duckdb;
  private readonly connection: DuckDBConnection;
  private readonly writer: VectorWriter;

  constructor(duckdb: Duckdb, connection: DuckDBConnection) {
    this.duckdb = duckdb;
    this.connection = connection;
    this.writer = new VectorWriter(duckdb, {});
  }

  /** Makes a table of each sheet, all of which are ready to be read; `drop` takes them away. */
  async load(sheets: readonly Sheet[]): Promise<Map<Sheet, LoadedTable>> {
    const shapes = sheets.map((sheet) => this.shapeOf(sheet));
    const definitions = shapes.map(({ columns }, i) => `CREATE TABLE ${nameOf(i)} (${columns.join(', ')})`);
    // what is never committed is quicker to write, and to take away
    await this.connection.run(['BEGIN', ...definitions].join('; '));
    const loaded = new Map<Sheet, LoadedTable>();
    for (const [i, sheet] of sheets.entries()) {
      const name = nameOf(i);
      loaded.set(sheet, { name, rows: await this.fill(name, sheet, shapes[i].types) });
    }
    return loaded;
  }

  async drop(): Promise<void> {
    // if BEGIN failed, the caller has that error
    await this.connection.run('ROLLBACK').catch(() => undefined);
  }

  private shapeOf(sheet: Sheet): { types: DuckDBType[]; columns: string[] } {
    const types = [this.duckdb.api.TIMESTAMP, ...sheet.fields.map((field) => sqlType(this.duckdb, field, {}))];
    return { types, columns: columnNames(sheet).map((name, i) => `${sqlName(name)} ${types[i]}`) };
  }

  /** Puts all rows of a sheet into its table, and says how many they are. */
  private async fill(table: string, sheet: Sheet, types: readonly DuckDBType[]): Promise<number> {
    const { api, bindings } = this.duckdb;
    const blocks = sheet.blocksNow(sheet.fields, true);
    if (!blocks) throw new Error(`${sheetTitle(sheet)} ${NOT_READY}`);
    const appender = await this.connection.createAppender(table);
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
