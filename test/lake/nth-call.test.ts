// Each call to the file system fails once: nothing half-written is left, a second run mends it, inputs stay as they are.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Archive } from '../../src/bus/archive.ts';
import { BUS_LIVE_LIMITS } from '../../src/bus/limits.ts';
import { Spool } from '../../src/bus/spool.ts';
import { liveSubject } from '../../src/bus/subject.ts';
import { CATALOGUE_KINDS } from '../../src/lake/catalogue.ts';
import { compact } from '../../src/lake/compaction.ts';
import { Ingester } from '../../src/lake/ingest.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { checkLake } from '../../src/lake/repair.ts';
import { parseLink } from '../../src/live/link-name.ts';
import { writeFile } from '../../src/node/atomic.ts';
import { Recorder } from '../../src/session/recorder.ts';
import { LiveSession } from '../../src/session/session.ts';
import { StampFile } from '../../src/session/stamp-file.ts';
import { jsonOf } from '../../src/sql/result.ts';
import { batchOf, lastOfBatch, numbered, numbersIn, timeOfNumber, upTo } from '../bus/numbered.ts';
import { skeinHere } from '../helpers/cli.ts';
import { CODES, type Code, FailingFiles } from '../helpers/failing-files.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { many } from '../helpers/long.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { needCommand } from '../helpers/need.ts';

const root = temporaryFolder();
let files: FailingFiles;
const waits = { ...BUS_LIVE_LIMITS };
beforeAll(async () => {
  files = await FailingFiles.below(root);
  // what is tried again is tried again soon
  Object.assign(BUS_LIVE_LIMITS, { retryMilliseconds: 2 });
});
afterAll(() => {
  files.restore();
  Object.assign(BUS_LIVE_LIMITS, waits);
});

interface Subject {
  /** A run takes long: SKEIN_NTH=1 lets each of its calls fail, and those of the others with each error. */
  readonly isHeavy?: boolean;
  /** Makes what is there before, in an empty folder. */
  readonly prepare?: (folder: string) => Promise<void> | void;
  /** What is done, with one call of it failing or none. It may throw. */
  readonly run: (folder: string) => Promise<unknown>;
  /** Looks at what is there afterwards. */
  readonly check?: (folder: string, isFailed: boolean) => Promise<void> | void;
  /** What a run that nothing disturbed leaves: a second run after a failure must leave the same. */
  readonly result: (folder: string) => Promise<unknown> | unknown;
}

/** Files that are not the output: bytes by name. */
const inputsIn = (folder: string): string[] => {
  const inputs = join(folder, 'inputs');
  if (!existsSync(inputs)) return [];
  return readdirSync(inputs).map((name) => `${name} ${readFileSync(join(inputs, name)).toString('base64')}`);
};

const draftsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.part$|_staging\/./.test(name));

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

let runs = 0;
async function fresh({ prepare }: Subject): Promise<string> {
  const folder = join(root, `run-${runs++}`);
  mkdirSync(folder);
  await prepare?.(folder);
  return folder;
}

/**
 * Lets each call fail that there is, or one in some where a run takes long.
 * @returns how many calls there are
 */
async function eachCall(subject: Subject, codes: readonly Code[], step: number): Promise<number> {
  const undisturbed = await fresh(subject);
  files.begin();
  await subject.run(undisturbed);
  files.end();
  const { calls } = files;
  const wanted = await subject.result(undisturbed);
  for (let n = 1; ; n += step) {
    let isReached = false;
    for (const code of codes.length > 0 ? codes : [CODES[Math.floor(n / step) % CODES.length]]) {
      const folder = await fresh(subject);
      const inputs = inputsIn(folder);
      files.begin(n, code);
      const failure = await subject.run(folder).catch((error: unknown) => error ?? 'nothing');
      files.end();
      isReached = files.hasFailed;
      const where = `${code} at call ${n}: ${files.calls[n - 1] ?? 'not reached'}`;
      expect(inputsIn(folder), where).toEqual(inputs);
      const isRemoval = /^(unlink|rm)/.test(files.calls[n - 1] ?? '');
      if (!isRemoval) expect(draftsIn(folder), where).toEqual([]);
      await wrapped(where, () => subject.check?.(folder, isReached && failure !== undefined));
      leaveLocks(folder);
      await wrapped(where, () => subject.run(folder));
      expect(inputsIn(folder), where).toEqual(inputs);
      expect(await subject.result(folder), where).toEqual(wanted);
      rmSync(folder, { recursive: true });
    }
    if (!isReached) break;
  }
  return calls.length;
}

