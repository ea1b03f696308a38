// What a damaged time stamp, a file that is twice in another, or noise may change: nothing that is concluded.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { factsOf } from '../../src/facts/facts.ts';
import { coveredTime, partsOf } from '../../src/facts/span.ts';
import { openInput } from '../../src/formats/open.ts';
import { makeReport } from '../../src/report/report.ts';
import { alteredLog } from '../helpers/altered-log.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { many } from '../helpers/long.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { concat, Random } from '../suite/random.ts';

const HOUR = 3600e6;

interface Place {
  readonly name: string;
  readonly at: number;
  readonly length: number;
}

/** Where each record of a log without damage is. */
function recordsOf(bytes: Uint8Array): Place[] {
  const lengths = new Map([[128, 89]]);
  const names = new Map([[128, 'FMT']]);
  const found: Place[] = [];
  for (let at = 0; at + 3 <= bytes.length; ) {
    const type = bytes[at + 2];
    const length = lengths.get(type) ?? 0;
    if (length === 0 || at + length > bytes.length) break;
    if (type === 128) {
      lengths.set(bytes[at + 3], bytes[at + 4]);
      names.set(
        bytes[at + 3],
        Buffer.from(bytes.subarray(at + 5, at + 9))
          .toString('latin1')
          .replaceAll('\0', ''),
      );
    }
    found.push({ name: names.get(type) ?? '', at, length });
    at += length;
  }
  return found;
}

/** All that is concluded from a log; of its texts and faults only how many there are. */
async function conclusions(log: Log): Promise<unknown> {
  const facts = factsOf(log);
  const span = await facts.span();
  return {
    span,
    parts: partsOf(log, span).length,
    covered: coveredTime(partsOf(log, span)),
    modes: await facts.modes(undefined),
    phases: await facts.phases(undefined),
    flights: (await facts.flights()).map(({ events, ...flight }) => flight),
  };
}

