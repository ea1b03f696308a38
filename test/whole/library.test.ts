import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOrder } from '../../src/core/records.ts';
import { RecordTable } from '../../src/core/table.ts';
import { bytesSource, type Log, type LogRecord, openLog, readBlocks, readRecords } from '../../src/entry/index.ts';
import { FMT_DEFINITION, schemaOf } from '../../src/formats/dataflash/schema.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { MadeLog } from '../helpers/made-log.ts';

/** A table whose records begin at these places. */
function tableAt(...offsets: number[]): RecordTable {
  const table = new RecordTable(schemaOf(FMT_DEFINITION), '', bytesSource(new Uint8Array(0)));
  for (const offset of offsets) table.offsets.push(offset);
  return table;
}

async function all(log: Log, options: Parameters<typeof readRecords>[1] = {}): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of readRecords(log, options)) records.push(record);
  return records;
}

describe('rows of several tables in the order of the source', () => {
  const placesOf = (...args: Parameters<typeof inOrder>): number[][] =>
    // the same object comes again and again, so that each is copied
    [...mapped(inOrder(...args), ({ index, row, offset }) => [index, row, offset])];

  function* mapped<A, B>(from: Iterable<A>, make: (each: A) => B): Generator<B> {
    for (const each of from) yield make(each);
  }

  test('are every row once', () => {
    expect(placesOf([tableAt(0, 30, 40), tableAt(), tableAt(10, 20, 50)])).toEqual([
      [0, 0, 0],
      [2, 0, 10],
      [2, 1, 20],
      [0, 1, 30],
      [0, 2, 40],
      [2, 2, 50],
    ]);
    expect(placesOf([])).toEqual([]);
  });

  test('can begin and end at rows of each table', () => {
    expect(placesOf([tableAt(0, 30, 40), tableAt(10, 20, 50)], [1, 0], [3, 1])).toEqual([
      [1, 0, 10],
      [0, 1, 30],
      [0, 2, 40],
    ]);
    expect(placesOf([tableAt(0, 30)], [2])).toEqual([]);
  });

  test('are sorted by their places, however they are shared among tables', () => {
    const shared = fc.array(fc.nat({ max: 6 }), { maxLength: 60 });
    fc.assert(
      fc.property(shared, (owners) => {
        const tables = Array.from({ length: 7 }, (_, owner) =>
          tableAt(...owners.flatMap((each, place) => (each === owner ? [place * 3] : []))),
        );
        expect(placesOf(tables).map(([index, , offset]) => [index, offset])).toEqual(
          owners.map((owner, place) => [owner, place * 3]),
        );
      }),
    );
  });

  test('may lie beyond 4 GiB', () => {
    const far = 2 ** 33;
    const places = placesOf([tableAt(5, far + 5), tableAt(far - 5, far + 10)]);
    expect(places.map(([, , offset]) => offset)).toEqual([5, far - 5, far + 5, far + 10]);
  });
});

