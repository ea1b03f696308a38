import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { FolderTakenError } from '../node/folder-lock.ts';
import { BatchBuilder, readHead } from './batch.ts';
import { Spool, type SpoolPlace, type SpoolRecord } from './spool.ts';

const root = temporaryFolder();
let count = 0;
const newFolder = (): string => join(root, `spool-${count++}`);

interface Told {
  dropped: number;
  readonly failed: string[];
}

async function open(folder: string, limits: { most?: number; segmentBytes?: number } = {}): Promise<[Spool, Told]> {
  const told: Told = { dropped: 0, failed: [] };
  const spool = await Spool.open(folder, {
    ...{ most: 1e9, segmentBytes: 300, more: () => undefined, ...limits },
    dropped: (frames) => {
      told.dropped += frames;
    },
    failed: ({ message }) => told.failed.push(message),
  });
  return [spool, told];
}

/** Bytes of a record. */
const SIZE = 67;

/** A batch with one frame, of no bytes, that says its number as the system. */
function record(spool: Spool, number: number): Uint8Array {
  const builder = new BatchBuilder(spool.run, '', number, '');
  builder.add(0, new Uint8Array(0), 0, 0);
  return builder.take(number);
}

const numberOf = (bytes: Uint8Array): number => bytes[56];

async function fill(spool: Spool, from: number, to: number): Promise<void> {
  for (let i = from; i <= to; i++) {
    spool.append(record(spool, i), 1);
    if (i % 3 === 0) await spool.flush();
  }
  await spool.flush();
}

/** All records that wait. */
async function all(spool: Spool): Promise<SpoolRecord[]> {
  const records: SpoolRecord[] = [];
  for (let place = spool.begin; ; ) {
    const some = await spool.read(place);
    if (some.length === 0) return records;
    records.push(...some);
    place = some[some.length - 1].end;
  }
}

async function readAll(spool: Spool, from: SpoolPlace = spool.begin): Promise<{ numbers: number[]; end: SpoolPlace }> {
  const numbers: number[] = [];
  let end = from;
  for (;;) {
    const records = await spool.read(end);
    if (records.length === 0) return { numbers, end };
    for (const { bytes, end: behind } of records) {
      expect(bytes).toHaveLength(SIZE);
      numbers.push(numberOf(bytes));
      end = behind;
    }
  }
}

const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** What a killed process leaves: the files as they are, and a lock of a process that is no more. */
function killed(folder: string): string {
  const copy = newFolder();
  mkdirSync(copy);
  for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name));
  writeFileSync(join(copy, 'lock'), '999999999 1\n');
  return copy;
}

