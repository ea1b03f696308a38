import { caseFolded, sqlName } from '../core/names.ts';
import { type Engine, openEngine } from '../sql/engine.ts';
import type { QueryLimits } from '../sql/limits.ts';
import { engineBytes, SqlDatabase } from '../sql/sql-database.ts';
import type { Statement } from '../sql/statements.ts';
import { catalogueState } from './catalogue-state.ts';
import type { Lake } from './lake.ts';
import { LakeFiles } from './lake-files.ts';
import { type LakeTable, lakeTables } from './lake-tables.ts';
import { LogIndex } from './log-index.ts';
import { namesIn } from './packs.ts';

export interface LakeDatabaseOptions extends Partial<QueryLimits> {
  /** What is known of the files of the lake from before. */
  readonly files?: LakeFiles | undefined;
  /** Whether the tables of logs are left out, which takes less time. */
  readonly isCatalogueOnly?: boolean | undefined;
}

/**
 * The tables of a lake for SQL, as the lake is when it is opened. Queries read the lake and nothing else. Files that are
 * broken are left out: `files` names those that the queries so far would have needed.
 */
export class LakeDatabase extends SqlDatabase {
  readonly files: LakeFiles;
  private readonly all: readonly LakeTable[];
  private readonly known = new Set<LakeTable>();
  private readonly listed = new Set<LakeTable>();

  private constructor(engine: Engine, all: readonly LakeTable[], files: LakeFiles, limits: Partial<QueryLimits>) {
    super(engine, all, limits);
    this.all = all;
    this.files = files;
  }

  static async open(lake: Lake, options: LakeDatabaseOptions = {}): Promise<LakeDatabase> {
    const engine = await openEngine({ memoryBytes: engineBytes(options) });
    const { connection } = engine;
    const { files = new LakeFiles(lake) } = options;
    files.restart();
    try {
      const sealed = await namesIn(lake.seals);
      const state = await catalogueState(lake);
      await files.findLost(sealed, state);
      const logs = await new LogIndex(files, connection).logs(state);
      const tables = await lakeTables(files, connection, state, logs, options.isCatalogueOnly);
      for (const schema of new Set(tables.map((table) => table.schema)))
        if (schema !== '') await connection.run(`CREATE SCHEMA ${sqlName(schema)}`);
      await SqlDatabase.lock(engine, lake.root);
      return new LakeDatabase(engine, tables, files, options);
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  protected async define({ tables, isListing }: Statement): Promise<void> {
    for (const table of this.all) {
      const isRead = tables.has(caseFolded(table.name));
      if (this.known.has(table) || !(isRead || (isListing && !this.listed.has(table)))) continue;
      const name = table.schema === '' ? sqlName(table.name) : `${sqlName(table.schema)}.${sqlName(table.name)}`;
      // a list of tables needs no rows, so no file is looked at for it
      const query = isRead ? await table.query(this.engine.connection) : table.empty;
      await this.engine.connection.run(`CREATE OR REPLACE VIEW ${name} AS ${query}`);
      (isRead ? this.known : this.listed).add(table);
    }
  }
}