describe('records', () => {
  /** Six records of three tables, 100 µs apart, one of them without a time of its own. */
  const made = (): MadeLog =>
    new MadeLog()
      .define('A', 'QB', 'TimeUS,Id')
      .define('B', 'QB', 'TimeUS,Id')
      .define('C', 'B', 'Id')
      .add('A', 100, 1)
      .add('B', 200, 2)
      .add('C', 3)
      .add('A', 400, 4)
      .add('B', 500, 5)
      .add('A', 600, 6);
  const ids = (records: readonly LogRecord[]): unknown[] =>
    records.filter(({ table }) => table.name !== 'FMT').map(({ data }) => data.Id);

  test('come in the order of the source, with table, time and place', async () => {
    const log = await made().open();
    const records = await all(log);
    expect(ids(records)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(records.filter(({ table }) => table.name !== 'FMT').map(({ time }) => time)).toEqual([
      100, 200, 200, 400, 500, 600,
    ]);
    const [first] = records;
    expect([first.table.name, first.offset]).toEqual(['FMT', 0]);
    expect(Object.getPrototypeOf(first.data)).toBe(null);
  });

  test('of some tables', async () => {
    const log = await made().open();
    expect(ids(await all(log, { tables: log.tablesNamed('B') }))).toEqual([2, 5]);
    expect(ids(await all(log, { tables: [...log.tablesNamed('C'), ...log.tablesNamed('A')] }))).toEqual([1, 3, 4, 6]);
    expect(await all(log, { tables: [] })).toEqual([]);
  });

  test('of a range of time: at or after the first moment and before the second', async () => {
    const log = await made().open();
    expect(ids(await all(log, { from: 200, to: 500 }))).toEqual([2, 3, 4]);
    expect(ids(await all(log, { from: 201 }))).toEqual([4, 5, 6]);
    expect(ids(await all(log, { to: 100 }))).toEqual([]);
    expect(ids(await all(log, { from: 600 }))).toEqual([6]);
  });

  test('after rows that were read before', async () => {
    const log = await made().open();
    const [a] = log.tablesNamed('A');
    const [b] = log.tablesNamed('B');
    const after = new Map([
      [a, 2],
      [b, 1],
    ]);
    expect(ids(await all(log, { after }))).toEqual([3, 5, 6]);
    expect(ids(await all(log, { after, tables: [a] }))).toEqual([6]);
    expect(await all(log, { after: new Map(log.tables.map((table) => [table, table.rows])) })).toEqual([]);
  });

  test('can be left at any time', async () => {
    const log = await made().open();
    for await (const { table } of readRecords(log)) if (table.name === 'B') break;
    expect(ids(await all(log))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('of the sample are those of its tables', async () => {
    const log = await openLog(SAMPLE);
    const tables = ['IMU', 'GPS', 'ATT', 'FMT'].flatMap((name) => log.tablesNamed(name));
    const records = await all(log, { tables });
    expect(records).toHaveLength(tables.reduce((sum, { rows }) => sum + rows, 0));
    for (let i = 1; i < records.length; i++) expect(records[i].offset).toBeGreaterThan(records[i - 1].offset);
    for (const table of tables) {
      const own = records.filter((record) => record.table === table);
      const times = await table.times();
      expect(own.map(({ time }) => time)).toEqual([...times]);
      let row = 0;
      for await (const data of table.records()) expect(own[row++].data).toEqual(data);
      expect(row).toBe(table.rows);
    }
  });

  test('in pieces have the rows of each table in a row', async () => {
    const log = await openLog(SAMPLE);
    const table = log.table('IMU', '0') as RecordTable;
    const rolls = (await table.column('GyrX')).numbers();
    let next = 0;
    for await (const block of readBlocks(log, { tables: [table] })) {
      expect(block.first[0]).toBe(next);
      block.walk((_index, row, time, offset) => {
        expect(offset).toBe(table.offsets.at(next));
        expect(time).toBe(block.times[0][row]);
        expect(block.columns[0].find(({ field }) => field.name === 'GyrX')?.at(row)).toBe(rolls[next]);
        next++;
        return true;
      });
    }
    expect(next).toBe(table.rows);
    expect(next).toBeGreaterThan(1000);
  });

  test('a walk ends when it is told to', async () => {
    const log = await made().open();
    let seen = 0;
    for await (const block of readBlocks(log)) block.walk(() => ++seen < 3);
    expect(seen).toBe(3);
  });
});

describe('a table', () => {
  test('gives columns and rows of a range', async () => {
    const made = new MadeLog().define('A', 'QH', 'TimeUS,Id');
    for (let i = 0; i < 10_000; i++) made.add('A', i * 10, i);
    const table = (await made.open()).table('A') as RecordTable;
    expect([...(await table.column('Id', { from: 5000, to: 5003 })).numbers()]).toEqual([5000, 5001, 5002]);
    expect((await table.columns()).map(({ length }) => length)).toEqual([10_000, 10_000]);
    const rows: unknown[] = [];
    for await (const row of table.records({ from: 4094, to: 4099 })) rows.push(row.Id);
    expect(rows).toEqual([4094, 4095, 4096, 4097, 4098]);
    expect(await table.slice(50_000, 50_030)).toEqual({ from: 5000, to: 5003 });
    expect(await table.slice(50_001, 50_009)).toEqual({ from: 5001, to: 5001 });
  });

  test('a field that it does not have is an error that names those that it has', async () => {
    const table = (await new MadeLog().define('A', 'QH', 'TimeUS,Id').add('A', 1, 2).open()).table('A');
    await expect(table?.column('Roll')).rejects.toThrow(new RangeError('table A has no field Roll: it has TimeUS, Id'));
  });
});
