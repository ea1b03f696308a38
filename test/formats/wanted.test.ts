import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import type { Log } from '../../src/core/log.ts';
import type { Source } from '../../src/core/source.ts';
import { bytesSource } from '../../src/core/source.ts';
import { openSource } from '../../src/formats/open.ts';
import { openLog } from '../../src/node/open.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { needShared } from '../helpers/need.ts';
import { referencedLog, references } from './dataflash/references.ts';

/** Large logs have nothing that small ones do not. */
const LARGEST = 4e6;

/** Every value of every table and every time, in short. */
async function contentOf(log: Log): Promise<unknown[]> {
  const content: unknown[] = [];
  for (const table of log.tables) {
    const hash = createHash('sha1');
    for (const { bits8 } of await table.columns()) hash.update(bits8);
    hash.update(new Uint8Array((await table.times()).buffer));
    content.push([table.name, table.stream, table.rows, hash.digest('hex')]);
  }
  return content;
}

needShared(describe, 'dataflash')('a log of which only a part is wanted', () => {
  const files = references()
    .map(({ file }) => file)
    .filter((file) => statSync(referencedLog(file)).size < LARGEST);

  test.each(files)('%s has the same content', async (file) => {
    const path = referencedLog(file);
    const whole = await openLog(path);
    // some tables whole, some in part, some not at all
    const names = [...new Set(whole.tables.map(({ name }) => name))].sort();
    const part = await openLog(path, {
      wanted: {
        table: (name) => names.indexOf(name) % 3 < 2,
        field: (name, place) => (place + name.length) % 2 === 0,
      },
    });
    expect(part.faults.kept).toEqual(whole.faults.kept);
    expect(part.faults.byCode).toEqual(whole.faults.byCode);
    const wanted = part.tables.filter(({ name }) => names.indexOf(name) % 3 < 2);
    // what is wanted first, so that the rest is not yet read
    for (const table of wanted) {
      const same = whole.tables[part.tables.indexOf(table)];
      const some = table.fields.filter((_, place) => place % 3 < 2).map(({ name }) => name);
      const range = { from: table.rows >> 2, to: table.rows - (table.rows >> 2) };
      const [columns, expected] = [await table.columns(some, range), await same.columns(some, range)];
      expect(columns.map(({ bits8 }, i) => Buffer.compare(bits8, expected[i].bits8))).toEqual(some.map(() => 0));
    }
    expect(await contentOf(part)).toEqual(await contentOf(whole));
  });
});

describe('what is wanted', () => {
  function made(rows: number): Uint8Array {
    const log = new MadeLog().define('A', 'QI', 'TimeUS,X').define('B', 'QI', 'TimeUS,Y');
    for (let i = 0; i < rows; i++) log.add('A', i, i).add('B', i, 2 * i);
    return log.bytes();
  }

  /** A source that counts the bytes that are read. */
  function counting(bytes: Uint8Array): Source & { count: number } {
    const { size, read, readNow } = bytesSource(bytes);
    const source = {
      size,
      count: 0,
      read: (at: number, length: number, scratch?: Uint8Array<ArrayBuffer>) => {
        source.count += length;
        return read(at, length, scratch);
      },
      readNow: (at: number, length: number, scratch?: Uint8Array<ArrayBuffer>) => {
        source.count += length;
        return readNow?.(at, length, scratch) ?? new Uint8Array(0);
      },
    };
    return source;
  }

  test('is read once, and the rest when it is asked for', async () => {
    const source = counting(made(50_000));
    const wanted = { table: (name: string) => name === 'A', field: (name: string) => name === 'X' };
    const log = await openSource(source, { wanted });
    const [a] = log.tablesNamed('A');
    const [b] = log.tablesNamed('B');
    expect([a.rows, b.rows]).toEqual([50_000, 50_000]);
    const opened = source.count;
    expect(Array.from((await a.column('X')).numbers().subarray(-2))).toEqual([49_998, 49_999]);
    expect(source.count).toBe(opened);
    expect(Array.from((await b.column('Y')).numbers().subarray(-2))).toEqual([99_996, 99_998]);
    expect(source.count).toBeGreaterThan(opened + source.size / 2);
  });

  test('takes no more memory than is held of a log', async () => {
    const limits = LIMITS as { heldBytes: number };
    const before = limits.heldBytes;
    limits.heldBytes = 100_000;
    try {
      const source = counting(made(50_000));
      const log = await openSource(source, { wanted: { table: () => true, field: (name) => name !== 'TimeUS' } });
      const opened = source.count;
      expect(Array.from((await log.tablesNamed('A')[0].column('X')).numbers().subarray(-2))).toEqual([49_998, 49_999]);
      expect(source.count).toBeGreaterThan(opened);
    } finally {
      limits.heldBytes = before;
    }
  });
});
