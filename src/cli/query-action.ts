import { HttpError } from '../server/http.ts';
import type { LiveAction, ServedFile } from '../server/view.ts';
import type { QueryLimits } from '../sql/limits.ts';
import type { Sandbox } from '../sql/sandbox.ts';
import { sentence } from './failure.ts';
import { type SqlInput, sqlSandbox } from './sql-sandbox.ts';

/** Queries that run at a time, and that wait for one of these. */
const RUNNING = 4;
const WAITING = 32;

/**
 * SQL over the files of a page. Each query has a process for itself, so that one which takes long keeps no other waiting.
 * The first opens the files, and stays for the next query.
 */
export class QueryAction implements LiveAction {
  readonly name = 'query';
  readonly summary = 'Runs SQL over the log files: {"sql": "SELECT ..."}.';
  private readonly files: readonly ServedFile[];
  private readonly limits: QueryLimits;
  private readonly busy = new Set<Sandbox<SqlInput>>();
  private idle: Sandbox<SqlInput> | undefined;
  private readonly waiting: (() => void)[] = [];

  constructor(files: readonly ServedFile[], limits: QueryLimits) {
    this.files = files;
    this.limits = limits;
  }

  async run(body: unknown): Promise<unknown> {
    const sql = (body as { sql?: unknown } | null)?.sql;
    if (typeof sql !== 'string' || sql.trim() === '')
      throw new HttpError(400, 'missing query: send {"sql": "SELECT ..."}');
    if (this.waiting.length >= WAITING) throw new HttpError(503, 'too many queries wait: try again later');
    while (this.busy.size >= RUNNING) await new Promise<void>((resolve) => this.waiting.push(resolve));
    const input = { paths: this.files.map(({ path }) => path), options: {} };
    const sandbox = this.idle ?? sqlSandbox(input, this.limits);
    this.idle = undefined;
    this.busy.add(sandbox);
    try {
      let json = '';
      for await (const text of sandbox.query({ sql, format: 'page' })) json += text;
      return Buffer.from(json);
    } catch (error) {
      throw new HttpError(400, sentence(error));
    } finally {
      // tables and views of one query are not there for the next
      if (this.idle || sandbox.isLarge || /create/i.test(sql)) await sandbox.close();
      else this.idle = sandbox;
      this.busy.delete(sandbox);
      this.waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    for (const sandbox of [this.idle, ...this.busy]) await sandbox?.close();
  }
}
