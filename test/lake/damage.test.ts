import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CATALOGUE_KINDS } from '../../src/lake/catalogue.ts';
import { compact } from '../../src/lake/compaction.ts';
import { Ingester } from '../../src/lake/ingest.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { checkLake, repairLake } from '../../src/lake/repair.ts';
import { jsonOf } from '../../src/sql/result.ts';
import { skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { changedFlight, machineId, smallFlight } from './fleet-logs.ts';

const folder = temporaryFolder();
const logs = join(folder, 'logs');
const DATA = ['BAT', 'MODE', 'PARM'];

/** All rows of the catalogue and of some tables, as texts in an order; those of `ingested` differ between runs. */
async function rowsOf(lake: Lake): Promise<{ rows: Map<string, string[]>; broken: string[] }> {
  const database = await LakeDatabase.open(lake);
  try {
    const rows = new Map<string, string[]>();
    for (const table of [...CATALOGUE_KINDS.map((kind) => `catalogue.${kind}`), ...DATA]) {
      const list = table === 'catalogue.logs' ? '* EXCLUDE ingested' : '*';
      const found: string[] = [];
      // a table whose files are all broken is not known any more
      const isThere = database.tables.some(({ schema, name }) => [`${schema}.${name}`, name].includes(table));
      if (isThere)
        for await (const row of (await database.query(`SELECT ${list} FROM ${table}`)).rows())
          found.push(JSON.stringify(row.map(jsonOf)));
      rows.set(table, found.sort());
    }
    return { rows, broken: [...database.files.problems.keys()] };
  } finally {
    database.close();
  }
}

async function ingest(lake: Lake): Promise<void> {
  const ingester = await Ingester.open(lake);
  for (const name of readdirSync(logs)) expect((await ingester.ingest(join(logs, name))).status, name).toBe('ingested');
  await ingester.close();
}

const DAMAGE: Readonly<Record<string, (path: string, bytes: Buffer) => void>> = {
  torn: (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.length >> 1)),
  zeroed: (path, bytes) => writeFileSync(path, Buffer.alloc(bytes.length)),
  flipped: (path, bytes) => {
    const changed = Buffer.from(bytes);
    changed[Math.floor(bytes.length * 0.37)] ^= 4;
    writeFileSync(path, changed);
  },
  removed: (path) => rmSync(path),
};

const filesOf = (lake: Lake): string[] =>
  readdirSync(lake.root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(lake.root, name))
    .filter((path) => statSync(path).isFile());

/** Whether a file holds something that these queries need. */
const isRead = (lake: Lake, path: string): boolean =>
  path.startsWith(join(lake.root, '_catalogue')) || DATA.some((table) => path.startsWith(join(lake.root, table, '/')));

const single = new Lake(join(folder, 'single'));
const packed = new Lake(join(folder, 'packed'));

beforeAll(async () => {
  mkdirSync(logs);
  const flight = await smallFlight();
  for (let vehicle = 0; vehicle < 2; vehicle++)
    writeFileSync(join(logs, `${vehicle}.BIN`), await changedFlight(flight, { machine: machineId(vehicle) }));
  await ingest(single);
  cpSync(single.root, packed.root, { recursive: true });
  await compact(packed, { graceMilliseconds: 0 });
}, 60_000);

