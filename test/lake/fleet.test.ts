import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Ingester, type IngestResult } from '../../src/lake/ingest.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { openLog } from '../../src/node/open.ts';
import { jsonOf } from '../../src/sql/result.ts';
import { SKEIN, skein, skeinHere } from '../helpers/cli.ts';
import { dumpedRows, readParquet } from '../helpers/exported.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { gpsTime, MadeLog } from '../helpers/made-log.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { ask, changedFlight, machineId, SAMPLE_VEHICLE, smallFlight } from './fleet-logs.ts';

const folder = temporaryFolder();
const at = (...parts: string[]): string => join(folder, ...parts);

/** All files of a folder with their sizes and when they were written. */
function listing(root: string): Map<string, string> {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    found.flatMap((name) => {
      // files come and go while a run is at work
      const file = statSync(join(root, name), { throwIfNoEntry: false });
      return file?.isFile() ? [[name, `${file.size} ${file.mtimeMs}`] as const] : [];
    }),
  );
}

async function ingestHere(lake: string, ...paths: string[]): Promise<IngestResult[]> {
  const ingester = await Ingester.open(new Lake(lake));
  try {
    const results: IngestResult[] = [];
    for (const path of paths) results.push(await ingester.ingest(path));
    return results;
  } finally {
    await ingester.close();
  }
}

const statusOf = (results: readonly IngestResult[]): string[] => results.map(({ status }) => status);

let flight: Uint8Array;
beforeAll(async () => {
  flight = await smallFlight();
});

const VEHICLES = 4;
const DAYS = 3;
/** The log of a vehicle on a day: the later, the less its battery has. */
const logName = (vehicle: number, day: number): string => `v${vehicle}-${day}.BIN`;
const vehicleName = (vehicle: number): string => machineId(vehicle).slice(0, 16);

