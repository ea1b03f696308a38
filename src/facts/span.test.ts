import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { sampleFile } from '../../test/suite/sample.ts';
import { openInput } from '../formats/open.ts';
import { factsOf } from './facts.ts';
import { coveredTime, partsOf } from './span.ts';

function made(): MadeLog {
  return new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').define('EV', 'QB', 'TimeUS,Id').define('NOTE', 'B', 'Id');
}

describe('first and last time', () => {
  test('are those of all tables together', async () => {
    const log = made().add('NOTE', 1).add('EV', 500, 1).add('ATT', 700, 0).add('ATT', 900, 0).add('EV', 800, 2);
    expect(await factsOf(await log.open()).span()).toEqual({ start: 500, end: 900 });
  });

  test('of a log without times of its own follow from the order of its records', async () => {
    const log = new MadeLog().define('NOTE', 'B', 'Id').add('NOTE', 1).add('NOTE', 2);
    expect(await factsOf(await log.open()).span()).toEqual({ start: 0, end: 20_000 });
  });

  test('of one without records are not known', async () => {
    expect(await factsOf(await openInput(new Uint8Array(0))).span()).toEqual({ start: null, end: null });
  });

  test('reach over all logs that are in one file, one after the other', async () => {
    const [long, early] = [
      made().add('ATT', 5_000, 0).add('ATT', 9_000, 0),
      made().add('ATT', 10, 0).add('ATT', 3_000, 0),
    ];
    for (const [parts, span, covered] of [
      // a later log whose time goes on keeps it; one that begins again goes on from the end
      [[early, long], { start: 10, end: 9_000 }, 6_990],
      [[long, early], { start: 5_000, end: 11_990 }, 6_990],
      [[early, long, early], { start: 10, end: 11_990 }, 9_980],
    ] as const) {
      const log = await openInput(Buffer.concat(parts.map((part) => part.bytes())));
      expect(log.faults.count).toBe(0);
      expect(await factsOf(log).span()).toEqual(span);
      expect(log.clock.parts).toHaveLength(parts.length);
      expect(coveredTime(partsOf(log, span))).toBe(covered);
    }
  });

  test('are the least and the greatest of the sample', async () => {
    const log = await openInput(sampleFile('copter-square.BIN').bytes);
    let [start, end] = [Number.POSITIVE_INFINITY, 0];
    for (const table of log.tables) {
      for (const time of await table.times()) {
        start = Math.min(start, time);
        end = Math.max(end, time);
      }
    }
    expect(await factsOf(log).span()).toEqual({ start, end });
  });
});
