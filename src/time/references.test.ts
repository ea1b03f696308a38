import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  isSameTime,
  leapsOn,
  type Reference,
  referencedLog,
  references,
} from '../../test/formats/dataflash/references.ts';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import type { Log } from '../core/log.ts';
import { inOrder } from '../core/records.ts';
import { openLog } from '../node/open.ts';

const KINDS: Readonly<Record<string, string>> = { DFReaderClock_usec: 'usec', DFReaderClock_msec: 'msec' };

/** Logs whose last record has an empty format: pymavlink gives it the time 0. */
const EMPTY_FORMAT: ReadonlySet<string> = new Set(['alltypes.BIN']);

interface Times {
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
}

/** Times of the first and the last record of the file, and the least and the greatest of all. */
async function timesOf(log: Log): Promise<Times> {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const times = new Map<unknown, Float64Array>();
  for (const table of log.tables) {
    const each = await table.times();
    times.set(table, each);
    for (const time of each) {
      min = Math.min(min, time);
      max = Math.max(max, time);
    }
  }
  let [first, last] = [Number.NaN, Number.NaN];
  for (const { table, row } of inOrder(log.tables)) {
    last = times.get(table)?.[row] ?? Number.NaN;
    if (Number.isNaN(first)) first = last;
  }
  return { first, last, min, max };
}

needShared(describe, 'dataflash/ref')('times as pymavlink gives them', () => {
  const all = references();
  const timed = all.filter(({ clock }) => clock in KINDS);

  test('there are logs of both kinds, with and without UTC, and before and after 2017', () => {
    const kinds = timed.map(({ clock, timebase }) => `${KINDS[clock]} ${timebase > 0 ? leapsOn(timebase) : 'boot'}`);
    expect([...new Set(kinds)].sort()).toEqual(['msec 16', 'msec boot', 'usec 16', 'usec 17', 'usec 18', 'usec boot']);
  });

  describe.each(timed.map((reference) => [reference.file, reference] as const))('%s', (file, reference) => {
    const { timebase, clock } = reference;

    test('with 18 leap seconds they are the same', async () => {
      const log = await openLog(referencedLog(file), { leapSeconds: 18 });
      expect(log.clock).toMatchObject({ kind: KINDS[clock], utc: timebase > 0 });
      const { first, last, min, max } = await timesOf(log);
      expect(max).toSatisfy((time: number) => isSameTime(time, reference.max_timestamp));
      if (!EMPTY_FORMAT.has(file)) {
        expect(last).toSatisfy((time: number) => isSameTime(time, reference.last_timestamp));
      }
      // without UTC pymavlink says 0 until a record has a time; here these have the first one
      if (timebase > 0 && !EMPTY_FORMAT.has(file)) {
        expect(min).toSatisfy((time: number) => isSameTime(time, reference.min_timestamp));
        expect(first).toSatisfy((time: number) => isSameTime(time, reference.first_timestamp));
      }
      await compareSamples(log, reference);
    });

    if (timebase > 0) {
      test('by default they have the leap seconds of the date', async () => {
        const { max } = await timesOf(await openLog(referencedLog(file)));
        const shift = 18 - leapsOn(reference.max_timestamp);
        expect(max).toSatisfy((time: number) => isSameTime(time, reference.max_timestamp + shift));
      });
    }
  });

  /** Records of every type, at the place where pymavlink found them. */
  async function compareSamples(log: Log, { samples, timebase }: Reference): Promise<void> {
    if (log.format !== 'dataflash') return;
    let compared = 0;
    for (const [name, records] of Object.entries(samples)) {
      for (const { end_offset, _timestamp } of records) {
        // pymavlink's own 0: no time yet, or a record without any field
        if (_timestamp === 0 || (timebase === 0 && _timestamp < 1)) continue;
        const table = log.tablesNamed(name).find((each) => {
          const row = each.offsets.rowFrom(end_offset - each.schema.size);
          return row < each.rows && each.offsets.at(row) === end_offset - each.schema.size;
        });
        if (!table) throw new Error(`no ${name} ends at ${end_offset}`);
        const row = table.offsets.rowFrom(end_offset - table.schema.size);
        const [time] = await table.times({ from: row, to: row + 1 });
        expect(time, `${name} that ends at ${end_offset}`).toSatisfy((each: number) => isSameTime(each, _timestamp));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(10);
  }

  test('PX4 logs, for which pymavlink guesses, have the times of their TIME records', async () => {
    const px4 = all.filter(({ file }) => file.startsWith('px4-'));
    expect(px4).toHaveLength(2);
    for (const { file, samples } of px4) {
      const log = await openLog(referencedLog(file));
      expect(log.clock).toMatchObject({ kind: 'px4', utc: false });
      const starts = samples.TIME.map(({ fields }) => Number(fields.StartTime));
      const { min, max } = await timesOf(log);
      expect(min).toBe(Math.min(...starts));
      expect(max).toBe(Math.max(...starts));
    }
  });
});

needShared(describe, 'dataflash/LA-octo_PM.log')('a log on which pymavlink fails', () => {
  test('has the times of its GPS records, which give no week', async () => {
    const path = sharedData('dataflash', 'LA-octo_PM.log');
    const lines = readFileSync(path, 'latin1').split(/\r?\n/);
    const columns =
      lines
        .find((line) => /^FMT, \d+, \d+, GPS, /.test(line))
        ?.split(', ')[5]
        .split(',') ?? [];
    const cell = columns.indexOf('Time') + 1;
    const fixes = lines.filter((line) => line.startsWith('GPS, ')).map((line) => Number(line.split(', ')[cell]));
    const log = await openLog(path);
    expect(log.clock).toMatchObject({ kind: 'gps-interpolated', utc: false });
    const gps = await log.table('GPS')?.times();
    expect(gps).toHaveLength(fixes.length);
    // 112 CTUN records, ten a second, come before the first fix
    const lead = gps?.[0] ?? Number.NaN;
    expect(lead).toBeGreaterThan(10e6);
    expect(lead).toBeLessThan(15e6);
    // a fix that repeats the time of the one before is reckoned on from it, by less than a second
    fixes.forEach((fix, i) => {
      const off = (gps?.[i] ?? Number.NaN) - lead - (fix - fixes[0]) * 1000;
      expect(off).toBeGreaterThanOrEqual(-1);
      expect(off).toBeLessThan(1e6);
    });
    const flown = (Math.max(...fixes) - fixes[0]) * 1000;
    const { min, max } = await timesOf(log);
    expect(min).toBe(0);
    expect(max).toBeGreaterThanOrEqual(lead + flown);
    expect(max).toBeLessThan(lead + flown + 2e6);
  });
});
