// Whole logs: what is in them, their clock, and parts of them as logs, which pyulog reads too.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../../src/core/log.ts';
import { trimUlog } from '../../../src/export/ulog.ts';
import { factsOf } from '../../../src/facts/facts.ts';
import { openInput } from '../../../src/formats/open.ts';
import { makeReport } from '../../../src/report/report.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { need, needShared, sharedData } from '../../helpers/need.ts';
import { join as concatAll } from '../../suite/random.ts';
import { f32, message, smallHead, smallLog, UlogWriter, u8, u64 } from './writer.ts';

const folder = temporaryFolder();
const FIELD = ['..', 'field', 'ulog'] as const;
const PYTHON = fileURLToPath(new URL('../../../.peers/bin/python', import.meta.url));

async function written(log: Log, options = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of trimUlog(log, options)) pieces.push(piece);
  return concatAll(pieces);
}

const rowsOf = (log: Log): Record<string, number> =>
  Object.fromEntries(log.tables.map(({ name, stream, rows }) => [`${name} ${stream}`, rows]));

/** A log with GPS that says when it is. */
function gpsLog(dates: readonly number[], fixes: readonly number[], boot?: number): UlogWriter {
  const writer = new UlogWriter().header().flags();
  if (boot !== undefined) writer.info('uint64_t boot_time_utc_us', u64(boot));
  writer.info('int32_t time_ref_utc', u8(16, 14, 0, 0));
  writer
    .format('vehicle_gps_position:uint64_t timestamp;uint64_t time_utc_usec;uint8_t fix_type;')
    .subscribe(0, 'vehicle_gps_position');
  dates.forEach((date, i) => {
    writer.data(0, u64((i + 1) * 1e6), u64(date), u8(fixes[i]));
  });
  return writer;
}

const NOON = Date.UTC(2024, 4, 5, 12) * 1000;

describe('the clock', () => {
  test.each<[string, UlogWriter, string, number]>([
    [
      'GPS, by the middle of what it says',
      gpsLog([NOON, NOON + 1e6, NOON + 9e6, NOON + 3e6], [3, 3, 3, 3]),
      'gps',
      NOON - 1e6,
    ],
    [
      'GPS, by records with a fix if there are any',
      gpsLog([NOON - 5e9, NOON - 5e9, NOON + 2e6], [1, 1, 3]),
      'gps',
      NOON - 1e6,
    ],
    ['GPS before what the vehicle knew', gpsLog([NOON], [3], NOON - 9e6), 'gps', NOON - 1e6],
    ['the time of the start', gpsLog([0, 0], [0, 0], NOON), 'boot', NOON],
    ['the time of the start where GPS says 1970', gpsLog([1e6, 2e6], [3, 3], NOON), 'boot', NOON],
    ['nothing: since boot', gpsLog([0, 0], [3, 3]), 'since-boot', 0],
  ])('is %s', async (_, writer, kind, base) => {
    const log = await openInput(writer.bytes());
    expect([log.clock.kind, log.clock.utc]).toEqual([kind, kind !== 'since-boot']);
    expect((await log.table('vehicle_gps_position')?.times())?.[0]).toBe(base + 1e6);
  });

  test('is that of each of two logs in a file', async () => {
    const one = gpsLog([NOON], [3]).bytes();
    const two = await openInput(concatAll([one, gpsLog([NOON + 3600e6], [3]).bytes(), gpsLog([0], [0]).bytes()]));
    expect([...((await two.table('vehicle_gps_position')?.times()) ?? [])]).toEqual([
      NOON,
      NOON + 3600e6,
      NOON + 3600e6,
    ]);
    expect(two.clock.parts).toHaveLength(3);
    expect(await factsOf(two).span()).toEqual({ start: NOON, end: NOON + 3600e6 });
  });

  test('is dates where another writer puts them in', async () => {
    const writer = new UlogWriter().header().format('a:uint64_t timestamp;float x;').subscribe(0, 'a');
    const log = await openInput(
      writer
        .data(0, u64(NOON), f32(1))
        .data(0, u64(NOON + 1), f32(1))
        .bytes(),
    );
    expect(log.clock).toMatchObject({ kind: 'date', utc: true });
    expect(await factsOf(log).span()).toEqual({ start: NOON, end: NOON + 1 });
    // also in a part that has nothing but texts
    const texts = await openInput(new UlogWriter().header().text(6, NOON, 'text').bytes());
    expect(texts.clock).toMatchObject({ kind: 'date', utc: true });
  });
});

