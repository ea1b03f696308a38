import { describe, expect, test } from 'vitest';
import { PlainPackets } from '../../../test/formats/pcap/packets.ts';
import { CaptureWriter, type WriterOptions } from '../../../test/formats/pcap/writer.ts';
import type { PlainFault } from '../../../test/suite/plain.ts';
import { concat, Random } from '../../../test/suite/random.ts';
import type { Fault } from '../../core/fault.ts';
import type { Packet } from './packet.ts';
import { PacketReader } from './reader.ts';

const DAY = 86_400;
const TIME = 1_700_000_000;
/** Numbers at which something changes: lengths, parts of a second, times, limits, and what files and blocks begin with. */
const NUMBERS: readonly number[] = [
  ...[0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 21, 23, 24, 27, 28, 29, 31, 32, 33, 36, 40, 44, 48],
  ...[999_999, 1_000_000, 999_999_999, 1_000_000_000, 0xbad, 0x40000bad, 0x01000000, 0x00010000],
  ...[262_143, 262_144, 262_145, 1 << 20, (1 << 20) + 1, (1 << 20) + 4, 16 << 20, (16 << 20) + 4, 0xffffffff],
  ...[TIME, TIME + DAY, TIME + DAY + 1, TIME - DAY, TIME - DAY - 1, TIME + 2 * DAY, TIME + 2 * DAY + 1],
  ...[0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34, 0x0a0d0d0a, 0x1a2b3c4d],
];

const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

function packets(options: WriterOptions, times: readonly number[] = [0, 0, 0, 0]): CaptureWriter {
  const writer = new CaptureWriter({ snapLength: 5, ...options });
  for (const [i, seconds] of times.entries())
    writer.at((TIME + seconds) * 1e6 + 250_001).packet(bytesOf(i, 9, 9, 9, 9, 9), 6 - i);
  return writer;
}

/** Sections with interfaces of several clocks, every type of block, and packets of interfaces that are not described. */
function blocks(little: boolean): Uint8Array {
  const writer = new CaptureWriter({ kind: 'pcapng', little, snapLength: 3 });
  for (const resolution of [3, 9, 0x8a, 0]) {
    const offset = little ? bytesOf(16, 14, 0, 0, 0, 0, 0, 0) : bytesOf(0, 0, 0, 0, 0, 0, 14, 16);
    writer.describe(101, 0, [
      [2, bytesOf(97)],
      [9, bytesOf(resolution)],
      [14, offset],
    ]);
  }
  for (let from = 0; from < 6; from++) writer.packet(bytesOf(from, 9, 9, 9, 9), 5, from);
  const old = little ? bytesOf(1, 0, 7, 7) : bytesOf(0, 1, 7, 7);
  const head = little ? bytesOf(2, 0, 0, 0, 4, 0, 0, 0) : bytesOf(0, 0, 0, 2, 0, 0, 0, 4);
  const long = little ? bytesOf(5, 0, 0, 0) : bytesOf(0, 0, 0, 5);
  writer.block(2, concat(old, bytesOf(1, 2, 3, 4, 5, 6, 7, 8), head, bytesOf(3, 3)));
  writer
    .block(3, concat(long, bytesOf(1, 2, 3, 4, 5)))
    .block(4, bytesOf(1))
    .block(99, bytesOf(1, 2));
  return writer.packet(bytesOf(1)).bytes();
}

const CAPTURES: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['pcap', packets({}).bytes()],
  ['pcap, high byte first', packets({ little: false }).bytes()],
  ['pcap of nanoseconds', packets({ nanoseconds: true }).bytes()],
  ['modified pcap', packets({ modified: true }).bytes()],
  ['pcap with days between', packets({}, [0, DAY, 2 * DAY + 1, 0, 0, 3 * DAY, 3 * DAY, 3 * DAY, 3 * DAY]).bytes()],
  ['early pcap', packets({}).bytes().fill(3, 6, 7)],
  ['pcapng', blocks(true)],
  ['pcapng, high byte first', blocks(false)],
  [
    'joined files',
    concat(
      packets({}).bytes(),
      packets({ little: false }).bytes(),
      blocks(true),
      packets({ nanoseconds: true }).bytes(),
    ),
  ],
  [
    'a file with zeros and others inside',
    concat(
      packets({}).bytes(),
      new Uint8Array(40),
      packets({}).bytes().subarray(24),
      bytesOf(1, 2, 3),
      packets({}).bytes().subarray(24),
    ),
  ],
];

/** Times beyond 2^53 have no last digit to compare. */
function micros(time: number): string {
  return Math.abs(time) < 2 ** 53 ? String(time) : time.toPrecision(9);
}

/** A capture as a reader finds it. */
interface Reading {
  readonly packets: readonly string[];
  readonly faults: readonly Fault[];
  readonly reader: PacketReader;
  /** Bytes that were counted in any way: each should be once. */
  readonly counted: number;
}

