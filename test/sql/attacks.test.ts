import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Run, SAMPLE, SKEIN, skein } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

/*
 * SQL is code: what a query must not do, at every door, by the command and the server as they are. A query is refused, or
 * ends within its limits; in either case nothing is written, nothing outside is read, and the next query is answered.
 */

const folder = temporaryFolder();
const lake = join(folder, 'lake');
/** All that programs put away for a while. */
const temporary = join(folder, 'tmp');
/** Where attacks try to write. */
const outside = join(folder, 'outside');

const REFUSED = /no function|no table|queries only read|parser error|the query is empty|use a name/;
const BOUNDED = /needs more memory|took more than|took longer than|answer is larger|ended its process|too long|Error/i;

const REFUSALS = [
  "FROM read_csv('/etc/hosts')",
  "FROM read_csv_auto('/etc/hosts')",
  "FROM sniff_csv('/etc/hosts')",
  "FROM read_text('/etc/hosts')",
  "FROM read_text('LAKE/_catalogue/id')",
  "FROM read_blob('/etc/hosts')",
  "FROM read_json('/etc/hosts')",
  "FROM read_ndjson_objects('/etc/hosts')",
  "FROM read_parquet('https://example.com/a.parquet')",
  "FROM parquet_metadata('LAKE/*/*.parquet')",
  "FROM read_duckdb('OUT/x.db')",
  "FROM glob('/etc/*')",
  "FROM '/etc/hosts'",
  "FROM '/etc/hosts.csv'",
  'FROM "OUT/x".parquet',
  `SELECT (WITH "LAKE/x.parquet" AS (SELECT 1) SELECT 1), * FROM "LAKE/x.parquet"`,
  "DESCRIBE '/etc/hosts.csv'",
  "COPY (SELECT 1) TO 'OUT/x.csv'",
  "COPY (SELECT 1) TO 'LAKE/x.parquet'",
  "EXPLAIN ANALYZE COPY (SELECT 1) TO 'OUT/x.csv'",
  "PREPARE p AS COPY (SELECT 1) TO 'OUT/x.csv'",
  "CREATE TABLE x AS SELECT 1; COPY x TO 'OUT/x.csv'",
  "SELECT 1; COPY (SELECT 1) TO 'OUT/x.csv'",
  "EXPORT DATABASE 'OUT/all'",
  "EXPORT DATABASE 'LAKE/all'",
  "IMPORT DATABASE 'OUT'",
  "ATTACH 'OUT/x.db'",
  "ATTACH 'LAKE/x.db' AS x",
  'DETACH memory',
  'INSTALL spatial',
  'LOAD spatial',
  'SET enable_external_access = true',
  'SET lock_configuration = false',
  'RESET enable_external_access',
  "SET temp_directory = 'OUT/all'",
  'SET memory_limit = 1e12',
  "PRAGMA import_database('OUT')",
  "PRAGMA enable_profiling = 'json'",
  'CHECKPOINT',
  "CALL enable_logging(storage = 'file', storage_path = 'OUT/all')",
  "CALL enable_logging(storage = 'file', storage_path = 'LAKE/all')",
  `FROM system.main."Enable_Logging"(storage := 'file', storage_path := 'OUT/all')`,
  "FROM query('FROM read_text(''/etc/hosts'')')",
  `FROM "query" /* /* */ */ ('SELECT 1')`,
  "FROM query_table('/etc/hosts.csv')",
  "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
  'FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)',
  "SELECT getenv('HOME')",
  "SELECT 'HOME'.getenv()",
  "SELECT max(1 ORDER BY getenv('HOME')) FROM GPS",
  "SELECT list_transform([1], lambda x: getenv('HOME'))",
  "PIVOT GPS ON Status IN (1) USING count(getenv('HOME'))",
  "SELECT current_setting('temp_directory')",
  'FROM pg_settings',
  'FROM duckdb_settings()',
  "SELECT write_log('x')",
  'CREATE PERSISTENT SECRET s (TYPE http)',
  "CREATE MACRO f() AS TABLE FROM read_text('/etc/hosts')",
  "CREATE VIEW v AS FROM read_text('/etc/hosts')",
  'DROP VIEW GPS',
  'ALTER VIEW GPS RENAME TO x',
  'DELETE FROM GPS',
];

