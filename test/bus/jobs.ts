// Workers and ingesters as processes of their own, and lakes beside each other.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { jsonOf } from '../../src/sql/result.ts';
import { type Run, SKEIN } from '../helpers/cli.ts';

/** A command that runs. */
export class Running {
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown[]>;
  stdout = '';
  stderr = '';

  constructor(...args: string[]) {
    this.child = spawn(process.execPath, [SKEIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.exit = once(this.child, 'close');
    this.child.stdout?.on('data', (bytes: Buffer) => {
      this.stdout += bytes.toString();
    });
    this.child.stderr?.on('data', (bytes: Buffer) => {
      this.stderr += bytes.toString();
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async end(signal?: NodeJS.Signals): Promise<Run> {
    if (signal) this.child.kill(signal);
    const [code] = await this.exit;
    return { code: code as number | null, stdout: this.stdout, stderr: this.stderr };
  }
}

/** The hashes of all files of a lake by their paths, but not what tells when logs were put there, and what the lake is known by. */
export function lakeFiles(lake: string): Map<string, string> {
  const names = readdirSync(lake, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(lake, name)).isFile() && name !== '_catalogue/id');
  return new Map(
    files.map((name) => {
      let bytes = name.startsWith('_catalogue/logs/') ? '' : readFileSync(join(lake, name), 'latin1');
      // the hash of what tells when the log was put there, and the hash of that
      if (name.startsWith('_catalogue/seals/')) bytes = bytes.replace(/"logs":"\w+"/, '').replace(/\n\w+\n$/, '');
      return [name, createHash('sha256').update(bytes).digest('hex')];
    }),
  );
}

/** What a lake says of its logs. */
export async function lakeLogs(lake: string): Promise<unknown[][]> {
  const database = await LakeDatabase.open(new Lake(lake));
  try {
    const rows: unknown[][] = [];
    const sql = 'SELECT * EXCLUDE (ingested) FROM logs ORDER BY log';
    for await (const row of (await database.query(sql)).rows()) rows.push(row.map(jsonOf));
    return rows;
  } finally {
    database.close();
  }
}
