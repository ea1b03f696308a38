import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { gpsTime, MadeLog, textLog } from '../helpers/made-log.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();

function fileOf(name: string, content: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Info {
  readonly [key: string]: unknown;
  readonly tables: readonly {
    readonly name: string;
    readonly stream: string;
    readonly rows: number;
    readonly fields: readonly { readonly name: string; readonly type: string; readonly unit: string }[];
  }[];
  readonly records: number;
  readonly faults: { readonly count: number; readonly lostBytes: number; readonly byCode: Record<string, number> };
}

async function infoOf(...args: string[]): Promise<Info> {
  const { stdout, stderr } = await skeinHere('info', '--json', ...args);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Info;
}

describe('as JSON', () => {
  let info: Info;

  beforeAll(async () => {
    info = await infoOf(SAMPLE);
  });

  test('has every key that is promised, of its type', () => {
    const either = (type: unknown): unknown => expect.toSatisfy((value) => value === null || typeof value === type);
    expect(info).toMatchObject({
      format: 'dataflash',
      size: statSync(SAMPLE).size,
      start: expect.any(Number),
      end: expect.any(Number),
      duration: expect.any(Number),
      clock: { kind: 'usec', source: expect.any(String) },
      vehicle: either('string'),
      firmware: either('object'),
      records: expect.any(Number),
      faults: { count: expect.any(Number), lostBytes: expect.any(Number), byCode: expect.any(Object) },
    });
    for (const { name, stream, rows, fields } of info.tables) {
      expect([typeof name, typeof stream, typeof rows]).toEqual(['string', 'string', 'number']);
      for (const field of fields) {
        expect([field.name, field.type, field.unit].map((each) => typeof each)).toEqual(['string', 'string', 'string']);
      }
    }
  });

  test('says when and what flew', () => {
    // pymavlink: time base 1794766350.785674; the first TimeUS is 2469845
    expect(info).toMatchObject({
      start: 1_794_766_353.255519,
      vehicle: 'Copter',
      firmware: { name: 'ArduCopter', version: '4.8.0-dev', git: 'c82f57f0' },
      clock: { utc: true, source: 'GPS record at offset 485141: week 2445, 65578800 ms' },
    });
    expect(Number(info.end) - Number(info.start)).toBeCloseTo(Number(info.duration), 5);
    expect(info.modes).toMatchObject([{ mode: 'STABILIZE' }, { mode: 'GUIDED' }, { mode: 'RTL', end: info.end }]);
    expect(info.messages).toContainEqual({ time: 1_794_766_353.255519, text: 'Frame: QUAD/PLUS' });
  });

  test('accounts for records and bytes', () => {
    expect(info.records).toBe(228_940);
    expect(info.tables.reduce((sum, { rows }) => sum + rows, 0)).toBe(info.records);
    expect(info.faults).toMatchObject({ count: 1, lostBytes: 7, byCode: { truncated: 1 } });
    const imu = info.tables.filter(({ name }) => name === 'IMU');
    expect(imu.map(({ stream }) => stream)).toEqual(['0', '1']);
    expect(imu[0].fields.slice(0, 3)).toEqual([
      { name: 'TimeUS', type: 'uint64', unit: 'µs' },
      { name: 'I', type: 'uint8', unit: 'instance' },
      { name: 'GyrX', type: 'float32', unit: 'rad/s' },
    ]);
  });

  test('of a log that never learned UTC has times since boot and says so', async () => {
    const made = new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1_500_000, 0).add('ATT', 4_000_000, 0);
    expect(await infoOf(fileOf('boot.BIN', made.bytes()))).toMatchObject({
      start: 1.5,
      end: 4,
      duration: 2.5,
      clock: { kind: 'usec', utc: false, source: expect.stringContaining('count from boot') },
      vehicle: null,
      firmware: null,
    });
  });

  test('of an empty log has nulls', async () => {
    expect(await infoOf(fileOf('empty.BIN', new Uint8Array(0)))).toMatchObject({
      format: 'empty',
      size: 0,
      start: null,
      end: null,
      duration: null,
      clock: { kind: 'none' },
      records: 0,
      tables: [],
      faults: { count: 0, lostBytes: 0, byCode: {} },
    });
  });

  test('has the leap seconds that were asked for, and receivers agree all the same', async () => {
    const { week, millis } = gpsTime('2014-03-01T12:00:00Z', 16);
    const made = new MadeLog().define('GPS', 'QBIH', 'TimeUS,Status,GMS,GWk').add('GPS', 1, 3, millis, week);
    const info = await infoOf('--leap-seconds', '18', fileOf('leap.BIN', made.bytes()));
    expect(info).toMatchObject({
      start: Date.parse('2014-03-01T12:00:00Z') / 1000 - 2,
      clock: { gps: [{ table: 'GPS', stream: '', fixes: 1, median: 0, least: 0, most: 0 }] },
    });
  });

  test('parameters that changed on the way are listed with their times', async () => {
    const made = new MadeLog().define('PARM', 'QNf', 'TimeUS,Name,Value');
    made.add('PARM', 1_000_000, 'A', 1).add('PARM', 1_000_000, 'B', Number.NaN).add('PARM', 2_000_000, 'A', 2);
    const { parameters } = await infoOf(fileOf('parameters.BIN', made.bytes()));
    const changes = [
      { time: 1, value: 1 },
      { time: 2, value: 2 },
    ];
    expect(parameters).toEqual({ count: 2, changed: [{ name: 'A', changes }] });
  });
});

