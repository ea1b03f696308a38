import { expect, test } from 'vitest';
import { MadeLog } from '../../../test/helpers/made-log.ts';
import { OpenLog } from './open-log.ts';
import { RowTimes, tableRows } from './rows.ts';

const opened = (log: MadeLog): Promise<OpenLog> =>
  OpenLog.open(new Blob([log.bytes() as Uint8Array<ArrayBuffer>]), () => {});

test('rows are texts of what is stored, with no digits that a float does not have', async () => {
  const log = new MadeLog().define('T', 'QfZB', 'TimeUS,F,Text,B');
  const floats = [0.1, -1.5, 1e-20, 16_777_217, Number.NaN, Math.PI, 123.456];
  for (const [i, value] of floats.entries()) log.add('T', i * 1000, value, `row ${i}`, i);
  const rows = await tableRows(await opened(log), ['T', ''], ['F', 'Text', 'none'], 0, 100);
  expect(rows.texts.map(([float]) => Math.fround(Number(float)))).toEqual(floats.map(Math.fround));
  expect(rows.texts.map(([float]) => float)).toEqual([
    '0.1',
    '-1.5',
    '1e-20',
    '16777216',
    'NaN',
    '3.1415927',
    '123.456',
  ]);
  expect(rows.texts[2].slice(1)).toEqual(['row 2', '']);
  expect([...rows.times]).toEqual(floats.map((_, i) => i * 1000));
});

test('rows go on where the definition of a table changed', async () => {
  const log = new MadeLog().define('T', 'QB', 'TimeUS,A');
  for (let row = 0; row < 5; row++) log.add('T', row, row);
  log.define('T', 'QBB', 'TimeUS,A,B');
  for (let row = 5; row < 9; row++) log.add('T', row, row, row * 2);
  const file = await opened(log);
  const { texts, times } = await tableRows(file, ['T', ''], ['A', 'B'], 3, 4);
  expect([...times]).toEqual([3, 4, 5, 6]);
  expect(texts).toEqual([
    ['3', ''],
    ['4', ''],
    ['5', '10'],
    ['6', '12'],
  ]);
  expect((await tableRows(file, ['T', ''], ['A'], 9, 10)).texts).toEqual([]);
  expect((await file.timesOf('T', '')).rowAt(6.5)).toBe(6);
});

test('the row of a time is the last one before it, whatever the clock did', () => {
  const ordered = new RowTimes(Float64Array.of(10, 20, 20, 30));
  expect([5, 10, 15, 20, 29, 99].map((time) => ordered.rowAt(time))).toEqual([-1, 0, 0, 2, 2, 3]);
  const back = new RowTimes(Float64Array.of(10, Number.NaN, 40, 20, 30));
  expect([5, 15, 25, 35, 45].map((time) => back.rowAt(time))).toEqual([-1, 0, 3, 4, 2]);
  expect(new RowTimes(new Float64Array(0)).rowAt(1)).toBe(-1);
});
