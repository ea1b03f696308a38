import { afterAll, describe, expect, test } from 'vitest';
import type { Format } from '../../src/core/format.ts';
import { long } from '../helpers/long.ts';
import type { Block } from '../helpers/need.ts';
import { type Flood, KeptFlood, MOST_GROWTH, memoryOf, paceOf } from './hostile.ts';
import { Random, repeat } from './random.ts';

const MIB = 1 << 20;
/** MiB a second of processor time. */
const LEAST_SPEED = 8;
/** Above it memory sets the pace, and what no cache holds takes longer without any fault of the decoder. */
const MEMORY_SPEED = 300;
/** Bytes by which memory may grow while this much comes in. */
const MOST_MEMORY = 4 * MIB;
const MEMORY_FLOOD = 4 * MIB;

const COMMON_FLOODS: readonly Flood[] = [
  { name: 'zeros', make: (length) => new Uint8Array(length), least: 100 },
  { name: 'ones', make: (length) => new Uint8Array(length).fill(0xff) },
  { name: 'the bytes 0 to 255', make: (length) => repeat(ascending(), length) },
  { name: 'random bytes', make: (length) => repeat(new Random(1).bytes(100_003), length) },
];

function ascending(): number[] {
  return Array.from({ length: 256 }, (_, i) => i);
}

/** Input that is made to be hard: what every format gets, and what makes this one work. */
export function floodSuite(format: Format, floods: readonly Flood[]): void {
  describe.each([...COMMON_FLOODS, ...floods])(`${format.name}: flood of $name`, (flood) => {
    const { least = LEAST_SPEED } = flood;
    const kept = new KeptFlood(flood);
    afterAll(() => kept.release());

    const takesLinearTime = (chunk: number): void => {
      const { speed, growth } = paceOf(format, kept, chunk, least);
      expect(speed, 'MiB/s').toBeGreaterThanOrEqual(least);
      if (speed < MEMORY_SPEED) expect(growth, 'times as long for twice as much').toBeLessThanOrEqual(MOST_GROWTH);
    };
    const promise = `at ${least} MiB/s or more`;
    // another test beside it may take the processor's cache for a moment: three measurements at most
    const measured: Block = (title, body) => test(title, { retry: 2 }, body);
    measured(`is decoded in linear time in pieces of 4 KiB, ${promise}`, () => takesLinearTime(4096));
    long(measured)(`is decoded in linear time in one piece, ${promise}`, () =>
      takesLinearTime(Number.POSITIVE_INFINITY),
    );

    if (flood.isKept) return;
    test('takes no memory that grows with it', () => {
      expect(memoryOf(format, kept, MEMORY_FLOOD)).toBeLessThan(MOST_MEMORY);
    });
  });
}