describe('twelve flights of four vehicles', () => {
  const logs = at('logs');
  const lake = at('lake');
  let database: LakeDatabase;
  afterAll(() => database.close());

  beforeAll(async () => {
    mkdirSync(logs);
    for (let vehicle = 0; vehicle < VEHICLES; vehicle++) {
      for (let day = 0; day < DAYS; day++) {
        const parameter = ['BATT_CAPACITY', vehicle === 2 ? 5000 : 3300] as const;
        const changes = { machine: machineId(vehicle), days: day - 1, volts: -0.25 * day, parameter };
        writeFileSync(join(logs, logName(vehicle, day)), await changedFlight(flight, changes));
      }
    }
    const run = skein(['ingest', logs, '--lake', lake, '--workers', '2', '--json']);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^skein: 12 logs ingested \([\d,]+ rows, \d\.\d MB\), 0 already there, in [\d.]+ s\n$/);
    database = await LakeDatabase.open(new Lake(lake));
  });

  test('each table has a file for each log, by vehicle and day', async () => {
    const log = await openLog(join(logs, logName(0, 0)));
    const tables = new Set(log.tables.filter(({ rows }) => rows > 0).map(({ name }) => name));
    const found = [...listing(lake).keys()].filter((name) => !name.startsWith('_'));
    expect(found).toHaveLength(tables.size * VEHICLES * DAYS);
    for (const name of found) {
      const [, table, vehicle, day] =
        /^(\w+)\/vehicle=(\w+)\/date=2026-11-(\d\d)\/[0-9a-f]{32}\.parquet$/.exec(name) ?? [];
      expect(tables).toContain(table);
      expect([0, 1, 2, 3].map(vehicleName)).toContain(vehicle);
      expect(['14', '15', '16']).toContain(day);
    }
    expect(readdirSync(join(lake, '_staging'))).toEqual([]);
  });

  test('the rows are those that `dump` gives', async () => {
    const where = `vehicle = '${vehicleName(1)}' AND date = '2026-11-16'`;
    for (const [table, rows] of await dumpedRows(join(logs, logName(1, 2)))) {
      const values = `epoch_us(time), * EXCLUDE (vehicle, date, log, stream, time)`;
      const sql = `SELECT ${values} FROM "${table.name}" WHERE ${where} AND stream = '${table.stream}'`;
      const read: unknown[] = [];
      for await (const row of (await database.query(sql)).rows()) {
        const [time, ...others] = row.map(jsonOf);
        read.push({ time: time === null ? null : (time as number) / 1e6, values: others });
      }
      // JSON, since that has no negative zero
      expect(JSON.stringify(read)).toBe(JSON.stringify(rows));
    }
  });

  test('a second run does nothing', () => {
    const before = listing(lake);
    const run = skein(['ingest', logs, '--lake', lake]);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^skein: 0 logs ingested \(0 rows, 0\.0 MB\), 12 already there, in [\d.]+ s\n$/);
    expect(listing(lake)).toEqual(before);
  });

  test('partitions that are not asked for are not opened', async () => {
    const plan = async (where: string): Promise<string> =>
      String((await ask(lake, `EXPLAIN SELECT avg(Volt) FROM BAT WHERE ${where}`))[0][1]);
    expect(await plan(`vehicle = '${vehicleName(1)}'`)).toContain('Scanning Files: 3/12');
    expect(await plan(`date > '2026-11-15'`)).toContain('Scanning Files: 4/12');
    expect(await plan(`vehicle = '${vehicleName(1)}' AND date = '2026-11-14'`)).toContain('Scanning Files: 1/12');
  });

  test('the fleet: flights, hours, trends and parameters that differ', async () => {
    const lines = async (...args: string[]): Promise<Record<string, unknown>[]> => {
      const run = await skeinHere('fleet', '--lake', lake, '--json', ...args);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      return run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    const vehicles = await lines();
    expect(vehicles.map(({ vehicle }) => vehicle)).toEqual([0, 1, 2, 3].map(vehicleName));
    for (const vehicle of vehicles)
      expect(vehicle).toMatchObject({
        kind: 'Copter',
        logs: 3,
        flights: 3,
        first_flight: '2026-11-14 18:13:12',
        last_flight: '2026-11-16 18:14:34',
      });
    const flights = await lines('--flights', '--vehicle', vehicleName(3), '--from', '2026-11-15');
    expect(flights.map(({ start }) => start)).toEqual(['2026-11-15 18:13:12', '2026-11-16 18:13:12']);
    const hours = flights.reduce((sum, { in_air_s }) => sum + (in_air_s as number), 0) / 2 / 3600;
    expect(Math.abs((vehicles[0].hours as number) - 3 * hours)).toBeLessThan(0.001);
    const [first, second, third] = await lines('--trend', 'bat[0].volt', '--vehicle', vehicleName(0));
    // by hand: the voltages of the flight, which `dump` gives as well
    const dumped = await skeinHere(
      'dump',
      '--type',
      'BAT',
      '--from',
      '2026-11-14T18:13:12.384861Z',
      '--to',
      '2026-11-14T18:14:34.797717Z',
      join(logs, logName(0, 0)),
    );
    const volts = dumped.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).data.Volt as number);
    expect(first).toMatchObject({
      count: volts.length,
      least: Math.min(...volts),
      most: Math.max(...volts),
      change: null,
    });
    expect(first.mean).toBeCloseTo(volts.reduce((sum, each) => sum + each, 0) / volts.length, 9);
    expect(second.change).toBeCloseTo(-0.25, 5);
    expect(third.change).toBeCloseTo(-0.25, 5);
    expect(await lines('--params')).toEqual([
      { kind: 'Copter', name: 'BATT_CAPACITY', value: 3300, vehicles: 3, of: 4, which: 'usual' },
      { kind: 'Copter', name: 'BATT_CAPACITY', value: 5000, vehicles: 1, of: 4, which: vehicleName(2) },
    ]);
  });

  test('what is asked wrongly is refused in a sentence', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const run = await skeinHere(...args);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      return run.stderr;
    };
    expect(await refused('fleet', '--lake', logs)).toContain('is not a lake; create one: skein ingest PATH... --lake');
    expect(await refused('fleet', '--lake', lake, '--trend', 'BAT.Vlt')).toContain('no field Vlt: did you mean Volt?');
    expect(await refused('fleet', '--lake', lake, '--from', 'May')).toContain('expected a day');
    expect(await refused('sql', 'SELECT 1 FROM GSP', '--lake', lake)).toContain('no table GSP: did you mean GPS?');
    expect(await refused('ingest', logs, '--lake', lake, '--vehicle-from', 'moon')).toContain('must be hardware');
  });

  test.each([
    "COPY (SELECT 1) TO 'LAKE/x.parquet'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO 'LAKE/x.parquet'",
    "PREPARE p AS COPY (SELECT 1) TO 'LAKE/x.parquet'; EXECUTE p",
    "ATTACH 'LAKE/x.db'",
    "EXPORT DATABASE 'LAKE/x'",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM read_text('LAKE/../logs/v0-0.BIN')",
    'SET enable_external_access = true',
  ])('a query reads the lake and nothing else: %s', async (sql) => {
    const before = [...listing(lake).keys()];
    const refused = /^queries only read: use SELECT|^no function read_text in queries/;
    await expect(database.query(sql.replaceAll('LAKE', lake))).rejects.toThrow(refused);
    expect([...listing(lake).keys()]).toEqual(before);
  });
});

