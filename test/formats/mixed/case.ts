import { mixed } from '../../../src/formats/mixed/index.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import { decode } from '../../suite/found.ts';
import type { FuzzOptions } from '../../suite/fuzz.ts';
import { join, Random } from '../../suite/random.ts';
import type { Sample } from '../../suite/sample.ts';
import { mavlinkCase } from '../mavlink/case.ts';
import { nmeaCase } from '../nmea/case.ts';
import { xbusCase } from '../xbus/case.ts';
import { byFrames, plainByFrames } from '../xbus/frames.ts';
import { randomMixed, rtcmBytes, ubxBytes } from './random.ts';
import { plainMixed } from './reference.ts';

/** The records of a sample, each by itself; of XBUS whole packets. */
function framesOf({ format, samples }: FormatCase): Uint8Array[] {
  const [{ bytes }] = samples;
  const found = decode(format, bytes);
  const frames = found.offsets.map((offset, i) => bytes.slice(offset, offset + found.sizes[i]));
  // what is no data is only believed where frame follows frame
  return format.name === 'xbus' ? frames.filter((_, i) => found.name(i).startsWith('MTData2')) : frames;
}

/** All protocols in turn. */
function turns(): Sample {
  const [frames, sentences, packets] = [mavlinkCase, nmeaCase, xbusCase].map(framesOf);
  const random = new Random(1);
  const parts = Array.from({ length: 7 }, (_, i) => [
    ...[packets[i % packets.length], sentences[i], ubxBytes(random.bytes(random.below(60)))],
    ...[frames[i], sentences[7 + i], rtcmBytes(random.bytes(random.between(2, 60)))],
  ]);
  return { name: 'all protocols in turn', bytes: join(parts.flat()) };
}

/** Items as the records that they are. */
export const mixedItems: FuzzOptions = {
  format: mixed,
  reference: plainMixed,
  samples: [turns().bytes],
  structured: randomMixed,
  alphabet: [0xfd, 0xfe, 0xfa, 0xff, 0x36, 0xb5, 0x62, 0xd3, 0, 1, 0x24, 0x47, 0x50, 0x2c, 0x2a, 0x30, 0x0d, 0x0a],
};

/** One checksum covers all items of a frame of XBUS: the promises about damage are made of frames. */
export const mixedCase: FormatCase = {
  ...mixedItems,
  format: byFrames(mixed),
  reference: plainByFrames(plainMixed),
  samples: [turns()],
  wrongByte: { most: 1 },
  share: 0.1,
  // a sentence is whole when its checksum is, whatever becomes of its line break
  cutMayPass: true,
  // bytes with which no frame begins, and none of which can be the line break of what stands before them
  garbage: (random, length) =>
    random
      .bytes(length)
      .map((byte) => ([10, 13, 33, 36, 92, 0xb5, 0xd3, 0xfa, 0xfd, 0xfe].includes(byte) ? 0x2e : byte)),
};
