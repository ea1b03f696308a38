import { expect, it } from 'vitest';
import { frameBytes } from '../../../test/formats/mavlink/stream.ts';
import { Random } from '../../../test/suite/random.ts';
import { impliedExtra, isRight, lengthBeforeCut, sumOf } from './checksum.ts';
import { Header } from './header.ts';

function headerOf(frame: Uint8Array): Header {
  const header = new Header();
  expect(header.read(frame, 0)).toBe(true);
  return header;
}

it('finds the one CRC_EXTRA that makes a checksum right', () => {
  const random = new Random(1);
  for (let run = 0; run < 2000; run++) {
    const extra = random.below(256);
    const frame = frameBytes({ id: random.below(2 ** 24), payload: random.bytes(random.below(256)), extra });
    const header = headerOf(frame);
    const sum = sumOf(frame, header);
    expect(impliedExtra(sum, header.stated(frame))).toBe(extra);
    expect(isRight(sum, extra, header.stated(frame))).toBe(true);
    expect(isRight(sum, extra ^ 1, header.stated(frame))).toBe(false);
  }
});

it('finds one for as many random checksums as chance has it', () => {
  const random = new Random(2);
  let found = 0;
  for (let run = 0; run < 65_536; run++) if (impliedExtra(random.below(65_536), random.below(65_536)) >= 0) found++;
  expect(found).toBeGreaterThan(256 - 5 * 16);
  expect(found).toBeLessThan(256 + 5 * 16);
});

it('finds the length of a payload before zeros were cut off it', () => {
  const random = new Random(3);
  for (let run = 0; run < 2000; run++) {
    const length = random.between(1, 250);
    const payload = random.bytes(length).map((byte) => byte || 1);
    const summed = random.between(length + 1, 255);
    const frame = frameBytes({ id: 132, payload, extra: 85, summed });
    const header = headerOf(frame);
    const sum = sumOf(frame, header);
    expect(lengthBeforeCut(frame, header, sum, 85, 255)).toBe(summed);
    expect(lengthBeforeCut(frame, header, sum, 85, summed - 1)).toBe(0);
  }
});

it('does not look for it where zeros are left', () => {
  const frame = frameBytes({ id: 132, payload: [1, 0], extra: 85, summed: 9 });
  const header = headerOf(frame);
  expect(lengthBeforeCut(frame, header, sumOf(frame, header), 85, 255)).toBe(0);
});