const BOMBS = [
  'SELECT len(range(2000000000))',
  "SELECT len(repeat('x', 4000000000))",
  "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
  'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5',
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r',
  'SELECT list(range) FROM range(1000000000)',
  `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
];

const ATTACKS = [...REFUSALS, ...BOMBS].map((sql) => sql.replaceAll('OUT', outside).replaceAll('LAKE', lake));
const isBomb = (i: number): boolean => i >= REFUSALS.length;
const LIMITS = ['--max-time', '1', '--max-memory', '256', '--max-answer', '4'];
/** A wall of the test's own: no attack that gets through takes the machine with it. */
const WALL = 'ulimit -v 16000000; exec "$@"';

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true }).map(String).sort();
}

/** Starts the command with something on its standard input. */
function command(args: readonly string[], input = ''): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', WALL, 'sh', process.execPath, SKEIN, ...args, ...LIMITS], {
      env: { ...process.env, TMPDIR: temporary },
      timeout: 110_000,
      killSignal: 'SIGKILL',
    });
    const run = { code: null as number | null, stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (run.stdout += data));
    child.stderr.on('data', (data) => (run.stderr += data));
    child.on('close', (code) => resolve({ ...run, code }));
    child.stdin.end(input);
  });
}

let before: string[];
beforeAll(() => {
  for (const path of [temporary, outside]) mkdirSync(path);
  expect(skein(['ingest', SAMPLE, '--lake', lake]).code).toBe(0);
  before = filesIn(lake);
});

/** Nothing was made, and nothing is left. */
function expectClean(): void {
  expect(filesIn(outside)).toEqual([]);
  expect(filesIn(lake)).toEqual(before);
  expect(filesIn(temporary)).toEqual([]);
}

test('there are sixty of them', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
});

describe.each([
  ['logs', [SAMPLE]],
  ['lake', ['--lake', lake]],
])('the prompt, %s', (_, words) => {
  test('refuses or ends each, and answers the next', async () => {
    const mark = (i: number): string => `SELECT count(*) + ${i} * 0 AS n, ${i} AS after FROM GPS;`;
    const { code, stdout, stderr } = await command(
      ['sql', '--json', ...words],
      ATTACKS.map((sql, i) => `${sql};\n${mark(i)}\n`).join(''),
    );
    expect(code).toBe(0);
    const answers = stdout.trim().split('\n');
    expect(answers.map((line) => JSON.parse(line).after)).toEqual(ATTACKS.map((_each, i) => i));
    for (const line of answers) expect(JSON.parse(line).n).toBeGreaterThan(600);
    const told = stderr.split(/^skein: /m).slice(1);
    expect(told.length).toBe(ATTACKS.length);
    for (const [i, sql] of ATTACKS.entries()) expect(told[i], sql).toMatch(isBomb(i) ? BOUNDED : REFUSED);
    expectClean();
  });
});

describe.each([
  ['logs', [SAMPLE]],
  ['lake', ['--lake', lake]],
])('the command, %s', (_, words) => {
  test('refuses or ends each with an exit code and a sentence', async () => {
    const waiting = [...ATTACKS.entries()];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [i, sql] = next;
        const { code, stdout, stderr } = await command(['sql', sql, ...words]);
        expect(stdout, sql).toBe('');
        expect(stderr, sql).toMatch(isBomb(i) ? BOUNDED : REFUSED);
        expect(isBomb(i) ? [1, 2] : [2], sql).toContain(code);
      }
    };
    await Promise.all([work(), work(), work()]);
    expectClean();
  });
});

describe('the server', () => {
  let address: URL;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    const child = spawn(process.execPath, [SKEIN, 'view', SAMPLE, '--no-open', '--json', ...LIMITS], {
      env: { ...process.env, TMPDIR: temporary },
    });
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
    address = new URL((JSON.parse(line) as { address: string }).address);
    stop = () =>
      new Promise((resolve) => {
        child.once('close', resolve);
        child.kill('SIGTERM');
      });
  });
  afterAll(async () => {
    await stop();
    expectClean();
  });

  const ask = async (sql: string): Promise<{ status: number; text: string }> => {
    const token = address.searchParams.get('token') ?? '';
    const answer = await fetch(new URL('/v1/actions/query', address), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ sql }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  test('refuses or ends each, and answers the next', async () => {
    for (const [i, sql] of ATTACKS.entries()) {
      const { status, text } = await ask(sql);
      expect(status, sql).toBe(400);
      expect(text, sql).toMatch(isBomb(i) ? BOUNDED : REFUSED);
      if (i % 5 === 0) expect((await ask('SELECT count(*) FROM GPS')).status).toBe(200);
    }
    expect(filesIn(outside)).toEqual([]);
  });

  test('what one query makes is not there for the next', async () => {
    const made = await ask('CREATE VIEW GPS AS SELECT 1 AS fake; FROM GPS');
    expect([made.status, JSON.parse(made.text).names]).toEqual([200, ['fake']]);
    expect(JSON.parse((await ask('FROM GPS LIMIT 1')).text).names).toContain('Lat');
  });

  test('an answer has a largest size', async () => {
    const { status, text } = await ask("SELECT repeat('x', 10000) FROM range(1000)");
    expect(status).toBe(400);
    expect(text).toContain('the answer is larger than 4 MiB');
  });

  test('others are answered while one takes long', async () => {
    const slow = ask(BOMBS[3]);
    let isOver = false;
    void slow.then(() => {
      isOver = true;
    });
    expect(JSON.parse((await ask('SELECT 7 AS n')).text).rows).toEqual([[7]]);
    expect(isOver).toBe(false);
    expect((await slow).text).toContain('took longer than 1 s');
  });
});

test('folders have random names, are for one user, and go away when the process or all of it is killed', async () => {
  symlinkSync('/etc', join(temporary, `skein-sql-${process.pid}`));
  const child = spawn(process.execPath, [SKEIN, 'sql', BOMBS[3], SAMPLE], {
    env: { ...process.env, TMPDIR: temporary },
  });
  const found = (): string[] => readdirSync(temporary).filter((name) => /^skein-sql-\w+-\d+-\w+$/.test(name));
  const until = async (isDone: () => boolean): Promise<void> => {
    for (let i = 0; i < 400 && !isDone(); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  };
  // its process for queries is there: what is killed before that leaves its folder to the next query
  const hasChild = (): boolean => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8') !== '';
  await until(() => found().length > 0 && hasChild());
  expect(found().length).toBe(1);
  expect(statSync(join(temporary, found()[0])).mode & 0o777).toBe(0o700);
  child.kill('SIGKILL');
  await until(() => found().length === 0);
  expect(found()).toEqual([]);
  // one of a process that is not there any more
  const host = (await import('../../src/sql/engine.ts')).FOLDER_PREFIX;
  mkdirSync(join(temporary, `${host}4194999-abcdef`));
  expect((await command(['sql', 'SELECT 1', SAMPLE])).code).toBe(0);
  expect(found()).toEqual([]);
  expect(readdirSync(temporary)).toEqual([`skein-sql-${process.pid}`]);
});