describe.each([
  ['with files for each log', single],
  ['that is packed', packed],
])('a lake %s', (_, lake) => {
  let whole: Map<string, string[]>;

  beforeAll(async () => {
    const { rows, broken } = await rowsOf(lake);
    expect(broken).toEqual([]);
    expect(rows.get('BAT')?.length).toBeGreaterThan(100);
    expect(rows.get('catalogue.flights')?.length).toBe(2);
    whole = rows;
  });

  test.each(Object.keys(DAMAGE))(
    'answers from the rest and names the file that was %s',
    async (how) => {
      for (const path of filesOf(lake).filter((file) => isRead(lake, file))) {
        // without a seal there is nothing to compare with; that of a packed log is for repairs
        if (/seals?/.test(path) && (how === 'removed' || path.startsWith(packed.seals))) continue;
        const bytes = readFileSync(path);
        DAMAGE[how](path, bytes);
        const fresh = new Lake(lake.root);
        const { rows, broken } = await rowsOf(fresh);
        // a list of members that is gone takes its logs along, which are named
        const named = how === 'removed' && basename(path) === 'members' ? 'logs' : path;
        expect(
          broken.some((file) => file === path || file.includes(named)),
          `${how} ${path}: ${broken}`,
        ).toBe(true);
        for (const [table, found] of rows) {
          const all = new Set(whole.get(table));
          expect(
            found.filter((row) => !all.has(row)),
            `${how} ${path}: ${table}`,
          ).toEqual([]);
        }
        writeFileSync(path, bytes);
      }
      expect((await rowsOf(lake)).broken).toEqual([]);
    },
    120_000,
  );

  test('is repaired: every row is as after a fresh ingest', async () => {
    for (const how of Object.keys(DAMAGE)) {
      const copy = new Lake(join(folder, `repaired-${basename(lake.root)}-${how}`));
      cpSync(lake.root, copy.root, { recursive: true });
      const files = filesOf(copy).filter((path) => isRead(copy, path));
      // one of each kind of file
      const kinds = new Map(files.map((path) => [path.replace(/[0-9a-f]{12,}(-[0-9a-f]+)?/g, 'ID'), path]));
      // one at a time, or many at once: without seals, which say where a log came from
      const groups = how === 'torn' ? [...kinds.values()].map((path) => [path]) : [[...kinds.values()]];
      for (const group of groups) {
        const paths = group.filter((path) => existsSync(path) && (how === 'torn' || !/seals?/.test(path)));
        for (const path of paths) DAMAGE[how](path, readFileSync(path));
        const { lost } = await repairLake(new Lake(copy.root));
        expect(lost, `${how} ${paths}`).toEqual([]);
      }
      const { rows, broken } = await rowsOf(new Lake(copy.root));
      expect(broken, how).toEqual([]);
      expect(rows).toEqual(whole);
      expect((await checkLake(new Lake(copy.root))).problems.size).toBe(0);
      // nothing is deleted
      if (how === 'torn') expect(readdirSync(copy.quarantine).length).toBeGreaterThan(0);
    }
  }, 120_000);
});

test('every changed byte of a file is found', async () => {
  const [path] = filesOf(single).filter((file) => file.includes('/MODE/'));
  const bytes = readFileSync(path);
  const step = Math.ceil(bytes.length / 60);
  for (let at = 0; at < bytes.length; at += step) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1 << (at % 8);
    writeFileSync(path, changed);
    const database = await LakeDatabase.open(new Lake(single.root));
    for await (const _ of (await database.query('SELECT 1 FROM MODE LIMIT 1')).rows());
    expect([...database.files.problems.keys()], `byte ${at}`).toEqual([path]);
    database.close();
  }
  writeFileSync(path, bytes);
}, 60_000);

test('the commands say what is broken, end with 3, and show no SQL of ours', async () => {
  const lake = new Lake(join(folder, 'told'));
  cpSync(single.root, lake.root, { recursive: true });
  const torn = join(lake.catalogue('flights'), readdirSync(lake.catalogue('flights'))[0]);
  const [table] = filesOf(lake).filter((path) => path.includes('/BAT/'));
  for (const path of [torn, table]) writeFileSync(path, readFileSync(path).subarray(0, 100));
  const runs = {
    fleet: await skeinHere('fleet', '--lake', lake.root, '--flights', '--json'),
    trend: await skeinHere('fleet', '--lake', lake.root, '--trend', 'BAT.Volt'),
    sql: await skeinHere('sql', 'SELECT count(*) AS n FROM BAT', '--lake', lake.root, '--json'),
    check: await skeinHere('lake', 'check', '--lake', lake.root, '--json'),
  };
  for (const [name, { code, stderr }] of Object.entries(runs)) {
    expect(code, `${name}: ${stderr}`).toBe(3);
    expect(stderr).not.toMatch(/SELECT|read_parquet/);
  }
  expect(runs.fleet.stderr).toContain(`${torn} cannot be read: its bytes changed since it was written`);
  expect(runs.fleet.stdout.trim().split('\n')).toHaveLength(1);
  expect(runs.trend.stderr).toContain(table);
  expect(JSON.parse(runs.sql.stdout).n).toBeGreaterThan(100);
  expect(
    JSON.parse(runs.check.stdout)
      .broken.map(({ path }: { path: string }) => path)
      .sort(),
  ).toEqual([torn, table].sort());
  // others are ingested meanwhile, and a query that needs none of the broken files is whole
  expect((await skeinHere('sql', 'SELECT count(*) FROM PARM', '--lake', lake.root)).code).toBe(0);
  const log = basename(torn, '.parquet');
  expect((await skeinHere('ingest', logs, '--lake', lake.root)).code).toBe(0);
  const mended = await skeinHere('lake', 'repair', '--lake', lake.root, '--json');
  expect(mended.code, mended.stderr).toBe(0);
  expect(JSON.parse(mended.stdout).rebuilt).toContain(log);
  expect((await skeinHere('fleet', '--lake', lake.root)).code).toBe(0);
}, 60_000);

