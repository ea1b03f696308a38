import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { sampleFile } from '../../test/suite/sample.ts';
import type { Log } from '../core/log.ts';
import { openInput } from '../formats/open.ts';

async function timesOf(log: Log, name: string): Promise<number[]> {
  return [...((await log.table(name)?.times()) ?? [])];
}

function made(): MadeLog {
  return new MadeLog()
    .define('ATT', 'Qc', 'TimeUS,Roll')
    .define('NOTE', 'B', 'Id')
    .define('SONR', 'If', 'TimeMS,Dist')
    .define('ACC1', 'If', 'TimeMS,AccX')
    .define('GYR2', 'If', 'TimeMS,GyrX');
}

describe('rows without a time of their own', () => {
  test('take the last one before them, and before the first one the first', async () => {
    const log = await made()
      .add('NOTE', 0)
      .add('ATT', 5_000_000, 0)
      .add('NOTE', 1)
      .add('NOTE', 2)
      .add('ATT', 7_000_000, 0)
      .add('ATT', 6_000_000, 0)
      .add('NOTE', 3)
      .define('LATE', 'B', 'Id')
      .open();
    // time that goes back is still the last that is known
    expect(await timesOf(log, 'NOTE')).toEqual([5_000_000, 5_000_000, 5_000_000, 6_000_000]);
    const definitions = await timesOf(log, 'FMT');
    expect(definitions.slice(0, -1)).toEqual(new Array(6).fill(5_000_000));
    expect(definitions.at(-1)).toBe(6_000_000);
  });

  test('take it from whichever table stands nearest before them', async () => {
    const log = await new MadeLog()
      .define('A', 'Q', 'TimeUS')
      .define('B', 'Q', 'TimeUS')
      .define('NOTE', 'B', 'Id')
      .add('A', 1)
      .add('B', 2)
      .add('NOTE', 0)
      .add('B', 3)
      .add('A', 4)
      .add('NOTE', 1)
      .add('B', 5)
      .add('NOTE', 2)
      .open();
    expect(await timesOf(log, 'NOTE')).toEqual([2, 4, 5]);
  });

  test('far apart in a long table get theirs as well', async () => {
    const long = made();
    const expected: number[] = [];
    for (let i = 0; i < 5000; i++) {
      long.add('ATT', i * 10, 0);
      if (i % 1234 === 7 || i === 8) {
        long.add('NOTE', 0);
        expected.push(i * 10);
      }
    }
    expect(await timesOf(await long.open(), 'NOTE')).toEqual(expected);
  });

  test('have a guess where no record has one', async () => {
    const log = await new MadeLog().define('TIME', 'Q', 'StartTime').define('NOTE', 'B', 'Id').add('NOTE', 1).open();
    // without any time the order of records is all there is
    expect(log.clock).toMatchObject({ kind: 'gps-interpolated', guessed: true });
    expect(await timesOf(log, 'NOTE')).toEqual([0]);
  });
});

describe('TimeMS in a log of TimeUS', () => {
  test('counts unless it falls behind the last time', async () => {
    const log = await made()
      .add('ATT', 1_000_000, 0)
      .add('SONR', 1500, 0)
      .add('NOTE', 0)
      .add('ATT', 1_600_000, 0)
      .add('SONR', 1599, 0)
      .add('NOTE', 1)
      .add('SONR', 1600, 0)
      .add('SONR', 1700, 0)
      .add('SONR', 1650, 0)
      .open();
    expect(await timesOf(log, 'SONR')).toEqual([1_500_000, 1_600_000, 1_600_000, 1_700_000, 1_700_000]);
    expect(await timesOf(log, 'NOTE')).toEqual([1_500_000, 1_600_000]);
  });

  test('of accelerometers and gyroscopes is of another clock and never counts', async () => {
    const log = await made().add('ATT', 1_000_000, 0).add('ACC1', 5000, 0).add('GYR2', 6000, 0).add('NOTE', 0).open();
    for (const name of ['ACC1', 'GYR2', 'NOTE']) expect(await timesOf(log, name)).toEqual([1_000_000]);
  });
});

describe('times of a part', () => {
  const step = (kind: string): MadeLog => {
    const log = made();
    for (let i = 1; i < 60; i++) {
      if (kind !== 'msec') log.add('ATT', i * 70_000, 0);
      log
        .add('SONR', i * 100 + (i % 3) * 90, 0)
        .add('NOTE', i)
        .add('ACC1', i * 7, 0);
    }
    return log;
  };

  test.each(['usec', 'msec'])('are the part of all times: %s', async (kind) => {
    const log = await step(kind).open();
    expect(log.clock.kind).toBe(kind);
    for (const table of log.tables) {
      const all = await table.times();
      expect(all.length).toBe(table.rows);
      for (const [from, to] of [
        [0, table.rows],
        [0, 1],
        [3, 17],
        [table.rows - 1, table.rows],
        [5, table.rows + 5],
      ]) {
        expect(await table.times({ from, to })).toEqual(all.slice(from, to));
      }
    }
  });

  test('are it in a real log too, with the columns beside them', async () => {
    const log = await openInput(sampleFile('copter-square.BIN').bytes.subarray(0, 2_000_000));
    for (const name of ['FMT', 'PARM', 'IMU', 'ATT', 'MSG']) {
      const table = log.table(name);
      if (!table) throw new Error(`the sample has no ${name}`);
      const range = { from: table.rows >> 2, to: table.rows >> 1 };
      const all = await table.times();
      const [field] = table.fields;
      const { times, columns } = await table.timedColumns([field.name], range);
      expect(times).toEqual(all.slice(range.from, range.to));
      expect(columns[0].numbers()).toEqual((await table.column(field.name)).numbers().slice(range.from, range.to));
    }
  });
});
