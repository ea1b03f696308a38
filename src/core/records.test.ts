import { describe, expect, test } from 'vitest';
import { LogWriter } from '../../test/formats/dataflash/log.ts';
import { openInput } from '../formats/open.ts';
import { littleEndian } from './codec.ts';
import { inOrder, type RecordOptions, readBlocks, readRecords } from './records.ts';
import { bytesSource } from './source.ts';
import { RecordTable } from './table.ts';

/** Two types in turn, a microsecond apart, over several windows of the source. */
const log = new LogWriter()
  .define(9, 'A', 'QB', 'TimeUS,b')
  .define(10, 'B', 'QI', 'TimeUS,i')
  .define(11, 'C', 'B', 'c');
for (let n = 0; n < 60_000; n++) {
  if (n % 1000 === 0) log.record(11, 'B', n / 1000);
  if (n % 2 === 0) log.record(9, 'QB', n, n);
  else log.record(10, 'QI', n, n);
}
const opened = openInput(log.bytes());

async function read(options: RecordOptions = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { table, time, data } of readRecords(await opened, options))
    found.push(`${table.name} ${time} ${data.b ?? data.i ?? data.c ?? data.Name}`);
  return found;
}

describe('records of a log', () => {
  test('come in the order of the source, with their times and fields', async () => {
    const found = await read();
    expect(found).toHaveLength(3 + 60 + 60_000);
    expect(found.slice(0, 6)).toEqual(['FMT 0 A', 'FMT 0 B', 'FMT 0 C', 'C 0 0', 'A 0 0', 'B 1 1']);
    expect(found.at(-1)).toBe('B 59999 59999');
    const numbered = found.filter((each) => each.startsWith('B')).map((each) => Number(each.split(' ')[1]));
    expect(numbered).toEqual(Array.from({ length: 30_000 }, (_, i) => 2 * i + 1));
  });

  test('have the place where they stand', async () => {
    const places: number[] = [];
    for await (const { offset } of readRecords(await opened)) places.push(offset);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[1]).toBe(89);
  });

  test('of some tables, of some time', async () => {
    const tables = (await opened).tablesNamed('A');
    expect(await read({ tables, from: 100, to: 106 })).toEqual(['A 100 100', 'A 102 102', 'A 104 104']);
    expect(await read({ tables, from: 59_998 })).toEqual([`A 59998 ${59_998 & 0xff}`]);
    expect(await read({ tables, to: 1 })).toEqual(['A 0 0']);
    expect(await read({ tables: [] })).toEqual([]);
  });

  test('go on from a row', async () => {
    const tables = (await opened).tablesNamed('B');
    const after = new Map([[tables[0], 29_998]]);
    expect(await read({ tables, after })).toEqual(['B 59997 59997', 'B 59999 59999']);
  });

  test('are walked no further than is wanted', async () => {
    let seen = 0;
    for await (const block of readBlocks(await opened)) {
      block.walk(() => ++seen < 5);
      break;
    }
    expect(seen).toBe(5);
  });
});

test('records of a log without a clock have no time', async () => {
  const plain = await openInput(new LogWriter().define(9, 'A', 'QB', 'TimeUS,b').record(9, 'QB', 5, 1).bytes());
  for (const table of plain.tables) table.clock = undefined;
  for await (const { time } of readRecords(plain)) expect(time).toBe(Number.NaN);
});

import fc from 'fast-check';

function tableOf(places: readonly number[]): RecordTable {
  const schema = { name: 'T', fields: [], size: 3, maxSize: 3, instance: -1, codec: littleEndian };
  const table = new RecordTable(schema, '', bytesSource(new Uint8Array(0)));
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