describe('as text', () => {
  test('has a line for each thing, and one for each table', async () => {
    const { stdout, code } = await skeinHere('info', SAMPLE);
    expect(code).toBe(0);
    for (const line of [
      SAMPLE,
      '  format     dataflash, 9,285,632 bytes',
      '  vehicle    Copter, ArduCopter V4.8.0-dev (c82f57f0)',
      '  start      2026-11-15 18:12:33.255 UTC',
      '  duration   2 min 13.7 s',
      '  clock      usec: GPS record at offset 485141: week 2445, 65578800 ms',
      '  faults     1, last record cut: 7 bytes',
    ]) {
      expect(stdout.split('\n')).toContain(line);
    }
    expect(stdout).toMatch(/^ {2}records {4}228,940 in \d+ tables$/m);
    expect(stdout).toContain('  events     no errors or warnings in 59 events (skein events)');
  });

  test('fits on a screen: tables are one block, and --tables lists their fields with units as people write them', async () => {
    const { stdout } = await skeinHere('info', SAMPLE);
    expect(stdout.split('\n').length).toBeLessThan(50);
    expect(stdout).toMatch(/ {2}GPS +632 +5\.0 Hz {3}/);
    expect(stdout).toMatch(/ {2}BARO x2 +1,337 +10 Hz {3}/);
    const all = (await skeinHere('info', '--tables', SAMPLE)).stdout;
    expect(all).toMatch(
      /^ {2}GPS\[0\] +632 +5\.0 Hz {2}TimeUS µs, I, Status, GMS ms, GWk, NSats, HDop, Lat deg, Lng deg, /m,
    );
    expect(all).toMatch(/^ {2}IMU\[1\] .*, AccX m\/s², /m);
    expect(all).not.toMatch(/UNKNOWN|degheading|instance/);
  });

  test('without UTC or without times says so', async () => {
    const boot = new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1_500_000, 0);
    expect((await skeinHere(fileOf('boot.BIN', boot.bytes()))).stdout).toContain('1.5 s after boot (UTC not known)');
    const order = textLog('FMT, 1, 7, IMU, f, AccX', 'IMU, 1');
    const { stdout } = await skeinHere(fileOf('order.log', order));
    expect(stdout).toContain('(UTC not known)');
    expect(stdout).not.toContain('after boot');
    expect((await skeinHere(fileOf('empty.BIN', new Uint8Array(0)))).stdout).toContain(
      'none: no record carries a time',
    );
  });

  test('lists a few faults, and all of them when asked', async () => {
    const record = new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1, 0).bytes();
    const made = new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll');
    for (let i = 0; i < 6; i++)
      made
        .add('ATT', i, 0)
        .add('ATT', i, 0)
        .raw(new Uint8Array(10).fill(i + 1));
    const path = fileOf('faults.BIN', Buffer.concat([made.add('ATT', 9, 0).bytes(), record.subarray(-13)]));
    const count = (text: string): number => text.match(/bytes at offset \d+ are not part of a record/g)?.length ?? 0;
    expect(count((await skeinHere(path)).stdout)).toBe(3);
    expect(count((await skeinHere('--faults', path)).stdout)).toBe(6);
  });

  test('types without a definition are listed with their number and bytes', async () => {
    const made = new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1, 0);
    made
      .raw(Uint8Array.of(0xa3, 0x95, 249, 1, 2, 3))
      .add('ATT', 2, 0)
      .add('ATT', 3, 0);
    const { stdout, code } = await skeinHere(fileOf('unknown.BIN', made.bytes()));
    expect(stdout).toContain('type 249, which no FMT defines: 1 record, 6 bytes');
    expect(code).toBe(3);
  });
});

