import { describe, expect, test } from 'vitest';
import { littleEndian } from './codec.ts';
import { type GroupRun, RecordBatch } from './decoder.ts';
import { Indexer } from './indexer.ts';
import type { Schema } from './schema.ts';
import type { Source } from './source.ts';

const schema = (name: string): Schema => ({
  ...{ name, fields: [], size: 3, maxSize: 3, instance: -1, codec: littleEndian },
});

const sourceOf = (size: number): Source => ({ size, read: async () => new Uint8Array(0) });

/** A batch of records by table and start. */
function batchOf(base: number, records: readonly (readonly [table: number, start: number])[]): RecordBatch {
  const batch = new RecordBatch(Math.max(1, records.length));
  batch.base = base;
  batch.bytes = new Uint8Array(1000);
  batch.count = records.length;
  records.forEach(([table, start], i) => {
    batch.table[i] = table;
    batch.start[i] = start;
    batch.size[i] = 3;
  });
  return batch;
}

const placesOf = (indexer: Indexer, table: number): number[] => {
  const { offsets, rows } = indexer.tables[table];
  return Array.from({ length: rows }, (_, row) => offsets.at(row));
};

describe('an index', () => {
  test('keeps the place of each record in its table', () => {
    const indexer = new Indexer(sourceOf(5000));
    indexer.table(0, schema('A'), '');
    indexer.table(1, schema('B'), '7');
    indexer.records(batchOf(0, [[0, 0], [1, 3], [0, 6]])); // biome-ignore format: pairs
    indexer.records(batchOf(1000, [[1, 5]]));
    expect(indexer.tables.map((table) => [table.name, table.stream, table.rows])).toEqual([
      ['A', '', 2],
      ['B', '7', 2],
    ]);
    expect(placesOf(indexer, 0)).toEqual([0, 6]);
    expect(placesOf(indexer, 1)).toEqual([3, 1005]);
  });

  test('grows with its tables, also those that begin late', () => {
    const indexer = new Indexer(sourceOf(1e6));
    indexer.table(0, schema('A'), '');
    for (let n = 0; n < 300; n++) {
      if (n === 100) indexer.table(1, schema('B'), '');
      indexer.records(
        batchOf(
          n * 1000,
          Array.from({ length: 300 }, (_, i) => [n < 100 ? 0 : i % 2, i * 3] as const),
        ),
      );
    }
    expect(indexer.tables.map((table) => table.rows)).toEqual([60_000, 30_000]);
    expect(placesOf(indexer, 0).slice(-2)).toEqual([299_888, 299_894]);
    expect(placesOf(indexer, 1)[0]).toBe(100_003);
  });

  test('goes on across 4 GiB', () => {
    const border = 2 ** 32;
    const indexer = new Indexer(sourceOf(border * 3));
    indexer.table(0, schema('A'), '');
    indexer.table(1, schema('B'), '');
    indexer.records(batchOf(border - 2000, [[0, 10], [1, 20]])); // biome-ignore format: pairs
    indexer.records(batchOf(border - 500, [[0, 10], [1, 490], [0, 510]])); // biome-ignore format: pairs
    indexer.records(batchOf(2 * border + 5, [[0, 1]]));
    indexer.table(2, schema('C'), '');
    indexer.records(batchOf(2 * border + 1000, [[2, 7]]));
    expect(placesOf(indexer, 0)).toEqual([border - 1990, border - 490, border + 10, 2 * border + 6]);
    expect(placesOf(indexer, 1)).toEqual([border - 1980, border - 10]);
    expect(placesOf(indexer, 2)).toEqual([2 * border + 1007]);
  });

  test('of many tables costs no more for a small batch', () => {
    const indexer = new Indexer(sourceOf(1e6));
    for (let id = 0; id < 16_384; id++) indexer.table(id, schema('A'), String(id));
    const start = process.cpuUsage();
    // damage ends a batch, so that a hostile file has as many batches as records
    for (let n = 0; n < 20_000; n++) indexer.records(batchOf(n * 3, [[n % 16_384, 0]]));
    expect(process.cpuUsage(start).user).toBeLessThan(300_000);
  });

  test('gives faults to its list', () => {
    const indexer = new Indexer(sourceOf(10));
    indexer.fault({ code: 'garbage', offset: 1, length: 2, lost: true, text: 'two bytes' });
    expect(indexer.faults.count).toBe(1);
  });
});

describe('groups', () => {
  const group = (base: number, start: readonly number[]): GroupRun => ({
    bytes: new Uint8Array(1000),
    base,
    start: Uint32Array.from([...start, 999]),
    count: start.length,
    width: 2,
    table: Int32Array.of(1, 0, 7),
    place: Int32Array.of(0, 4, 9),
  });

  test.each([0, 2 ** 31 - 10, 2 ** 32 - 500, 2 ** 32 - 10, 2 ** 33 + 7])('are records, from offset %d on', (base) => {
    const indexer = new Indexer(sourceOf(1e9));
    indexer.table(0, schema('A'), '');
    indexer.table(1, schema('B'), '');
    indexer.records(batchOf(base, [[0, 0], [1, 3], [0, 6]])); // biome-ignore format: pairs
    indexer.groups(group(base, [10, 20, 30]));
    indexer.records(batchOf(base, [[1, 40], [0, 43]])); // biome-ignore format: pairs
    indexer.groups(group(base, [50]));
    expect(placesOf(indexer, 0)).toEqual([0, 6, 14, 24, 34, 43, 54].map((place) => base + place));
    expect(placesOf(indexer, 1)).toEqual([3, 10, 20, 30, 40, 50].map((place) => base + place));
  });

  test('make room for any number of them', () => {
    const indexer = new Indexer(sourceOf(1e6));
    indexer.table(0, schema('A'), '');
    indexer.table(1, schema('B'), '');
    const starts = Array.from({ length: 100 }, (_, i) => i * 8);
    for (let n = 0; n < 100; n++) indexer.groups(group(n * 1000, starts));
    const places = Array.from({ length: 10_000 }, (_, i) => Math.floor(i / 100) * 1000 + (i % 100) * 8);
    expect(placesOf(indexer, 1)).toEqual(places);
    expect(placesOf(indexer, 0)).toEqual(places.map((place) => place + 4));
  });
});
