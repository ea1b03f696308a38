import { describe, expect, test } from 'vitest';
import type { Source } from '../../../src/core/source.ts';
import { openSource } from '../../../src/formats/open.ts';
import { long } from '../../helpers/long.ts';
import { LogWriter } from './log.ts';

const GIB = 2 ** 30;
const MOST_MEMORY = 128 * 2 ** 20;

/** A source of any size that is zero but for some pieces: no such file is needed to read it. */
function sparseSource(size: number, pieces: readonly (readonly [at: number, bytes: Uint8Array])[]): Source {
  const zeros = new Uint8Array(4 << 20);
  return {
    size,
    read: async (offset, length) => {
      const end = Math.min(offset + length, size);
      const inside = pieces.filter(([at, bytes]) => at < end && at + bytes.length > offset);
      if (inside.length === 0) return zeros.subarray(0, end - offset);
      const result = new Uint8Array(end - offset);
      for (const [at, bytes] of inside) {
        const from = Math.max(0, offset - at);
        result.set(bytes.subarray(from, Math.min(bytes.length, end - at)), at + from - offset);
      }
      return result;
    },
  };
}

long(describe)('a log of more than 4 GiB', () => {
  const records = (from: number): Uint8Array => {
    const log = new LogWriter();
    for (let n = 0; n < 50; n++) log.record(9, 'QI', 1e6 + from + n, from + n);
    return log.bytes();
  };
  const head = new LogWriter().define(9, 'A', 'QI', 'TimeUS,i').raw(records(0)).bytes();
  const border = 4 * GIB;
  const pieces = [
    [0, head],
    // across the border, and behind it
    [border - 400, records(1000)],
    [border + 5000, records(2000)],
  ] as const;

  test('is indexed and read beyond it, in little memory', async () => {
    const source = sparseSource(border + 10_000, pieces);
    const before = process.memoryUsage().rss;
    const log = await openSource(source);
    expect(process.memoryUsage().rss - before).toBeLessThan(MOST_MEMORY);
    const table = log.table('A');
    expect(table?.rows).toBe(150);
    expect(table?.offsets.at(50)).toBe(border - 400);
    expect(table?.offsets.at(149)).toBe(border + 5000 + 49 * 15);
    const values = [...((await table?.column('i'))?.numbers() ?? [])];
    expect(values.slice(49, 52)).toEqual([49, 1000, 1001]);
    expect(values.slice(98)).toEqual([1048, 1049, ...Array.from({ length: 50 }, (_, n) => 2000 + n)]);
    expect([...log.faults.byCode].map(([code, { count }]) => [code, count])).toEqual([
      ['blank', 2],
      ['padding', 1],
    ]);
  });
});
