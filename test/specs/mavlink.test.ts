// What a reader of the descriptions of the log parser and of the MAVLink parser may expect of the library.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Grammar, type GrammarNode, grammarNamed } from '../../src/entry/check.ts';
import { GPSInterpolated } from '../../src/entry/dataflash.ts';
import { gpsToUtc, openLog, readRecords } from '../../src/entry/index.ts';
import { builtinDialect, Encoder, MavlinkParser } from '../../src/entry/mavlink.ts';
import { skeinHere } from '../helpers/cli.ts';
import { needShared, sharedData } from '../helpers/need.ts';

describe('the MAVLink parser', () => {
  test('of a port says whether a byte may begin a frame, and then whether there is one', () => {
    const parser = new MavlinkParser();
    const sender = new Encoder(builtinDialect(), { system: 7, component: 1 });
    const heartbeat = sender.message('HEARTBEAT', { type: 2, autopilot: 3 });
    const buffer = Uint8Array.of(0x00, 0x55, ...heartbeat);
    expect([...buffer].findIndex((byte) => parser.isMagicByte(byte))).toBe(2);
    expect(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => parser.isMagicByte(byte))).toEqual([
      0xfd, 0xfe,
    ]);
    expect(parser.parse(buffer)).toMatchObject({ valid: true, system: 7, version: 2, name: 'HEARTBEAT' });
  });
});

describe('the grammar of ATTITUDE and GLOBAL_POSITION_INT', () => {
  /** Where a byte of a record must have certain values, and which. */
  function fixedBytes(part: GrammarNode, at: number, found: Map<number, Set<string>>): number {
    const { rules = {} } = grammarNamed('attitude-position') as Grammar;
    if ('rule' in part) return fixedBytes(rules[part.rule], at, found);
    if ('any' in part) return at + part.any;
    if ('sequence' in part) return part.sequence.reduce((place, each) => fixedBytes(each, place, found), at);
    if ('choice' in part) return Math.max(...part.choice.map((each) => fixedBytes(each, at, found)));
    const values =
      'bytes' in part ? part.bytes.split(' ').map((value) => [value]) : [(part as { set: string }).set.split(' ')];
    for (const [k, allowed] of values.entries()) {
      for (const value of allowed) found.set(at + k, (found.get(at + k) ?? new Set()).add(value));
    }
    return at + values.length;
  }

  test('fixes the bytes that docs/check.md lists', () => {
    const found = new Map<number, Set<string>>();
    expect(fixedBytes({ rule: 'record' }, 0, found)).toBe(88);
    const text = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8');
    const listed = new Map<number, Set<string>>();
    for (const [, from, to, values] of text.matchAll(/^\| (\d+)(?:(?: to |, )(\d+))? \| [^|]+ \| ([^|]*) \|$/gm)) {
      const codes = [...values.matchAll(/`([0-9a-f ]+)`/g)].map(([, bytes]) => bytes.split(' '));
      const places = Number(to ?? from) - Number(from) + 1;
      // either some alternatives for all of the places, or one byte for each
      const alternatives = codes.every((bytes) => bytes.length === places) ? codes : [codes.flat()];
      if (codes.length === 0) continue;
      for (const bytes of alternatives) {
        for (const [k, byte] of bytes.entries()) {
          const place = Number(from) + k;
          listed.set(place, (listed.get(place) ?? new Set()).add(byte));
        }
      }
    }
    expect([...listed].sort(([a], [b]) => a - b)).toEqual([...found].sort(([a], [b]) => a - b));
  });
});

/** As the description writes it: days from 1970 to 1980-01-06, weeks, milliseconds, less the leap seconds. */
function gpsTimeToUnixTime(week: number, msec: number, leap: number): number {
  const epoch = 86_400 * (10 * 365 + Math.trunc((1980 - 1969) / 4) + 1 + 6 - 2);
  return epoch + 86_400 * 7 * week + msec * 0.001 - leap;
}

describe('the interpolating clock', () => {
  test.each([
    [1774, 109_206_800, 16],
    [2445, 0, 18],
    [2086, 604_799_999, 18],
  ])('week %i, %i ms are UTC', (week, msec, leap) => {
    expect(gpsToUtc(week, msec) / 1e6).toBeCloseTo(gpsTimeToUnixTime(week, msec, leap), 3);
    expect(gpsToUtc(week, msec, 15) / 1e6).toBeCloseTo(gpsTimeToUnixTime(week, msec, 15), 3);
    expect(new GPSInterpolated(15).gpsTimeToUnixTime(week, msec)).toBeCloseTo(gpsTimeToUnixTime(week, msec, 15), 3);
  });

  needShared(describe, 'dataflash')('of real logs', () => {
    const path = sharedData('dataflash', 'LA-octo_PM.log');

    test('has the described quantities, which info shows', async () => {
      const log = await openLog(path);
      const clock = new GPSInterpolated();
      // by hand: records between one GPS record and the next, over the time between them
      const rates = new Map<string, number>();
      const counts = new Map<string, number>();
      const since = new Map<string, number>();
      let base = Number.NaN;
      for await (const { table, data } of readRecords(log)) {
        clock.processMessage(table.name, data);
        counts.set(table.name, (counts.get(table.name) ?? 0) + 1);
        since.set(table.name, (since.get(table.name) ?? 0) + 1);
        const time = table.name === 'GPS' ? (data.Time as number) / 1000 : Number.NaN;
        if (Number.isNaN(time) || time <= base) continue;
        for (const [name, count] of Number.isNaN(base) ? [] : since) {
          rates.set(name, Math.max(rates.get(name) ?? 0, count / (time - base)));
        }
        base = time;
        since.clear();
      }
      expect(rates.size).toBeGreaterThan(8);
      for (const found of [clock, await GPSInterpolated.of(log)]) {
        expect([...found.msgRate.keys()].sort()).toEqual([...rates.keys()].sort());
        for (const [name, rate] of rates) expect(found.msgRate.get(name), name).toBeCloseTo(rate, 4);
        expect(found.counts).toEqual(counts);
        expect(found.countsSinceGPS).toEqual(since);
        expect(found.timebase).toBeCloseTo(base, 6);
      }
      const { clock: told } = JSON.parse((await skeinHere('info', '--json', path)).stdout);
      expect(told.interpolation).toEqual({
        msgRate: Object.fromEntries(clock.msgRate),
        counts: Object.fromEntries(counts),
        countsSinceGPS: Object.fromEntries(since),
        timebase: clock.timebase,
        timestamp: clock.timestamp,
      });
      const { stdout } = await skeinHere('info', '--tables', path);
      expect(stdout).toMatch(/Timebase: \d+\.\d+ s of the GPS week/);
      expect(stdout).toMatch(/Counts +MsgRate +CountsSinceGPS/);
      expect(stdout).toMatch(/^ +ATT +1,362 +10\.0 \/s +1 /m);
    });

    test('is not shown for logs whose records have times', async () => {
      const { stdout } = await skeinHere('info', '--json', sharedData('flight', 'copter-square.BIN'));
      expect(JSON.parse(stdout).clock.interpolation).toBeUndefined();
    });
  });
});
