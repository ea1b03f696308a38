import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../helpers/need.ts';
import { wrongByteCost } from '../suite/damage.ts';
import { decode } from '../suite/found.ts';
import { fuzz } from '../suite/fuzz.ts';
import { Random } from '../suite/random.ts';
import { filesIn, sampleFile } from '../suite/sample.ts';
import { tornDifference } from '../suite/torn.ts';
import { dataflashCase, dataflashTextCase } from './dataflash/case.ts';
import { mavlinkCase, tlogCase } from './mavlink/case.ts';
import { mixedCase } from './mixed/case.ts';
import { nmeaCase } from './nmea/case.ts';
import { pcapCase } from './pcap/case.ts';
import { ubxCase } from './ubx/case.ts';
import { xbusCase } from './xbus/case.ts';

/** Inputs for each format; SKEIN_FUZZ asks for another number, SKEIN_SEED for another place to begin. */
const FUZZ_INPUTS = Number(process.env.SKEIN_FUZZ ?? 100_000_000);
const FIRST_SEED = Number(process.env.SKEIN_SEED ?? 0);
const PART = 100_000;
const WRONG_BYTES = 10_000;
const UNLUCKY = 1 / 10_000;
const TORN = 1 << 20;

const CASES = [
  dataflashCase,
  dataflashTextCase,
  mavlinkCase,
  tlogCase,
  nmeaCase,
  pcapCase,
  xbusCase,
  ubxCase,
  mixedCase,
];

describe.each(CASES)('$format.name', (of) => {
  test(`${FUZZ_INPUTS} damaged inputs never throw and are read as plainly`, () => {
    const samples = of.samples.map((sample) => sample.bytes);
    for (let seed = FIRST_SEED; seed < FIRST_SEED + FUZZ_INPUTS; seed += PART) {
      fuzz(seed, Math.min(PART, FIRST_SEED + FUZZ_INPUTS - seed), { ...of, samples });
      process.stderr.write(`${of.format.name}: ${seed + PART - FIRST_SEED} of ${FUZZ_INPUTS} inputs\n`);
    }
  });
});

test('a whole log torn at every byte of its first MiB keeps all records before it', () => {
  const { bytes } = sampleFile('copter-square.BIN');
  const first = bytes.subarray(0, TORN);
  const whole = decode(dataflashCase.format, first);
  for (let cut = 0; cut <= first.length; cut++) {
    const lost = tornDifference(dataflashCase.format, first, whole, cut, false);
    if (lost !== undefined) expect.fail(lost);
  }
});

needShared(describe, 'dataflash')('one wrong byte in files of many firmwares', () => {
  test.each(filesIn(sharedData('dataflash'), '.BIN', '.bin', '.px4log'))('$name', ({ bytes }) => {
    const whole = decode(dataflashCase.format, bytes);
    const random = new Random(FIRST_SEED);
    const unlucky: string[] = [];
    for (let run = 0; run < WRONG_BYTES; run++) {
      const { cost, text } = wrongByteCost(dataflashCase.format, bytes, whole, random, dataflashCase.wrongByte);
      if (cost > dataflashCase.wrongByte.most) unlucky.push(text);
    }
    expect(unlucky.length, unlucky.slice(0, 10).join('\n')).toBeLessThanOrEqual(WRONG_BYTES * UNLUCKY);
  });
});