describe('a log is told by its content', () => {
  const lake = at('told');
  const put = (name: string, bytes: Uint8Array): string => {
    mkdirSync(at('told-logs'), { recursive: true });
    writeFileSync(at('told-logs', name), bytes);
    return at('told-logs', name);
  };
  const rowsOf = async (): Promise<unknown[][]> =>
    ask(lake, 'SELECT vehicle, date, count(*) FROM GPS GROUP BY ALL ORDER BY ALL');

  test('again, elsewhere and packed, it is one log', async () => {
    const path = put('a.BIN', flight);
    expect(
      statusOf(await ingestHere(lake, path, path, put('copy.BIN', flight), put('a.BIN.gz', gzipSync(flight)))),
    ).toEqual(['ingested', 'present', 'present', 'present']);
    expect(await rowsOf()).toEqual([[SAMPLE_VEHICLE, '2026-11-15', 632]]);
  });

  test('a longer copy takes the place of the shorter one, which then is outdated', async () => {
    const cut = put(
      'part.BIN',
      (await changedFlight(flight, { machine: machineId(20) })).subarray(0, Math.floor(flight.length * 0.8)),
    );
    const whole = put('whole.BIN', await changedFlight(flight, { machine: machineId(20) }));
    const [first, second, third] = await ingestHere(lake, cut, whole, cut);
    expect(second).toMatchObject({ status: 'ingested', replaced: [first.log] });
    expect(third).toMatchObject({ status: 'outdated', log: second.log });
    expect(await rowsOf()).toContainEqual([vehicleName(20), '2026-11-15', 632]);
    expect([...listing(lake).keys()].filter((name) => name.includes(`${first.log}.parquet`))).toEqual([]);
    // at the same time, when neither can see the other before it is done
    const both = at('told-3');
    await Promise.all([cut, whole].map((path) => ingestHere(both, path)));
    expect(await ask(both, 'SELECT path FROM logs')).toEqual([[whole]]);
    expect(await ask(both, 'SELECT count(*) FROM GPS')).toEqual([[632]]);
    // the other way round, and without what was written down about it
    const [newer, older] = await ingestHere(at('told-2'), whole, cut);
    expect(older).toMatchObject({ status: 'outdated', log: newer.log });
  });

  test('a recording that was mended takes the place of what its file held; another flight does not', async () => {
    const bytes = await changedFlight(flight, { machine: machineId(30) });
    const path = put('00000001.BIN', bytes);
    const [first] = await ingestHere(lake, path);
    const mended = bytes.slice();
    mended.fill(0, flight.length - 10_400, flight.length - 10_000);
    put('00000001.BIN', mended);
    const [second] = await ingestHere(lake, path);
    expect(second).toMatchObject({ status: 'ingested', lost: true, replaced: [first.log] });
    // back to what it was
    put('00000001.BIN', bytes);
    expect((await ingestHere(lake, path))[0]).toMatchObject({
      status: 'ingested',
      log: first.log,
      replaced: [second.log],
    });
    // another card in the same place
    put('00000001.BIN', await changedFlight(flight, { machine: machineId(30), days: 5 }));
    expect((await ingestHere(lake, path))[0]).toMatchObject({ status: 'ingested', replaced: [] });
    const rows = (await rowsOf()).filter(([vehicle]) => vehicle === vehicleName(30));
    expect(rows).toEqual([
      [vehicleName(30), '2026-11-15', 632],
      [vehicleName(30), '2026-11-20', 632],
    ]);
  });
});

