import { expect, test } from 'vitest';
import { Random } from '../../../test/suite/random.ts';
import { Sums } from './judge.ts';

test.each([0, 5_000_000_000])('sums of any stretches are right, from place %d on', (base) => {
  const random = new Random(1);
  const bytes = random.bytes(200_000);
  const sums = new Sums();
  let at = 0;
  for (let run = 0; run < 5000; run++) {
    at = Math.min(bytes.length - 1, at + random.pick([0, 1, 5, 100, 3000]));
    const start = Math.max(0, at - random.below(5000));
    const end = Math.min(bytes.length, start + random.below(9000));
    const plain = bytes.subarray(start, end).reduce((sum, byte) => (sum + byte) & 0xff, 0);
    expect(sums.between(bytes, base, start, end)).toBe(plain);
  }
});
