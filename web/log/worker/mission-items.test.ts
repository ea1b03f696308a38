import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLog } from '../../../src/entry/browser.ts';
import { MadeLog } from '../../../test/helpers/made-log.ts';
import { needShared, sharedData } from '../../../test/helpers/need.ts';
import { missionItems } from './mission-items.ts';

const begin = (): MadeLog => new MadeLog().define('CMD', 'QHH', 'TimeUS,CTot,CNum');

test('items of a mission are those that were begun, not the list of them at the beginning', async () => {
  const log = begin();
  for (let item = 0; item < 4; item++) log.add('CMD', 1000 + item, 4, item);
  // a jump goes back to an item: the first time counts
  for (const [row, item] of [1, 2, 1, 2, 3].entries()) log.add('CMD', 10_000 * (row + 1), 4, item);
  expect(await missionItems(await log.open())).toEqual([
    { item: 1, time: 10_000 },
    { item: 2, time: 20_000 },
    { item: 3, time: 50_000 },
  ]);
});

test('a list that breaks off, one of home alone, and none at all', async () => {
  const broken = begin().add('CMD', 1, 9, 0).add('CMD', 2, 9, 1).add('CMD', 30, 9, 1).add('CMD', 40, 9, 2);
  expect(await missionItems(await broken.open())).toEqual([
    { item: 1, time: 30 },
    { item: 2, time: 40 },
  ]);
  expect(await missionItems(await begin().add('CMD', 1, 1, 0).open())).toEqual([]);
  const direct = begin().add('CMD', 5, 3, 1).add('CMD', 6, 3, 2);
  expect((await missionItems(await direct.open())).map(({ item }) => item)).toEqual([1, 2]);
});

test('what executes items is believed more than what lists them', async () => {
  const log = begin().define('MISE', 'QHH', 'TimeUS,CTot,CNum').add('CMD', 1, 3, 2).add('MISE', 7, 3, 2);
  expect(await missionItems(await log.open())).toEqual([{ item: 2, time: 7 }]);
});

const REAL = ['dataflash', 'beast-sample.bin'];

needShared(test, ...REAL)('a real flight begins its items after it listed them', async () => {
  const log = await openLog(new Uint8Array(readFileSync(sharedData(...REAL))));
  const table = log.table('CMD');
  if (!table) throw new Error('the log has no CMD');
  const [times, numbers] = [await table.times(), (await table.column('CNum')).numbers()];
  // four items are listed, 1 and 2 are begun, again 1 and 2 after minutes, then 3 and 4
  expect([...numbers]).toEqual([0, 1, 2, 3, 1, 2, 1, 2, 3, 4]);
  const begun = [4, 5, 8, 9].map((row) => ({ item: numbers[row], time: times[row] }));
  expect(await missionItems(log)).toEqual(begun);
});