/** The second run is another process, and this one is gone. */
function leaveLocks(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/(^|\/)lock$/.test(name)) writeFileSync(join(folder, name), '999999999 1\n');
}

/** Says at which call something went wrong. */
async function wrapped(where: string, action: () => Promise<unknown> | unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
}

async function rowsIn(lake: Lake): Promise<string[]> {
  const database = await LakeDatabase.open(lake);
  try {
    const rows: string[] = [];
    for (const table of [...CATALOGUE_KINDS.map((kind) => `catalogue.${kind}`), 'BAT', 'MODE']) {
      const list = table === 'catalogue.logs' ? '* EXCLUDE (ingested, path)' : '*';
      if (!database.tables.some(({ schema, name }) => [`${schema}.${name}`, name].includes(table))) continue;
      for await (const row of (await database.query(`SELECT ${list} FROM ${table}`)).rows())
        rows.push(`${table} ${JSON.stringify(row.map(jsonOf))}`);
    }
    return rows.sort();
  } finally {
    database.close();
  }
}

/** How often each number is in the recordings of a folder. */
function countsIn(folder: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const number of numbersIn(folder)) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}

const FRAMES = 60;
const flights: Uint8Array[] = [];

const SUBJECTS: Readonly<Record<string, Subject>> = {
  'a file that is replaced': {
    prepare: (folder) => writeFileSync(join(folder, 'a'), 'before'),
    run: (folder) => writeFile(join(folder, 'a'), ['some ', 'text'], { force: true }),
    check: (folder) => expect(readFileSync(join(folder, 'a'), 'utf8')).toMatch(/^(before|some text)$/),
    result: (folder) => readFileSync(join(folder, 'a'), 'utf8'),
  },
  'the times of signatures': {
    prepare: (folder) => writeFileSync(join(folder, 'stamps'), '7\n'),
    run: async (folder) => new StampFile(join(folder, 'stamps')).store(9, new Map([[1, 8]])),
    check: (folder) => expect(readFileSync(join(folder, 'stamps'), 'utf8')).toMatch(/^(7\n|9\n0:0:1 8\n)$/),
    result: (folder) => readFileSync(join(folder, 'stamps'), 'utf8'),
  },
  'the status of a collector': {
    run: async (folder) => {
      const [statusFile, historyFile] = [join(folder, 'status.json'), join(folder, 'history.jsonl')];
      const session = new LiveSession({ links: [parseLink('udpin:127.0.0.1:0')], statusFile, historyFile });
      session.start();
      await session.stop();
    },
    check: (folder) => {
      const path = join(folder, 'status.json');
      if (existsSync(path)) JSON.parse(readFileSync(path, 'utf8'));
    },
    result: (folder) => Object.keys(JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8')) as object),
  },
  'a recording': {
    run: async (folder) => {
      const before = countsIn(folder);
      const recorder = new Recorder(join(folder, 'r'), { retryMilliseconds: 2, segmentBytes: 1000, sync: 'always' });
      for (const i of upTo(FRAMES)) {
        recorder.write('l', numbered(i), timeOfNumber(i));
        if (i % 20 === 0) await recorder.flush();
      }
      await recorder.close();
      const { acknowledged, dropped } = recorder.state;
      expect([acknowledged + dropped, dropped]).toEqual([FRAMES, expect.any(Number)]);
      // an earlier run recorded the same frames into files beside these
      const found = [...countsIn(folder)].filter(([number, count]) => count > (before.get(number) ?? 0));
      expect(found.length).toBeGreaterThanOrEqual(acknowledged);
      if (!files.hasFailed) expect(dropped).toBe(0);
    },
    result: (folder) => [...new Set(numbersIn(folder))].sort((a, b) => a - b),
  },
  'a spool': {
    run: async (folder) => {
      const path = join(folder, 's');
      const told: string[] = [];
      let lost = 0;
      const open = (): Promise<Spool> =>
        Spool.open(path, {
          ...{ most: 1e9, segmentBytes: 300, more: () => undefined },
          failed: ({ message }) => told.push(message),
          dropped: (frames) => {
            lost += frames;
          },
        });
      const spool = await open();
      const taken: number[] = [];
      for (const i of upTo(12)) {
        spool.append(batchOf([i], i), 1);
        if (i % 4 !== 0) continue;
        await spool.flush();
        // who reads tries again
        const take = (): Promise<Spool['begin']> => takeAll(spool, spool.begin, taken);
        if (i === 8) spool.release(await take().catch(take));
      }
      await spool.close();
      leaveLocks(folder);
      // all that was appended is there for the next one, or was taken; nothing is counted as lost that is there
      const again = await open();
      await takeAll(again, again.begin, taken);
      await again.close();
      expect(
        [...new Set(taken)].sort((a, b) => a - b),
        told.join(),
      ).toEqual(upTo(12));
      expect(lost, told.join()).toBe(0);
    },
    result: (folder) => readdirSync(join(folder, 's')).includes('lock'),
  },
  'an archive': {
    run: async (folder) => {
      const archive = await Archive.open(new Lake(join(folder, 'lake')), () => undefined);
      try {
        const from = archive.position('stream', Number.MAX_SAFE_INTEGER);
        for (const seq of upTo(6).filter((each) => each > from)) {
          const data = batchOf([seq * 2 - 1, seq * 2], seq);
          archive.add({ seq, subject: liveSubject('base', 1, ''), data });
          if (seq % 2 === 0) await archive.commit().catch(() => archive.commit());
        }
        archive.endSilent(true);
        await archive.commit().catch(() => archive.commit());
        expect([archive.counts.missing, archive.faults, archive.broken]).toEqual([0, 0, 0]);
      } finally {
        await archive.close();
      }
    },
    result: (folder) => numbersIn(join(folder, 'lake', '_archive', 'recordings')),
  },
  'an ingest': {
    isHeavy: true,
    prepare: (folder) => {
      mkdirSync(join(folder, 'inputs'));
      writeFileSync(join(folder, 'inputs', '0.BIN'), flights[0]);
    },
    run: async (folder) => {
      const lake = new Lake(join(folder, 'lake'));
      const ingester = await Ingester.open(lake);
      try {
        const { status, reason } = await ingester.ingest(join(folder, 'inputs', '0.BIN'));
        if (status !== 'ingested' && status !== 'present') throw new Error(`${status}: ${reason}`);
      } finally {
        await ingester.close();
      }
    },
    check: (folder) => isWhole(new Lake(join(folder, 'lake'))),
    result: (folder) => rowsIn(new Lake(join(folder, 'lake'))),
  },
  'the packing of a catalogue': {
    isHeavy: true,
    prepare: async (folder) => {
      mkdirSync(join(folder, 'inputs'));
      const ingester = await Ingester.open(new Lake(join(folder, 'lake')));
      for (const [i, flight] of flights.entries()) {
        const path = join(folder, 'inputs', `${i}.BIN`);
        writeFileSync(path, flight);
        await ingester.ingest(path);
      }
      await ingester.close();
    },
    run: (folder) => compact(new Lake(join(folder, 'lake')), { graceMilliseconds: 0 }),
    check: (folder) => isWhole(new Lake(join(folder, 'lake'))),
    result: (folder) => rowsIn(new Lake(join(folder, 'lake'))),
  },
  ...Object.fromEntries(
    ['csv', 'jsonl', 'mcap', 'bin', 'parquet'].map((to): [string, Subject] => [
      `an export to ${to}`,
      {
        prepare: (folder) => {
          mkdirSync(join(folder, 'inputs'));
          writeFileSync(join(folder, 'inputs', '0.BIN'), flights[0]);
        },
        run: async (folder) => {
          const { code, stderr } = await skeinHere(
            ...['export', join(folder, 'inputs', '0.BIN'), '--to', to, '--output', join(folder, 'out'), '--force'],
          );
          if (code !== 0) throw new Error(stderr);
        },
        result: (folder) =>
          filesIn(folder).map((name) => `${name} ${readFileSync(join(folder, name)).toString('base64')}`),
      },
    ]),
  ),
};

async function takeAll(spool: Spool, from: Spool['begin'], taken: number[]): Promise<Spool['begin']> {
  let place = from;
  for (;;) {
    const records = await spool.read(place);
    if (records.length === 0) return place;
    for (const { bytes, end } of records) {
      taken.push(lastOfBatch(bytes));
      place = end;
    }
  }
}

async function isWhole(lake: Lake): Promise<void> {
  if (existsSync(lake.root)) expect([...(await checkLake(lake)).problems]).toEqual([]);
}

beforeAll(() => {
  for (const start of [1e6, 2e6]) {
    const log = new MadeLog().define('MODE', 'QB', 'TimeUS,Mode').define('BAT', 'Qf', 'TimeUS,Volt');
    for (let i = 0; i < 20; i++) log.add('MODE', BigInt(start + i), i % 3).add('BAT', BigInt(start + i), 12 - i / 20);
    flights.push(log.bytes());
  }
});

describe('the n-th call fails, for all n:', () => {
  test.each(Object.keys(SUBJECTS))('%s', { timeout: process.env.SKEIN_NTH ? 1_500_000 : 240_000 }, async (name) => {
    const { isHeavy = false } = SUBJECTS[name];
    const isAll = Boolean(process.env.SKEIN_NTH);
    const step = isAll || !isHeavy ? 1 : many(9, 29);
    // otherwise the errors take turns
    expect(await eachCall(SUBJECTS[name], isAll && !isHeavy ? CODES : [], step)).toBeGreaterThan(2);
  });
});

/** Lets no file grow beyond this, whoever writes it in this process. */
function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
}

