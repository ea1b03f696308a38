import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/commands/sql.ts';
import { openLog } from '../../src/node/open.ts';
import { LogDatabase } from '../../src/sql/database.ts';
import { QueryError } from '../../src/sql/query-error.ts';
import { jsonOf } from '../../src/sql/result.ts';
import { recordsOf, SAMPLE, shell, skeinHere } from '../helpers/cli.ts';
import { readParquet } from '../helpers/exported.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const sample = (name: string): string => SAMPLE.replace('copter-square.BIN', name);

async function rowsOf(database: LogDatabase, sql: string): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const row of (await database.query(sql)).rows()) rows.push(row.map(jsonOf));
  return rows;
}

describe('one log', () => {
  let database: LogDatabase;
  beforeAll(async () => {
    database = await LogDatabase.open([{ file: 'copter-square.BIN', log: await openLog(SAMPLE) }]);
  });
  afterAll(() => database.close());

  test('answers are those that `dump` gives', async () => {
    const dumped = recordsOf((await skeinHere('dump', '--type', 'GPS', SAMPLE)).stdout);
    const rows = await rowsOf(database, 'SELECT epoch_us(time), Lat, Alt, Spd, NSats FROM GPS');
    const { length } = dumped;
    expect(length).toBeGreaterThan(600);
    expect(rows).toEqual(
      dumped.map(({ time, data }) => [Math.round((time ?? 0) * 1e6), data.Lat, data.Alt, data.Spd, data.NSats]),
    );
    const highest = Math.max(...dumped.map(({ data }) => data.Alt as number));
    expect(await rowsOf(database, 'SELECT count(*), max(Alt) FROM GPS')).toEqual([[length, highest]]);
  });

  test('a stream has its title, and its name in the column `stream`', async () => {
    const counts = await rowsOf(database, 'SELECT stream, count(*) FROM IMU GROUP BY ALL ORDER BY ALL');
    expect(counts.map(([stream]) => stream)).toEqual(['0', '1']);
    expect(await rowsOf(database, 'SELECT count(*) FROM "IMU[1]"')).toEqual([[counts[1][1]]]);
  });

  test('records of two tables join by the last one before', async () => {
    const rows = await rowsOf(
      database,
      'SELECT epoch_us(a.time), epoch_us(g.time) FROM ATT a ASOF JOIN GPS g USING (time) ORDER BY a.time',
    );
    const gps = (await rowsOf(database, 'SELECT epoch_us(time) FROM GPS')).map(([time]) => time as number);
    expect(rows.length).toBeGreaterThan(1000);
    for (const [a, g] of rows as [number, number][]) expect(g).toBe(Math.max(...gps.filter((time) => time <= a)));
  });

  test('a table whose records have no time has that of those before them', async () => {
    const dumped = recordsOf((await skeinHere('dump', '--type', 'FMTU', SAMPLE)).stdout);
    const rows = await rowsOf(database, 'SELECT epoch_us(time) FROM FMTU');
    expect(rows.map(([time]) => time)).toEqual(dumped.map(({ time }) => Math.round((time ?? 0) * 1e6)));
  });

  test('also where only a view of the user names it', async () => {
    await rowsOf(database, 'CREATE VIEW mine AS SELECT time, Name FROM PARM');
    const [[count]] = await rowsOf(database, 'SELECT count(time) FROM mine');
    expect(count).toBeGreaterThan(1000);
  });

  test.each([
    ['SELECT Altt FROM GPS', 'no field Altt: did you mean Alt?'],
    ['SELECT g.Altt FROM GPS g', 'no field Altt: did you mean Alt?'],
    ['SELECT * FROM GSP', 'no table GSP: did you mean GPS?'],
    ['SELEC 1', /^parser error: syntax error at or near "SELEC"/],
  ])('%s is explained', async (sql, text) => {
    const failure = await database.query(sql).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(QueryError);
    expect((failure as Error).message).toMatch(text);
  });

  test.each([
    "SELECT * FROM read_csv('/etc/hosts')",
    "SELECT * FROM sniff_csv('/etc/hosts')",
    "SELECT * FROM read_text('/etc/hosts')",
    "SELECT * FROM read_parquet('https://example.com/a.parquet')",
    "FROM '/etc/hosts'",
    "SELECT * FROM glob('/etc/*')",
    "COPY (SELECT 1) TO 'FOLDER/copy.csv'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO 'FOLDER/copy.csv'",
    'INSTALL spatial',
    'LOAD spatial',
    "ATTACH 'FOLDER/other.db'",
    "EXPORT DATABASE 'FOLDER/all'",
    "IMPORT DATABASE 'FOLDER'",
    'SET enable_external_access = true',
    'SET lock_configuration = false',
    'RESET enable_external_access',
    "SET temp_directory = 'FOLDER/all'",
    "PRAGMA import_database('FOLDER')",
    'CREATE PERSISTENT SECRET s (TYPE http)',
    "SELECT getenv('HOME')",
    "CREATE MACRO f() AS TABLE SELECT * FROM read_text('/etc/hosts'); FROM f()",
    "PREPARE p AS SELECT * FROM read_text(?); EXECUTE p('/etc/hosts')",
    "CALL enable_logging(storage = 'file', storage_path = 'FOLDER/all')",
    `SELECT * FROM system.main."Enable_Logging"(storage := 'file', storage_path := 'FOLDER/all')`,
    "FROM query('CALL enable' || '_logging(storage = ''file'')')",
    `FROM "query" /* /* */ */ ('SELECT 1')`,
    "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
  ])('%s is refused', async (sql) => {
    await expect(database.query(sql.replace('FOLDER', folder))).rejects.toThrow();
    expect(['copy.csv', 'other.db', 'all'].filter((name) => existsSync(at(name)))).toEqual([]);
  });

  test('what only looks like a forbidden name is none', async () => {
    const sql = 'SELECT "my query" - 1, subquery, query FROM (SELECT 3 AS "my query", 4 AS subquery, 5 AS query)';
    expect(await rowsOf(database, sql)).toEqual([[2, 4, 5]]);
  });

  test('the prompt completes tables and the fields of those that are named', () => {
    expect(complete(database, 'SELECT * FROM GP')[0]).toContain('GPS');
    expect(complete(database, 'SELECT x FROM GPS WHERE Al')).toEqual([['Alt'], 'Al']);
    expect(complete(database, 'sel')[0]).toEqual(['SELECT']);
  });
});

