import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import type { Value } from '../core/column.ts';
import { readBlocks } from '../core/records.ts';
import { jsonTime, jsonValue, LineWriter } from './json-line.ts';

/** The lines of a log's records of one table. */
async function linesOf(made: MadeLog, name: string, si = false): Promise<string[]> {
  const log = await made.open();
  const lines: string[] = [];
  for await (const block of readBlocks(log, { tables: log.tablesNamed(name) })) {
    const writers = block.tables.map((table) => new LineWriter(table, { si }));
    block.walk((index, row, time, offset) => {
      lines.push(writers[index].line(block.columns[index], row, time, offset));
      return true;
    });
  }
  return lines;
}

describe('a value', () => {
  test.each([
    [0, '0'],
    [-1.5, '-1.5'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
    [Number.NEGATIVE_INFINITY, 'null'],
    [9007199254740992n, '"9007199254740992"'],
    [18446744073709551615n, '"18446744073709551615"'],
    [-9223372036854775808n, '"-9223372036854775808"'],
    [null, 'null'],
    ['a"b\\c\n\u0000\u001b', '"a\\"b\\\\c\\n\\u0000\\u001b"'],
    ['\ud800', '"\\ud800"'],
    [Uint8Array.of(0, 15, 255), '"000fff"'],
    [[1, null, Number.NaN], '[1,null,null]'],
  ] as [Value, string][])('%s is %s', (value, text) => {
    expect(jsonValue(value)).toBe(text);
    JSON.parse(text);
  });

  test('is always JSON, and finite numbers and texts come back as they were', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.string({ unit: 'binary' })), (value) => {
        const back: unknown = JSON.parse(jsonValue(value));
        if (typeof value === 'number' && !Number.isFinite(value)) expect(back).toBe(null);
        // JSON knows no negative zero that anybody would miss
        else expect(back).toBe(Object.is(value, -0) ? 0 : value);
      }),
    );
  });
});

test.each([
  [1_794_766_353_255_519, '1794766353.255519'],
  [1_500_000, '1.5'],
  [0, '0'],
  [-250_000, '-0.25'],
  [1_794_766_353_255_519 - 0.25, '1794766353.255519'],
  [Number.NaN, 'null'],
])('the time %d is %s', (micros, text) => {
  expect(jsonTime(micros)).toBe(text);
});

describe('a line', () => {
  test('has type, stream, time, place and the fields, in this order', async () => {
    const made = new MadeLog()
      .define('FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds')
      .define('BAT', 'QBfH', 'TimeUS,Inst,Volt,Curr');
    made.add('FMTU', 0, made.typeOf('BAT'), 's#vA', 'F--B');
    const at = made.length;
    made.add('BAT', 2_500_000, 1, 12.5, 1234);
    expect(await linesOf(made, 'BAT')).toEqual([
      `{"type":"BAT","stream":"1","time":2.5,"at":${at},"data":{"TimeUS":2500000,"Inst":1,"Volt":12.5,"Curr":1234}}\n`,
    ]);
    expect(await linesOf(made, 'BAT', true)).toEqual([
      `{"type":"BAT","stream":"1","time":2.5,"at":${at},"data":{"TimeUS":2.5,"Inst":1,"Volt":12.5,"Curr":12.34}}\n`,
    ]);
  });

  test('of a record without fields has none', async () => {
    const made = new MadeLog().define('STRT', '', '').add('STRT');
    expect(JSON.parse((await linesOf(made, 'STRT'))[0])).toMatchObject({ type: 'STRT', data: {} });
  });

  test('keeps every column whatever its name', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'a"b', '../a', '\u202e'];
    const made = new MadeLog().define('ODD', 'BBBBBB', names.join(',')).add('ODD', 1, 2, 3, 4, 5, 6);
    const [line] = await linesOf(made, 'ODD');
    const { data } = JSON.parse(line) as { data: Record<string, number> };
    expect(Object.entries(data)).toEqual(names.map((name, i) => [name, i + 1]));
    expect(line.trimEnd()).not.toContain('\n');
  });
});
