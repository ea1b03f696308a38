import { caseFolded, sqlName } from '../core/names.ts';
import type { Sheet } from '../core/sheet.ts';
import { type NamedLog, type Relation, relationsOf, schemaNames, viewOf } from './catalog.ts';
import { type Engine, openEngine } from './engine.ts';
import type { QueryLimits } from './limits.ts';
import { Scans } from './scan.ts';
import { engineBytes, SqlDatabase } from './sql-database.ts';
import type { Statement } from './statements.ts';
import type { TableNames } from './table-names.ts';
import { type UserFile, userTable } from './user-file.ts';

export interface DatabaseOptions extends Partial<QueryLimits> {
  /** Files of the user that are no logs: Parquet and CSV. */
  readonly files?: readonly UserFile[] | undefined;
  /** Values in SI units by the logs' own multipliers. */
  readonly si?: boolean | undefined;
}

/** Logs as tables for SQL. Rows are decoded while a query reads them, and of these only the columns that it needs. */
export class LogDatabase extends SqlDatabase {
  private readonly relations: readonly Relation[];
  private readonly scans: Scans;
  private readonly known = new Set<Relation>();
  private readonly scanned = new Map<Sheet, string>();

  private constructor(
    engine: Engine,
    scans: Scans,
    relations: readonly Relation[],
    others: readonly TableNames[],
    limits: Partial<QueryLimits>,
  ) {
    super(engine, [...relations, ...others], limits);
    this.scans = scans;
    this.relations = relations;
  }

  static async open(logs: readonly NamedLog[], options: DatabaseOptions = {}): Promise<LogDatabase> {
    const engine = await openEngine({ memoryBytes: engineBytes(options) });
    const { connection } = engine;
    try {
      const scans = new Scans(engine.duckdb, connection, { si: options.si });
      const relations = await relationsOf(logs);
      for (const name of logs.length > 1 ? schemaNames(logs) : [])
        await connection.run(`CREATE SCHEMA ${sqlName(name)}`);
      const others: TableNames[] = [];
      for (const file of options.files ?? []) others.push(await userTable(connection, file, [...relations, ...others]));
      await SqlDatabase.lock(engine);
      return new LogDatabase(engine, scans, relations, others, options);
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  protected async define({ tables, isListing }: Statement): Promise<void> {
    const named = this.relations.filter(({ name }) => tables.has(caseFolded(name)));
    const fresh = (isListing ? this.relations : named).filter((relation) => !this.known.has(relation));
    if (fresh.length > 0) {
      const views = fresh.map((relation) => viewOf(relation, (sheet) => this.scanOf(sheet)));
      await this.engine.connection.run(views.join(';\n'));
    }
    for (const relation of fresh) this.known.add(relation);
    const sheets = new Set(named.flatMap(({ parts }) => parts.map(({ sheet }) => sheet)));
    for (const sheet of sheets) await sheet.ready();
  }

  private scanOf(sheet: Sheet): string {
    const scan = this.scanned.get(sheet) ?? this.scans.add(sheet);
    this.scanned.set(sheet, scan);
    return scan;
  }
}
