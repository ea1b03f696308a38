import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DumpedRecord, recordsOf, SAMPLE, SKEIN, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { gpsTime, MadeLog, textLog } from '../helpers/made-log.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();

/** A file of this content. */
function fileOf(name: string, content: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function dumped(...args: string[]): Promise<DumpedRecord[]> {
  const { stdout, stderr } = await skeinHere('dump', ...args);
  // made logs without a time say so
  expect(stderr.replace(/^.* guessed from message rates\n/, '')).toBe('');
  return recordsOf(stdout);
}

describe('lines', () => {
  test('have type, stream, time, place and data, and every place is a header', async () => {
    const bytes = readFileSync(SAMPLE);
    const records = await dumped('--from', '+60s', '--until', '+61s', SAMPLE);
    expect(records.length).toBeGreaterThan(1000);
    let last = -1;
    for (const record of records) {
      expect(Object.keys(record)).toEqual(['type', 'stream', 'time', 'at', 'data']);
      expect(bytes.readUInt16BE(record.at)).toBe(0xa395);
      // the file's order, whatever the table
      expect(record.at).toBeGreaterThan(last);
      last = record.at;
    }
  });

  // no record of these has a time
  needShared(test, 'dataflash')('guessed times are marked wherever they are printed', async () => {
    const path = sharedData('dataflash', 'LA-underpowered.log');
    const note = `skein: ${path}: no record has a time; times are guessed from message rates\n`;
    for (const [command, ...args] of [
      ['dump', '--type', 'CURR', '--limit', '3'],
      ['events', '--json'],
      ['export', '--to', 'jsonl', '--type', 'CURR'],
    ]) {
      const { stdout, stderr } = await skeinHere(command, path, ...args);
      expect(stderr).toContain(note);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeGreaterThan(2);
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ guessed: true });
    }
    expect((await skeinHere('export', path, '--to', 'csv', '--type', 'CURR')).stderr).toContain(note);
    expect((await skeinHere('report', path)).stdout).toMatch(/min .* \(all times are guessed: no record has one\)/);
    expect(JSON.parse((await skeinHere('report', '--json', path)).stdout)).toMatchObject({ guessed: true });
    const page = (await skeinHere('report', '--to', 'html', path)).stdout;
    expect(page).toContain('All times are guessed: no record has one.');
    expect(page).toContain('logged (guessed)');
    // GPS records time this one
    const { stdout, stderr } = await skeinHere('dump', '--limit', '1', sharedData('dataflash', 'LA-octo_PM.log'));
    expect(stdout + stderr).not.toContain('guessed');
  });

  test('have the names of values and bits beside the data on request, where there are any', async () => {
    const tlog = SAMPLE.replace('.BIN', '.tlog');
    const [record] = await dumped('--names', '--type', 'HEARTBEAT', '--limit', '1', tlog);
    expect(record).toMatchObject({
      data: {
        type: 2,
        type_name: 'MAV_TYPE_QUADROTOR',
        base_mode: 89,
        base_mode_name: expect.arrayContaining(['MAV_MODE_FLAG_STABILIZE_ENABLED']),
      },
    });
  });

  test('come from the whole file, each record once', async () => {
    const records = await dumped(SAMPLE);
    // what pymavlink counts in this log
    expect(records).toHaveLength(228_940);
    expect(new Set(records.map(({ at }) => at)).size).toBe(records.length);
    expect(records[0]).toMatchObject({ type: 'FMT', stream: '', at: 0, data: { Type: 128, Length: 89, Name: 'FMT' } });
  });

  test('a number that is none is null, 64 bits beyond 2^53 are text', async () => {
    const made = new MadeLog()
      .define('NUM', 'ffdQqQa', 'a,b,c,d,e,f,g')
      .add('NUM', Number.NaN, Number.POSITIVE_INFINITY, -1.5, 2n ** 64n - 1n, -(2n ** 63n), 2n ** 53n - 1n, [-1, 2]);
    const [{ data }] = await dumped('--type', 'NUM', fileOf('numbers.BIN', made.bytes()));
    expect(data).toEqual({
      a: null,
      b: null,
      c: -1.5,
      d: '18446744073709551615',
      e: '-9223372036854775808',
      f: 9007199254740991,
      g: [-1, 2, ...new Array(30).fill(0)],
    });
  });

  test('a place in a text log is that of its line', async () => {
    const bytes = textLog(
      'ArduCopter V3.1',
      'FMT, 1, 11, ATT, Icc, TimeMS,Roll,Pitch',
      'ATT, 100, 1.25, -3.5',
      'ATT, 200, x, 2',
    );
    const records = await dumped('--type', 'ATT', fileOf('text.log', bytes));
    const text = Buffer.from(bytes).toString();
    expect(records.map(({ at }) => at)).toEqual([text.indexOf('ATT, 100'), text.indexOf('ATT, 200')]);
    expect(records.map(({ time, data }) => [time, data])).toEqual([
      [0.1, { TimeMS: 100, Roll: 1.25, Pitch: -3.5 }],
      [0.2, { TimeMS: 200, Roll: null, Pitch: 2 }],
    ]);
  });
});