// what DuckDB writes goes through no call of ours
needCommand('prlimit')('a file cannot be written to its end, whichever it is:', () => {
  test.each(['an ingest', 'the packing of a catalogue', 'an export to parquet'])(
    '%s',
    { timeout: 240_000 },
    async (name) => {
      const subject = SUBJECTS[name];
      const undisturbed = await fresh(subject);
      const before = new Set(filesIn(undisturbed));
      await subject.run(undisturbed);
      const wanted = await subject.result(undisturbed);
      const written = filesIn(undisturbed).filter((file) => !before.has(file));
      const sizes = new Set(written.map((file) => statSync(join(undisturbed, file)).size).filter((size) => size > 0));
      expect(sizes.size).toBeGreaterThan(1);
      let failures = 0;
      const step = many(1, 4);
      const limits = [...sizes].filter((_, i) => i % step === 0).map((size) => size - 1);
      for (const most of limits) {
        const folder = await fresh(subject);
        const inputs = inputsIn(folder);
        limitFiles(most);
        const failure = await subject.run(folder).catch((error: unknown) => error ?? 'nothing');
        limitFiles('unlimited');
        const where = `files of ${most} bytes`;
        if (failure !== undefined) failures++;
        expect(inputsIn(folder), where).toEqual(inputs);
        await wrapped(where, () => subject.check?.(folder, failure !== undefined));
        leaveLocks(folder);
        await wrapped(where, () => subject.run(folder));
        expect(draftsIn(folder), where).toEqual([]);
        expect(await subject.result(folder), where).toEqual(wanted);
        rmSync(folder, { recursive: true });
      }
      // the largest file is not whole at any of these
      expect(failures).toBe(limits.length);
    },
  );
});