test('a pipe or an endless file in place of one is named, waited for by none, and mended', async () => {
  const lake = new Lake(join(folder, 'endless'));
  cpSync(single.root, lake.root, { recursive: true });
  const [data] = filesOf(lake).filter((path) => path.includes('/BAT/'));
  const flights = join(lake.catalogue('flights'), readdirSync(lake.catalogue('flights'))[0]);
  const seal = join(lake.seals, readdirSync(lake.seals)[0]);
  for (const path of [data, flights, seal]) rmSync(path);
  execFileSync('mkfifo', [data, seal]);
  symlinkSync('/dev/zero', flights);
  const { code, stderr } = await skeinHere('fleet', '--lake', lake.root, '--flights', '--json');
  expect([code, stderr]).toEqual([3, expect.stringContaining(flights)]);
  const { problems } = await checkLake(lake);
  expect([...problems.keys()].sort()).toEqual(expect.arrayContaining([data, flights, seal].sort()));
  const { lost } = await repairLake(lake);
  expect(lost).toEqual([]);
  expect((await checkLake(lake)).problems.size).toBe(0);
}, 60_000);

test('what cannot be rebuilt is named, put aside, and the rest stays', async () => {
  const lake = new Lake(join(folder, 'lost'));
  cpSync(single.root, lake.root, { recursive: true });
  const away = join(folder, 'logs-away');
  const [table] = filesOf(lake).filter((path) => path.includes('/BAT/'));
  writeFileSync(table, 'half a file');
  renameSync(logs, away);
  try {
    const { code, stdout } = await skeinHere('lake', 'repair', '--lake', lake.root, '--json');
    expect(code).toBe(3);
    const { files, rebuilt, lost } = JSON.parse(stdout);
    expect(files).toEqual([
      { path: table, problem: 'its bytes changed since it was written', aside: expect.any(String) },
    ]);
    expect(readFileSync(files[0].aside, 'utf8')).toBe('half a file');
    expect(rebuilt).toEqual([]);
    expect(lost[0].reason).toMatch(/no longer at/);
    const { broken, rows } = await rowsOf(new Lake(lake.root));
    expect(broken).toEqual([table]);
    expect(rows.get('catalogue.flights')).toHaveLength(2);
  } finally {
    renameSync(away, logs);
  }
});

test('a lake of an earlier version, without hashes, is answered, and says so', async () => {
  const lake = new Lake(join(folder, 'old'));
  cpSync(single.root, lake.root, { recursive: true });
  rmSync(lake.seals, { recursive: true });
  const { code, stderr } = await skeinHere('fleet', '--lake', lake.root);
  expect(code).toBe(0);
  expect(stderr).toMatch(/files without a hash/);
  const torn = join(lake.catalogue('flights'), readdirSync(lake.catalogue('flights'))[0]);
  writeFileSync(torn, readFileSync(torn).subarray(0, 1000));
  const second = await skeinHere('fleet', '--lake', lake.root);
  expect(second.code).toBe(3);
  expect(second.stderr).toContain(`${torn} cannot be read: not a whole Parquet file`);
});

test('a table with a quotation mark in its name can be asked', async () => {
  const { MadeLog } = await import('../helpers/made-log.ts');
  const made = new MadeLog().define('a"b', 'QI', 'TimeUS,Value');
  for (let i = 0; i < 9; i++) made.add('a"b', i, i * i);
  writeFileSync(join(folder, 'quoted.BIN'), made.bytes());
  const lake = join(folder, 'quoted');
  expect((await skeinHere('ingest', join(folder, 'quoted.BIN'), '--lake', lake)).code).toBe(0);
  const asked = await skeinHere('sql', 'SELECT max(Value) AS most FROM "a""b"', '--lake', lake, '--json');
  expect(asked).toMatchObject({ code: 0, stdout: '{"most":64}\n' });
});
