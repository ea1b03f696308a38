import { expect, test } from 'vitest';
import { frameBytes, stampBytes } from '../../../test/formats/mavlink/stream.ts';
import { concat } from '../../../test/suite/random.ts';
import { STAMPS } from './detect.ts';
import type { MessageDefinition } from './dialect/definition.ts';
import { catalogOf } from './options.ts';
import { FrameScan } from './scan.ts';

const catalog = catalogOf();
const cutting = [0, 1];
/** Messages with ids of one byte and of two, and numbers in which all bits are set somewhere. */
const IDS = [0, 30, 148, 300, 12_900];

/** What is handed over without a second look: anything else is slow. */
test.each([
  ['a stream', 0],
  ['a log', 8],
])('ordinary frames in %s go the quick way', (_, lead) => {
  const parts: Uint8Array[] = [];
  const expected: unknown[] = [];
  let at = 0;
  for (const id of IDS) {
    const slot = catalog.find(id);
    const { baseLength, length, crcExtra: extra } = catalog.definitions[slot] as MessageDefinition;
    for (const [version, size, flags] of [
      [1, baseLength, 0],
      [2, baseLength, 0],
      [2, length, 1],
      ...cutting.map((less) => [2, baseLength - less, less]),
    ]) {
      if (version === 1 && id > 255) continue;
      const [sequence, system, component] = [
        (37 * parts.length) & 255,
        (90 + parts.length) & 255,
        (7 * parts.length) & 255,
      ];
      const payload = new Uint8Array(size).fill(0xa5 ^ parts.length);
      const frame = frameBytes({ version: version as 1 | 2, id, payload, extra, sequence, system, component, flags });
      parts.push(lead > 0 ? concat(stampBytes(1.7e15), frame) : frame);
      const end = at + lead + frame.length;
      expected.push([at, end, slot, system * 256 + component, sequence, flags, size < baseLength]);
      at = end;
    }
  }
  const found: unknown[] = [];
  const ordinary = (_bytes: Uint8Array, ...rest: unknown[]): void => void found.push(rest);
  const frame = (): void => expect.fail('a frame was looked at twice');
  const bytes = concat(...parts);
  const scan = new FrameScan({ frame, ordinary }, {}, { catalog, lead: lead > 0 ? STAMPS : undefined });
  expect(scan.scan(bytes, 0, 0, true)).toBe(bytes.length);
  expect(found).toEqual(expected);
});
