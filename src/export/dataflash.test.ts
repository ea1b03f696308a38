import { describe, expect, test } from 'vitest';
import { gpsTime, MadeLog, micros, textLog } from '../../test/helpers/made-log.ts';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { filesIn, sampleFile } from '../../test/suite/sample.ts';
import type { Log } from '../core/log.ts';
import { inOrder } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import { factsOf } from '../facts/facts.ts';
import { gpsAgreement } from '../facts/gps-agreement.ts';
import { openInput } from '../formats/open.ts';
import { type TrimOptions, trimDataflash } from './dataflash.ts';

const ALWAYS = ['FMT', 'FMTU', 'UNIT', 'MULT', 'PARM', 'VER'];

const titleOf = ({ name, stream }: RecordTable): string => `${name}[${stream}]`;

async function bytesOf(log: Log, options: TrimOptions = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of trimDataflash(log, options)) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

function tablesNamed(log: Log, ...names: string[]): Set<RecordTable> {
  return new Set(log.tables.filter((table) => names.includes(table.name) || names.includes(titleOf(table))));
}

interface Found {
  readonly table: RecordTable;
  readonly hex: string;
  readonly time: number;
  readonly at: number;
}

/** Every record of a log in its order: its table, its bytes in hexadecimal, its time and its place. */
async function recordsOf(log: Log, bytes: Uint8Array): Promise<Found[]> {
  const times = new Map<RecordTable, Float64Array>();
  for (const table of log.tables) times.set(table, await table.times());
  const found: Found[] = [];
  for (const { table, row, offset } of inOrder(log.tables)) {
    const hex = Buffer.from(bytes.subarray(offset, offset + table.schema.size)).toString('hex');
    found.push({ table, hex, time: times.get(table)?.[row] ?? Number.NaN, at: offset });
  }
  return found;
}

/** The same records at the same times; when a definition was made is nobody's question. */
function expectSame(got: readonly Found[], expected: readonly Found[]): void {
  const plain = ({ table, hex, time }: Found): string => `${titleOf(table)} ${hex} ${table.name === 'FMT' ? '' : time}`;
  // one by one: the difference of two long lists is no answer
  const other = expected.findIndex((record, i) => got[i] === undefined || plain(got[i]) !== plain(record));
  expect(other < 0 ? '' : `${other}: ${got[other] && plain(got[other])}`).toBe(
    other < 0 ? '' : `${other}: ${plain(expected[other])}`,
  );
  expect(got.length).toBe(expected.length);
}

/** The part that is cut out of a log, opened, and what of the whole is to be in it. */
async function trimmed(
  bytes: Uint8Array,
  choose: (log: Log) => TrimOptions,
): Promise<{ whole: Log; part: Log; bytes: Uint8Array }> {
  const whole = await openInput(bytes);
  const cut = await bytesOf(whole, choose(whole));
  return { whole, part: await openInput(cut), bytes: cut };
}

/** Damage is gone; what is said about definitions stays, since they stay. */
function expectSound({ faults }: Log): void {
  expect(faults.kept.filter(({ length }) => length > 0)).toEqual([]);
}