describe('what a log says', () => {
  test('texts, parameters with defaults, what it is', async () => {
    const log = await openInput(smallLog(40).bytes());
    const facts = factsOf(log);
    const parameters = await facts.parameters();
    expect(parameters.get('MC_ROLL_P')).toMatchObject({ value: 7.25, default: 6 });
    expect(parameters.get('MC_ROLL_P')?.changes.map(({ value }) => value)).toEqual([6.5, 7.25]);
    expect(parameters.get('SYS_AUTOSTART')?.default).toBe(4001);
    expect((await facts.vehicle()).board).toBe('BOARD');
    expect((await facts.messages()).map((each) => each.text)).toContain('[commander] text 7');
    const dropouts = log.faults.kept.filter(({ code }) => code === 'dropout');
    expect(dropouts[1].text).toMatch(/^the logger lost 18 ms of data after 1\.130 s/);
    expect(log.faults.lost).toBe(false);
  });

  test('parameters of other writers; the default of one that was first logged when it was set is not known', async () => {
    const writer = new UlogWriter().header().flags();
    const parameter = (key: string, value: Uint8Array): UlogWriter =>
      writer.raw(message('P', u8(key.length), Buffer.from(key), value));
    parameter('double GAIN', new Uint8Array(Float64Array.of(0.1).buffer));
    parameter('bool IS_ON', u8(1)).default(1, 'float OTHER', 3).tagged(6, 1, 500, 'data begin');
    parameter('bool IS_ON', u8(1)).parameter('float LATE', 2);
    const parameters = await factsOf(await openInput(writer.bytes())).parameters();
    expect(parameters.get('GAIN')).toMatchObject({ value: 0.1, default: 0.1 });
    expect(parameters.get('IS_ON')?.changes.map(({ value }) => value)).toEqual([1, 1]);
    expect(parameters.get('LATE')).toMatchObject({ value: 2, default: null });
  });

  test('events whose definitions come in pieces, the last one short', async () => {
    const json = {
      version: 1,
      components: {
        1: {
          namespace: 'px4',
          event_groups: { default: { events: { 7: { name: 'tiny', message: 'Kill engaged', arguments: [] } } } },
        },
      },
    };
    const PIECE = 140;
    const bytes = Buffer.from(JSON.stringify(json));
    const writer = new UlogWriter().header().flags();
    for (let from = 0; from < bytes.length; from += PIECE)
      writer.multi(from > 0 ? 1 : 0, 'uint8_t[140] metadata_events', bytes.subarray(from, from + PIECE));
    expect(bytes.length % PIECE).toBeLessThan(20);
    writer.format(
      'event:uint64_t timestamp;uint32_t id;uint16_t event_sequence;uint8_t[25] arguments;uint8_t log_levels;',
    );
    writer.subscribe(0, 'event').data(0, u64(1e6), u8(7, 0, 0, 1, 1, 0), new Uint8Array(25), u8(0x66));
    const log = await openInput(writer.bytes());
    expect(log.faults.count).toBe(0);
    expect((await factsOf(log).events()).map((each) => each.text)).toEqual(['Kill engaged']);
  });

  test('topics that are called like tables of ours are only topics', async () => {
    const names = ['LOG', 'LOG_TAGGED', 'INFO', 'MULTI', 'MULTI_DATA', 'PARM', 'PARM_DEFAULT', 'HEADER', 'FORMAT'];
    names.push('SUBSCRIPTION', 'DROPOUT', 'FLAGS', 'SYNC', 'MODE', 'MSG', 'EV', 'ERR', 'ARM', 'VER');
    const writer = smallHead();
    names.forEach((name, i) => {
      writer.format(`${name}:uint64_t timestamp;float x;`).subscribe(100 + i, name);
    });
    names.forEach((_, i) => {
      writer.data(100 + i, u64(1_000_000 + i), f32(i));
    });
    const log = await openInput(writer.text(6, 2_000_000, 'text').bytes());
    const facts = factsOf(log);
    expect(names.filter((name) => log.table(name, '0')?.rows !== 1)).toEqual([]);
    expect((await facts.messages()).map((each) => each.text)).toEqual(['text']);
    expect((await facts.parameters()).size).toBe(2);
    expect((await facts.vehicle()).board).toBe('BOARD');
    expect((await facts.events()).map((each) => each.text)).toEqual(['text']);
    expect((await makeReport(log)).findings).not.toEqual([]);
  });

  test('fields: arrays, nested types, bools of any byte, texts', async () => {
    const log = await openInput(smallLog(3).bytes());
    expect(log.table('esc_status')?.fields.map(({ name }) => name)).toEqual([
      ...['timestamp', 'counter', 'esc[0].rpm', 'esc[0].state', 'esc[1].rpm', 'esc[1].state'],
    ]);
    const [attitude] = await log.tablesNamed('attitude')[0].columns(['good']);
    expect([attitude.at(0), attitude.at(1)]).toEqual([1, 1]);
    const [name, far] = (await log.table('names')?.columns(['name', 'far'])) ?? [];
    expect([name.at(0), far.at(0)]).toEqual(['name', -(2n ** 63n)]);
  });
});

