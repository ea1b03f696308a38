import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { QUERY_LIMITS, type QueryLimits } from '../core/limits.ts';
import { sqlName } from '../core/names.ts';
import type { Sheet } from '../export/sheet.ts';
import { type NamedLog, type Relation, relationsOf, schemaNames, viewOf } from './catalog.ts';
import { loadDuckdb } from './duckdb.ts';
import { explained, refuseForbidden } from './mistake.ts';
import { QueryResult } from './result.ts';
import { NOT_READY, Scans } from './scan.ts';
import type { TableNames } from './table-names.ts';
import { type UserFile, userTable } from './user-file.ts';
import { LISTS_TABLES } from './wanted.ts';

export interface DatabaseOptions extends Partial<QueryLimits> {
  /** Files of the user that are no logs: Parquet and CSV. */
  readonly files?: readonly UserFile[] | undefined;
  /** Values in SI units by the logs' own multipliers. */
  readonly si?: boolean | undefined;
}

/**
 * Logs as tables for SQL. Rows are decoded while a query reads them, and of these only the columns that it needs.
 * Queries see what was given and nothing else: no file, no network, no setting.
 */
export class LogDatabase {
  readonly tables: readonly TableNames[];
  private readonly instance: DuckDBInstance;
  private readonly connection: DuckDBConnection;
  private readonly relations: readonly Relation[];
  private readonly milliseconds: number;

  private readonly scans: Scans;
  /** Relations that DuckDB knows already: each takes a while, and a query needs few of them. */
  private readonly known = new Set<Relation>();
  private readonly scanned = new Map<Sheet, string>();

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    scans: Scans,
    relations: readonly Relation[],
    others: readonly TableNames[],
    milliseconds: number,
  ) {
    this.instance = instance;
    this.connection = connection;
    this.scans = scans;
    this.relations = relations;
    this.tables = [...relations, ...others];
    this.milliseconds = milliseconds;
  }

  static async open(logs: readonly NamedLog[], options: DatabaseOptions = {}): Promise<LogDatabase> {
    const { memoryBytes = QUERY_LIMITS.memoryBytes, milliseconds = QUERY_LIMITS.milliseconds, files = [] } = options;
    const duckdb = await loadDuckdb();
    const instance = await duckdb.api.DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      temp_directory: join(tmpdir(), `skein-sql-${process.pid}`),
      ...(Number.isFinite(memoryBytes) ? { memory_limit: `${Math.round(memoryBytes)}B` } : {}),
    });
    try {
      const connection = await instance.connect();
      await connection.run("SET TimeZone = 'UTC'");
      const scans = new Scans(duckdb, connection, { si: options.si });
      const relations = relationsOf(logs);
      for (const name of logs.length > 1 ? schemaNames(logs) : [])
        await connection.run(`CREATE SCHEMA ${sqlName(name)}`);
      const others: TableNames[] = [];
      for (const file of files) others.push(await userTable(connection, file, [...relations, ...others]));
      await connection.run('SET enable_external_access = false; SET lock_configuration = true');
      return new LogDatabase(instance, connection, scans, relations, others, milliseconds);
    } catch (error) {
      instance.closeSync();
      throw error;
    }
  }

  /** Runs a query; of several statements, the result is that of the last. Rows are made as they are asked for. */
  async query(sql: string): Promise<QueryResult> {
    refuseForbidden(sql);
    const folded = sql.toLowerCase();
    const isNamed = (name: string): boolean => folded.includes(name.toLowerCase());
    const named = this.relations.filter(({ name, parts }) => isNamed(name) || isNamed(parts[0].sheet.name));
    await this.define(LISTS_TABLES.test(sql) ? this.relations : named);
    await this.ready(named);
    const explain = (error: unknown): Error => explained(error, this.tables);
    const timer = Number.isFinite(this.milliseconds)
      ? setTimeout(() => this.interrupt(), this.milliseconds).unref()
      : undefined;
    try {
      const result = await this.connection.stream(sql).catch(async (error: unknown) => {
        // a table that is not named in the query but in a view of the user's
        if (!String(error).includes(NOT_READY)) throw error;
        await this.ready(this.relations);
        return this.connection.stream(sql);
      });
      return new QueryResult(result, () => clearTimeout(timer), explain);
    } catch (error) {
      clearTimeout(timer);
      throw explain(error);
    }
  }

  /** Makes relations known to DuckDB. */
  private async define(relations: readonly Relation[]): Promise<void> {
    const fresh = relations.filter((relation) => !this.known.has(relation));
    if (fresh.length === 0) return;
    await this.connection.run(fresh.map((relation) => viewOf(relation, (sheet) => this.scanOf(sheet))).join(';\n'));
    for (const relation of fresh) this.known.add(relation);
  }

  private scanOf(sheet: Sheet): string {
    const scan = this.scanned.get(sheet) ?? this.scans.add(sheet);
    this.scanned.set(sheet, scan);
    return scan;
  }

  private async ready(relations: readonly Relation[]): Promise<void> {
    const sheets = new Set(relations.flatMap(({ parts }) => parts.map(({ sheet }) => sheet)));
    for (const sheet of sheets) await sheet.ready();
  }

  /** Ends the query that runs, with an error to who waits for it. */
  interrupt(): void {
    this.connection.interrupt();
  }

  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}
