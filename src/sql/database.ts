import { caseFolded, sqlName } from '../core/names.ts';
import type { Table } from '../core/table.ts';
import { type NamedLog, type SqlView, schemaNames, viewOf, viewsOf } from './catalog.ts';
import { type Engine, openEngine } from './engine.ts';
import type { QueryLimits } from './limits.ts';
import type { TableNames } from './query-error.ts';
import { Scans } from './scan.ts';
import { engineBytes, SqlDatabase } from './sql-database.ts';
import type { Statement } from './statements.ts';
import { type UserFile, userTable } from './user-file.ts';

export interface DatabaseOptions extends Partial<QueryLimits> {
  /** Tables of the user: Parquet and CSV files. */
  readonly files?: readonly UserFile[] | undefined;
  /** Values in SI units by the logs' own multipliers. */
  readonly si?: boolean | undefined;
}

/** Logs as tables for SQL. Rows are decoded while a query reads them, and of these only the columns that it needs. */
export class LogDatabase extends SqlDatabase {
  private readonly views: readonly SqlView[];
  private readonly scans: Scans;
  private readonly known = new Set<SqlView>();
  private readonly scanned = new Map<Table, string>();

  private constructor(
    engine: Engine,
    scans: Scans,
    views: readonly SqlView[],
    others: readonly TableNames[],
    limits: Partial<QueryLimits>,
  ) {
    super(engine, [...views, ...others], limits);
    this.scans = scans;
    this.views = views;
  }

  static async open(logs: readonly NamedLog[], options: DatabaseOptions = {}): Promise<LogDatabase> {
    const engine = await openEngine({ memoryBytes: engineBytes(options) });
    const { connection } = engine;
    try {
      const scans = new Scans(engine.duckdb, connection, { si: options.si });
      const views = await viewsOf(logs);
      for (const name of logs.length > 1 ? schemaNames(logs) : [])
        await connection.run(`CREATE SCHEMA ${sqlName(name)}`);
      const others: TableNames[] = [];
      for (const file of options.files ?? []) others.push(await userTable(connection, file, [...views, ...others]));
      await SqlDatabase.lock(engine);
      return new LogDatabase(engine, scans, views, others, options);
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  protected async define({ tables, isListing }: Statement): Promise<void> {
    const named = this.views.filter(({ name }) => tables.has(caseFolded(name)));
    const fresh = (isListing ? this.views : named).filter((view) => !this.known.has(view));
    if (fresh.length > 0) {
      const views = fresh.map((view) => viewOf(view, (table) => this.scanOf(table)));
      await this.engine.connection.run(views.join(';\n'));
    }
    for (const view of fresh) this.known.add(view);
    const read = new Set(named.flatMap(({ parts }) => parts.map(({ table }) => table)));
    for (const table of read) await table.ready();
  }

  private scanOf(table: Table): string {
    const scan = this.scanned.get(table) ?? this.scans.add(table);
    this.scanned.set(table, scan);
    return scan;
  }
}
