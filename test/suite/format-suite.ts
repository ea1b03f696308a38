import { describe, expect, test } from 'vitest';
import { many } from '../helpers/long.ts';
import { garbageDifference, type WrongByte, wrongByteCost } from './damage.ts';
import { decode, difference, uncovered } from './found.ts';
import { type FuzzOptions, fuzz, randomCuts } from './fuzz.ts';
import { plainDifference, valueDifference } from './plain.ts';
import { Random } from './random.ts';
import type { Sample } from './sample.ts';
import { tornDifference, tornPlaces } from './torn.ts';

/** What the suite must know of a format to hold it to the promises that all formats make about damage and load. */
export interface FormatCase extends Omit<FuzzOptions, 'samples'> {
  /** Small inputs, some kilobytes each: they are decoded many thousand times. */
  readonly samples: readonly Sample[];
  readonly wrongByte: WrongByte;
  /** Whether a record that the end cuts may still pass for one, as a line without its last digit does. */
  readonly cutMayPass?: boolean;
  /** Bytes of which no record can be made. */
  readonly garbage: (random: Random, length: number) => Uint8Array;
  /** Where such bytes may stand; before any record where it does not say. */
  readonly gaps?: ((bytes: Uint8Array) => readonly number[]) | undefined;
  /** The part of the usual number of damaged inputs that is tried, where one takes long. */
  readonly share?: number;
}

const SEED = 20_260_101;
/** Cuts a sample into this many pieces in all, over several runs. */
const RANDOM_CUTS = 1000;
const WRONG_BYTES = many(10_000, 2_500);
/** Of the runs with a wrong byte, so many may cost more than the format promises. */
const UNLUCKY = 1 / 10_000;
const GARBAGE_RUNS = many(2_000, 500);
/** Inputs of a run; SKEIN_FUZZ asks for another number. */
const FUZZ_INPUTS = Number(process.env.SKEIN_FUZZ ?? many(5_000, 1_500));
const FUZZ_PARTS = 8;

/** All promises that a format makes about any bytes, as tests. */
export function formatSuite(of: FormatCase): void {
  const { format, samples } = of;
  describe(`${format.name}: any bytes`, () => {
    for (const sample of samples) sampleTests(of, sample);
    damageTests(of);
    fuzzTests(of);
  });
}

function sampleTests({ format, reference, cutMayPass = false }: FormatCase, { name, bytes }: Sample): void {
  describe(name, () => {
    const whole = decode(format, bytes);

    test('records and faults cover every byte once', () => {
      expect(uncovered(whole, bytes.length)).toBeUndefined();
      expect(whole.count).toBeGreaterThan(0);
    });

    test('the plain decoder finds the same', () => {
      const plain = reference(bytes);
      expect(plainDifference(whole, plain)).toBeUndefined();
      expect(valueDifference(bytes, whole, plain)).toBeUndefined();
    });

    test('any chunking gives the same', () => {
      const everyByte = Array.from({ length: bytes.length }, (_, i) => i);
      expect(difference(whole, decode(format, bytes, everyByte))).toBeUndefined();
      const random = new Random(SEED);
      for (let left = RANDOM_CUTS; left > 0; ) {
        const cuts = randomCuts(random, bytes.length, Math.min(left, random.pick([1, 2, 5, 20, 100])));
        expect(difference(whole, decode(format, bytes, cuts)), `cut at ${cuts}`).toBeUndefined();
        left -= cuts.length;
      }
    });

    test('chunks may be Buffers whose memory is used again', () => {
      const cuts = randomCuts(new Random(SEED), bytes.length, 50);
      expect(difference(whole, decode(format, bytes, cuts, Buffer.from))).toBeUndefined();
    });

    const places = tornPlaces(whole, bytes.length);
    test(`torn at ${places.length} of ${bytes.length + 1} places, all records before it are the same`, () => {
      for (const cut of places) {
        const lost = tornDifference(format, bytes, whole, cut, cutMayPass);
        if (lost !== undefined) expect.fail(lost);
      }
    });
  });
}

function damageTests({ format, samples, wrongByte, garbage, gaps, share = 1 }: FormatCase): void {
  const wholes = samples.map(({ bytes }) => decode(format, bytes));

  test(`one wrong byte costs at most ${wrongByte.most} records`, () => {
    const random = new Random(SEED);
    const unlucky: string[] = [];
    for (let run = 0; run < WRONG_BYTES * share; run++) {
      const i = run % samples.length;
      const { cost, text } = wrongByteCost(format, samples[i].bytes, wholes[i], random, wrongByte);
      if (cost > wrongByte.most) unlucky.push(`${samples[i].name}: ${text}`);
    }
    expect(unlucky.length, unlucky.slice(0, 10).join('\n')).toBeLessThanOrEqual(WRONG_BYTES * UNLUCKY);
  });

  test('garbage before, between and behind records is named and costs nothing', () => {
    const random = new Random(SEED);
    for (let run = 0; run < GARBAGE_RUNS * share; run++) {
      const i = run % samples.length;
      const { bytes } = samples[i];
      const places = gaps?.(bytes) ?? wholes[i].offsets;
      const at = random.pick([0, bytes.length, random.pick(places), random.pick(places)]);
      const lost = garbageDifference(format, bytes, wholes[i], at, garbage(random, random.between(1, 700)));
      if (lost !== undefined) expect.fail(`${samples[i].name}: ${lost}`);
    }
  });
}

function fuzzTests(of: FormatCase): void {
  const samples = of.samples.map((sample) => sample.bytes);
  const count = Math.ceil((FUZZ_INPUTS * (of.share ?? 1)) / FUZZ_PARTS);
  // in parts, so that the run says how far it is and no test comes near its time limit
  test.each(Array.from({ length: FUZZ_PARTS }, (_, part) => SEED + part * count))(
    `${count} damaged inputs from seed %i on never throw and are read as plainly`,
    (first) => {
      fuzz(first, count, { ...of, samples });
    },
  );
}

/** The promises again, in a few runs each, on a whole file of any size. */
export function fileSuite(of: FormatCase, { name, bytes }: Sample): void {
  const { format, reference, wrongByte, cutMayPass = false } = of;
  describe(name, () => {
    const whole = decode(format, bytes);

    test('records and faults cover every byte once, as the plain decoder finds', () => {
      expect(uncovered(whole, bytes.length)).toBeUndefined();
      expect(plainDifference(whole, reference(bytes))).toBeUndefined();
    });

    test('any chunking gives the same', () => {
      const cuts = randomCuts(new Random(SEED), bytes.length, RANDOM_CUTS);
      expect(difference(whole, decode(format, bytes, cuts))).toBeUndefined();
    });

    test('torn anywhere, all records before it are the same', () => {
      const random = new Random(SEED);
      for (let run = 0; run < 12; run++)
        expect(tornDifference(format, bytes, whole, random.below(bytes.length), cutMayPass)).toBeUndefined();
    });

    test(`one wrong byte costs at most ${wrongByte.most} records`, () => {
      const random = new Random(SEED);
      for (let run = 0; run < 12; run++) {
        const { cost, text } = wrongByteCost(format, bytes, whole, random, wrongByte);
        expect(cost, text).toBeLessThanOrEqual(wrongByte.most);
      }
    });
  });
}
