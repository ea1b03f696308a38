import { sqlText } from '../core/names.ts';
import type { Engine } from './engine.ts';
import { QUERY_LIMITS, type QueryLimits } from './limits.ts';
import { explained, QueryError, type TableNames } from './query-error.ts';
import { QueryResult } from './result.ts';
import { allowedStatements, type OwnTables, type Statement } from './statements.ts';

/** What the engine itself may take of the memory of a query: the rest is for rows on their way. */
export function engineBytes({ memoryBytes = QUERY_LIMITS.memoryBytes }: Partial<QueryLimits>): number {
  return memoryBytes * 0.75;
}

/** Tables for SQL. Queries see them and nothing else: no file, no network, no setting. */
export abstract class SqlDatabase {
  readonly tables: readonly TableNames[];
  protected readonly engine: Engine;
  private readonly milliseconds: number;
  private readonly own: OwnTables = new Map();

  protected constructor(engine: Engine, tables: readonly TableNames[], { milliseconds }: Partial<QueryLimits>) {
    this.engine = engine;
    this.tables = tables;
    this.milliseconds = milliseconds ?? QUERY_LIMITS.milliseconds;
  }

  /** Takes from the engine what queries must not have; files of a folder can be read by tables that are defined later. */
  protected static async lock({ connection }: Engine, folder?: string): Promise<void> {
    if (folder !== undefined) await connection.run(`SET allowed_directories = [${sqlText(`${folder}/`)}]`);
    await connection.run('SET enable_external_access = false; SET lock_configuration = true');
  }

  /** Makes the tables that a statement reads known to the engine: each takes a while, and a query needs few of them. */
  protected abstract define(statement: Statement): Promise<void>;

  /** Runs a query; of several statements, the result is that of the last. Rows are made as they are asked for. */
  async query(sql: string): Promise<QueryResult> {
    const { connection } = this.engine;
    const explain = (error: unknown): Error => (error instanceof QueryError ? error : explained(error, this.tables));
    const timer = Number.isFinite(this.milliseconds)
      ? setTimeout(() => this.interrupt(), this.milliseconds).unref()
      : undefined;
    try {
      const statements = await allowedStatements(connection, sql, this.tables, this.own);
      for (const statement of statements.slice(0, -1)) {
        await this.define(statement);
        await connection.run(statement.sql);
      }
      const last = statements[statements.length - 1];
      await this.define(last);
      return new QueryResult(await connection.stream(last.sql), () => clearTimeout(timer), explain);
    } catch (error) {
      clearTimeout(timer);
      throw explain(error);
    }
  }

  /** Ends the query that runs, with an error for its caller. */
  interrupt(): void {
    this.engine.connection.interrupt();
  }

  close(): void {
    this.engine.connection.closeSync();
    this.engine.close();
  }
}
