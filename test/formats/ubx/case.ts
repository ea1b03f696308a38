import { ubx } from '../../../src/formats/ubx/index.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import { join, Random } from '../../suite/random.ts';
import { randomMixed, rtcmBytes, ubxBytes } from '../mixed/random.ts';
import { plainUbx } from './reference.ts';

const random = new Random(1);
const sample = join(
  Array.from({ length: 9 }, (_, i) => [
    ubxBytes(random.bytes([0, 4, 92, 20, 250][i % 5])),
    rtcmBytes(random.bytes(random.between(2, 60))),
  ]).flat(),
);

/** How the shared suite tries UBX and RTCM 3. */
export const ubxCase: FormatCase = {
  format: ubx,
  samples: [{ name: 'both in turn', bytes: sample }],
  reference: plainUbx,
  structured: randomMixed,
  alphabet: [0xb5, 0x62, 0xd3, 0, 1, 2, 7, 0x23, 0x24],
  wrongByte: { most: 1 },
  share: 0.5,
  garbage: (source, length) => source.bytes(length).map((byte) => ([0xb5, 0xd3].includes(byte) ? 0x2e : byte)),
};