needShared(
  describe,
  'dataflash',
  'beast-sample.bin',
)('conclusions from a real log', () => {
  const bytes = new Uint8Array(readFileSync(sharedData('dataflash', 'beast-sample.bin')));
  const places = recordsOf(bytes);
  const of = (name: string): Place[] => places.filter((place) => place.name === name);

  /** The log with a record once more, right behind itself, that says another time. */
  function withTime(place: Place, change: (time: number) => number): Uint8Array {
    const record = bytes.slice(place.at, place.at + place.length);
    const view = new DataView(record.buffer);
    const time = change(Number(view.getBigUint64(3, true)));
    view.setBigUint64(3, BigInt(Math.max(0, Math.round(time))), true);
    return concat(bytes.subarray(0, place.at + place.length), record, bytes.subarray(place.at + place.length));
  }

  const CHANGES: readonly [name: string, change: (time: number) => number][] = [
    ['in the year 24,074', () => 6.958e17],
    ['2 h ahead', (time) => time + 2 * HOUR],
    ['30 s back', (time) => time - 30e6],
    ['0', () => 0],
    ['7 s ahead', (time) => time + 7e6],
    ['Unix time', () => 1_600_000_000e6],
  ];
  const TABLES = ['ATT', 'EV', 'GPS', 'MODE', 'CTUN', 'BARO', 'IMU', 'PARM', 'RCOU', 'VIBE'];
  const cases = TABLES.flatMap((name) =>
    CHANGES.flatMap(([what, change], k) => {
      const rows = of(name);
      const middle = rows[Math.floor((rows.length * 5) / 9)];
      const ends = k < 2 ? [rows[0], rows[rows.length - 1]] : [];
      return [middle, ...ends].map((place) => [`${name} at offset ${place.at}, ${what}`, place, change] as const);
    }),
  );

  test('do not hang on the time of any one record', async () => {
    const sound = await conclusions(await openInput(bytes));
    const stride = many(1, 9);
    for (const [what, place, change] of cases.filter((_, i) => i % stride === 0)) {
      const log = await openInput(withTime(place, change));
      expect(log.faults.byCode.get('time-outlier')?.count, what).toBe(1);
      expect(await conclusions(log), what).toEqual(sound);
    }
  }, 300_000);

  test('hang on no check that a single false time makes impossible', async () => {
    const sound = await makeReport(await openInput(bytes));
    for (const name of ['CTUN', 'BARO', 'IMU', 'ATT']) {
      const [place] = of(name);
      const report = await makeReport(await openInput(withTime(place, (time) => time + 2 * HOUR)));
      expect([name, report.verdict, report.checks]).toEqual([name, sound.verdict, sound.checks]);
    }
  }, 120_000);

  /** The log in which each record of some tables has time 0. */
  const withoutTime = (...names: readonly string[]): Uint8Array =>
    alteredLog(bytes, (record) => {
      if (names.includes(record.name)) record.change('TimeUS', () => 0);
      return true;
    });

  test('place records of time 0 by those around them', async () => {
    const [sound, log] = [factsOf(await openInput(bytes)), factsOf(await openInput(withoutTime('EV', 'MODE')))];
    const { start, end } = await log.span();
    const [events, first] = [await log.events(), (await sound.span()).start ?? Number.NaN];
    // the first record with a time is a parameter, 14 ms after the mode
    expect([(start ?? Number.NaN) - first, end]).toEqual([13_635, (await sound.span()).end]);
    for (const { time, text } of events)
      expect([text, time >= Number(start), time <= Number(end)]).toEqual([text, true, true]);
    const modes = await sound.modes(undefined);
    expect((await log.modes(undefined)).map(({ mode }) => mode)).toEqual(modes.map(({ mode }) => mode));
  });

  test('count from boot where GPS records have time 0', async () => {
    const sound = await openInput(bytes);
    const log = await openInput(withoutTime('GPS'));
    const [told, { start, end }] = [await factsOf(sound).span(), await factsOf(log).span()];
    const [first] = (await log.table('EV')?.column('TimeUS'))?.numbers() ?? [];
    expect([log.clock.utc, start, end]).toEqual([false, first, first + Number(told.end) - Number(told.start)]);
  });

  test('do not make parts of noise', async () => {
    const random = new Random(3);
    const noisy = bytes.slice();
    // what says when the vehicle was armed stays
    const body = places.filter(({ name }) => name !== 'EV' && name !== 'FMT' && name !== 'FMTU');
    for (let i = 0; i < 200; i++) {
      const { at, length } = body[random.below(body.length)];
      noisy[at + random.below(length)] = random.below(256);
    }
    const log = await openInput(noisy);
    expect(log.clock.parts).toBe(undefined);
    const [first, second] = await factsOf(log).flights();
    const [one, two] = await factsOf(await openInput(bytes)).flights();
    expect([first.duration, second.duration]).toEqual([one.duration, two.duration]);
  }, 60_000);

  test('name nothing but the damage where pieces are missing and records overlay each other', async () => {
    // what says when the vehicle was armed stays
    const [events, body] = [of('EV'), places.slice(places.length >> 2)];
    for (let seed = 1; seed <= many(4, 12); seed++) {
      const random = new Random(seed);
      const damaged = bytes.slice();
      for (let i = 0; i < 40; i++) {
        const { at } = body[random.below(body.length - 9)];
        const from = body[random.below(body.length - 9)].at;
        if (events.some((event) => [at, from].some((place) => Math.abs(event.at - place) < 200))) continue;
        damaged.set(bytes.subarray(from, from + 8 + random.below(60)), at + 3 + random.below(100));
      }
      const { at } = body[random.below(body.length)];
      const { findings } = await makeReport(
        await openInput(concat(damaged.subarray(0, at), damaged.subarray(at + 1 + random.below(100)))),
      );
      const loud = findings.filter(({ severity }) => severity === 'fail' || severity === 'warn');
      expect([seed, loud.map(({ title, text }) => `${title}: ${text}`)]).toEqual([seed, []]);
    }
  }, 120_000);

  test('count a log once that is there twice', async () => {
    const [once, twice] = [await openInput(bytes), await openInput(concat(bytes, bytes))];
    expect(twice.clock.parts?.length).toBe(2);
    const flown = async (log: Log): Promise<unknown> => ({
      covered: coveredTime(partsOf(log, await factsOf(log).span())),
      flights: (await factsOf(log).flights()).map(({ duration, distance, modes, maxSpeed }) => ({
        duration,
        distance,
        modes,
        maxSpeed,
      })),
    });
    expect(await flown(twice)).toEqual(await flown(once));
  }, 60_000);

  test('end each flight in its log where a later log is before an earlier one', async () => {
    const earlier = new Uint8Array(readFileSync(sharedData('dataflash', 'pbarker-6.BIN')));
    const [whole, cut] = [await openInput(bytes), await openInput(concat(bytes, earlier))];
    const flown = async (log: Log): Promise<unknown> =>
      (await factsOf(log).flights()).map(({ duration, inAir }) => ({ duration, inAir }));
    expect(cut.clock.parts?.length).toBe(2);
    expect(await flown(cut)).toEqual(await flown(whole));
    const { armed } = await factsOf(cut).phases();
    for (const { start, end } of armed) expect(end - start).toBeLessThan(HOUR);
  });

  test('find no jump where an estimator drifts around (0, 0) before it knows where it is', async () => {
    const drifting = bytes.slice();
    const view = new DataView(drifting.buffer);
    const { schema } = (await openInput(bytes)).table('GPS') ?? {};
    const placeOf = (name: string): number => schema?.fields.find((field) => field.name === name)?.offset ?? Number.NaN;
    const random = new Random(1);
    for (const { at } of of('GPS').slice(0, 30))
      for (const name of ['Lat', 'Lng']) view.setInt32(at + placeOf(name), random.below(18_000) - 9000, true);
    const log = await openInput(drifting);
    expect((await factsOf(log).track()).dropped.outOfRange).toBe(30);
    const { findings } = await makeReport(log);
    expect(findings.find(({ title }) => title === 'GPS: jumps')?.severity).toBe('ok');
  }, 60_000);
});

describe('the date of an NMEA log', () => {
  const lines = readFileSync(SAMPLE.replace('.BIN', '.nmea'), 'latin1').split('\r\n');
  const dated = lines.flatMap((line, i) => (/^\$..RMC,/.test(line) ? [i] : []));
  const sum = (body: string): string =>
    [...body]
      .reduce((xor, each) => xor ^ each.charCodeAt(0), 0)
      .toString(16)
      .toUpperCase()
      .padStart(2, '0');

  /** The log in which some RMC say another date. */
  function withDate(rows: readonly number[], date: string): Uint8Array {
    const changed = lines.slice();
    for (const row of rows) {
      const cells = lines[row].slice(1, lines[row].indexOf('*')).split(',');
      cells[9] = date;
      changed[row] = `$${cells.join(',')}*${sum(cells.join(','))}`;
    }
    return new TextEncoder().encode(changed.join('\r\n'));
  }

  test.each([
    ['a single sentence that says 1980', dated.slice(300, 301), '060180'],
    ['a single sentence that says 2079', dated.slice(300, 301), '010179'],
    ['a receiver that does not know it yet', dated.slice(0, 50), '060180'],
  ])('is not that of %s', async (_, rows, date) => {
    const sound = await openInput(withDate([], ''));
    const log = await openInput(withDate(rows, date));
    expect([await factsOf(log).span(), log.clock.parts]).toEqual([await factsOf(sound).span(), undefined]);
  });
});
