import { describe, expect, test } from 'vitest';
import { isSameTime, referencedLog, references } from '../../test/formats/dataflash/references.ts';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { needShared } from '../../test/helpers/need.ts';
import { openLog } from '../node/open.ts';
import { factsOf } from './facts.ts';

const FULL = 'x'.repeat(64);

function chunked(): MadeLog {
  return new MadeLog().define('MSG', 'QBBZ', 'TimeUS,ID,Seq,Message');
}

describe('texts in pieces', () => {
  test('are joined by their number, also where others come between', async () => {
    const log = await chunked()
      .add('MSG', 1, 1, 0, FULL)
      .add('MSG', 2, 2, 0, 'another')
      .add('MSG', 3, 1, 1, FULL)
      .add('MSG', 4, 1, 2, 'end')
      .open();
    expect(await factsOf(log).messages()).toMatchObject([
      { time: 1, text: `${FULL}${FULL}end` },
      { time: 2, text: 'another' },
    ]);
  });

  test('a number that is used again begins a new text', async () => {
    const log = await chunked().add('MSG', 1, 7, 0, 'one').add('MSG', 2, 7, 0, 'two').add('MSG', 3, 7, 1, '+').open();
    expect((await factsOf(log).messages()).map(({ text }) => text)).toEqual(['one', 'two+']);
  });

  test('a piece whose predecessor is lost stands alone', async () => {
    const log = await chunked()
      .add('MSG', 1, 7, 0, 'first')
      .add('MSG', 2, 7, 2, 'third')
      .add('MSG', 3, 8, 1, 'second of another')
      .open();
    expect((await factsOf(log).messages()).map(({ text }) => text)).toEqual(['first', 'third', 'second of another']);
  });
});

test('texts of several definitions come in the order of the file', async () => {
  const log = await new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .add('MSG', 1, 'old')
    .define('MSG', 'QBBZ', 'TimeUS,ID,Seq,Message')
    .add('MSG', 2, 1, 0, 'new')
    .open();
  expect(await factsOf(log).messages()).toMatchObject([
    { time: 1, text: 'old' },
    { time: 2, text: 'new' },
  ]);
});

test('a log without texts has none, and neither has one whose MSG holds something else', async () => {
  expect(await factsOf(await new MadeLog().open()).messages()).toEqual([]);
  expect(
    await factsOf(await new MadeLog().define('MSG', 'QB', 'TimeUS,Id').add('MSG', 1, 1).open()).messages(),
  ).toEqual([]);
});

needShared(describe, 'dataflash/ref')('messages as pymavlink gives them', () => {
  const all = references().filter(({ samples }) => samples.MSG !== undefined);

  test.each(all.map((reference) => [reference.file, reference] as const))('%s', async (file, { samples }) => {
    const log = await openLog(referencedLog(file), { leapSeconds: 18 });
    const messages = await factsOf(log).messages();
    for (const { i, fields, _timestamp } of samples.MSG) {
      // none of these logs has a text in pieces
      expect(fields.Seq ?? 0).toBe(0);
      expect(messages[i].text).toBe(fields.Message);
      const isTimed = log.clock.kind !== 'gps-interpolated' && _timestamp > 0;
      if (isTimed) expect(messages[i].time).toSatisfy((time: number) => isSameTime(time, _timestamp));
    }
  });
});
