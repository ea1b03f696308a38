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
import { temporaryFolder } from '../../test/folder.ts';
import { FolderTakenError } from './folder-lock.ts';
import { Spool, type SpoolPlace } from './spool.ts';

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

/** A record of 40 bytes that says its number. */
const record = (number: number): Uint8Array => new Uint8Array(40).fill(number);

async function fill(spool: Spool, from: number, to: number): Promise<void> {
  for (let i = from; i <= to; i++) {
    spool.append(record(i), 1);
    if (i % 3 === 0) await spool.flush();
  }
  await spool.flush();
}

async function readAll(spool: Spool, from: SpoolPlace = spool.begin): Promise<{ numbers: number[]; end: SpoolPlace }> {
  const numbers: number[] = [];
  let end = from;
  for (;;) {
    const records = await spool.read(end);
    if (records.length === 0) return { numbers, end };
    for (const { bytes, end: behind } of records) {
      expect(bytes).toEqual(record(bytes[0]));
      numbers.push(bytes[0]);
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
      spool.append(record(i), 1);
      if (i % 7 === 0) await new Promise(setImmediate);
    }
    await spool.flush();
    expect((await readAll(spool)).numbers).toEqual(upTo(1, 50));
    expect(spool.bytes).toBe(50 * 52);
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
    for (const size of [105, 110, 120, 155]) {
      const copy = killed(folder);
      writeFileSync(join(copy, '00000001.spool'), whole.subarray(0, size));
      const [again, told] = await open(copy);
      await fill(again, 4, 5);
      expect((await readAll(again)).numbers).toEqual([1, 2, 4, 5]);
      expect(told.failed).toHaveLength(1);
      expect(told.failed[0]).toContain(`${size - 104} bytes from 104 on are not whole`);
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

  test('whose folder is gone says so, holds on to what it has, and goes on when it is back', async () => {
    const folder = newFolder();
    const [spool, told] = await open(folder, { segmentBytes: 60 });
    await fill(spool, 1, 1);
    rmSync(folder, { recursive: true });
    for (const i of upTo(2, 4)) spool.append(record(i), 1);
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
});