describe('runs that meet or are cut short', () => {
  const logs = at('cut-logs');
  beforeAll(() => {
    mkdirSync(logs);
    const { week, millis } = gpsTime('2026-01-02T03:04:05Z', 18);
    for (let i = 0; i < 3; i++) {
      const made = new MadeLog().define('GPS', 'QIHB', 'TimeUS,GMS,GWk,Status').add('GPS', i + 1, millis, week, 3);
      for (let table = 0; table < 12; table++)
        made.define(`T${table}`, 'QI', 'TimeUS,Value').add(`T${table}`, table, i);
      writeFileSync(join(logs, `${i}.BIN`), made.bytes());
    }
  });

  const start = (lake: string): ChildProcess =>
    spawn(process.execPath, [SKEIN, 'ingest', logs, '--lake', lake, '--workers', '1'], { stdio: 'ignore' });
  const ended = (run: ChildProcess): Promise<number | null> => new Promise((resolve) => run.on('exit', resolve));
  const dataOf = (lake: string): string[] => [...listing(lake).keys()].filter((name) => !name.startsWith('_staging'));

  test('a run that is killed goes on where it stopped, and nothing half-written is ever there', async () => {
    const lake = at('killed');
    const published = (): number => {
      try {
        return dataOf(lake).length;
      } catch {
        // a folder went while it was looked at
        return 0;
      }
    };
    for (const files of [2, 30]) {
      const run = start(lake);
      // after so many files, which is somewhere inside of a log
      while (run.exitCode === null && published() < files) await new Promise((resolve) => setTimeout(resolve, 10));
      run.kill('SIGKILL');
      await ended(run);
      for (const name of dataOf(lake)) if (name.endsWith('.parquet')) await readParquet(join(lake, name));
    }
    expect(await ended(start(lake))).toBe(0);
    const clean = at('clean');
    await ingestHere(clean, ...[0, 1, 2].map((i) => join(logs, `${i}.BIN`)));
    expect(dataOf(lake)).toEqual(dataOf(clean));
    expect(readdirSync(join(lake, '_staging'))).toEqual([]);
    const counts = 'SELECT vehicle, log, Value FROM T11 ORDER BY ALL';
    expect(await ask(lake, counts)).toEqual(await ask(clean, counts));
  });

  test.skipIf(process.platform !== 'linux')(
    'one that reads a log and is killed fails that log only, and none goes on without who started it',
    async () => {
      const children = (run: ChildProcess): number[] => {
        const text = readFileSync(`/proc/${run.pid}/task/${run.pid}/children`, 'utf8').trim();
        return text === '' ? [] : text.split(' ').map(Number);
      };
      const until = async (isSo: () => boolean): Promise<void> => {
        while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
      };
      const lake = at('child');
      const run = start(lake);
      await until(() => children(run).length === 1);
      process.kill(children(run)[0], 'SIGKILL');
      expect(await ended(run)).toBe(1);
      expect(readdirSync(join(lake, '_catalogue', 'logs')).length).toBe(2);
      const other = start(lake);
      await until(() => children(other).length === 1);
      const [child] = children(other);
      other.kill('SIGKILL');
      await until(() => !existsSync(`/proc/${child}`));
      expect(await ended(start(lake))).toBe(0);
      expect(await ask(lake, 'SELECT Value FROM T3 ORDER BY ALL')).toEqual([[0], [1], [2]]);
    },
  );

  test('drafts that a run left behind right after its log was there are taken away by the next', async () => {
    const lake = at('drafts');
    expect(await ended(start(lake))).toBe(0);
    const before = dataOf(lake);
    const [log] = readdirSync(join(lake, '_catalogue', 'logs'));
    const id = log.replace('.parquet', '');
    const draft = join(lake, '_staging', `${id}-0123456789ab`);
    mkdirSync(join(draft, 'catalogue'), { recursive: true });
    renameSync(join(lake, '_catalogue', 'seals', id), join(draft, 'seal'));
    // of a log that is not there somebody may be writing drafts at this moment
    const foreign = `${'0'.repeat(32)}-0123456789ab`;
    mkdirSync(join(lake, '_staging', foreign));
    expect(await ended(start(lake))).toBe(0);
    expect(readdirSync(join(lake, '_staging'))).toEqual([foreign]);
    expect(dataOf(lake)).toEqual(before);
  });

  test('two runs at once put each log in once', async () => {
    const lake = at('twice');
    expect(await Promise.all([start(lake), start(lake)].map(ended))).toEqual([0, 0]);
    expect(await ask(lake, 'SELECT Value FROM T3 ORDER BY ALL')).toEqual([[0], [1], [2]]);
    expect(readdirSync(join(lake, '_staging'))).toEqual([]);
  });
});

