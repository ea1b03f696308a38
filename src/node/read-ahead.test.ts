import { openSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { Random } from '../../test/suite/random.ts';
import { FileSource } from './file.ts';
import { ReadAhead } from './read-ahead.ts';

const folder = temporaryFolder();
const SIZE = (9 << 20) + 12_345;
const content = new Random(7).bytes(SIZE);

function fileOf(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const isSame = (a: Uint8Array | undefined, from: number, to: number): boolean =>
  a !== undefined && Buffer.from(content.buffer, content.byteOffset + from, to - from).equals(a);

describe('a file that is read ahead', () => {
  test('gives any part of it, in any order, before all is there', async () => {
    const ahead = new ReadAhead(openSync(fileOf('whole'), 'r'), SIZE);
    // nothing has come yet: the threads that read answer only when this one waits
    expect(ahead.readNow(0, 10)).toBeUndefined();
    expect(ahead.isWhole).toBe(false);
    for (const [from, to] of [
      [0, 1],
      [SIZE - 5, SIZE],
      [(4 << 20) - 3, (4 << 20) + 3],
      [0, SIZE],
    ])
      expect(isSame(await ahead.read(from, to - from), from, to), `${from}`).toBe(true);
    expect(isSame(ahead.readNow(5, 100), 5, 105)).toBe(true);
    expect((await ahead.read(SIZE - 3, 100))?.length).toBe(3);
    expect((await ahead.read(SIZE + 3, 100))?.length).toBe(0);
    await expect.poll(() => ahead.isWhole).toBe(true);
  });

  test('says where bytes did not come', async () => {
    const path = fileOf('cut');
    truncateSync(path, 5 << 20);
    const ahead = new ReadAhead(openSync(path, 'r'), SIZE);
    expect(isSame(await ahead.read(0, 4 << 20), 0, 4 << 20)).toBe(true);
    expect(await ahead.read(6 << 20, 10)).toBeUndefined();
    expect(ahead.readNow(6 << 20, 10)).toBeUndefined();
    expect(ahead.isWhole).toBe(false);
  });

  test('a descriptor that cannot be read is no end', async () => {
    const ahead = new ReadAhead(openSync(fileOf('written'), 'a'), SIZE);
    expect(await ahead.read(0, 10)).toBeUndefined();
  });
});

describe('a source that is kept', () => {
  test('gives its bytes with and without waiting, and what is left of it after it was cut', async () => {
    const path = fileOf('kept');
    const source = await FileSource.open(path);
    source.keepInMemory(SIZE);
    expect(isSame(source.readNow(100, 50), 100, 150)).toBe(true);
    expect(isSame(await source.read(0, SIZE), 0, SIZE)).toBe(true);
    await expect.poll(() => source.isInMemory).toBe(true);
    truncateSync(path, 1000);
    expect(isSame(await source.read(500, 5000), 500, 5500)).toBe(true);
    await source.refresh();
    expect(source.isInMemory).toBe(false);
    expect(isSame(await source.read(500, 5000), 500, 1000)).toBe(true);
  });

  test('of a file that was cut before it came gives what there is', async () => {
    const path = fileOf('short');
    const source = await FileSource.open(path);
    truncateSync(path, 5 << 20);
    source.keepInMemory(SIZE);
    expect((await source.read(0, SIZE)).length).toBe(5 << 20);
    expect((await source.read(6 << 20, 10)).length).toBe(0);
    expect(source.isInMemory).toBe(false);
  });

  test('is read piece by piece where it is larger than may be kept', async () => {
    const source = await FileSource.open(fileOf('large'));
    source.keepInMemory(SIZE - 1);
    expect(isSame(await source.read(7, 9), 7, 16)).toBe(true);
    expect(source.isInMemory).toBe(false);
  });
});