describe('a part of a log', () => {
  test('that is all of it is the same, byte for byte', async () => {
    const bytes = smallLog(40).bytes();
    expect(await written(await openInput(bytes))).toEqual(bytes);
  });

  test('has the topics and the time that were asked for, and all that says what they mean', async () => {
    const log = await openInput(smallLog(40).bytes());
    const tables = new Set(log.tables.filter(({ name }) => name === 'attitude'));
    const part = await openInput(await written(log, { tables, from: 1.1e6, to: 1.25e6 }));
    const [before, after] = [rowsOf(log), rowsOf(part)];
    for (const name of ['FORMAT ', 'SUBSCRIPTION ', 'INFO ', 'PARM_DEFAULT '])
      expect(after[name], name).toBe(before[name]);
    expect([after['attitude 0'], after['esc_status 1'], part.faults.count]).toEqual([15, undefined, 1]);
    // one that was set later does not hold yet
    expect((await factsOf(part).parameters()).get('MC_ROLL_P')?.value).toBe(7.25);
    const early = await openInput(await written(log, { to: 1.1e6 }));
    expect((await factsOf(early).parameters()).get('MC_ROLL_P')?.value).toBe(6.5);
  });

  test('keeps its date without GPS records', async () => {
    const writer = gpsLog([NOON, NOON + 1e6], [3, 3])
      .format('a:uint64_t timestamp;float x;')
      .subscribe(1, 'a');
    const log = await openInput(writer.data(1, u64(3e6), f32(1)).bytes());
    const part = await openInput(await written(log, { tables: new Set(log.tablesNamed('a')) }));
    expect([...((await part.table('a')?.times()) ?? [])]).toEqual([NOON + 2e6]);
  });

  const hasPyulog = existsSync(PYTHON) && isThere();
  need(
    test,
    hasPyulog,
    'no pyulog in .peers',
  )('is read by pyulog', async () => {
    const log = await openInput(smallLog(40).bytes());
    const path = join(folder, 'part.ulg');
    writeFileSync(path, await written(log, { from: 1.1e6 }));
    const code = `import sys; from pyulog import ULog; u = ULog(sys.argv[1])
print(sorted((d.name, d.multi_id, len(d.data["timestamp"])) for d in u.data_list), u.initial_parameters["SYS_AUTOSTART"], u.file_corruption)`;
    const said = execFileSync(PYTHON, ['-c', code, path], { encoding: 'utf8' });
    const part = await openInput(readFileSync(path));
    const rows = part.tables
      .filter(({ stream }) => stream !== '')
      .map((table) => `('${table.name}', ${table.stream}, ${table.rows})`)
      .sort();
    expect(said.trim()).toBe(`[${rows.join(', ')}] 4001 False`);
  });

  function isThere(): boolean {
    try {
      execFileSync(PYTHON, ['-c', 'import pyulog'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }
});

needShared(describe, ...FIELD)('real logs', () => {
  const names = readdirSync(sharedData(...FIELD)).filter((name) => /\.ulo?g(\.gz)?$/.test(name));

  test.each(names)('%s: as it was, in full; nothing is lost but where it is known to be', async (name) => {
    const packed = readFileSync(sharedData(...FIELD, name));
    const bytes = new Uint8Array(name.endsWith('.gz') ? gunzipSync(packed) : packed);
    const log = await openInput(bytes);
    const isDamaged = /corrupt|cut/.test(name);
    expect([log.format, log.faults.lost]).toEqual(['ulog', isDamaged]);
    const again = await openInput(await written(log));
    expect(rowsOf(again)).toEqual({ ...rowsOf(log), ...infoOf(again) });
    expect(again.faults.lostBytes).toBe(0);
  });

  /** The start that GPS told is one information more. */
  function infoOf(log: Log): Record<string, number> {
    return Object.fromEntries(Object.entries(rowsOf(log)).filter(([name]) => name.startsWith('INFO ')));
  }
});
