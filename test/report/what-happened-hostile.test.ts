// Phases, events and flights of logs that are damaged, or made to hurt.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../src/facts/facts.ts';
import { ANSWER_LIMITS, leftOut } from '../../src/facts/limits.ts';
import { UnknownFormatError } from '../../src/formats/index.ts';
import { openInput } from '../../src/formats/open.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { corrupt } from '../suite/mutate.ts';
import { Random } from '../suite/random.ts';

const SECOND = 1_000_000;
const sample = (name: string): Uint8Array =>
  readFileSync(fileURLToPath(new URL(`../../sample/${name}`, import.meta.url)));

async function expectSound(bytes: Uint8Array): Promise<void> {
  const log = await openInput(bytes).catch((error: unknown) => {
    if (error instanceof UnknownFormatError) return undefined;
    throw error;
  });
  if (!log) return;
  const { armed, flying } = await factsOf(log).phases();
  for (const stretches of [armed, flying]) {
    for (const [i, { start, end }] of stretches.entries()) {
      expect(start).toBeLessThanOrEqual(end);
      if (i > 0) expect(start).toBeGreaterThanOrEqual(stretches[i - 1].end);
    }
  }
  const events = await factsOf(log).events();
  for (const { time, end } of events) if (end !== null) expect(end).toBeGreaterThanOrEqual(time);
  for (const flight of await factsOf(log).flights()) {
    expect(flight.end).toBeGreaterThanOrEqual(flight.start);
    expect(flight.inAir).toBeLessThanOrEqual(flight.duration + 1e-6);
  }
}

/** Definitions of all that tells of flights; the values come from a generator. */
function randomLog(random: Random, records: number): MadeLog {
  const log = new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('EV', 'QB', 'TimeUS,Id')
    .define('ERR', 'QBB', 'TimeUS,Subsys,ECode')
    .define('ARM', 'QBIBB', 'TimeUS,ArmState,ArmChecks,Forced,Method')
    .define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn')
    .define('POS', 'QLLfff', 'TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt')
    .define('STAT', 'QBfB', 'TimeUS,isFlying,isFlyProb,Armed')
    .define('PARM', 'QNf', 'TimeUS,Name,Value')
    .add('MSG', 0, random.pick(['ArduCopter V4.5.7', 'ArduPlane V4.5.7', 'ArduRover V4.5.7', 'ArduSub V4.5.7']));
  const number = (): number => random.pick([0, 1, -1, 20, 1e9, Number.NaN, Number.POSITIVE_INFINITY, random.below(50)]);
  const makers: ((time: number) => void)[] = [
    (time) => log.add('EV', time, random.pick([10, 11, 15, 16, 17, 18, 28, random.below(256)])),
    (time) => log.add('ERR', time, random.below(40), random.below(4)),
    (time) => log.add('ARM', time, random.below(2), 0, random.below(2), random.below(256)),
    (time) => log.add('MODE', time, random.below(256), random.below(256), random.below(256)),
    (time) => log.add('POS', time, number() / 10, number() / 10, number(), number(), number()),
    (time) => log.add('STAT', time, random.below(2), 1, random.below(2)),
    (time) => log.add('PARM', time, random.pick(['A', 'STAT_X', '']), number()),
  ];
  const used = makers.filter(() => random.chance(0.7));
  let time = 0;
  for (let i = 0; i < records && used.length > 0; i++) {
    time += random.pick([0, 1000, 100_000, 500_000, 5 * SECOND]);
    if (random.chance(0.02)) time = random.pick([0, time + 1e9, 2 ** 53, random.below(1e9)]);
    random.pick(used)(time);
  }
  return log;
}

describe('what happened in damaged logs', () => {
  test('is sound in logs of random records', async () => {
    const random = new Random(7);
    for (let i = 0; i < 80; i++) await expectSound(randomLog(random, 120).bytes());
  });

  test('is sound in damaged recordings', async () => {
    const random = new Random(11);
    const samples = [
      sample('copter-square.tlog').subarray(0, 400_000),
      sample('copter-square.BIN').subarray(0, 300_000),
    ];
    for (let i = 0; i < 12; i++) await expectSound(corrupt(random, samples, 60_000));
  });

  test('takes time in proportion to the records, whatever they say', async () => {
    const ids = [10, 28, 18, 11];
    const flood = (records: number): Uint8Array => {
      const log = new MadeLog()
        .define('MSG', 'QZ', 'TimeUS,Message')
        .define('EV', 'QB', 'TimeUS,Id')
        .define('ARM', 'QBIBB', 'TimeUS,ArmState,ArmChecks,Forced,Method')
        .define('POS', 'QLLfff', 'TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt')
        .add('MSG', 0, 'ArduCopter V4.5.7 (2a3dc4b7)');
      for (let i = 0; i < records; i++) {
        log.add('EV', i * SECOND, ids[i % 4]);
        if (i % 2) log.add('ARM', i * SECOND, (i >> 1) % 2, 0, 0, 1);
        log.add('POS', i * SECOND, 47, 8, 500, i % 7, 0);
      }
      return log.bytes();
    };
    const cpuOf = async (bytes: Uint8Array): Promise<number> => {
      const before = process.cpuUsage();
      await expectSound(bytes);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e3;
    };
    await cpuOf(flood(2000));
    // many more armings than are looked at one by one
    expect(await cpuOf(flood(8_000))).toBeLessThan(3000);
  });

  test('is told of as many events as are kept, and the rest is counted', async () => {
    const one = new MadeLog().define('EV', 'QB', 'TimeUS,Id');
    const before = one.length;
    const record = one.add('EV', SECOND, 25).bytes().subarray(before);
    const log = new MadeLog().define('EV', 'QB', 'TimeUS,Id');
    for (let i = 0; i < 200_000; i++) log.raw(record);
    const opened = await log.open();
    expect((await factsOf(opened).events()).length).toBe(ANSWER_LIMITS.told);
    expect(Object.values(leftOut(opened))).toEqual([200_000 - ANSWER_LIMITS.told]);
  });
});