test('a query that takes too long is ended', async () => {
  const database = await LogDatabase.open([], { milliseconds: 200 });
  const slow = rowsOf(
    database,
    'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5',
  );
  await expect(slow).rejects.toThrow('the query was interrupted');
  database.close();
});

test('several logs of different formats, side by side and joined', async () => {
  const files = ['copter-square.BIN', 'copter-square.tlog', 'copter-square.nmea'];
  const logs = [];
  for (const file of files) logs.push({ file, log: await openLog(sample(file)) });
  const database = await LogDatabase.open(logs);
  try {
    expect(await rowsOf(database, 'SELECT DISTINCT file FROM GGA')).toEqual([['copter-square.nmea']]);
    expect(await rowsOf(database, 'SELECT count(*) FROM copter_square.GPS')).toEqual(
      await rowsOf(database, "SELECT count(*) FROM GPS WHERE file = 'copter-square.BIN'"),
    );
    const joined = await rowsOf(
      database,
      `SELECT abs(p.Lat - m.lat / 1e7), abs(p.Lat - n.lat) FROM POS p
       ASOF JOIN (SELECT * FROM GLOBAL_POSITION_INT WHERE lat <> 0) m USING (time)
       ASOF JOIN GGA n ON p.time >= n.time`,
    );
    expect(joined.length).toBeGreaterThan(500);
    // the same flight: positions of a second before are a few metres away
    for (const [mavlink, nmea] of joined as [number, number][]) {
      expect(mavlink).toBeLessThan(2e-4);
      expect(nmea).toBeLessThan(2e-4);
    }
  } finally {
    database.close();
  }
});