describe('a spool', () => {
  test('gives what was appended in its order, over many files, also what comes while it writes', async () => {
    const [spool] = await open(newFolder());
    for (const i of upTo(1, 50)) {
      spool.append(record(spool, i), 1);
      if (i % 7 === 0) await new Promise(setImmediate);
    }
    await spool.flush();
    expect((await readAll(spool)).numbers).toEqual(upTo(1, 50));
    expect(spool.bytes).toBe(50 * SIZE);
    await spool.close();
  });

  test('keeps what was not released over a kill, and removes files that were', async () => {
    const folder = newFolder();
    const [spool] = await open(folder);
    await fill(spool, 1, 50);
    const { end } = (await readAll(spool)) as { end: SpoolPlace };
    const [first] = await spool.read(spool.begin);
    expect(first.end.segment).toBeLessThan(end.segment);
    const before = killed(folder);
    const [again, told] = await open(before);
    expect((await readAll(again)).numbers).toEqual(upTo(1, 50));
    expect(told.failed).toEqual([]);
    await fill(again, 51, 60);
    const { numbers, end: last } = await readAll(again);
    expect(numbers).toEqual(upTo(1, 60));
    again.release(last);
    await again.close();
    expect(readdirSync(before).filter((name) => name.endsWith('.spool'))).toHaveLength(1);
    const [third] = await open(before);
    expect(await readAll(third)).toEqual({ numbers: [], end: last });
    expect(third.bytes).toBe(0);
    await fill(third, 61, 62);
    expect((await readAll(third)).numbers).toEqual([61, 62]);
    await third.close();
    await spool.close();
  });

  test('cut anywhere in the record that was being written gives all before it, and goes on behind it', async () => {
    const folder = newFolder();
    const [spool] = await open(folder, { segmentBytes: 1e6 });
    await fill(spool, 1, 3);
    const file = join(folder, '00000001.spool');
    const whole = readFileSync(file);
    for (const size of [1, 6, 16, 40, SIZE - 1].map((more) => 2 * SIZE + more)) {
      const copy = killed(folder);
      writeFileSync(join(copy, '00000001.spool'), whole.subarray(0, size));
      const [again, told] = await open(copy);
      await fill(again, 4, 5);
      expect((await readAll(again)).numbers).toEqual([1, 2, 4, 5]);
      expect(told.failed).toHaveLength(1);
      expect(told.failed[0]).toContain(
        `${size - 2 * SIZE} of ${size} bytes from offset ${2 * SIZE} are damaged and skipped`,
      );
      expect(told.dropped).toBe(1);
      await again.close();
    }
    await spool.close();
  });

  test('that is full drops the oldest and says how many frames, but none that were released', async () => {
    const folder = newFolder();
    const [spool, told] = await open(folder, { most: 1500 });
    await fill(spool, 1, 10);
    const [, second] = await spool.read(spool.begin);
    spool.release(second.end);
    await fill(spool, 11, 60);
    const { numbers } = await readAll(spool);
    expect(numbers.at(-1)).toBe(60);
    expect(numbers).toEqual(upTo(numbers[0], 60));
    expect(told.dropped).toBe(numbers[0] - 3);
    const size = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(size).toBeLessThan(2000);
    await spool.close();
  });

  test('counts what is on its way and what is lost apart, and is never larger than it may be', async () => {
    const [spool, told] = await open(newFolder(), { most: 1500 });
    await fill(spool, 1, 20);
    const onTheirWay = (await spool.read(spool.begin)).slice(0, 2);
    for (const { end } of onTheirWay) spool.send(end);
    // more than it may hold comes at once, as from a disk that was slow
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, spool.bytes);
    });
    for (const i of upTo(21, 90)) spool.append(record(spool, i), 1);
    await spool.flush();
    clearInterval(watch);
    expect(Math.max(most, spool.bytes)).toBeLessThanOrEqual(1500);
    // what is on its way stays, until it is known what became of it
    const { numbers } = await readAll(spool);
    expect(numbers).toEqual([1, 2, 3, 4, ...upTo(numbers[4], 90)]);
    expect(onTheirWay.map(({ end }) => spool.has(end))).toEqual([true, true]);
    expect(told.dropped + numbers.length).toBe(90);
    // one file cannot go, and nothing else is there: what comes is lost, and counted
    const [, , , fourth] = await spool.read(spool.begin);
    spool.send({ segment: 99, offset: 0 });
    const before = told.dropped;
    spool.append(record(spool, 91), 1);
    for (let i = 0; i < 5 && told.dropped === before; i++) {
      await spool.flush();
      spool.append(record(spool, 92), 1);
    }
    await spool.flush();
    expect([told.dropped > before, spool.bytes <= 1500, numberOf(fourth.bytes)]).toEqual([true, true, 4]);
    await spool.close();
  });

  test('that is full after a kill drops nothing that may have arrived, and lets little leave that nobody knows of', async () => {
    const folder = newFolder();
    const [spool] = await open(folder, { most: 1500 });
    await fill(spool, 1, 20);
    const left = (await all(spool)).filter(({ end }) => {
      const may = spool.mayLeave(end);
      if (may) spool.send(end);
      return may;
    });
    // a quarter of 1500 bytes
    expect(left).toHaveLength(Math.floor(375 / SIZE));
    // all of these arrived, but the disk does not say so yet
    const copy = killed(folder);
    spool.release(left[left.length - 1].end);
    await expect.poll(() => spool.mayLeave(left[left.length - 1].end)).toBe(true);
    await spool.close();
    const [next, told] = await open(copy, { most: 1500 });
    await fill(next, 21, 60);
    const { numbers } = await readAll(next);
    expect(numbers.slice(0, left.length)).toEqual(upTo(1, left.length));
    expect([told.dropped + numbers.length, told.dropped > 0, next.bytes <= 1500]).toEqual([60, true, true]);
    // they leave again at once, and make room for others once they are known to have arrived
    const again = await all(next);
    expect(again.slice(0, left.length).every(({ end }) => next.mayLeave(end))).toBe(true);
    const beyond = again[left.length + 4].end;
    expect(next.mayLeave(beyond)).toBe(false);
    next.release(again[left.length].end);
    await expect.poll(() => next.mayLeave(beyond)).toBe(true);
    await next.close();
  });

  test('whose folder is gone says so, holds on to what it has, and goes on when it is back', async () => {
    const folder = newFolder();
    const [spool, told] = await open(folder, { segmentBytes: 70 });
    await fill(spool, 1, 1);
    rmSync(folder, { recursive: true });
    for (const i of upTo(2, 4)) spool.append(record(spool, i), 1);
    await expect.poll(() => told.failed.length).toBeGreaterThan(0);
    mkdirSync(folder);
    await expect.poll(async () => (await readAll(spool)).numbers, { timeout: 5000 }).toEqual([2, 3, 4]);
    await spool.close();
  });

  test('belongs to one process; a lock that is no lock counts for nothing', async () => {
    const folder = newFolder();
    const [spool] = await open(folder);
    await expect(open(folder)).rejects.toThrow(FolderTakenError);
    await spool.close();
    appendFileSync(join(folder, 'lock'), 'garbage');
    const [again] = await open(folder);
    await again.close();
    // the number of a process that is there, but was started at another time
    writeFileSync(join(folder, 'lock'), `${process.pid} 12\n`);
    const [third] = await open(folder);
    await third.close();
  });

  test('with a position that is none begins with the oldest', async () => {
    const folder = newFolder();
    const [spool] = await open(folder);
    await fill(spool, 1, 3);
    const copy = killed(folder);
    writeFileSync(join(copy, 'acknowledged'), 'x');
    const [again] = await open(copy);
    expect((await readAll(again)).numbers).toEqual([1, 2, 3]);
    await again.close();
    await spool.close();
  });

  test('with one byte changed loses that record only, and counts it once, however often it is read', async () => {
    const folder = newFolder();
    const [spool] = await open(folder, { segmentBytes: 1e6 });
    await fill(spool, 1, 6);
    const whole = readFileSync(join(folder, '00000001.spool'));
    for (let at = 0; at < whole.length; at += 3) {
      const copy = killed(folder);
      const changed = Buffer.from(whole);
      changed[at] ^= 0x41;
      writeFileSync(join(copy, '00000001.spool'), changed);
      const [again, told] = await open(copy);
      const lost = Math.floor(at / SIZE) + 1;
      for (let turn = 0; turn < 2; turn++)
        expect((await readAll(again)).numbers).toEqual(upTo(1, 6).filter((number) => number !== lost));
      expect([told.dropped, told.failed.length]).toEqual([1, 1]);
      await again.close();
    }
    await spool.close();
  });

  test('with a hole counts all that were in it, also in a file that goes because there is no room', async () => {
    const folder = newFolder();
    const [spool] = await open(folder, { segmentBytes: 1e6 });
    await fill(spool, 1, 10);
    const whole = readFileSync(join(folder, '00000001.spool'));
    const first = Buffer.from(whole.subarray(0, 3 * SIZE));
    // from the middle of the third to the middle of the fifth
    whole.fill(255, 2 * SIZE + 60, 4 * SIZE + 20);
    for (const isRead of [true, false]) {
      const copy = killed(folder);
      writeFileSync(join(copy, `0000000${isRead ? 1 : 2}.spool`), whole);
      // the oldest may be on the bus, and stay
      if (!isRead) writeFileSync(join(copy, '00000001.spool'), first);
      const [again, told] = await open(copy, { most: isRead ? 1e9 : 12 * SIZE });
      if (isRead) expect((await readAll(again)).numbers).toEqual([1, 2, 6, 7, 8, 9, 10]);
      else await fill(again, 11, 12);
      // what is left of the fourth does not say how many frames it had
      expect(told.dropped).toBeGreaterThanOrEqual(isRead ? 1 : 8);
      expect(told.dropped).toBeLessThanOrEqual(isRead ? 3 : 10);
      await again.close();
    }
    await spool.close();
  });

  test('finds no record in frames that look like one', async () => {
    const folder = newFolder();
    const [spool] = await open(folder, { segmentBytes: 1e6 });
    const forged = new BatchBuilder(new Uint8Array(16).fill(7), '', 99, '');
    forged.add(0, new Uint8Array(0), 0, 0);
    const inner = forged.take(1);
    const builder = new BatchBuilder(spool.run, '', 1, '');
    builder.add(0, inner, 0, inner.length);
    spool.append(builder.take(1), 1);
    await fill(spool, 2, 3);
    const copy = killed(folder);
    const changed = readFileSync(join(copy, '00000001.spool'));
    changed[30] ^= 1;
    writeFileSync(join(copy, '00000001.spool'), changed);
    const [again, told] = await open(copy);
    expect([(await readAll(again)).numbers, told.dropped]).toEqual([[2, 3], 1]);
    await again.close();
    await spool.close();
  });

  test('reads the file after one that goes while it is read', async () => {
    const folder = newFolder();
    const [spool, told] = await open(folder, { most: 1500 });
    await fill(spool, 1, 22);
    const [oldest] = readdirSync(folder).filter((name) => name.endsWith('.spool'));
    rmSync(join(folder, oldest));
    const reading = spool.read(spool.begin);
    // there is no room for one more: the oldest file goes from the list before it could be opened
    spool.append(record(spool, 23), 1);
    const [first] = await reading;
    await spool.flush();
    expect([numberOf(first.bytes), told.failed]).toEqual([5, []]);
    await spool.close();
  });

  test('has an id that stays, and a run that only grows', async () => {
    const folder = newFolder();
    const runs: string[] = [];
    for (let i = 0; i < 4; i++) {
      const [spool] = await open(folder);
      runs.push(Buffer.from(spool.run).toString('hex'));
      await spool.close();
    }
    expect(new Set(runs.map((run) => run.slice(0, 16))).size).toBe(1);
    expect(runs.map((run) => Number.parseInt(run.slice(16, 24), 16))).toEqual([1, 2, 3, 4]);
    expect([...runs].sort()).toEqual(runs);
    writeFileSync(join(folder, 'collector'), 'x');
    const [other] = await open(folder);
    expect(Buffer.from(other.run).toString('hex').slice(0, 16)).not.toBe(runs[0].slice(0, 16));
    await other.close();
  });

  test('of an earlier version is read, up to and after a damaged record', async () => {
    const stored = readFileSync(new URL('../../test/fixtures/spool-skb1/00000001.spool', import.meta.url));
    for (const [at, wanted] of [
      [-1, [1, 2, 3, 4, 5]],
      [200, [1, 3, 4, 5]],
      [180, [1, 3, 4, 5]],
    ] as const) {
      const folder = newFolder();
      mkdirSync(folder);
      if (at >= 0) stored[at] ^= 1;
      writeFileSync(join(folder, '00000001.spool'), stored);
      if (at >= 0) stored[at] ^= 1;
      const [spool, told] = await open(folder);
      const records = await spool.read(spool.begin);
      const heads = records.map(({ bytes }) => readHead(bytes));
      expect(heads.map((head) => (typeof head === 'string' ? head : head.number))).toEqual(wanted);
      expect(records.every(({ count: frames }) => frames === 4)).toBe(true);
      expect(told.dropped).toBe(at < 0 ? 0 : 1);
      await spool.close();
    }
  });
});