describe('the sample', () => {
  const { bytes } = sampleFile('copter-square.BIN');

  test('as a whole is the same without its cut end', async () => {
    const { whole, part, bytes: cut } = await trimmed(bytes, () => ({}));
    expect(whole.faults.kept).toMatchObject([{ code: 'truncated' }]);
    expect(Buffer.compare(cut, bytes.subarray(0, whole.faults.kept[0].offset))).toBe(0);
    expect(part.faults.count).toBe(0);
  });

  test('by type: those records, the definitions, and the one that the time came from', async () => {
    const { whole, part, bytes: cut } = await trimmed(bytes, (log) => ({ tables: tablesNamed(log, 'ATT', 'IMU[1]') }));
    const expected = (await recordsOf(whole, bytes)).filter(
      ({ table, at }) =>
        [...ALWAYS, 'ATT'].includes(table.name) || titleOf(table) === 'IMU[1]' || at === whole.clock.baseOffset,
    );
    const got = await recordsOf(part, cut);
    expectSame(got, expected);
    expect(part.faults.count).toBe(0);
    expect(part.table('GPS')?.rows).toBe(1);
    expect(part.clock).toMatchObject({ kind: 'usec', utc: true });
  });

  test('keeps units, instances, parameters and their times', async () => {
    const { whole, part } = await trimmed(bytes, (log) => ({ tables: tablesNamed(log, 'BAT') }));
    const units = (log: Log): unknown[] | undefined =>
      log.table('BAT', '0')?.fields.map(({ name, unit, siUnit, multiplier }) => [name, unit, siUnit, multiplier]);
    expect(units(part)).toEqual(units(whole));
    expect(units(part)).toContainEqual(['CurrTot', 'mAh', 'Ah', 0.001]);
    expect(await factsOf(part).parameters()).toEqual(await factsOf(whole).parameters());
    expect((await factsOf(part).parameters()).size).toBeGreaterThan(1000);
  });

  test('by time: records at or after the first moment and before the second', async () => {
    const span = await factsOf(await openInput(bytes)).span();
    const from = (span.start ?? 0) + 60e6;
    const to = from + 5e6;
    const { whole, part, bytes: cut } = await trimmed(bytes, () => ({ from, to }));
    const isLater = (table: RecordTable, time: number): boolean => table.name === 'PARM' && time >= to;
    const expected = (await recordsOf(whole, bytes)).filter(
      ({ table, time, at }) =>
        (ALWAYS.includes(table.name) && !isLater(table, time)) ||
        (time >= from && time < to) ||
        at === whole.clock.baseOffset,
    );
    const got = await recordsOf(part, cut);
    // parameters have the values that they had, and the time of the start of the part
    const others = ({ table, at }: Found): boolean =>
      !['PARM', 'VER'].includes(table.name) && at !== part.clock.baseOffset && at !== whole.clock.baseOffset;
    expectSame(got.filter(others), expected.filter(others));
    expect(got).toHaveLength(expected.length);
    expect((await factsOf(part).parameters()).size).toBe((await factsOf(whole).parameters()).size);
    expect(await factsOf(part).span()).toEqual({ start: from, end: expect.closeTo(to, -5) });
    expect(part.faults.count).toBe(0);
    // the record that gives the base is no fix of the part
    for (const { least, most } of await gpsAgreement(part)) expect(most - least).toBeLessThan(1e6);
    const attitude = await part.table('ATT')?.times();
    // ten a second
    expect(attitude?.length).toBeGreaterThanOrEqual(49);
    expect(attitude?.length).toBeLessThanOrEqual(51);
  });

  test('by type and time', async () => {
    const start = (await factsOf(await openInput(bytes)).span()).start ?? 0;
    const range = { from: start + 100e6, to: start + 101e6 };
    const { part } = await trimmed(bytes, (log) => ({ ...range, tables: tablesNamed(log, 'ATT') }));
    const others = part.tables.map(({ name }) => name).filter((name) => !ALWAYS.includes(name));
    expect(new Set(others)).toEqual(new Set(['GPS', 'ATT']));
    expect(part.table('ATT')?.rows).toBeLessThan(12);
  });

  test('a part of a part is the part', async () => {
    const { part, bytes: cut } = await trimmed(bytes, (log) => ({ tables: tablesNamed(log, 'MODE', 'MSG') }));
    expect(Buffer.compare(await bytesOf(part), cut)).toBe(0);
  });
});

