import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import { mavlink } from '../../../src/formats/mavlink/index.ts';
import { tlog } from '../../../src/formats/tlog/index.ts';
import { decode } from '../../suite/found.ts';
import { Random } from '../../suite/random.ts';

const MIB = 1 << 20;
const BYTES = 32 * MIB;

/**
 * How many frames chance makes of so many random bytes: the first byte, flags, id and length must be those of a message,
 * and the checksum one of 65,536.
 */
function expected(bytes: number): number {
  let later = 0;
  let earlier = 0;
  for (const { id, length } of [...builtinDialect().messages.values()].flat()) {
    later += (length + 1) / 256 / 2 ** 24;
    if (id < 256) earlier += 1 / 256 / 256;
  }
  return ((bytes / 256) * (later * (2 / 256) + earlier)) / 65_536;
}

describe.each([mavlink, tlog])('$name: random bytes', (format) => {
  test('make no more frames than the checksum lets through by chance', () => {
    const found = decode(format, new Random(9).bytes(BYTES));
    const mean = expected(BYTES);
    expect(mean).toBeLessThan(0.1);
    expect(found.count).toBeLessThanOrEqual(Math.ceil(mean + 5 * Math.sqrt(mean)));
  });
});
