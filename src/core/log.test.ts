import { describe, expect, test } from 'vitest';
import { LogWriter } from '../../test/formats/dataflash/log.ts';
import { openInput } from '../formats/open.ts';

const log = new LogWriter()
  .define(8, 'FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds')
  .define(9, 'A', 'QB', 'TimeUS,I')
  .record(8, 'QBNN', 0, 9, 's#', 'F-')
  .record(9, 'QB', 1, 0)
  .record(9, 'QB', 2, 1)
  .record(9, 'QB', 3, 1);

describe('a log', () => {
  test('counts its records', async () => {
    expect((await openInput(log.bytes())).records).toBe(6);
  });

  test('has tables by name and stream', async () => {
    const opened = await openInput(log.bytes());
    expect(opened.tablesNamed('A').map((table) => table.stream)).toEqual(['0', '1']);
    expect(opened.table('A')?.stream).toBe('0');
    expect(opened.table('A', '1')?.rows).toBe(2);
    expect(opened.table('A', '2')).toBeUndefined();
    expect(opened.table('B')).toBeUndefined();
    expect(opened.table('__proto__')).toBeUndefined();
  });

  test('prefers a table that has rows', async () => {
    const opened = await openInput(log.bytes());
    const [first] = opened.tablesNamed('A');
    first.postpone(0, () => {});
    expect(opened.table('A')?.stream).toBe('1');
    expect(opened.table('A', '0')).toBe(first);
  });
});