describe('times of records that have none of their own', () => {
  const NOON = '2014-03-01T12:00:00Z';
  const noon = gpsTime(NOON, 16);

  test('come with the records that give them', async () => {
    const made = new MadeLog()
      .define('GPS', 'BIHI', 'Status,TimeMS,Week,T')
      .define('ATT', 'IB', 'TimeMS,Roll')
      .define('MODE', 'B', 'Mode')
      .add('MODE', 0)
      .add('ATT', 100, 1)
      .add('GPS', 3, noon.millis, noon.week, 200)
      .add('ATT', 300, 2)
      .add('MODE', 1)
      .add('MODE', 2)
      .add('ATT', 400, 3)
      .add('ATT', 500, 4)
      .add('MODE', 3)
      .add('ATT', 600, 5);
    const { whole, part } = await trimmed(made.bytes(), (log) => ({ tables: tablesNamed(log, 'MODE') }));
    expect(await part.table('MODE')?.times()).toEqual(await whole.table('MODE')?.times());
    // the first of all, the one before modes 1 and 2, and the one before mode 3
    expect([...((await part.table('ATT')?.column('Roll'))?.numbers() ?? [])]).toEqual([1, 2, 4]);
  });

  test('a definition that changes between the two harms neither', async () => {
    const made = new MadeLog()
      .define('ATT', 'QB', 'TimeUS,Roll')
      .define('NOTE', 'B', 'Id')
      .add('ATT', 100, 1)
      .define('ATT', 'QHHH', 'TimeUS,Roll,Pitch,Yaw')
      .add('NOTE', 1)
      .add('ATT', 200, 2, 3, 4)
      .add('NOTE', 2);
    const { part } = await trimmed(made.bytes(), (log) => ({ tables: tablesNamed(log, 'NOTE') }));
    expect(part.faults.count).toBe(0);
    expect([...((await part.table('NOTE')?.times()) ?? [])]).toEqual([100, 200]);
  });

  test('without any time there is nothing to keep', async () => {
    const made = new MadeLog().define('NOTE', 'B', 'Id').define('REST', 'B', 'Id').add('REST', 1).add('NOTE', 2);
    const { part } = await trimmed(made.bytes(), (log) => ({ tables: tablesNamed(log, 'NOTE') }));
    expect(part.tables.map(titleOf)).toEqual(['FMT[]', 'NOTE[]']);
  });

  test('where they are reckoned from GPS records, these stay', async () => {
    const made = new MadeLog()
      .define('GPS', 'BIH', 'Status,TimeMS,Week')
      .define('IMU', 'f', 'AccX')
      .define('X', 'B', 'Id');
    for (let i = 0; i < 5; i++)
      made
        .add('GPS', 3, noon.millis + i * 1000, noon.week)
        .add('IMU', i)
        .add('X', i);
    const { whole, part } = await trimmed(made.bytes(), (log) => ({ tables: tablesNamed(log, 'IMU') }));
    expect(whole.clock.kind).toBe('gps-interpolated');
    // between the same GPS records, if not at the same moment
    const seconds = async (log: Log): Promise<number[]> =>
      [...((await log.table('IMU')?.times()) ?? [])].map((time) => Math.floor((time - micros(NOON)) / 1e6));
    expect(await seconds(part)).toEqual(await seconds(whole));
    expect((await seconds(part)).slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(part.table('X')).toBeUndefined();
  });
});

test('a text log cannot be written so', async () => {
  const log = await openInput(textLog('FMT, 132, 67, MSG, Z, Message', 'MSG, hello'));
  await expect(bytesOf(log)).rejects.toThrow(new TypeError('a dataflash-text log cannot be written as DataFlash'));
});

needShared(describe, 'dataflash/corrupt')('damaged logs', () => {
  const logs = filesIn(sharedData('dataflash/corrupt'), '.BIN').filter(({ name }) => !/^(empty|zeros)/.test(name));

  test.each(logs.map(({ name, bytes }) => [name, bytes] as const))('%s: all records, no damage', async (_, bytes) => {
    const { whole, part, bytes: cut } = await trimmed(bytes, () => ({}));
    expectSound(part);
    expectSame(await recordsOf(part, cut), await recordsOf(whole, bytes));
  });
});

needShared(describe, 'dataflash')('logs of many firmwares', () => {
  const logs = filesIn(sharedData('dataflash'), '.BIN', '.bin', '.px4log');

  test.each(logs.map(({ name, bytes }) => [name, bytes] as const))('%s by type', async (_, bytes) => {
    const { whole, part } = await trimmed(bytes, (log) => ({ tables: tablesNamed(log, 'MODE', 'ATT', 'MSG') }));
    expectSound(part);
    for (const name of ['MODE', 'ATT', 'MSG', 'PARM']) {
      const [before, after] = [whole.tablesNamed(name), part.tablesNamed(name)];
      expect(after.map(({ rows }) => rows)).toEqual(before.map(({ rows }) => rows));
      for (const [i, table] of after.entries()) expect(await table.times()).toEqual(await before[i].times());
    }
    // the last mode ends with the log, and this one may end earlier
    const modes = async (log: Log): Promise<unknown[]> =>
      (await factsOf(log).modes()).map(({ mode, start, reason }) => [mode, start, reason]);
    expect(await modes(part)).toEqual(await modes(whole));
  });
});
