import type { Format } from '../../src/core/format.ts';
import { decode, difference, uncovered } from './found.ts';
import { corrupt, rawBytes } from './mutate.ts';
import { type PlainDecoder, plainDifference, valueDifference } from './plain.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';

export interface FuzzOptions {
  readonly format: Format;
  /** Real inputs, whose slices are damaged. */
  readonly samples: readonly Uint8Array[];
  /** Bytes that mean something to the format. */
  readonly alphabet: ArrayLike<number>;
  /** Makes an input whose structure holds though its content is random. */
  readonly structured: (random: Random) => Uint8Array;
  readonly reference: PlainDecoder;
}

/** Longest input, but for what is inserted. */
const LONGEST = 3000;
/** Milliseconds that one input may take. */
const MOST_MILLISECONDS = 100;
/** One input in so many is also read value by value, and one in so many in chunks. */
const VALUES_EVERY = 8;
const CHUNKS_EVERY = 4;

const MUTATORS: readonly ((random: Random, options: FuzzOptions) => Uint8Array)[] = [
  (random, { alphabet }) => rawBytes(random, LONGEST, alphabet),
  (random, { samples }) => corrupt(random, samples, LONGEST),
  (random, { structured }) => structured(random),
];

/** The input of a seed. */
export function fuzzInput(seed: number, options: FuzzOptions): Uint8Array {
  return MUTATORS[seed % MUTATORS.length](new Random(seed), options);
}

/** Runs `count` inputs from a first seed on and throws at the first that breaks a promise, with all that finds it again. */
export function fuzz(first: number, count: number, options: FuzzOptions): void {
  for (let seed = first; seed < first + count; seed++) {
    const bytes = fuzzInput(seed, options);
    const broken = brokenPromise(bytes, seed, options);
    if (broken === undefined) continue;
    const least = shrink(bytes, (shorter) => brokenPromise(shorter, seed, options) !== undefined);
    const said = brokenPromise(least, seed, options) ?? broken;
    throw new Error(
      `${options.format.name}, seed ${seed}: ${said}\n${least.length} bytes: ${Buffer.from(least).toString('hex')}`,
    );
  }
}

/** Which promise an input breaks, or undefined. */
function brokenPromise(bytes: Uint8Array, seed: number, options: FuzzOptions): string | undefined {
  const { format, reference } = options;
  try {
    const start = performance.now();
    const found = decode(format, bytes);
    if (performance.now() - start > MOST_MILLISECONDS && isSlow(format, bytes))
      return `takes more than ${MOST_MILLISECONDS} ms`;
    const gap = uncovered(found, bytes.length);
    if (gap !== undefined) return gap;
    const plain = reference(bytes);
    const other = plainDifference(found, plain);
    if (other !== undefined) return other;
    if (seed % VALUES_EVERY < 1) {
      const value = valueDifference(bytes, found, plain);
      if (value !== undefined) return value;
    }
    if (seed % CHUNKS_EVERY < 1) {
      const chunked = difference(found, decode(format, bytes, randomCuts(new Random(seed), bytes.length, 5)));
      if (chunked !== undefined) return `in chunks: ${chunked}`;
    }
    return undefined;
  } catch (error) {
    return `throws ${error instanceof Error ? error.stack : String(error)}`;
  }
}

/** A busy machine may hold up any run, so only an input that is slow each time is. */
function isSlow(format: Format, bytes: Uint8Array): boolean {
  for (let tries = 0; tries < 3; tries++) {
    const start = performance.now();
    decode(format, bytes);
    if (performance.now() - start < MOST_MILLISECONDS) return false;
  }
  return true;
}

/** Ascending places to cut at. */
export function randomCuts(random: Random, length: number, count: number): number[] {
  return Array.from({ length: count }, () => random.below(length + 1)).sort((a, b) => a - b);
}
