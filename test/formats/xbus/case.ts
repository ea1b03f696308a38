import { xbus } from '../../../src/formats/xbus/index.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import { decode } from '../../suite/found.ts';
import type { FuzzOptions } from '../../suite/fuzz.ts';
import { byFrames, plainByFrames } from './frames.ts';
import { randomXbus } from './random.ts';
import { plainXbus } from './reference.ts';
import { xbusSamples } from './sample.ts';

const samples = xbusSamples();
const frames = byFrames(xbus);

/** Items as the records that they are. */
export const xbusItems: FuzzOptions = {
  format: xbus,
  reference: plainXbus,
  samples: samples.map(({ bytes }) => bytes),
  structured: randomXbus,
  alphabet: [0xfa, 0xff, 0x36, 0x10, 0x20, 2, 0],
};

/** One checksum covers all items of a frame: the promises about damage are made of frames. */
export const xbusCase: FormatCase = {
  ...xbusItems,
  format: frames,
  reference: plainByFrames(plainXbus),
  samples,
  wrongByte: {
    most: 1,
    // the data of an old device cannot be told without its configuration
    defines: (name) => (name.startsWith('Configuration') ? lastName(samples[1].bytes) : undefined),
  },
  // without a preamble there is no frame
  garbage: (random, length) => random.bytes(length).map((byte) => (byte === 0xfa ? 0 : byte)),
};

function lastName(bytes: Uint8Array): string {
  const found = decode(frames, bytes);
  return found.name(found.count - 1);
}
