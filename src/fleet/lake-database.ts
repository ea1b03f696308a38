import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUERY_LIMITS, type QueryLimits } from '../core/limits.ts';
import { sqlName, sqlText } from '../core/names.ts';
import { explained, QueryMistake } from '../query/mistake.ts';
import { QueryResult } from '../query/result.ts';
import type { TableNames } from '../query/table-names.ts';
import { catalogueState } from './catalogue-state.ts';
import { type Engine, openEngine } from './engine.ts';
import type { Lake } from './lake.ts';
import { type LakeTable, lakeTables } from './lake-tables.ts';
import { LogIndex } from './log-index.ts';

export interface LakeDatabaseOptions extends Partial<QueryLimits> {
  /** Files of the catalogue that are passed over. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Whether the tables of logs are left out, which takes less time. */
  readonly isCatalogueOnly?: boolean | undefined;
}

/** The tables of a lake for SQL, as the lake is when it is opened. Queries read the lake and nothing else. */
export class LakeDatabase {
  readonly tables: readonly TableNames[];
  private readonly all: readonly LakeTable[];
  private readonly engine: Engine;
  private readonly milliseconds: number;
  /** Tables that the engine knows already: a query needs few of them. */
  private readonly known = new Set<LakeTable>();

  private constructor(engine: Engine, all: readonly LakeTable[], milliseconds: number) {
    this.engine = engine;
    this.all = all;
    this.tables = all;
    this.milliseconds = milliseconds;
  }

  static async open(lake: Lake, options: LakeDatabaseOptions = {}): Promise<LakeDatabase> {
    const { memoryBytes = QUERY_LIMITS.memoryBytes, milliseconds = QUERY_LIMITS.milliseconds } = options;
    const engine = await openEngine();
    const { connection } = engine;
    try {
      const state = await catalogueState(lake);
      const logs = await new LogIndex(lake, connection, options.without).logs(state);
      const tables = await lakeTables(lake, connection, state, logs, options);
      for (const schema of new Set(tables.map((table) => table.schema)))
        if (schema !== '') await connection.run(`CREATE SCHEMA ${sqlName(schema)}`);
      if (Number.isFinite(memoryBytes)) await connection.run(`SET memory_limit = '${Math.round(memoryBytes)}B'`);
      await connection.run(`SET temp_directory = ${sqlText(join(tmpdir(), `skein-sql-${process.pid}`))}`);
      await connection.run(`SET allowed_directories = [${sqlText(`${lake.root}/`)}]`);
      await connection.run('SET enable_external_access = false; SET lock_configuration = true');
      return new LakeDatabase(engine, tables, milliseconds);
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  /** Runs a query; of several statements, the result is that of the last. Rows are made as they are asked for. */
  async query(sql: string): Promise<QueryResult> {
    const { connection } = this.engine;
    const explain = (error: unknown): Error => explained(error, this.tables);
    const timer = Number.isFinite(this.milliseconds)
      ? setTimeout(() => this.interrupt(), this.milliseconds).unref()
      : undefined;
    try {
      await this.define(sql);
      const statements = await connection.extractStatements(sql);
      if (statements.count === 0) throw new QueryMistake('the query is empty');
      for (let i = 0; ; i++) {
        const statement = await statements.prepare(i);
        this.refuseWriting(statement.statementType, sql);
        if (i === statements.count - 1)
          return new QueryResult(await statement.stream(), () => clearTimeout(timer), explain);
        await statement.run();
      }
    } catch (error) {
      clearTimeout(timer);
      throw error instanceof QueryMistake ? error : explain(error);
    }
  }

  /** The engine may reach the files of the lake, and could write there as well: only what cannot is run. */
  private refuseWriting(type: number, sql: string): void {
    const { StatementType } = this.engine.duckdb.api;
    const { SELECT, EXPLAIN, CREATE, DROP, INSERT, UPDATE, DELETE, ALTER } = StatementType;
    const isHarmless = [SELECT, EXPLAIN, CREATE, DROP, INSERT, UPDATE, DELETE, ALTER].includes(type);
    // EXPLAIN ANALYZE does what it explains
    if (isHarmless && !(type === EXPLAIN && /\b(copy|export)\b/i.test(sql))) return;
    throw new QueryMistake('a query of a lake reads it: COPY, ATTACH, SET and the like are not run');
  }

  private async define(sql: string): Promise<void> {
    const folded = sql.toLowerCase();
    const isWanted = ({ name }: LakeTable): boolean => folded.includes(name.toLowerCase()) || LISTS_TABLES.test(sql);
    for (const table of this.all) {
      if (this.known.has(table) || !isWanted(table)) continue;
      const name = table.schema === '' ? sqlName(table.name) : `${sqlName(table.schema)}.${sqlName(table.name)}`;
      await this.engine.connection.run(`CREATE VIEW ${name} AS ${table.query}`);
      this.known.add(table);
    }
  }

  /** Ends the query that runs, with an error to who waits for it. */
  interrupt(): void {
    this.engine.connection.interrupt();
  }

  close(): void {
    this.engine.close();
  }
}

/** Statements that look at the tables themselves. */
const LISTS_TABLES = /\b(show|describe|pragma|information_schema|pg_catalog|duckdb_\w+|sqlite_master)\b/i;