describe('several files', () => {
  const good = fileOf('good.BIN', new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1, 0).bytes());
  const bad = join(folder, 'nothing.BIN');

  test('one bad file does not hide the others', async () => {
    const run = await skeinHere('info', good, bad, SAMPLE);
    expect(run.code).toBe(1);
    expect(run.stderr).toBe(`skein: ${bad}: no such file\n`);
    expect(run.stdout).toContain(`${good}\n`);
    expect(run.stdout).toContain(`${SAMPLE}\n`);
  });

  test('are an array as JSON, with their names', async () => {
    const run = await skeinHere('info', '--json', good, bad, SAMPLE);
    expect(run.code).toBe(1);
    expect((JSON.parse(run.stdout) as Info[]).map(({ file }) => file)).toEqual([good, SAMPLE]);
  });

  test('of one flight are side by side, with the offsets of their clocks', async () => {
    const [tlog, nmea] = ['.tlog', '.nmea'].map((ending) => SAMPLE.replace('.BIN', ending));
    // without the date a receiver knows the time of the day only
    const lines = readFileSync(nmea, 'latin1').split('\n');
    const undated = fileOf('undated.nmea', Buffer.from(lines.filter((line) => line.includes('GGA')).join('\n')));
    const files = [SAMPLE, tlog, nmea, undated];
    const infos = JSON.parse((await skeinHere('info', '--json', ...files)).stdout) as Info[];
    const [first, second, third, fourth] = infos;
    expect(first).toMatchObject({ overlaps: [], offsets: [] });
    expect(second.overlaps).toEqual([{ file: SAMPLE, start: first.start, end: first.end }]);
    expect(second.offsets).toMatchObject([
      { file: SAMPLE, by: 'position', seconds: expect.closeTo(1, 0) },
      { file: SAMPLE, by: 'rotation', seconds: expect.closeTo(1, 0) },
    ]);
    expect(third.offsets).toMatchObject([
      { file: SAMPLE, by: 'position', seconds: expect.closeTo(0, 0) },
      { file: tlog, by: 'position', seconds: expect.closeTo(-1, 0) },
    ]);
    const midnight = Date.UTC(2026, 10, 15) / 1000;
    expect(fourth).toMatchObject({ overlaps: [], clock: { utc: false } });
    expect(fourth.offsets).toContainEqual(
      expect.objectContaining({ file: nmea, by: 'position', seconds: expect.closeTo(-midnight, 1) }),
    );
    const { stdout } = await skeinHere('info', ...files);
    expect(stdout).toMatch(/together\n.*copter-square\.BIN .* for 2 min/);
    expect(stdout).toContain(`has the path of ${SAMPLE} 0.965 s later: correlation 1.0000 over 126 s`);
    expect(stdout).toMatch(/its clock was 0 at 2026-11-(14 23:59:59|15 00:00:00)\.\d+ UTC, by the path of/);
  });

  test('damage in one of them is told by the exit code', async () => {
    expect((await skeinHere('info', good, good)).code).toBe(0);
    const bytes = readFileSync(SAMPLE);
    const damaged = fileOf('damaged.BIN', bytes.fill(0x55, 200_000, 200_500));
    expect((await skeinHere('info', good, damaged, good)).code).toBe(3);
    // the sample ends in the middle of a record
    expect((await skeinHere('info', good, SAMPLE, good)).code).toBe(0);
    expect((await skeinHere('info', '--strict', good, SAMPLE, good)).code).toBe(3);
  });
});

needShared(describe, 'dataflash/corrupt')('damaged logs', () => {
  // by name without ending: how many records are whole in them
  const whole = JSON.parse(readFileSync(sharedData('dataflash/corrupt/whole.json'), 'utf8')) as Record<string, number>;
  /** Zeros at the end are padding, a cut last record is how logs end, and FMT is defined without its own record. */
  const unharmed = new Set(['zerotail', 'no_first_fmt', 'empty', 'trunc']);

  test.each(Object.entries(whole))('%s has %i records', async (name, records) => {
    const run = await skeinHere('info', '--json', sharedData('dataflash/corrupt', `${name}.BIN`));
    expect(JSON.parse(run.stdout)).toMatchObject({ records });
    expect(run.code).toBe(unharmed.has(name) ? 0 : 3);
  });
});

describe('modules of formats that are loaded', () => {
  const hook = `export const load = (url, context, next) => {
    if (url.includes('/dist/formats/')) process._rawDebug(url);
    return next(url, context);
  };`;
  const asUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
  const watching = asUrl(`import { register } from 'node:module'; register(${JSON.stringify(asUrl(hook))});`);
  // the modules that the program is bundled of: a file of the bundle has what is always loaded together
  const main = new URL('../../dist/cli/main.js', import.meta.url).href;
  const script = `const { main } = await import('${main}'); process.exitCode = await main(process.argv);`;

  test.each([
    ['copter-square.BIN', ['dataflash']],
    ['copter-square.tlog', ['mavlink', 'tlog', 'ubx']],
  ])('by info of %s are those of its own, and what counts raw traffic that was sent', (name, formats) => {
    const path = SAMPLE.replace(/[^/]*$/, name);
    const options = [`--import=${watching}`, '--input-type=module', '-e', script, 'skein', 'info', path];
    const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
    expect(stdout).toContain(name);
    const loaded = stderr.match(/(?<=\/dist\/formats\/)\w+(?=\/)/g) ?? [];
    expect([...new Set(loaded)].sort()).toEqual(formats);
  });
});
