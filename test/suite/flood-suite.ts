import { afterAll, describe, expect, test } from 'vitest';
import type { Format } from '../../src/core/format.ts';
import { type Flood, KeptFlood, memoryOf, paceOf } from './hostile.ts';
import { Random, repeat } from './random.ts';

const MIB = 1 << 20;
/** MiB a second of processor time. */
const LEAST_SPEED = 8;
/** How many times longer twice as much may take. */
const MOST_GROWTH = 2.2;
/** Above it memory sets the pace, and what no cache holds takes longer without any fault of the decoder. */
const MEMORY_SPEED = 300;
/** Bytes by which memory may grow while this much comes in. */
const MOST_MEMORY = 4 * MIB;
const MEMORY_FLOOD = 4 * MIB;
/** A busy machine may spoil a measurement: the best of so many counts. */
const MEASUREMENTS = 40;

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

    test.each([
      ['in one piece', Number.POSITIVE_INFINITY],
      ['in pieces of 4 KiB', 4096],
    ])(`is decoded in linear time %s, at ${least} MiB/s or more`, (_, chunk) => {
      const paces = [];
      for (let n = 0; n < MEASUREMENTS; n++) {
        const { speed, growth } = paceOf(format, kept, chunk, least);
        if (speed >= least && (growth <= MOST_GROWTH || speed >= MEMORY_SPEED)) return;
        paces.push(`${speed.toFixed(1)} MiB/s, twice as much takes ${growth.toFixed(2)} times as long`);
      }
      expect.fail(paces.join('\n'));
    });

    if (flood.isKept) return;
    test('takes no memory that grows with it', () => {
      expect(memoryOf(format, kept, MEMORY_FLOOD)).toBeLessThan(MOST_MEMORY);
    });
  });
}
