import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlName } from '../../src/core/names.ts';
import type { IngestResult } from '../../src/lake/ingest.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { openLog } from '../../src/node/open.ts';
import { skein } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();

needShared(test, 'README.md')(
  'every log there is goes into one lake with all its records, and every table can be read',
  async () => {
    const lake = join(folder, 'lake');
    const run = skein(['ingest', sharedData(), '--lake', lake, '--json']);
    const results = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as IngestResult);
    expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
    // what could not be told of a log
    expect(results.filter(({ status, reason }) => status === 'ingested' && reason !== null)).toEqual([]);
    const database = await LakeDatabase.open(new Lake(lake), { milliseconds: Number.POSITIVE_INFINITY });
    const rows = new Map<string, number>();
    for await (const [log, count] of (
      await database.query('SELECT log, sum("rows") FROM catalogue.tables GROUP BY log')
    ).rows())
      rows.set(String(log), Number(count));
    const replaced = new Set(results.flatMap((result) => result.replaced));
    for (const { path, status, log } of results) {
      if (status !== 'ingested' || log === null || replaced.has(log)) continue;
      expect(rows.get(log) ?? 0, path).toBeGreaterThanOrEqual((await openLog(path)).records);
    }
    for (const { schema, name } of database.tables) {
      const table = schema === '' ? sqlName(name) : `${sqlName(schema)}.${sqlName(name)}`;
      for await (const counts of (await database.query(`SELECT count(COLUMNS(*)) FROM ${table}`)).rows())
        expect(counts.length).toBeGreaterThan(0);
    }
    database.close();
  },
);
