import { describe, expect, test } from 'vitest';
import { plainMavlink, plainTlog } from '../../../test/formats/mavlink/reference.ts';
import { type FrameParts, StreamWriter } from '../../../test/formats/mavlink/stream.ts';
import { decode, difference, uncovered } from '../../../test/suite/found.ts';
import { plainDifference } from '../../../test/suite/plain.ts';
import { Random } from '../../../test/suite/random.ts';
import type { Format } from '../../core/format.ts';
import { tlog } from '../tlog/index.ts';
import { mavlink } from './index.ts';

const HEARTBEAT = { id: 0, payload: [1, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 };
/** Zeros are cut off its end: by a right sender, and by one that sums them all the same. */
const PING = { id: 4, payload: [7], extra: 237 };
const EARLY = { ...PING, summed: 14 };
const UNKNOWN = { id: 7_000_000, payload: [5, 0xfd, 9], extra: 7 };

/** Streams by what is in them; each frame of sender 1:1 where nothing else is said. */
const STREAMS: readonly (readonly [name: string, frames: readonly FrameParts[]])[] = [
  ['both versions', [HEARTBEAT, { ...HEARTBEAT, version: 1 }, PING, HEARTBEAT]],
  ['a signed frame', [HEARTBEAT, { ...PING, flags: 1 }, { ...HEARTBEAT, flags: 1 }]],
  ['checksums made before the cut', [EARLY, EARLY, HEARTBEAT]],
  [
    'a sender that cuts right among one that does not',
    [{ ...PING, system: 2 }, EARLY, { ...EARLY, system: 2 }, HEARTBEAT],
  ],
  ['an id without a definition', [HEARTBEAT, UNKNOWN, UNKNOWN, UNKNOWN, { ...UNKNOWN, extra: 8 }, UNKNOWN]],
  [
    'an id of another dialect',
    [HEARTBEAT, { ...PING, extra: 8 }, { ...PING, extra: 8 }, { ...PING, extra: 8 }, HEARTBEAT],
  ],
  ['flags that are not known', [HEARTBEAT, { ...PING, flags: 2 }, { ...PING, flags: 3 }, HEARTBEAT]],
  ['a longer payload', [HEARTBEAT, { ...HEARTBEAT, payload: [...HEARTBEAT.payload, 1] }, HEARTBEAT]],
];

/** Bytes that mean something, and what a number can be wrong by. */
const VALUES: readonly ((byte: number) => number)[] = [
  ...[0, 1, 2, 3, 8, 9, 10, 15, 16, 0xfd, 0xfe, 0xff].map((value) => () => value),
  ...[1, 2, 4, 8, 16, 32, 64, 128].map((bit) => (byte: number) => byte ^ bit),
  (byte) => byte + 1,
  (byte) => byte - 1,
];

describe.each([
  ['mavlink', mavlink, plainMavlink],
  ['tlog', tlog, plainTlog],
] as const)('frames are found as plainly in %s', (_, format: Format, plainly) => {
  const compare = (bytes: Uint8Array, cuts?: readonly number[]): void => {
    const found = decode(format, bytes);
    const wrong =
      uncovered(found, bytes.length) ??
      plainDifference(found, plainly(bytes)) ??
      (cuts && difference(found, decode(format, bytes, cuts)));
    if (wrong !== undefined) expect.fail(`${wrong}: ${Buffer.from(bytes).toString('hex')} cut at ${cuts}`);
  };

  test.each(STREAMS)('%s, with bytes changed, left out and cut', (_, frames) => {
    const writer = new StreamWriter(format === tlog);
    for (const frame of frames) writer.frame(frame);
    const bytes = writer.bytes();
    compare(bytes);
    const random = new Random(bytes.length);
    for (let at = 0; at < bytes.length; at++) {
      compare(bytes.subarray(0, at), [at >> 1]);
      const changed = bytes.slice();
      changed[at] = random.pick(VALUES)(bytes[at]);
      compare(changed, [random.below(bytes.length)]);
      changed[random.below(bytes.length)] = random.pick(VALUES)(0);
      compare(changed);
      compare(Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + random.between(1, 9))]));
    }
  });
});
