import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { openInput } from '../formats/open.ts';
import { LogDatabase } from './database.ts';
import { jsonOf } from './result.ts';

afterEach(() => {
  vi.doUnmock('@duckdb/node-api');
  vi.resetModules();
});

async function rowsOf(database: LogDatabase, sql: string): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const row of (await database.query(sql)).rows()) rows.push(row.map(jsonOf));
  return rows;
}

test('a source that must be waited for answers as bytes do', async () => {
  const bytes = new Uint8Array(readFileSync(new URL('../../sample/copter-square.nmea', import.meta.url)));
  const sql = 'SELECT time, lat, lon, stream FROM GGA';
  const answers: unknown[][][] = [];
  for (const input of [bytes, new Blob([bytes])]) {
    const database = await LogDatabase.open([{ file: 'a', log: await openInput(input) }]);
    answers.push(await rowsOf(database, sql));
    database.close();
  }
  expect(answers[0].length).toBeGreaterThan(1000);
  expect(answers[1]).toEqual(answers[0]);
});

test('rows that are more than a chunk, texts short and long, NaN and all bits come as they are', async () => {
  const made = new MadeLog().define('T', 'QqQdZ', 'TimeUS,Q,U,D,Text');
  const wanted: unknown[][] = [];
  for (let i = 0; i < 5000; i++) {
    const text = 'x'.repeat(i % 60);
    const d = i % 7 === 0 ? Number.NaN : i / 3;
    made.add('T', i, -(2n ** 63n) + BigInt(i), 2n ** 64n - 1n - BigInt(i), d, text);
    wanted.push([String(-(2n ** 63n) + BigInt(i)), String(2n ** 64n - 1n - BigInt(i)), i % 7 === 0, text]);
  }
  const database = await LogDatabase.open([{ file: 'a', log: await made.open() }]);
  expect(await rowsOf(database, 'SELECT Q, U, isnan(D), Text FROM T')).toEqual(wanted);
  database.close();
});

test('tables and fields that differ in case only are all there', async () => {
  const made = new MadeLog().define('AB', 'BBB', 'x,X,stream').define('Ab', 'B', 'time');
  made.add('AB', 1, 2, 3).add('Ab', 4);
  const database = await LogDatabase.open([{ file: 'a', log: await made.open() }]);
  expect(await rowsOf(database, 'SELECT x, "X_2", "stream" FROM AB')).toEqual([[1, 2, 3]]);
  expect(await rowsOf(database, 'SELECT time_2 FROM "Ab_2"')).toEqual([[4]]);
  database.close();
});

test('without the engine there is a sentence', async () => {
  vi.resetModules();
  vi.doMock('@duckdb/node-api', () => {
    throw new Error('Cannot find package');
  });
  const { LogDatabase: Fresh } = await import('./database.ts');
  await expect(Fresh.open([])).rejects.toThrow(
    'SQL and Parquet need the package @duckdb/node-api, which is not installed: npm install @duckdb/node-api',
  );
});
