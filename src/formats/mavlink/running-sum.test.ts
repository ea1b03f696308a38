import { expect, it } from 'vitest';
import { Random } from '../../../test/suite/random.ts';
import { X25_SEED, x25 } from '../../core/checksum.ts';
import { afterZeros, RunningSum } from './running-sum.ts';

it('is what the bytes add up to, whatever was asked before', () => {
  const random = new Random(1);
  const bytes = random.bytes(40_000);
  const sum = new RunningSum();
  let from = 0;
  for (let run = 0; run < 50_000; run++) {
    // mostly onwards in small steps, as a search goes, and now and then elsewhere
    from = random.chance(0.99) ? (from + random.below(20)) % 39_000 : random.below(39_000);
    const to = from + random.below(300);
    expect(sum.of(bytes, from, to)).toBe(x25(bytes, from, to));
  }
});

it('begins anew with other bytes', () => {
  const sum = new RunningSum();
  const bytes = new Uint8Array(100).fill(1);
  sum.of(bytes, 0, 100);
  bytes.fill(2);
  sum.forget();
  expect(sum.of(bytes, 10, 90)).toBe(x25(bytes, 10, 90));
});

it('knows what zeros do', () => {
  const zeros = new Uint8Array(511);
  for (let count = 0; count < 512; count++) {
    for (const seed of [0, 1, 0x8000, X25_SEED, 0x1234])
      expect(afterZeros(seed, count)).toBe(x25(zeros, 0, count, seed));
  }
});