needShared(describe, 'xbus')('tables that are made from others', () => {
  test('IMUData of a sensor is a table', async () => {
    const path = sharedData('xbus', '2', 'output.bin');
    const dumped = recordsOf((await skeinHere('dump', '--type', 'IMUData', path)).stdout);
    const database = await LogDatabase.open([{ file: 'a', log: await openLog(path) }]);
    expect(await rowsOf(database, 'SELECT accel_x, quat_w FROM IMUData')).toEqual(
      dumped.map(({ data }) => [data.accel_x, data.quat_w]),
    );
    database.close();
  });
});

describe('the command', () => {
  test('writes a table, CSV, JSON lines and Parquet', async () => {
    const sql = 'SELECT time, Mode, Rsn FROM MODE LIMIT 2';
    const dumped = recordsOf((await skeinHere('dump', '--type', 'MODE', '--limit', '2', SAMPLE)).stdout);
    const first = new Date((dumped[0].time ?? 0) * 1000).toISOString().slice(0, 19).replace('T', ' ');
    const table = await skeinHere('sql', sql, SAMPLE);
    expect(table.code).toBe(0);
    expect(table.stdout.split('\n')[0]).toMatch(/^time +Mode +Rsn$/);
    expect(table.stdout).toContain(first);
    const csv = await skeinHere('sql', sql, SAMPLE, '--to', 'csv');
    expect(csv.stdout.split('\n')[0]).toBe('time,Mode,Rsn');
    expect(csv.stdout.split('\n')[1]).toMatch(new RegExp(`^${first}\\.\\d+,${dumped[0].data.Mode},`));
    const lines = await skeinHere('sql', sql, SAMPLE, '--json');
    expect(
      lines.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).Rsn),
    ).toEqual(dumped.map(({ data }) => data.Rsn));
    expect((await skeinHere('sql', sql, SAMPLE, '--to', 'parquet', '-o', at('mode.parquet'))).code).toBe(0);
    expect((await readParquet(at('mode.parquet'))).rows).toEqual(
      dumped.map(({ time, data }) => ({ time, values: [data.Mode, data.Rsn] })),
    );
  });

  test('takes CSV and Parquet files, and never writes to them', async () => {
    const csv = at('limits[1].csv');
    writeFileSync(csv, 'name,most\nlow,10\nhigh,30\n');
    const sql = 'SELECT name, count(*) AS n FROM GPS, "limits[1]" WHERE Alt > most GROUP BY name ORDER BY name';
    const run = await skeinHere('sql', sql, SAMPLE, csv, '--json');
    const counts = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).n as number);
    const heights = recordsOf((await skeinHere('dump', '--type', 'GPS', SAMPLE)).stdout).map(
      ({ data }) => data.Alt as number,
    );
    expect(counts).toEqual([heights.filter((alt) => alt > 30).length, heights.filter((alt) => alt > 10).length]);
    expect((await skeinHere('sql', 'SELECT 1', csv, '--to', 'csv', '-o', csv, '--force')).code).toBe(1);
    expect((await skeinHere('sql', `COPY (SELECT 1) TO '${csv}'`, csv)).code).toBe(2);
    expect(readFileSync(csv, 'utf8')).toBe('name,most\nlow,10\nhigh,30\n');
  });

  test('reads queries from standard input where there is none among the words', () => {
    const run = shell(
      "printf 'SELECT count(*) AS n\\n FROM MODE;\\nSELECT x FROM MODES;\\n.tables\\nSELECT 7 AS n' | $SKEIN sql --json $SAMPLE",
    );
    expect(run.code).toBe(0);
    const [first, second] = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).n as number);
    expect(first).toBeGreaterThan(3);
    expect(second).toBe(7);
    expect(run.stderr).toContain('no table MODES: did you mean MODE?');
    expect(run.stderr).toContain('GPS[0]');
  });

  test('says what is wrong', async () => {
    expect(await skeinHere('sql', 'SELECT Rol FROM ATT', SAMPLE)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'skein: no field Rol: did you mean Roll?\n',
    });
    expect((await skeinHere('sql', 'SELECT 1')).stderr).toContain('no file');
    expect((await skeinHere('sql', 'SELECT 1', at('none.BIN'))).stderr).toContain('none.BIN: no such file');
  });
});
