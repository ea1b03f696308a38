import { expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { factsOf } from './facts.ts';

const SECOND = 1_000_000;
/** As a false record has it. */
const ABSURD = 695_872_748_580_454;

test('what has a damaged time happened where its neighbours are, and nothing lies outside of the log', async () => {
  const made = new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('ATT', 'Qcc', 'TimeUS,Roll,Pitch')
    .define('EV', 'QB', 'TimeUS,Id')
    .define('ERR', 'QBB', 'TimeUS,Subsys,ECode')
    .define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn')
    .add('MSG', 0, 'ArduCopter V4.5.7 (2a3dc4b7)');
  for (let tenth = 0; tenth <= 300; tenth++) {
    const second = tenth / 10;
    made.add('ATT', (tenth * SECOND) / 10, 0, 0);
    if (second === 1) made.add('MODE', second * SECOND, 0, 0, 1);
    if (second === 2) made.add('EV', second * SECOND, 10);
    if (second === 10) made.add('MODE', ABSURD, 5, 5, 1);
    if (second === 12) made.add('ERR', ABSURD, 11, 2).add('MSG', ABSURD, 'GPS Glitch');
    if (second === 20) made.add('MODE', second * SECOND, 9, 9, 1).add('EV', ABSURD, 11);
  }
  const facts = factsOf(await made.open());
  expect(await facts.span()).toEqual({ start: 0, end: 30 * SECOND });
  expect((await facts.modes()).map(({ mode, start, end }) => [mode, start / SECOND, end / SECOND])).toEqual([
    ['STABILIZE', 1, 10],
    ['LOITER', 10, 20],
    ['LAND', 20, 30],
  ]);
  expect((await facts.phases()).armed.map(({ start, end }) => [start / SECOND, end / SECOND])).toEqual([[2, 20]]);
  const events = await facts.events();
  const told = events.filter(({ table, kind }) => table === 'ERR' || (kind === 'text' && table === 'MSG'));
  expect(told.map(({ time, text }) => [time / SECOND, text])).toEqual([
    [0, 'ArduCopter V4.5.7 (2a3dc4b7)'],
    [12, 'GPS Glitch'],
    [12, 'GPS: glitch, not cleared'],
  ]);
});
