import { pcap } from '../../../src/formats/pcap/index.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import { concat } from '../../suite/random.ts';
import { type Sample, sampleFile } from '../../suite/sample.ts';
import { PlainPackets } from './packets.ts';
import { randomPcap } from './random.ts';
import { plainPcap } from './reference.ts';
import { CaptureWriter } from './writer.ts';

const FILE_HEADER = 24;
const square = sampleFile('copter-square.pcap');
const { packets } = new PlainPackets(square.bytes);

/** Packets of the sample from one on, as many as fit into `length` bytes. */
function piece(first: number, length: number): Sample {
  const from = packets[first].record;
  let last = first;
  while (packets[last].end - from < length) last++;
  const bytes = concat(square.bytes.subarray(0, FILE_HEADER), square.bytes.subarray(from, packets[last].end));
  return { name: `${square.name}, ${length} bytes from packet ${first + 1} on`, bytes };
}

/** The same packets as a pcapng file. */
function renewed({ name, bytes }: Sample): Sample {
  const writer = new CaptureWriter({ kind: 'pcapng' });
  for (const { start, end, time } of new PlainPackets(bytes).packets)
    writer.at(time).packet(bytes.subarray(start, end));
  return { name: `${name}, as pcapng`, bytes: writer.bytes() };
}

const SAMPLES = [0, 16_000].map((first) => piece(first, 2_000));

/** Captures, for the suite that every format passes. */
export const pcapCase: FormatCase = {
  format: pcap,
  reference: plainPcap,
  structured: randomPcap,
  alphabet: [0xd4, 0xc3, 0xb2, 0xa1, 0x0a, 0x0d, 0, 1, 2, 4, 6, 0x45, 17, 0xfd],
  samples: [...SAMPLES, renewed(piece(9_000, 1_500))],
  // of a pcapng file the section and its interface, of a pcap file its header: none of it stands there twice
  wrongByte: { most: 1, head: 48 },
  garbage: (random, length) => random.bytes(length).map((byte) => byte | 0x80),
  gaps: (bytes) => new PlainPackets(bytes).packets.map(({ record }) => record),
};