describe('odd logs and files', () => {
  test('damaged logs go in with what they have, the rest is listed, and nothing stops the others', async () => {
    const [logs, lake] = [at('odd-logs'), at('odd')];
    mkdirSync(logs);
    writeFileSync(join(logs, 'good.BIN'), flight);
    const damaged = (await changedFlight(flight, { machine: machineId(50) })).slice(0, -100);
    damaged.fill(0x55, 100_000, 100_500);
    writeFileSync(join(logs, 'damaged.BIN'), damaged);
    writeFileSync(join(logs, 'zeros.BIN'), new Uint8Array(5000));
    writeFileSync(join(logs, 'empty.BIN'), '');
    writeFileSync(join(logs, 'notes.txt'), 'no log at all\n');
    symlinkSync(logs, join(logs, 'loop'));
    const run = skein(['ingest', logs, at('absent.BIN'), '--lake', lake, '--json']);
    const lines = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as IngestResult);
    const found = Object.fromEntries(lines.map(({ path, status, lost }) => [relative(folder, path), [status, lost]]));
    expect(found).toEqual({
      'absent.BIN': ['failed', undefined],
      'odd-logs/good.BIN': ['ingested', false],
      'odd-logs/damaged.BIN': ['ingested', true],
      'odd-logs/zeros.BIN': ['ingested', true],
      'odd-logs/empty.BIN': ['empty', false],
      'odd-logs/notes.txt': ['unknown', false],
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('absent.BIN: not found, or permission denied\n');
    const kept = (await openLog(join(logs, 'damaged.BIN'))).faults.kept;
    expect(kept.length).toBeGreaterThan(1);
    expect(
      await ask(lake, `SELECT code, "offset", length, lost, text FROM faults WHERE vehicle = '${vehicleName(50)}'`),
    ).toEqual(kept.map(({ code, offset, length, lost, text }) => [code, offset, length, lost, text]));
  });

  test('fields that firmwares define differently are united by name and keep their values', async () => {
    const { week, millis } = gpsTime('2026-01-02T03:04:05Z', 18);
    const made = (format: string, columns: string, ...values: (number | bigint | string)[]): Uint8Array => {
      const log = new MadeLog().define('GPS', 'QIHB', 'TimeUS,GMS,GWk,Status').define('T', format, columns);
      return log
        .add('GPS', 1, millis, week, 3)
        .add('T', 2, ...values)
        .bytes();
    };
    const paths = [
      made('QBIZ', 'TimeUS,A,B,C', 200, 16_777_217, 'x'),
      made('QqfZ', 'TimeUS,A,b,Date', -(2n ** 60n) - 1n, 0.5, 'y'),
      made('QQh', 'TimeUS,A,C', 2n ** 64n - 1n, -3),
    ].map((bytes, i) => {
      writeFileSync(at(`united-${i}.BIN`), bytes);
      return at(`united-${i}.BIN`);
    });
    const lake = at('united');
    expect(statusOf(await ingestHere(lake, ...paths))).toEqual(['ingested', 'ingested', 'ingested']);
    const rows = await ask(lake, 'SELECT CAST(A AS VARCHAR), B, C, Date_2, CAST(date AS VARCHAR) FROM T ORDER BY A');
    expect(rows).toEqual([
      [String(-(2n ** 60n) - 1n), 0.5, null, 'y', '2026-01-02'],
      ['200', 16_777_217, 'x', null, '2026-01-02'],
      [String(2n ** 64n - 1n), null, '-3', null, '2026-01-02'],
    ]);
  });

  test('names and texts of a hostile log stay inside the lake', async () => {
    const log = new MadeLog()
      .define('../a', 'QZ', 'TimeUS,Message')
      .define('_x', 'QB', 'TimeUS,vehicle')
      .define('MSG', 'QZ', 'TimeUS,Message');
    log.add('../a', 1, "'); DROP TABLE x; --").add('_x', 2, 7).add('MSG', 3, '"\\\ud800\n');
    mkdirSync(at("host'ile"));
    writeFileSync(at("host'ile", 'a.BIN'), log.bytes());
    const lake = at("host'ile", 'lake');
    const [result] = await ingestHere(lake, at("host'ile", 'a.BIN'));
    expect(result).toMatchObject({ status: 'ingested', rows: 3 + 4, date: null, reason: null });
    expect(await ask(lake, 'SELECT Message FROM "../a"')).toEqual([["'); DROP TABLE x; --"]]);
    expect(await ask(lake, 'SELECT vehicle_2, vehicle, date FROM "_x"')).toEqual([[7, result.vehicle, null]]);
    expect(readdirSync(at("host'ile")).sort()).toEqual(['a.BIN', 'lake']);
  });
});

needShared(test, 'flight')(
  'logs of every format go in, and a flight that was recorded on board and on the ground counts once',
  async () => {
    const names = ['copter-square.tlog', 'copter-square.nmea'];
    const lake = at('formats');
    writeFileSync(at('flight.BIN'), flight);
    const paths = [at('flight.BIN'), ...names.map((name) => sharedData('flight', name))];
    if (existsSync(sharedData('xbus', '1', 'output.bin'))) paths.push(sharedData('xbus', '1', 'output.bin'));
    const results = await ingestHere(lake, ...paths);
    expect(new Set(statusOf(results))).toEqual(new Set(['ingested']));
    for (const { path, log } of results) {
      const [[rows]] = await ask(lake, `SELECT sum("rows") FROM tables WHERE log = '${log}'`);
      expect(Number(rows)).toBeGreaterThanOrEqual((await openLog(path)).records);
    }
    const run = await skeinHere('fleet', '--lake', lake, '--flights', '--vehicle', SAMPLE_VEHICLE, '--json');
    expect(
      run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).log),
    ).toEqual([results[0].log]);
  },
);
