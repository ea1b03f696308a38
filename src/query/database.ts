import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { QUERY_LIMITS, type QueryLimits } from '../core/limits.ts';
import { sqlName, sqlText } from '../core/names.ts';
import type { Sheet } from '../export/sheet.ts';
import { type NamedLog, type Relation, relationsOf, schemaNames, viewOf } from './catalog.ts';
import { loadDuckdb } from './duckdb.ts';
import { explained } from './mistake.ts';
import { QueryResult } from './result.ts';
import { NOT_READY, Scans } from './scan.ts';
import type { TableNames } from './table-names.ts';
import { type UserFile, userTable } from './user-file.ts';

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

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    relations: readonly Relation[],
    others: readonly TableNames[],
    milliseconds: number,
  ) {
    this.instance = instance;
    this.connection = connection;
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
      await connection.run(definitions(relations, logs, scans));
      const others: TableNames[] = [];
      for (const file of files) others.push(await userTable(connection, file, [...relations, ...others]));
      await connection.run('SET enable_external_access = false; SET lock_configuration = true');
      return new LogDatabase(instance, connection, relations, others, milliseconds);
    } catch (error) {
      instance.closeSync();
      throw error;
    }
  }

  /** Runs a query; of several statements, the result is that of the last. Rows are made as they are asked for. */
  async query(sql: string): Promise<QueryResult> {
    const folded = sql.toLowerCase();
    const isNamed = (name: string): boolean => folded.includes(name.toLowerCase());
    await this.ready(({ name, parts }) => isNamed(name) || isNamed(parts[0].sheet.name));
    const explain = (error: unknown): Error => explained(error, this.tables);
    const timer = Number.isFinite(this.milliseconds)
      ? setTimeout(() => this.interrupt(), this.milliseconds).unref()
      : undefined;
    try {
      const result = await this.connection.stream(sql).catch(async (error: unknown) => {
        // a table that is not named in the query but in a view of the user's
        if (!String(error).includes(NOT_READY)) throw error;
        await this.ready(() => true);
        return this.connection.stream(sql);
      });
      return new QueryResult(result, () => clearTimeout(timer), explain);
    } catch (error) {
      clearTimeout(timer);
      throw explain(error);
    }
  }

  private async ready(isNeeded: (relation: Relation) => boolean): Promise<void> {
    const sheets = new Set<Sheet>(
      this.relations.filter(isNeeded).flatMap(({ parts }) => parts.map(({ sheet }) => sheet)),
    );
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

function definitions(relations: readonly Relation[], logs: readonly NamedLog[], scans: Scans): string {
  const known = new Map<Sheet, string>();
  const scanOf = (sheet: Sheet): string => {
    const scan = known.get(sheet) ?? scans.add(sheet);
    known.set(sheet, scan);
    return scan;
  };
  const schemas = logs.length > 1 ? schemaNames(logs).map((name) => `CREATE SCHEMA ${sqlName(name)}`) : [];
  return [...schemas, ...relations.map((relation) => viewOf(relation, scanOf)), `SELECT ${sqlText('')}`].join(';\n');
}
