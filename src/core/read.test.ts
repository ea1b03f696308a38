import { describe, expect, test } from 'vitest';
import { littleEndian } from './codec.ts';
import { OffsetLists } from './offsets.ts';
import { type Request, readColumns, windows } from './read.ts';
import type { Field, Schema } from './schema.ts';
import { bytesSource, type Source } from './source.ts';

const field: Field = {
  ...{ name: 'v', type: 'uint32', count: 1, offset: 2, divisor: 1, unit: '', multiplier: undefined, siUnit: '' },
};

const schemaOf = (size: number): Schema => ({
  ...{ name: 'T', fields: [field], size, maxSize: size, instance: -1, codec: littleEndian },
});

/** A source with a record of `size` bytes at each place, whose value is its row. */
function sourceOf(length: number, size: number, places: readonly number[]): { source: Source; request: Request } {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  const offsets = OffsetLists.single();
  places.forEach((place, row) => {
    offsets.push(place);
    view.setUint32(place + 2, row, true);
  });
  const request = { schema: schemaOf(size), offsets, fields: [field], from: 0, to: places.length };
  return { source: bytesSource(bytes), request };
}

/** A source that notes what it was asked for. */
function watched(source: Source): { source: Source; reads: [offset: number, length: number][] } {
  const reads: [number, number][] = [];
  return {
    reads,
    source: {
      size: source.size,
      read: (offset, length) => {
        reads.push([offset, length]);
        return source.read(offset, length);
      },
    },
  };
}

const every = (step: number, count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, i) => from + i * step);

async function valuesOf(source: Source, ...requests: Request[]): Promise<number[][]> {
  const columns = await readColumns(source, requests);
  return columns.map(([column]) => [...column.numbers()]);
}

const counting = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('columns in windows', () => {
  test('hold rows across the borders of windows', async () => {
    // the borders of windows of 1 MiB fall into records of 7 bytes in all ways
    const { source, request } = sourceOf(4 << 20, 7, every(7, 500_000));
    expect((await valuesOf(source, request))[0]).toEqual(counting(500_000));
  });

  test('read nothing twice but what a record across a border needs', async () => {
    const { source, request } = sourceOf(4 << 20, 7, every(7, 500_000));
    const { source: seen, reads } = watched(source);
    await valuesOf(seen, request);
    const total = reads.reduce((sum, [, length]) => sum + length, 0);
    expect(total).toBeLessThan(500_000 * 7 + reads.length * 7 + 1);
    expect(Math.max(...reads.map(([, length]) => length))).toBeLessThanOrEqual((1 << 20) + 7);
  });

  test('pass over what lies far from any row', async () => {
    const { source, request } = sourceOf(64 << 20, 6, every(20 << 20, 3, 5));
    const { source: seen, reads } = watched(source);
    expect((await valuesOf(seen, request))[0]).toEqual([0, 1, 2]);
    expect(reads.reduce((sum, [, length]) => sum + length, 0)).toBeLessThan(200_000);
  });

  test('of several tables come in one pass', async () => {
    const first = sourceOf(2 << 20, 8, every(16, 100_000));
    const second = sourceOf(2 << 20, 8, every(32, 50_000, 8));
    const joined = (await first.source.read(0, 2 << 20)).slice();
    const other = await second.source.read(0, 2 << 20);
    for (let i = 0; i < joined.length; i++) joined[i] |= other[i];
    const { source, reads } = watched(bytesSource(joined));
    expect(await valuesOf(source, first.request, second.request)).toEqual([counting(100_000), counting(50_000)]);
    expect(reads).toHaveLength(4);
  });

  test('of tables that begin late or end early come with the windows that hold them', async () => {
    const length = 4 << 20;
    const early = sourceOf(length, 8, every(16, 1000));
    const late = sourceOf(length, 8, every(16, 1000, (4 << 20) - 16_000));
    const all = sourceOf(length, 8, every(1024, 4096, 8));
    const joined = new Uint8Array(length);
    for (const { source } of [early, late, all]) {
      const part = await source.read(0, length);
      for (let i = 0; i < length; i++) joined[i] |= part[i];
    }
    const values = await valuesOf(bytesSource(joined), early.request, late.request, all.request);
    expect(values).toEqual([counting(1000), counting(1000), counting(4096)]);
  });

  test('of a part of the rows hold these', async () => {
    const { source, request } = sourceOf(1 << 20, 6, every(6, 10_000));
    expect((await valuesOf(source, { ...request, from: 9_990, to: 9_995 }))[0]).toEqual([
      ...[9_990, 9_991, 9_992, 9_993, 9_994],
    ]);
    expect((await valuesOf(source, { ...request, from: 5, to: 5 }))[0]).toEqual([]);
    expect((await valuesOf(source, { ...request, from: 9, to: 5 }))[0]).toEqual([]);
    expect(await valuesOf(source)).toEqual([]);
  });

  test('beyond 4 GiB are read where they stand', async () => {
    const base = 2 ** 32 - 20;
    const offsets = OffsetLists.single();
    for (const place of [base, base + 10, base + 20, base + 30]) offsets.push(place);
    const source: Source = {
      size: 2 ** 33,
      read: async (offset, length) => {
        const bytes = new Uint8Array(length);
        const view = new DataView(bytes.buffer);
        for (let row = 0; row < 4; row++) {
          const at = base + row * 10 + 2 - offset;
          if (at >= 0 && at + 4 <= length) view.setUint32(at, row + 1, true);
        }
        return bytes;
      },
    };
    const request = { schema: schemaOf(6), offsets, fields: [field], from: 0, to: 4 };
    expect((await valuesOf(source, request))[0]).toEqual([1, 2, 3, 4]);
  });
});

describe('a source that shrank', () => {
  /** Says that it has all its bytes but gives only the first ones. */
  const shrunk = (source: Source, left: number): Source => ({
    size: source.size,
    read: (offset, length) => source.read(offset, Math.max(0, Math.min(length, left - offset))),
  });

  test.each([0, 1, 5, 6, 7, 600, 601, 605, 606])(
    'to %i bytes gives the rows that are left, and zeros',
    async (left) => {
      const { source, request } = sourceOf(1200, 6, every(6, 200));
      const [values] = await valuesOf(shrunk(source, left), request);
      const whole = Math.floor(left / 6);
      expect(values).toEqual(counting(200).map((row) => (row < whole ? row : 0)));
    },
  );

  test('between windows goes on to the end', async () => {
    const { source, request } = sourceOf(4 << 20, 8, every(8, 400_000));
    const [values] = await valuesOf(shrunk(source, 2_000_000), request);
    expect(values.slice(0, 250_000)).toEqual(counting(250_000));
    expect(values.slice(250_000).every((value) => value === 0)).toBe(true);
  });

  test('and whose reading fails, fails the reading of columns', async () => {
    const { request } = sourceOf(4 << 20, 8, every(8, 400_000));
    const source: Source = { size: 4 << 20, read: async () => Promise.reject(new Error('disk is gone')) };
    await expect(readColumns(source, [request])).rejects.toThrow('disk is gone');
  });
});

test('windows that are not asked for are not read', async () => {
  const { source, request } = sourceOf(4 << 20, 8, every(8, 400_000));
  const { source: seen, reads } = watched(source);
  for await (const window of windows(seen, [request])) {
    expect(window.from).toEqual([0]);
    break;
  }
  expect(reads.length).toBeLessThanOrEqual(2);
});