describe('which records', () => {
  test('by type and by instance', async () => {
    const [imu, first, both] = [
      await dumped('--type', 'IMU', '--until', '+10s', SAMPLE),
      await dumped('--type', 'IMU[0]', '--until', '+10s', SAMPLE),
      await dumped('--type', ' ATT , IMU[0]', '--until', '+10s', SAMPLE),
    ];
    expect(new Set(imu.map(({ stream }) => stream))).toEqual(new Set(['0', '1']));
    expect(first).toEqual(imu.filter(({ stream }) => stream === '0'));
    for (const { stream, data } of imu) expect(String(data.I)).toBe(stream);
    expect(both.filter(({ type }) => type === 'IMU')).toEqual(first);
    expect(new Set(both.map(({ type }) => type))).toEqual(new Set(['ATT', 'IMU']));
  });

  test('so many of them', async () => {
    const all = await dumped('--type', 'GPS', SAMPLE);
    expect(all).toHaveLength(632);
    for (const limit of [0, 1, 7, 632, 10_000]) {
      expect(await dumped('--type', 'GPS', '--limit', String(limit), SAMPLE)).toEqual(all.slice(0, limit));
    }
  });

  test('by time, in every form', async () => {
    // the log begins at 18:12:33.255519 and ends 133.714826 s later
    const start = 1_794_766_353.255519;
    const end = 1_794_766_486.970345;
    const all = await dumped('--type', 'GPS', SAMPLE);
    const between = (from: number, to: number): DumpedRecord[] =>
      all.filter(({ time }) => time !== null && time >= from && time < to);
    const forms: [string[], DumpedRecord[]][] = [
      [['--from', '+60s', '--until', '+62s'], between(start + 60, start + 62)],
      [['--from', '+1m30s', '--until', '+1m32s'], between(start + 90, start + 92)],
      [['--from', '-10s'], between(end - 10, end + 1)],
      [['--until', '-2m'], between(0, end - 120)],
      [['--from', '2026-11-15T18:13:30Z', '--until', '2026-11-15T18:13:31Z'], between(1_794_766_410, 1_794_766_411)],
      [['--from', '2026-11-15T18:13:30', '--until', '2026-11-15 18:13:31'], between(1_794_766_410, 1_794_766_411)],
      [
        ['--from', '2026-11-15T19:13:30+01:00', '--until', '2026-11-15T18:13:31'],
        between(1_794_766_410, 1_794_766_411),
      ],
      [['--from', '1794766410', '--until', '1794766411.0'], between(1_794_766_410, 1_794_766_411)],
    ];
    for (const [options, expected] of forms) {
      expect(expected.length).toBeGreaterThan(3);
      expect(await dumped('--type', 'GPS', ...options, SAMPLE), options.join(' ')).toEqual(expected);
    }
  });

  test('a time that is printed can be typed again: at or after, and before', async () => {
    const all = await dumped('--type', 'GPS', SAMPLE);
    const [from, to] = [String(all[40].time), String(all[43].time)];
    expect(await dumped('--type', 'GPS', '--from', from, '--until', to, SAMPLE)).toEqual(all.slice(40, 43));
  });

  test('none where none is', async () => {
    expect(await dumped('--from', '+1h', SAMPLE)).toEqual([]);
    expect(await dumped(fileOf('empty.BIN', new Uint8Array(0)))).toEqual([]);
  });
});

