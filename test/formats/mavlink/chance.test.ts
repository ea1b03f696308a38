import { createCipheriv } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import { mavlink } from '../../../src/formats/mavlink/index.ts';
import { tlog } from '../../../src/formats/tlog/index.ts';
import { many } from '../../helpers/long.ts';

const MIB = 1 << 20;
const GIB = 1 << 30;

/**
 * How many frames chance makes of random bytes: the first byte, flags, id and length must be those of a message, and the
 * checksum one of 65,536.
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

describe.each([
  // a tlog has a plausible time before each frame, so chance makes fewer: the bound is the same
  { format: mavlink, bytes: many(10 * GIB, GIB / 4) },
  { format: tlog, bytes: many(GIB, GIB / 8) },
])('$format.name: $bytes random bytes', ({ format, bytes }) => {
  test('make no more frames than the checksum lets through by chance', { timeout: 600_000 }, async ({ annotate }) => {
    // a cipher makes random bytes several times as fast as they are decoded, and the same in each run
    const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 9), Buffer.alloc(16));
    const zeros = Buffer.alloc(MIB);
    let records = 0;
    const decoder = format.decoder({
      table: () => undefined,
      records: ({ count }) => {
        records += count;
      },
      fault: () => undefined,
    });
    for (let at = 0; at < bytes; at += MIB) decoder.push(cipher.update(zeros));
    decoder.end();
    const mean = expected(bytes);
    await annotate(`${records} frames in ${bytes / GIB} GiB, ${mean.toFixed(1)} expected by chance`, 'A9');
    expect(records).toBeLessThanOrEqual(Math.ceil(mean + 5 * Math.sqrt(mean)));
  });
});
