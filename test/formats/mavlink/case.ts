import { mavlink } from '../../../src/formats/mavlink/index.ts';
import { tlog } from '../../../src/formats/tlog/index.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import { decode } from '../../suite/found.ts';
import { concat, type Random } from '../../suite/random.ts';
import { type Sample, sampleFile } from '../../suite/sample.ts';
import { randomMavlink, randomTlog } from './random.ts';
import { plainMavlink, plainTlog } from './reference.ts';

const square = sampleFile('copter-square.tlog');
const found = decode(tlog, square.bytes);

/** Records of the sample from one on, as many as fit into `length` bytes; without their times for a plain stream. */
function piece(first: number, length: number, isLog: boolean): Sample {
  const parts: Uint8Array[] = [];
  for (let i = first, size = 0; i < found.count && size < length; i++) {
    size += found.sizes[i];
    parts.push(square.bytes.subarray(found.offsets[i] + (isLog ? 0 : 8), found.offsets[i] + found.sizes[i]));
  }
  return { name: `${square.name}, ${length} bytes from record ${first} on`, bytes: concat(...parts) };
}

/** Without the first byte of a frame there is none. */
function garbage(random: Random, length: number): Uint8Array {
  return random.bytes(length).map((byte) => (byte === 0xfd || byte === 0xfe ? 1 : byte));
}

const PLACES = [0, 2_000, 9_000, 16_000];
const LENGTH = 4_000;

/** Streams of frames, for the suite that every format passes. */
export const mavlinkCase: FormatCase = {
  format: mavlink,
  reference: plainMavlink,
  structured: randomMavlink,
  alphabet: [0xfd, 0xfe, 0, 1, 9, 30],
  samples: PLACES.map((first) => piece(first, LENGTH, false)),
  wrongByte: { most: 1 },
  garbage,
};

/** Telemetry logs. */
export const tlogCase: FormatCase = {
  ...mavlinkCase,
  format: tlog,
  reference: plainTlog,
  structured: randomTlog,
  samples: PLACES.map((first) => piece(first, LENGTH, true)),
};
