import { describe, expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { littleEndian } from './codec.ts';
import type { Column } from './column.ts';
import { uniqueNames } from './names.ts';
import type { Field, Schema } from './schema.ts';
import { bytesSource } from './source.ts';
import { RecordTable, type Row, rowOf } from './table.ts';

/** Names that would change a prototype, hide a member or vanish, if rows were plain objects. */
const HOSTILE = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'prototype', 'then'],
  ...['', ' ', 'a', 'a', 'a_2', 'x'.repeat(65_536), 'a\0b', '\0', '\ud800', '\udfff', '0', '-1', 'length', 'null'],
];

/** A table of records of one byte a field, the value of which is row + field. */
function tableOf(names: readonly string[], rows: number): RecordTable {
  const fields = names.map(
    (name, offset): Field => ({
      ...{ name, type: 'uint8', count: 1, offset, divisor: 1, unit: '', multiplier: undefined, siUnit: '' },
    }),
  );
  const size = names.length;
  const schema: Schema = { name: 'T', fields, size, maxSize: size, instance: -1, codec: littleEndian };
  const bytes = Uint8Array.from({ length: rows * size }, (_, i) => Math.floor(i / size) + (i % size));
  const table = new RecordTable(schema, '', bytesSource(bytes));
  for (let row = 0; row < rows; row++) table.offsets.push(row * size);
  return table;
}

async function rowsOf(table: RecordTable, range = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of table.records(range)) rows.push(row);
  return rows;
}

describe('hostile names of fields', () => {
  const names = uniqueNames(HOSTILE);

  test('are all there in rows, with their values', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    const [row] = await rowsOf(tableOf(names, 1));
    expect(Object.keys(row).sort()).toEqual([...names].sort());
    names.forEach((name, i) => {
      expect(Object.getOwnPropertyDescriptor(row, name)?.value, JSON.stringify(name).slice(0, 30)).toBe(i);
    });
    expect(Object.getPrototypeOf(row)).toBe(null);
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
  });

  test('are all there in JSON', async () => {
    const [row] = await rowsOf(tableOf(names, 1));
    const again = JSON.parse(JSON.stringify(row)) as Record<string, number>;
    expect(Object.keys(again)).toHaveLength(names.length);
  });

  test('are all there as columns', async () => {
    const table = tableOf(names, 3);
    for (const [i, name] of names.entries()) {
      expect(table.field(name)?.offset).toBe(i);
      expect([...(await table.column(name)).numbers()]).toEqual([i, i + 1, i + 2]);
    }
  });
});

describe('columns', () => {
  test('are those that were asked for, in that order, in that range', async () => {
    const table = tableOf(['a', 'b', 'c'], 10);
    const [c, a] = await table.columns(['c', 'a'], { from: 4, to: 6 });
    expect([[...c.numbers()], [...a.numbers()]]).toEqual([
      [6, 7],
      [4, 5],
    ]);
    expect(await table.columns()).toHaveLength(3);
  });

  test('of a range beyond the rows have the rows that there are', async () => {
    const table = tableOf(['a'], 3);
    expect((await table.column('a', { from: 1, to: 99 })).length).toBe(2);
    expect((await table.column('a', { from: 5 })).length).toBe(0);
    expect((await table.column('a', { from: 2, to: 1 })).length).toBe(0);
  });

  test('may be what stands before each record', async () => {
    const table = tableOf(['a'], 2);
    const stamp = { ...table.fields[0], name: 'stamp' };
    const stamped = new RecordTable({ ...table.schema, stamp }, '', bytesSource(Uint8Array.of(7, 8)));
    stamped.offsets.push(0);
    stamped.offsets.push(1);
    expect([...(await stamped.column('stamp')).numbers()]).toEqual([7, 8]);
    await expect(stamped.column('other')).rejects.toThrow('it has a');
  });

  test('that do not exist are an error that names those that do', async () => {
    await expect(tableOf(['a', 'b'], 1).column('c')).rejects.toThrow('table T has no field c: it has a, b');
    await expect(tableOf([], 1).column('c')).rejects.toThrow('it has none');
  });
});

describe('rows', () => {
  test('come in order across the blocks in which they are read', async () => {
    const rows = await rowsOf(tableOf(['a'], 10_000));
    expect(rows.map((row) => row.a)).toEqual(Array.from({ length: 10_000 }, (_, i) => i % 256));
  });

  test('of a range', async () => {
    const rows = await rowsOf(tableOf(['a'], 20), { from: 3, to: 5 });
    expect(rows.map((row) => row.a)).toEqual([3, 4]);
    expect(await rowsOf(tableOf(['a'], 20), { from: 30 })).toEqual([]);
  });
});

describe('times', () => {
  const clock: Clock = {
    ...{ kind: 'test', utc: false, source: '', remarks: [], field: () => 'a' },
    fromField: (_, column) => column.numbers().map((value) => value * 10),
    times: async (_, from, to) => Float64Array.from({ length: to - from }, (_each, i) => (from + i) * 10),
  };

  test('are not known without a clock', async () => {
    expect([...(await tableOf(['a'], 3).times({ from: 1 }))]).toEqual([Number.NaN, Number.NaN]);
  });

  test('of a range that goes beyond the rows are those of the rows', async () => {
    const table = tableOf(['a'], 3);
    expect(await table.times({ to: 10 })).toHaveLength(3);
    table.clock = clock;
    expect([...(await table.times({ to: 10 }))]).toEqual([0, 10, 20]);
    expect([...(await table.times({ from: 1, to: 2 }))]).toEqual([10]);
  });

  test('of one row are those of its field, or of the clock', async () => {
    const table = tableOf(['a'], 3);
    expect(await table.timeAt(2)).toBe(Number.NaN);
    table.clock = clock;
    expect([await table.timeAt(0), await table.timeAt(2), await table.timeAt(1)]).toEqual([0, 20, 10]);
    table.clock = { ...clock, field: () => undefined };
    expect([await table.timeAt(0), await table.timeAt(2)]).toEqual([0, 20]);
  });

  test('come with columns in one pass', async () => {
    const table = tableOf(['a', 'b'], 4);
    expect(Number.isNaN((await table.timedColumns(['b'])).times[0])).toBe(true);
    table.clock = clock;
    const { times, columns } = await table.timedColumns(['b'], { from: 1, to: 3 });
    expect([...times]).toEqual([10, 20]);
    expect([...columns[0].numbers()]).toEqual([2, 3]);
  });

  test('come with columns from the first row on where no range is given', async () => {
    const table = tableOf(['a', 'b'], 2);
    table.clock = clock;
    expect([...(await table.timedColumns([])).times]).toEqual([0, 10]);
  });

  test('choose rows', async () => {
    const table = tableOf(['a'], 10);
    table.clock = clock;
    expect(await table.slice(25, 60)).toEqual({ from: 3, to: 6 });
    expect(await table.slice(0, 1e9)).toEqual({ from: 0, to: 10 });
    expect(await table.slice(1000, 2000)).toEqual({ from: 10, to: 10 });
  });
});

test('a row of no columns is an empty object', () => {
  expect(Object.keys(rowOf([] as Column[], 0))).toEqual([]);
});