function read(bytes: Uint8Array, cuts: readonly number[] = []): Reading {
  const [packets, faults]: [string[], Fault[]] = [[], []];
  const packet = (_: Uint8Array, each: Packet, base: number): void => {
    const { number, interface: from, linkType, time, record, start, end, length } = each;
    packets.push([number, from, linkType, micros(time), base + record, base + start, base + end, length].join());
  };
  const reader = new PacketReader({ packet, fault: (fault) => faults.push(fault) });
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    reader.push(bytes.slice(at, cut));
    at = cut;
  }
  reader.end();
  const { file, records, faults: lost } = reader.overhead;
  const inside = reader.interfaces.reduce((sum, each) => sum + each.bytes, 0);
  return { packets, faults, reader, counted: file + records + lost + inside };
}

function plainly(bytes: Uint8Array): string {
  const { packets, faults } = new PlainPackets(bytes);
  const found = packets.map(({ number, interface: from, linkType, time, record, start, end, length }) =>
    [number, from, linkType, micros(time), record, start, end, length].join(),
  );
  return [...found, ...placesOf(faults)].join(' ');
}

function placesOf(faults: readonly PlainFault[]): string[] {
  return faults.map(({ code, offset, length }) => [code, offset, length].join()).sort();
}

function compare(bytes: Uint8Array, cuts: readonly number[] = []): void {
  const { packets, faults, reader, counted } = read(bytes, cuts);
  const input = `${Buffer.from(bytes).toString('hex')} cut at ${cuts}`;
  const [ours, plain] = [[...packets, ...placesOf(faults)].join(' '), plainly(bytes)];
  if (ours !== plain) expect(ours, input).toBe(plain);
  if (counted !== bytes.length || reader.packets !== packets.length)
    expect([counted, reader.packets], input).toEqual([bytes.length, packets.length]);
  const unplaced = faults.find(
    ({ text, offset }) => !new RegExp(`at offset ${offset}\\b|the ${offset} bytes`).test(text),
  );
  if (unplaced) expect.fail(`${unplaced.text} does not say offset ${unplaced.offset}: ${input}`);
}

describe('packets are found as plainly', () => {
  test.each(CAPTURES)('%s, ending anywhere and in pieces', (_, bytes) => {
    for (let end = 0; end <= bytes.length; end++) {
      compare(bytes.subarray(0, end));
      compare(bytes, [end]);
    }
    compare(
      bytes,
      Array.from(bytes, (_, i) => i),
    );
  });

  test.each(CAPTURES)('%s, with numbers of it changed', (_, bytes) => {
    const random = new Random(bytes.length);
    for (let run = 0; run < 3000; run++) {
      const changed = bytes.slice();
      const view = new DataView(changed.buffer);
      for (let n = random.between(1, 3); n > 0; n--) {
        const at = random.chance(0.3) ? random.below(bytes.length - 3) : 4 * random.below(bytes.length >> 2);
        if (random.chance(0.3)) changed[at] = random.pick(NUMBERS);
        else view.setUint32(at, random.pick(NUMBERS), random.chance(0.5));
      }
      compare(changed, random.chance(0.3) ? [random.below(bytes.length)] : []);
    }
  });
});

/** Bytes with a number of four bytes, low one first, changed at a place. */
function changed(bytes: Uint8Array, at: number, number: number): Uint8Array {
  const copy = bytes.slice();
  new DataView(copy.buffer).setUint32(at, number, true);
  return copy;
}

/** Four records at 24, 46, 67 and 87, with packets of 6, 5, 4 and 3 bytes; and a packet's block at 48. */
const four = packets({}).bytes();
const one = packets({ kind: 'pcapng' }, [0]).bytes();

