import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CATALOGUE_KINDS } from '../../src/lake/catalogue.ts';
import { compact } from '../../src/lake/compaction.ts';
import { Ingester } from '../../src/lake/ingest.ts';
import { Lake } from '../../src/lake/lake.ts';
import { skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { gpsTime, MadeLog } from '../helpers/made-log.ts';
import { ask } from './fleet-logs.ts';

const folder = temporaryFolder();
const at = (...parts: string[]): string => join(folder, ...parts);
const NOW = { graceMilliseconds: 0 };

/** A log of a few records; another number is another flight, more rows are a longer recording. */
function logOf(number: number, rows: number, change = 0): Uint8Array {
  const { week, millis } = gpsTime(`2026-01-${String(2 + number).padStart(2, '0')}T03:04:05Z`, 18);
  const made = new MadeLog().define('GPS', 'QIHB', 'TimeUS,GMS,GWk,Status').define('V', 'QI', 'TimeUS,Value');
  for (let row = 0; row < rows; row++)
    made.add('GPS', row * 1e5, millis + row * 100, week, 3).add('V', row * 1e5, number * 1000 + row + change);
  return made.bytes();
}

/** All rows of the catalogue, with their kind. */
async function everything(lake: Lake): Promise<unknown[][]> {
  const kinds = CATALOGUE_KINDS.map((kind) => `SELECT '${kind}', CAST(each AS VARCHAR) FROM catalogue.${kind} each`);
  return ask(lake, `${kinds.join(' UNION ALL ')} ORDER BY ALL`);
}

async function ingest(lake: Lake, logs: readonly (readonly [name: string, bytes: Uint8Array])[]) {
  const ingester = await Ingester.open(lake);
  const results = [];
  for (const [name, bytes] of logs) {
    const path = join(at('logs'), name);
    writeFileSync(path, bytes);
    results.push(await ingester.ingest(path));
  }
  await ingester.close();
  return results;
}

const singles = (lake: Lake, kind = 'logs'): number => readdirSync(lake.catalogue(kind)).length;
const packs = (lake: Lake): string[] => readdirSync(lake.packs.folder);
const LOGS = [0, 1, 2, 3, 4, 5].map((number) => [`${number}.BIN`, logOf(number, 3000)] as const);

beforeAll(() => {
  mkdirSync(at('logs'));
});

describe('a catalogue in packs', () => {
  const lake = new Lake(at('lake'));
  let before: unknown[][];

  test('says the same as in many files, and its superfluous files go after a while', async () => {
    await ingest(lake, LOGS);
    before = await everything(lake);
    expect(before.filter(([kind]) => kind === 'logs')).toHaveLength(6);
    // by the command, which leaves what others may be reading
    const run = await skeinHere('fleet', '--lake', lake.root, '--compact');
    expect(run).toMatchObject({ code: 0, stdout: '' });
    expect(run.stderr).toContain('6 logs packed, files of 0 removed, files of 6 kept ten minutes');
    expect(await everything(lake)).toEqual(before);
    expect(singles(lake)).toBe(6);
    expect(await compact(lake, NOW)).toEqual({ packed: 0, cleared: 6, waiting: 0 });
    for (const kind of CATALOGUE_KINDS) expect(singles(lake, kind)).toBe(0);
    expect(packs(lake)).toHaveLength(1);
    expect(await everything(lake)).toEqual(before);
  });

  test('a packed log is known, replaced and brought back as any other', async () => {
    const [again] = await ingest(lake, [LOGS[0]]);
    expect(again.status).toBe('present');
    const shown = (): Promise<unknown[][]> =>
      ask(lake, `SELECT count(*), min(Value) FROM V JOIN logs USING (log) WHERE path LIKE '%1.BIN'`);
    expect(await shown()).toEqual([[3000, 1000]]);
    // its file was changed, and then was again what it was before: the pack holds a state that does not count
    const [changed] = await ingest(lake, [['1.BIN', logOf(1, 3000, -1)]]);
    expect(changed).toMatchObject({ status: 'ingested', replaced: [expect.any(String)] });
    expect(await shown()).toEqual([[3000, 999]]);
    await compact(lake, { ...NOW, least: 1 });
    expect(await shown()).toEqual([[3000, 999]]);
    expect(await ingest(lake, [LOGS[1]])).toMatchObject([{ status: 'ingested', replaced: [changed.log] }]);
    expect(await shown()).toEqual([[3000, 1000]]);
    await compact(lake, { ...NOW, least: 1 });
    expect(await shown()).toEqual([[3000, 1000]]);
    expect(await ingest(lake, [LOGS[1]])).toMatchObject([{ status: 'present' }]);
    const [logs, tables] = [
      await ask(lake, 'SELECT count(*) FROM logs'),
      await ask(lake, 'SELECT count(*) FROM tables'),
    ];
    expect([logs, tables]).toEqual([[[6]], [[before.filter(([kind]) => kind === 'tables').length]]]);
  });

  test('many small packs become one', async () => {
    for (let number = 6; number < 14; number++) {
      await ingest(lake, [[`${number}.BIN`, logOf(number, 5)]]);
      await compact(lake, { ...NOW, least: 1 });
    }
    expect(packs(lake).length).toBeLessThan(8);
    expect(await ask(lake, 'SELECT count(*), count(DISTINCT log) FROM logs')).toEqual([[14, 14]]);
    expect(await ask(lake, 'SELECT count(DISTINCT log) FROM V')).toEqual([[14]]);
  });
});

test('whoever looks while others ingest and pack, and are killed, sees each log once', async () => {
  const lake = new Lake(at('busy'));
  await ingest(lake, LOGS);
  const more = [20, 21, 22, 23, 24].map((number) => join(at('logs'), `${number}.BIN`));
  for (const [i, path] of more.entries()) writeFileSync(path, logOf(20 + i, 5));
  const script = at('pack.mjs');
  const url = (name: string): string => JSON.stringify(new URL(`../../dist/lake/${name}.js`, import.meta.url).href);
  writeFileSync(
    script,
    `import { compact } from ${url('compaction')};
     import { Ingester } from ${url('ingest')};
     import { Lake } from ${url('lake')};
     const lake = new Lake(${JSON.stringify(lake.root)});
     const ingester = await Ingester.open(lake);
     for (const path of ${JSON.stringify(more)}) {
       await compact(lake, { least: 1 });
       await ingester.ingest(path);
     }
     await ingester.close();`,
  );
  const start = (): ChildProcess => spawn(process.execPath, [script], { stdio: 'ignore' });
  const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.on('exit', resolve));
  // each log has rows of GPS, V and FMT
  const sql = `
    SELECT count(*) FILTER (rows > 5), count(DISTINCT log) FILTER (rows > 5), count(DISTINCT log) * 3 - count(*)
    FROM tables JOIN logs USING (log)`;
  const runs = [start(), start()];
  while (packs(lake).length < 2 && runs.some(({ exitCode }) => exitCode === null))
    expect(await ask(lake, sql)).toEqual([[12, 6, 0]]);
  for (const run of runs) run.kill('SIGKILL');
  await Promise.all(runs.map(ended));
  expect(await ask(lake, sql)).toEqual([[12, 6, 0]]);
  await ended(start());
  expect(await compact(lake, { ...NOW, least: 1 })).toMatchObject({ waiting: 0 });
  expect(await ask(lake, sql)).toEqual([[12, 6, 0]]);
  expect(await ask(lake, 'SELECT count(*) FROM logs')).toEqual([[11]]);
  expect(singles(lake)).toBe(0);
  expect(readdirSync(lake.staging).filter((name) => !name.startsWith('pack-') && !/^[0-9a-f]+-/.test(name))).toEqual(
    [],
  );
});
