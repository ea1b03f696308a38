import type { LogDatabase } from '../query/database.ts';
import { jsonOf, type QueryResult } from '../query/result.ts';
import { Refusal } from '../server/refusal.ts';
import type { LiveAction, ServedFile } from '../server/view.ts';
import { sentence } from './failure.ts';

/** Rows that a page is given; it says so where there are more. */
const ROWS = 1000;

/** SQL over the files of a page. They are opened when the first query comes. */
export class QueryAction implements LiveAction {
  readonly name = 'query';
  readonly summary = 'Runs SQL over the log files: {"sql": "SELECT ..."}.';
  private readonly files: readonly ServedFile[];
  private database: Promise<LogDatabase> | undefined;
  /** Queries come one after the other: they share a connection. */
  private before: Promise<unknown> = Promise.resolve();

  constructor(files: readonly ServedFile[]) {
    this.files = files;
  }

  run(body: unknown): Promise<unknown> {
    const sql = (body as { sql?: unknown } | null)?.sql;
    if (typeof sql !== 'string' || sql.trim() === '')
      throw new Refusal(400, 'a query is wanted: {"sql": "SELECT ..."}');
    const answer = this.before.then(() => this.query(sql));
    this.before = answer.catch(() => undefined);
    return answer;
  }

  private async query(sql: string): Promise<unknown> {
    try {
      this.database ??= this.open();
      const result = await (await this.database).query(sql);
      return await firstRows(result);
    } catch (error) {
      throw new Refusal(400, sentence(error));
    }
  }

  private async open(): Promise<LogDatabase> {
    const { openHeld } = await import('../node/open.ts');
    const { LogDatabase: Database } = await import('../query/database.ts');
    const logs: Parameters<typeof Database.open>[0][number][] = [];
    for (const { name, path } of this.files) logs.push({ file: name, log: await openHeld(path) });
    return Database.open(logs);
  }

  async close(): Promise<void> {
    const database = await this.database?.catch(() => undefined);
    database?.close();
  }
}

async function firstRows(result: QueryResult): Promise<unknown> {
  const rows: unknown[][] = [];
  for await (const row of result.rows()) {
    if (rows.length === ROWS) return { names: result.names, rows, more: true };
    rows.push(row.map(jsonOf));
  }
  return { names: result.names, rows, more: false };
}