describe('a fault says where it is and what is wrong', () => {
  test.each<[code: string, length: number, isLost: boolean, text: string, bytes: Uint8Array]>([
    ['no-header', 3, true, '3 bytes at offset 0 are not a header of a capture', bytesOf(1, 2, 3)],
    ['no-header', 2, true, '2 bytes at offset 0 precede the header of a capture', concat(bytesOf(1, 2), four)],
    [
      'truncated',
      15,
      true,
      'header of a record at offset 24 is cut by the end after 15 of 16 bytes',
      four.slice(0, 39),
    ],
    ['truncated', 0, true, 'record at offset 46 is cut by the end after 20 of 21 bytes', four.slice(0, 66)],
    [
      'garbage',
      7,
      true,
      '7 bytes at offset 46 are not part of a record',
      concat(four.slice(0, 46), new Uint8Array(7), four.slice(46)),
    ],
    [
      'bad-length',
      0,
      false,
      'captured length 16777221 of the record at offset 46 is impossible, 5 fits',
      changed(four, 54, 0x01000005),
    ],
    [
      'bad-length',
      0,
      false,
      'record at offset 46 claims 22 captured bytes, and the next one begins after 5',
      changed(four, 54, 22),
    ],
    [
      'bad-length',
      60,
      true,
      'record at offset 46 claims more than 262144 captured bytes: the 60 bytes from there on are not read',
      changed(four, 54, 262_145),
    ],
    [
      'damaged-record',
      21,
      true,
      'record at offset 46 is damaged: another one begins 21 bytes later, inside it',
      changed(changed(four, 54, 22), 50, 1e6),
    ],
    [
      'bad-length',
      0,
      false,
      'block at offset 48 has length 40 before and 44 after its content',
      changed(one, one.length - 4, 44),
    ],
    [
      'bad-length',
      0,
      false,
      'block at offset 48 has length 39, which is not a multiple of 4',
      changed(changed(one, 52, 39), one.length - 4, 39),
    ],
    ['bad-length', 0, true, 'packet in the block at offset 48 claims 9 bytes, and there are 8', changed(one, 68, 9)],
    ['bad-length', 40, true, 'block at offset 48 is not as long as it says', changed(changed(one, 48, 5), 52, 2 << 20)],
    ['damaged-block', 40, true, '40 bytes at offset 48 are not a block: its lengths do not agree', changed(one, 52, 8)],
    ['truncated', 0, true, 'block at offset 48 is cut by the end after 39 of 40 bytes', one.slice(0, -1)],
    ['truncated', 31, true, 'block at offset 48 is cut by the end after 31 of 40 bytes', one.slice(0, 79)],
    ['truncated', 11, true, 'block at offset 48 is cut by the end after 11 of 12 bytes', one.slice(0, 59)],
    [
      'unknown-interface',
      0,
      true,
      'packet at offset 48 is of interface 1, which is not described',
      changed(one, 56, 1),
    ],
    [
      'bad-length',
      28,
      true,
      'block at offset 48 has 28 bytes, too few for its type 6',
      new CaptureWriter({ kind: 'pcapng' }).block(6, new Uint8Array(16)).bytes(),
    ],
  ])('%s of %i bytes, lost: %s, %s', (code, length, lost, text, bytes) => {
    const offset = Number(/offset (\d+)/.exec(text)?.[1]);
    for (const cuts of [[], [48], [23]])
      expect(read(bytes, cuts).faults).toEqual([{ code, offset, length, lost, text }]);
  });

  test('and the longest packets and blocks that are read have none', () => {
    const long = (kind: 'pcap' | 'pcapng', length: number): Reading =>
      read(new CaptureWriter({ kind }).packet(new Uint8Array(length)).packet(bytesOf(1)).bytes());
    for (const kind of ['pcap', 'pcapng'] as const) expect(long(kind, 262_144).faults, kind).toEqual([]);
    expect(long('pcap', 262_145).faults.map(({ code }) => code)).toEqual(['bad-length']);
    const block = (type: number, length: number): Reading => {
      const bytes = new CaptureWriter({ kind: 'pcapng' })
        .block(type, new Uint8Array(length - 12))
        .packet(bytesOf(1))
        .bytes();
      return read(bytes, [100, bytes.length - 50, bytes.length - 38]);
    };
    // blocks with a packet up to 1 MiB, others up to 16 MiB
    const found = [
      [6, 1 << 20],
      [6, (1 << 20) + 4],
      [4, (1 << 20) + 4],
      [4, 16 << 20],
      [4, (16 << 20) + 4],
    ].map(([type, length]) => block(type, length));
    expect(found.map(({ faults }) => faults.length)).toEqual([0, 1, 0, 0, 1]);
    expect(found.map(({ packets: all }) => all.length)).toEqual([2, 1, 1, 1, 1]);
    for (const { counted, reader, packets: all } of found) {
      expect(reader.packets).toBe(all.length);
      expect(counted % 4).toBe(0);
    }
  });
});

test('interfaces are numbered in their section', () => {
  const { reader } = read(concat(packets({ linkType: 0x4001_0065 }).bytes(), blocks(true), changed(one, 56, 2)));
  expect(reader.format).toBe('pcap');
  const described = reader.interfaces.map((each) => [
    each.section,
    each.number,
    each.linkType,
    each.name,
    each.snapLength,
  ]);
  expect(described).toEqual([
    [0, 0, 101, '', 5],
    [1, 0, 1, '', 3],
    ...[1, 2, 3, 4].map((number) => [1, number, 101, 'a', 0]),
    [1, -1, -1, '', 0],
    [2, 0, 1, '', 5],
    [2, -1, -1, '', 0],
  ]);
  expect(reader.interfaces.map((each) => [each.packets, each.bytes])).toEqual([
    [4, 18],
    [3, 5 + 3 + 1],
    [2, 5 + 2],
    [1, 5],
    [1, 5],
    [1, 5],
    [1, 5],
    [0, 0],
    [1, 6],
  ]);
});