describe('values', () => {
  test('in SI units, by the multipliers of the log', async () => {
    const made = new MadeLog()
      .define('FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds')
      .define('UNIT', 'QbZ', 'TimeUS,Id,Label')
      .define('MULT', 'Qbd', 'TimeUS,Id,Mult')
      .define('MIX', 'QcLhfB', 'TimeUS,HDop,Lat,Mag,Volt,Plain');
    made.add('UNIT', 0, 'W'.charCodeAt(0), 'wobble').add('MULT', 0, 'x'.charCodeAt(0), 0.5);
    // a multiplier speaks of the stored number: 1234 of 12.34, 514700000 of 51.47
    made.add('FMTU', 0, made.typeOf('MIX'), 's-DGW-', 'FBGCx-').add('MIX', 2_500_000, 12.34, 51.47, -196, 3, 7);
    const path = fileOf('si.BIN', made.bytes());
    const [plain] = await dumped('--type', 'MIX', path);
    expect(plain.data).toEqual({ TimeUS: 2_500_000, HDop: 12.34, Lat: 51.47, Mag: -196, Volt: 3, Plain: 7 });
    const [si] = await dumped('--si', '--type', 'MIX', path);
    expect(si.data).toEqual({ TimeUS: 2.5, HDop: 12.34, Lat: 51.47, Mag: -0.196, Volt: 1.5, Plain: 7 });
    expect(si.time).toBe(plain.time);
  });

  test('of the sample in SI units', async () => {
    const last = (await dumped('--si', '--type', 'BAT', SAMPLE)).at(-1);
    // pymavlink: TimeUS 136154683, CurrTot 632.56103515625 mAh
    expect(last?.data).toMatchObject({ TimeUS: 136.154683, CurrTot: 0.63256103515625, Volt: 12.599990844726562 });
  });

  test('times with the leap seconds that were asked for', async () => {
    const { week, millis } = gpsTime('2014-03-01T12:00:00Z', 16);
    const made = new MadeLog().define('GPS', 'QBIH', 'TimeUS,Status,GMS,GWk').add('GPS', 1, 3, millis, week);
    const path = fileOf('leap.BIN', made.bytes());
    const noon = Date.parse('2014-03-01T12:00:00Z') / 1000;
    expect((await dumped('--type', 'GPS', path))[0].time).toBe(noon);
    expect((await dumped('--type', 'GPS', '--leap-seconds', '18', path))[0].time).toBe(noon - 2);
    expect((await dumped('--type', 'GPS', '--leap-seconds', '0', path))[0].time).toBe(noon + 16);
  });
});

needShared(describe, 'flight/ref')('the sample as pymavlink reads it', () => {
  interface Flight {
    readonly counts: Readonly<Record<string, number>>;
    readonly first: Readonly<Record<string, { readonly t: number; readonly msg: Record<string, unknown> }>>;
    readonly last: Flight['first'];
  }
  const flight = JSON.parse(readFileSync(sharedData('flight/ref/copter-square.BIN.json'), 'utf8')) as Flight;

  test('has the same records by type, and the same first and last ones', async () => {
    const records = await dumped(SAMPLE);
    const counts = new Map<string, number>();
    for (const { type } of records) counts.set(type, (counts.get(type) ?? 0) + 1);
    expect(Object.fromEntries([...counts].sort())).toEqual(Object.fromEntries(Object.entries(flight.counts).sort()));
    const byEnd = [
      [flight.first, records],
      [flight.last, records.toReversed()],
    ] as const;
    for (const [expected, list] of byEnd) {
      for (const [type, { t, msg }] of Object.entries(expected)) {
        const found = list.find((record) => record.type === type);
        const { mavpackettype: _, ...fields } = msg;
        // JSON has no negative zero
        const plain = Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [name, value === 0 ? 0 : value]),
        );
        expect(found?.data).toEqual(plain);
        expect(Math.abs((found?.time ?? 0) - t)).toBeLessThan(1e-6);
      }
    }
  });
});

describe('a log that grows', () => {
  /** Waits until the command has printed so many lines. */
  async function lines(child: ChildProcess, text: () => string, count: number): Promise<string[]> {
    const deadline = performance.now() + 20_000;
    while (text().split('\n').length - 1 < count) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error(`only ${text()} came`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return text().trimEnd().split('\n');
  }

  test('is followed until it is interrupted', async () => {
    const made = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').define('ATT', 'QB', 'TimeUS,Roll');
    made.add('MSG', 1, 'one').add('ATT', 2, 0);
    const path = fileOf('growing.BIN', made.bytes());
    const child = spawn(process.execPath, [SKEIN, 'dump', '--follow', '--type', 'MSG', path]);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => {
      stdout += piece;
    });
    child.stderr.on('data', (piece: Buffer) => {
      stderr += piece;
    });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    await lines(child, () => stdout, 1);
    const before = made.length;
    made.add('MSG', 3, 'two').add('ATT', 4, 0).add('MSG', 5, 'three');
    // in two pieces that part a record
    appendFileSync(path, made.bytes().subarray(before, before + 30));
    appendFileSync(path, made.bytes().subarray(before + 30));
    await lines(child, () => stdout, 2);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(stderr).toBe('');
    // the last record comes when it is clear that nothing follows it
    expect(recordsOf(stdout).map(({ time, data }) => [time, data.Message])).toEqual([
      [0.000001, 'one'],
      [0.000003, 'two'],
      [0.000005, 'three'],
    ]);
  });

  test('ends by itself when there are enough', async () => {
    const made = new MadeLog().define('A', 'QB', 'TimeUS,Id').add('A', 1, 1).add('A', 2, 2).add('A', 3, 3);
    const path = fileOf('enough.BIN', made.bytes());
    const records = await dumped('--follow', '--type', 'A', '--limit', '2', '--from', '0.000001', path);
    expect(records.map(({ data }) => data.Id)).toEqual([1, 2]);
  });
});
