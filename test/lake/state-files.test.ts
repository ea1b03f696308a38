// State files are input: whatever is in them, programs start, go on, and touch nothing outside of their folder.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Archive } from '../../src/bus/archive.ts';
import { Spool } from '../../src/bus/spool.ts';
import { liveSubject } from '../../src/bus/subject.ts';
import { Ingester } from '../../src/lake/ingest.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { batchOf, lastOfBatch, numbersIn, upTo } from '../bus/numbered.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { many } from '../helpers/long.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { Random } from '../suite/random.ts';

const root = temporaryFolder();
const TIMEOUT = 900_000;
const STATES = Number(process.env.SKEIN_STATES ?? many(200, 60));

const HOSTILE: readonly unknown[] = [
  ...[
    '',
    '..',
    '../../victim.txt',
    '../../../victim.txt',
    '/etc/passwd',
    'base/../../../victim.txt',
    'a\0b',
    '\u001b[2J',
  ],
  ...['__proto__', 'x'.repeat(100_000), -1, 0, 0.5, 1e300, 2 ** 53, 9e15, true, null, [], {}, [[]], { path: '..' }],
];

/** Another JSON: one value of it is hostile, or gone. */
function changed(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return random.pick(HOSTILE);
  const copy = structuredClone(value) as Record<string, unknown>;
  const keys = Object.keys(copy);
  if (keys.length === 0) return random.pick(HOSTILE);
  const key = random.pick(keys);
  if (random.chance(0.1)) delete copy[key];
  else copy[key] = changed(copy[key], random);
  return copy;
}

/** Another text: as JSON where it is, else cut, or with other bytes in it. */
function mutated(text: string, random: Random): string {
  if (text.endsWith('}') && random.chance(0.7)) {
    const state = changed(JSON.parse(text), random) as { host?: unknown } | null;
    // one that another machine wrote is waited for: seldom is enough
    if (state?.host !== undefined && random.chance(0.9)) state.host = hostname();
    return JSON.stringify(state);
  }
  const at = random.below(text.length + 1);
  const end = random.chance(0.3) ? text.length : at + random.below(6);
  return text.slice(0, at) + (random.chance(0.3) ? '' : String(random.pick(HOSTILE))) + text.slice(end);
}

/** What is beside the folder that a program works in. */
function victims(folder: string, name: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith(name) && statSync(join(folder, path)).isFile())
    .sort()
    .map((path) => `${path} ${readFileSync(join(folder, path), 'latin1')}`);
}

/** Runs with copies of a folder, each with one file of it changed. */
async function eachState(
  title: string,
  from: string,
  files: readonly string[],
  count: number,
  run: (folder: string, where: string) => Promise<void>,
): Promise<void> {
  for (let seed = 1; seed <= count; seed++) {
    const random = new Random(seed);
    const place = join(root, `${title}-${seed}`);
    mkdirSync(join(place, 'a', 'b'), { recursive: true });
    for (const folder of ['', 'a', 'a/b']) writeFileSync(join(place, folder, 'victim.txt'), 'untouched');
    const inside = join('a', 'b', 'work');
    cpSync(from, join(place, inside), { recursive: true });
    const file = join(place, inside, random.pick(files));
    const text = mutated(readFileSync(file, 'latin1'), random);
    writeFileSync(file, text, 'latin1');
    const before = victims(place, inside);
    const where = `seed ${seed}: ${file} ${text.slice(0, 300)}`;
    await run(join(place, inside), where).catch((error: Error) => {
      throw new Error(`${where}: ${error.message}`, { cause: error });
    });
    expect(victims(place, inside), where).toEqual(before);
    rmSync(place, { recursive: true });
  }
}

describe('whatever is in', () => {
  const archived = join(root, 'archived');
  const spooled = join(root, 'spooled');
  const lake = join(root, 'lake');
  const log = join(root, 'log.BIN');

  const take = (archive: Archive, seq: number, collector: string): void =>
    archive.add({ seq, subject: liveSubject(collector, 1, ''), data: batchOf([seq], seq) });
  const quiet = {
    most: 1e9,
    segmentBytes: 300,
    more: () => undefined,
    failed: () => undefined,
    dropped: () => undefined,
  };

  beforeAll(async () => {
    const archive = await Archive.open(new Lake(archived), () => undefined);
    archive.position('stream', 1001);
    for (const seq of [1, 2]) take(archive, seq, 'base');
    archive.endSilent(true);
    await archive.commit();
    for (const seq of [3, 4]) take(archive, seq, 'base');
    await archive.commit();
    await archive.close();
    const spool = await Spool.open(spooled, quiet);
    for (const number of upTo(9)) {
      spool.append(batchOf([number], number), 1);
      await spool.flush();
      if (number === 4) spool.release((await spool.read(spool.begin))[1].end);
    }
    await spool.close();
    for (const folder of [spooled, join(archived, '_archive')]) writeFileSync(join(folder, 'lock'), '999999999 1\n');
    const made = new MadeLog().define('MODE', 'QB', 'TimeUS,Mode');
    for (let i = 0; i < 9; i++) made.add('MODE', BigInt(1e6 + i), 1);
    writeFileSync(log, made.bytes());
    const ingester = await Ingester.open(new Lake(lake));
    await ingester.ingest(log);
    await ingester.close();
  });

  test('the state of an archive, it archives what comes', { timeout: TIMEOUT }, async () => {
    await eachState('archive', archived, ['_archive/state.json', '_archive/lock'], STATES, async (folder, where) => {
      const archive = await Archive.open(new Lake(folder), () => undefined);
      archive.position('stream', 1001);
      take(archive, 1001, 'newcomer');
      await archive.commit();
      await archive.close();
      expect(numbersIn(join(folder, '_archive', 'recordings')), where).toContain(1001);
      await (await Archive.open(new Lake(folder), () => undefined)).close();
    });
  });

  test('a spool, it takes and gives what comes', { timeout: TIMEOUT }, async () => {
    const files = readdirSync(spooled);
    await eachState('spool', spooled, files, STATES, async (folder, where) => {
      const spool = await Spool.open(folder, quiet);
      spool.append(batchOf([99], 99, 7), 1);
      await spool.flush();
      let place = spool.begin;
      let last = 0;
      for (let records = await spool.read(place); records.length > 0; records = await spool.read(place)) {
        last = lastOfBatch(records[records.length - 1].bytes);
        place = records[records.length - 1].end;
      }
      expect(last, where).toBe(99);
      await spool.close();
    });
  });

  test('the small files of a catalogue, the lake answers, and a log can be ingested', {
    timeout: 240_000,
  }, async () => {
    const files = readdirSync(lake, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /_catalogue\/(seals\/|id$)/.test(name),
    );
    expect(files.length).toBeGreaterThan(0);
    await eachState('lake', lake, files, many(20, 4), async (folder) => {
      const database = await LakeDatabase.open(new Lake(folder));
      for await (const _ of (await database.query('SELECT * FROM catalogue.logs')).rows());
      database.close();
      const ingester = await Ingester.open(new Lake(folder));
      expect((await ingester.ingest(log)).status).toMatch(/ingested|present/);
      await ingester.close();
    });
  });
});
