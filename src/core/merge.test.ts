import fc from 'fast-check';
import { expect, test } from 'vitest';
import { littleEndian } from './binary.ts';
import { inOrder } from './merge.ts';
import { bytesSource } from './source.ts';
import { Table } from './table.ts';

function tableOf(places: readonly number[]): Table {
  const schema = { name: 'T', fields: [], size: 3, maxSize: 3, instance: -1, codec: littleEndian };
  const table = new Table(schema, '', bytesSource(new Uint8Array(0)));
  for (const place of places) table.offsets.push(place);
  return table;
}

/** Different places, dealt out to some tables. */
const dealt = fc
  .tuple(fc.uniqueArray(fc.nat(10_000), { maxLength: 200 }), fc.integer({ min: 1, max: 9 }), fc.nat())
  .map(([places, count, seed]) => {
    const tables: number[][] = Array.from({ length: count }, () => []);
    places
      .sort((a, b) => a - b)
      .forEach((place, i) => {
        tables[(i * 7 + ((seed >> (i % 20)) & 3)) % count].push(place);
      });
    return tables;
  });

test('rows of all tables come in the order of the source', () => {
  fc.assert(
    fc.property(dealt, (lists) => {
      const places = [...inOrder(lists.map(tableOf))].length;
      const seen: number[] = [];
      for (const { index, row, offset } of inOrder(lists.map(tableOf))) {
        expect(lists[index][row]).toBe(offset);
        seen.push(offset);
      }
      expect(seen).toEqual(lists.flat().sort((a, b) => a - b));
      expect(places).toBe(seen.length);
    }),
  );
});

test('a part of the rows of each table', () => {
  const tables = [tableOf([1, 4, 7]), tableOf([2, 3, 9]), tableOf([])];
  const seen = Array.from(inOrder(tables, [1, 0, 0], [3, 2, 0]), ({ offset }) => offset);
  expect(seen).toEqual([2, 3, 4, 7]);
  expect([...inOrder(tables, [3, 3, 0])]).toEqual([]);
});
