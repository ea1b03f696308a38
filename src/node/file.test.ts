import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { needCommand } from '../../test/helpers/need.ts';
import { readRecords } from '../core/records.ts';
import { FileSource } from './file.ts';
import { openLog } from './open.ts';

const folder = temporaryFolder();
let count = 0;

/** A new file with this content. */
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `file-${count++}`);
  writeFileSync(path, content);
  return path;
}

async function textOf(source: FileSource, offset = 0, length: number = source.size): Promise<string> {
  return Buffer.from(await source.read(offset, length)).toString('latin1');
}

/** How many descriptors of this process are open on a file, or on the files of a folder. */
function openOn(path: string): number {
  const descriptors = '/proc/self/fd';
  return readdirSync(descriptors).filter((name) => {
    try {
      const target = readlinkSync(join(descriptors, name));
      return target === path || target.startsWith(`${path}/`);
    } catch {
      return false;
    }
  }).length;
}

describe('reading', () => {
  test('gives any part, fewer bytes at the end and none behind it', async () => {
    const source = await FileSource.open(fileOf('0123456789'));
    expect(source.size).toBe(10);
    expect(await textOf(source, 0, 10)).toBe('0123456789');
    expect(await textOf(source, 3, 4)).toBe('3456');
    expect(await textOf(source, 8, 100)).toBe('89');
    expect(await textOf(source, 10, 5)).toBe('');
    expect(await textOf(source, 1000, 5)).toBe('');
  });

  test('uses memory that it is lent if there is enough of it', async () => {
    const source = await FileSource.open(fileOf('0123456789'));
    const scratch = new Uint8Array(8);
    const bytes = await source.read(2, 5, scratch);
    expect(bytes.buffer).toBe(scratch.buffer);
    expect(Buffer.from(bytes).toString()).toBe('23456');
    expect((await source.read(0, 10, scratch)).buffer).not.toBe(scratch.buffer);
  });
});

describe('what is no file', () => {
  test('a path that is not there', async () => {
    await expect(FileSource.open(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a folder', async () => {
    await expect(FileSource.open(folder)).rejects.toThrow(`${folder} is a folder, not a file`);
  });

  needCommand('mkfifo', test)('a pipe, which is not waited for', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(FileSource.open(pipe)).rejects.toThrow(`${pipe} is not a regular file`);
  });

  test('a device', async () => {
    await expect(FileSource.open('/dev/null')).rejects.toThrow('/dev/null is not a regular file');
  });
});

describe.skipIf(!existsSync('/proc/self/fd'))('a file that is not read for a while', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('is closed, and opened again when it is read', async () => {
    const path = fileOf('0123456789');
    const source = await FileSource.open(path);
    expect(openOn(path)).toBe(1);
    vi.advanceTimersByTime(999);
    expect(openOn(path)).toBe(1);
    await textOf(source);
    vi.advanceTimersByTime(999);
    expect(openOn(path)).toBe(1);
    vi.advanceTimersByTime(1);
    expect(openOn(path)).toBe(0);
    expect(await textOf(source, 5, 2)).toBe('56');
    expect(openOn(path)).toBe(1);
    vi.advanceTimersByTime(5000);
    expect(openOn(path)).toBe(0);
  });

  test('many of them leave no descriptor behind', async () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    const paths = Array.from({ length: 40 }, (_, i) => join(many, String(i)));
    paths.forEach((path, i) => {
      writeFileSync(path, `file ${i}`);
    });
    const sources = await Promise.all(paths.map((path) => FileSource.open(path)));
    expect(await Promise.all(sources.map((source) => textOf(source)))).toEqual(paths.map((_, i) => `file ${i}`));
    expect(openOn(many)).toBe(40);
    vi.advanceTimersByTime(1000);
    expect(openOn(many)).toBe(0);
  });

  test('that was replaced meanwhile is not taken for the same', async () => {
    const path = fileOf('the first one');
    const source = await FileSource.open(path);
    renameSync(fileOf('another one!!'), path);
    // as long as it is open, it is still the first
    expect(await textOf(source)).toBe('the first one');
    vi.advanceTimersByTime(1000);
    await expect(source.read(0, 5)).rejects.toThrow(`${path} was replaced while it was read`);
    await expect(source.refresh()).rejects.toThrow('was replaced');
    expect(openOn(path)).toBe(0);
  });
});

describe('a file that changes', () => {
  test('grows when it is looked at again, and not before', async () => {
    const path = fileOf('abc');
    const source = await FileSource.open(path);
    await appendFile(path, 'defg');
    expect(await textOf(source, 0, 100)).toBe('abc');
    expect(await source.refresh()).toBe(7);
    expect(await textOf(source, 0, 100)).toBe('abcdefg');
  });

  test('gives what is left after it was cut', async () => {
    const path = fileOf('abcdefg');
    const source = await FileSource.open(path);
    truncateSync(path, 3);
    expect(await textOf(source, 0, 7)).toBe('abc');
    expect(await textOf(source, 5, 2)).toBe('');
    expect(await source.refresh()).toBe(3);
  });

  test('a log that was cut after it was opened gives no false records', async () => {
    const made = new MadeLog().define('ATT', 'QH', 'TimeUS,Roll');
    for (let i = 1; i <= 100; i++) made.add('ATT', i, i);
    const path = fileOf(made.bytes());
    const log = await openLog(path);
    const table = log.table('ATT');
    const cut = table?.offsets.at(40) ?? 0;
    truncateSync(path, cut + 5);
    const rolls = (await table?.column('Roll'))?.numbers() ?? new Float64Array(0);
    expect([...rolls.subarray(0, 40)]).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    // what is gone is 0, never something else
    expect(new Set(rolls.subarray(40))).toEqual(new Set([0]));
    const seen: unknown[] = [];
    for await (const { table: of, data } of readRecords(log)) if (of === table) seen.push(data.Roll);
    expect(seen.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });
});
