import { describe, expect, test } from 'vitest';
import { type CheckOptions, checkBytes } from '../../src/check/checker.ts';
import { sentenceOf } from '../../src/check/violation.ts';
import { concat } from '../suite/random.ts';

/** Numbers as bytes, the highest first. */
const big = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) % 256);
const little = (value: number, bytes: number): number[] => big(value, bytes).reverse();

/** The checksum of the internet, as its description says it, word by word. */
function plainChecksum(bytes: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) {
    sum += bytes[i] * 256 + (bytes[i + 1] ?? 0);
    if (sum > 0xffff) sum -= 0xffff;
  }
  return 0xffff - sum;
}

interface Made {
  link?: number;
  source?: number[];
  destination?: number[];
  payload?: number[];
  protocol?: number;
  ipChecksum?: number;
  checksum?: number;
  totalLength?: number;
  udpLength?: number;
  captured?: number;
  original?: number;
  trailer?: number[];
  fragment?: number;
}

const ETHERNET = [...new Array(12).fill(2), 8, 0];

/** A capture of one packet, right in everything that is not given. */
function capture(made: Made): Uint8Array {
  const { link = 1, source = [10, 0, 0, 1], destination = [10, 0, 0, 2], protocol = 17, fragment = 0 } = made;
  const { payload = [1, 2, 3, 4, 5, 6, 7], trailer = [] } = made;
  const ports = [...big(14550, 2), ...big(14580, 2)];
  const length = (protocol === 17 ? 8 : 20) + payload.length;
  const before =
    protocol === 17
      ? [...ports, ...big(made.udpLength ?? length, 2)]
      : [...ports, ...big(1, 4), ...big(2, 4), 0x50, 0x10, 1, 0];
  const after = protocol === 17 ? payload : [0, 0, ...payload];
  const pseudo = [...source, ...destination, 0, protocol, ...big(length, 2)];
  const right = plainChecksum([...pseudo, ...before, 0, 0, ...after]) || (protocol === 17 ? 0xffff : 0);
  const content = [...before, ...big(made.checksum ?? right, 2), ...after];
  const head = (checksum: number): number[] => [
    ...[0x45, 0, ...big(made.totalLength ?? 20 + length, 2), 0, 1, ...big(fragment, 2), 64, protocol],
    ...big(checksum, 2),
    ...source,
    ...destination,
  ];
  const ip = head(made.ipChecksum ?? plainChecksum(head(0)));
  const front = link === 1 ? ETHERNET : link === 0 ? [2, 0, 0, 0] : [];
  const frame = [...front, ...ip, ...content, ...trailer];
  return Uint8Array.from([
    ...[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...little(262144, 4),
    ...little(link, 4),
    ...[...little(1_700_000_000, 4), ...little(5, 4)],
    ...[...little(made.captured ?? frame.length, 4), ...little(made.original ?? frame.length, 4)],
    ...frame,
  ]);
}

/** A capture of raw IP packets, whatever they are. */
function rawCapture(...packets: number[][]): Uint8Array {
  const records = packets.map((packet) => [
    ...[...little(1_700_000_000, 4), ...little(5, 4), ...little(packet.length, 4), ...little(packet.length, 4)],
    ...packet,
  ]);
  return Uint8Array.from([
    ...[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0],
    ...records.flat(),
  ]);
}

/** IPv4 around a content, with a right checksum. */
function ipv4(content: number[], fragment = 0, protocol = 17): number[] {
  const head = (checksum: number): number[] => [
    ...[0x45, 0, ...big(20 + content.length, 2), 0, 9, ...big(fragment, 2), 64, protocol, ...big(checksum, 2)],
    ...[10, 0, 0, 1, 10, 0, 0, 2],
  ];
  return [...head(plainChecksum(head(0))), ...content];
}

/** IPv6 around a content. */
function ipv6(content: number[], next: number, length = content.length): number[] {
  return [0x60, 0, 0, 0, ...big(length, 2), next, 64, ...new Array(32).fill(1), ...content];
}

function told(made: Made, options: CheckOptions = {}): string[] {
  return checkBytes(capture(made), { levels: ['structure'], all: true, ...options }).violations.map(sentenceOf);
}

const IP = 24 + 16 + 14;
const UDP = IP + 20;
const at = (offset: number): string => `offset ${offset} (0x${offset.toString(16)}), record 1`;
/** The sum of the pseudo header alone: what a sender leaves there for its network card. */
const partial = (source: number[], destination: number[], protocol: number, length: number): number =>
  0xffff - plainChecksum([...source, ...destination, 0, protocol, ...big(length, 2)]);

describe('a packet', () => {
  test.each<[string, Made]>([
    ['udp', {}],
    ['udp of an even length', { payload: [1, 2] }],
    ['udp without a checksum', { checksum: 0 }],
    ['tcp', { protocol: 6 }],
    ['on a loopback device', { link: 0 }],
    ['raw ip', { link: 101 }],
    ['filled up to the least length of Ethernet', { trailer: new Array(11).fill(0xfd) }],
    ['with the checksum of Ethernet behind', { payload: new Array(40).fill(1), trailer: [1, 2, 3, 4] }],
    ['with a checksum whose sum is 0', { payload: [0xff, 0xff], source: [0, 0, 0, 0], destination: [0, 0, 0, 0] }],
    ['another protocol', { protocol: 89, checksum: 1 }],
  ])('that is right passes: %s', (_, made) => {
    expect(told(made)).toEqual([]);
    expect(told(made, { offload: false })).toEqual([]);
  });

  test.each<[string, Made, string]>([
    [
      'captured length',
      { captured: 49, original: 60 },
      `${at(32)}, record header, captured length: expected 60, the original length, found 49`,
    ],
    [
      'total length above',
      { totalLength: 40 },
      `${at(IP + 2)}, ip header, total length: expected at most 35, as the record has bytes, found 40`,
    ],
    [
      'total length below the header',
      { totalLength: 10 },
      `${at(IP + 2)}, ip header, total length: expected 20 to 35, as the record has bytes, found 10`,
    ],
    [
      'total length below, on loopback',
      { link: 0, totalLength: 34 },
      `${at(46)}, ip header, total length: expected 35 to 35, as the record has bytes, found 34`,
    ],
    [
      'udp length',
      { udpLength: 14 },
      `${at(UDP + 4)}, udp header, length: expected 15, all bytes of the ip packet, found 14`,
    ],
    [
      'udp length above',
      { udpLength: 16 },
      `${at(UDP + 4)}, udp header, length: expected 15, all bytes of the ip packet, found 16`,
    ],
    [
      'ip checksum',
      { ipChecksum: 0x1234 },
      `${at(IP + 10)}, ip header, checksum: expected 66c7, or 0000 where it is left to the network card, found 1234`,
    ],
    [
      'bytes behind',
      { payload: new Array(60).fill(1), trailer: [1, 2, 3, 4, 5] },
      `${at(IP + 2)}, ip header, total length: expected 89 to 93, as the record has bytes, found 88`,
    ],
  ])('that is wrong is told: %s', (_, made, text) => {
    expect(told(made)).toEqual([text]);
  });

  test.each([17, 6])('a wrong checksum of protocol %i is told with the right one', (protocol) => {
    const right = capture({ protocol });
    const place = UDP + (protocol === 17 ? 6 : 16);
    const stated = (right[place] << 8) | right[place + 1];
    for (const checksum of [stated ^ 1, stated ^ 0x8000, 0x1111]) {
      const [text] = told({ protocol, checksum });
      const name = protocol === 17 ? 'udp' : 'tcp';
      expect(text).toContain(
        `${at(place)}, ${name} header, checksum: expected ${stated.toString(16).padStart(4, '0')}, or `,
      );
      expect(text).toMatch(/ where it is left to the network card, found [0-9a-f]{4}$/);
    }
  });

  test('every byte of the payload counts for the checksum', () => {
    const bytes = capture({});
    for (let i = UDP + 8; i < bytes.length; i++) {
      bytes[i] ^= 0x10;
      expect(checkBytes(bytes, { levels: ['structure'] }).verdict).toBe('fail');
      bytes[i] ^= 0x10;
    }
  });
});

describe('checksums that are left to the network card', () => {
  const here = [127, 0, 0, 1];
  const [source, destination] = [
    [10, 0, 0, 1],
    [10, 0, 0, 2],
  ];
  test.each<[string, Made]>([
    ['of ip, 0', { ipChecksum: 0 }],
    ['of udp, the sum of the pseudo header', { checksum: partial(source, destination, 17, 15) }],
    ['of tcp, the same', { protocol: 6, checksum: partial(source, destination, 6, 27) }],
    ['of tcp, 0', { protocol: 6, checksum: 0 }],
    ['on loopback, of a payload that was shorter then', { link: 0, checksum: partial(source, destination, 17, 9) }],
    ['on the loopback address', { source: here, destination: here, checksum: partial(here, here, 17, 9) }],
  ])('%s', (_, made) => {
    const { levels } = checkBytes(capture(made), { levels: ['structure'] });
    expect(levels).toMatchObject([{ verdict: 'pass', remark: 'checksums or lengths left to the network card: 1' }]);
    expect(told(made, { offload: false })).toEqual([
      expect.stringMatching(/found [0-9a-f]{4}, left to the network card$/),
    ]);
  });

  test.each<[string, Made]>([
    ['a wrong one on loopback', { link: 0, checksum: 0x1234 }],
    ['of a payload that was shorter, but not on loopback', { checksum: partial(source, destination, 17, 9) }],
    ['of a payload that was longer', { link: 0, checksum: partial(source, destination, 17, 16) }],
  ])('are not: %s', (_, made) => {
    expect(told(made)).toHaveLength(1);
  });

  test('a total length of 0', () => {
    const made = { totalLength: 0, link: 101 };
    expect(told(made)).toEqual([]);
    expect(told(made, { offload: false })).toHaveLength(1);
  });
});

describe('headers that cannot be', () => {
  const structure = (...packets: number[][]): string[] =>
    checkBytes(rawCapture(...packets), { levels: ['structure'], all: true }).violations.map(sentenceOf);
  const udp = [...big(1, 2), ...big(2, 2), ...big(10, 2), 0, 0, 7, 7];
  const START = 40;

  test.each<[string, number[], string]>([
    [
      'version',
      [0x55, ...ipv4(udp).slice(1)],
      `${at(START)}, ip header, version and header length: expected version 4 or 6 and a header of 20 to 30 bytes, found 5 and 20 bytes`,
    ],
    ['header length', [0x44, ...ipv4(udp).slice(1)], `found 4 and 16 bytes`],
    ['header length beyond the packet', [0x4f, ...ipv4(udp).slice(1)], `found 4 and 60 bytes`],
    [
      'no room for a udp header',
      ipv4([1, 2, 3, 4]),
      `${at(START + 20)}, udp header, length: expected 8 bytes of header, found 4`,
    ],
    [
      'no room for a tcp header',
      ipv4(udp, 0, 6),
      `${at(START + 20)}, tcp header, header length: expected 20 to 20 bytes, found 10`,
    ],
    [
      'length of a tcp header',
      ipv4([...new Array(12).fill(0), 0xf0, ...new Array(11).fill(0)], 0, 6),
      `${at(START + 32)}, tcp header, header length: expected 20 to 24 bytes, found 60`,
    ],
    [
      'no room for ipv6',
      [0x60, 0, 0, 0, 0, 0],
      `${at(START)}, ip header, version: expected 40 bytes of header, found 6`,
    ],
    [
      'payload length of ipv6',
      ipv6(udp, 17, 11),
      `${at(START + 4)}, ip header, payload length: expected at most 10, as the record has bytes, found 11`,
    ],
    [
      'extension header',
      ipv6([17, 5, ...udp], 60),
      `${at(START + 41)}, ip header, extension header: expected at most 12 bytes, found 48`,
    ],
    [
      'udp length in ipv6',
      ipv6([17, 0, 0, 0, 0, 0, 0, 0, ...udp, 1], 0),
      `${at(START + 52)}, udp header, length: expected 11, all bytes of the ip packet, found 10`,
    ],
    [
      'packet in a packet',
      ipv4([...ipv4(udp), 1], 0, 4),
      `${at(START + 22)}, ip header, total length: expected 31 to 31, as the record has bytes, found 30`,
    ],
  ])('%s', (_, packet, text) => {
    expect(structure(packet)).toEqual([expect.stringContaining(text)]);
  });

  test('right ones of the same kinds pass', () => {
    const right = [ipv4(udp), ipv6(udp, 17), ipv6([17, 0, 0, 0, 0, 0, 0, 0, ...udp], 60), ipv4(ipv4(udp), 0, 4)];
    expect(structure(...right)).toEqual([]);
  });
});

test('of fragments only the ip header is judged', () => {
  const made = { fragment: 0x2000, checksum: 0x1234, udpLength: 99 };
  expect(told(made)).toEqual([expect.stringContaining('expected all fragments of a packet')]);
  expect(told({ ...made, ipChecksum: 0x1234 })).toHaveLength(2);
});

test('a capture that is cut is told with the missing byte', () => {
  const bytes = concat(capture({}), capture({}).subarray(24));
  for (let end = 24; end <= bytes.length; end++) {
    const { levels } = checkBytes(bytes.subarray(0, end), { levels: ['structure'] });
    const isWhole = end === 24 || end === 24 + 65 || end === bytes.length;
    expect(levels[0].first?.offset ?? -1).toBe(isWhole ? -1 : end);
  }
});

describe('messages in packets', () => {
  const heartbeat = [0xfd, 9, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0x51, 4, 3, 0xf7, 0x90];
  const join = (...packets: Made[]): Uint8Array =>
    concat(capture(packets[0]), ...packets.slice(1).map((made) => capture(made).subarray(24)));
  const other = { source: [10, 0, 0, 9] };

  test('the first violation is the first in the file, not the first that is known to its end', () => {
    const bytes = join(
      { payload: heartbeat },
      { payload: [1, 2, 3, 4, 5] },
      { ...other, destination: [10, 0, 0, 8], checksum: 0x1234 },
      { payload: [6, 7, ...heartbeat] },
    );
    const every = checkBytes(bytes, { levels: ['structure'], all: true }).violations;
    expect(every.map(({ record, found }) => [record, found])).toEqual([
      [3, '1234'],
      [2, '01, 7 bytes outside any message'],
    ]);
    const [first] = checkBytes(bytes, { levels: ['structure'] }).violations;
    expect(first).toMatchObject({ record: 2, offset: every[1].offset, found: '01, 5 bytes outside any message' });
  });

  test('one that came in two packets is whole, and is told in the packet that the wrong byte is in', () => {
    const [begin, end] = [heartbeat.slice(0, 15), heartbeat.slice(15)];
    const parts = (changed: number[]): Uint8Array =>
      join({ payload: heartbeat }, { payload: begin }, { ...other, payload: heartbeat }, { payload: changed });
    expect(checkBytes(parts(end))).toMatchObject({ verdict: 'pass', levels: [{ checked: 4 }, { checked: 3 }] });
    const [violation] = checkBytes(parts([...end.slice(0, -1), 0]), { levels: ['crc'] }).violations;
    expect(violation).toMatchObject({ record: 4, layer: 'HEARTBEAT', field: 'crc', expected: 'f7 90', found: 'f7 00' });
  });

  test('one in fragments is put together, in any order', () => {
    const datagram = (payload: number[]): number[] => [
      ...big(1, 2),
      ...big(2, 2),
      ...big(8 + payload.length, 2),
      0,
      0,
      ...payload,
    ];
    const inTwo = (payload: number[]): number[][] => {
      const whole = datagram(payload);
      return [ipv4(whole.slice(16), 2), ipv4(whole.slice(0, 16), 0x2000)];
    };
    expect(checkBytes(rawCapture(...inTwo(heartbeat)))).toMatchObject({
      verdict: 'pass',
      levels: [{ checked: 2 }, { checked: 1 }],
    });
    const damaged = [...heartbeat.slice(0, -1), 0];
    const [violation] = checkBytes(rawCapture(...inTwo(damaged)), { levels: ['crc'] }).violations;
    // its crc is in the packet that came first
    expect(violation).toMatchObject({ record: 1, offset: 24 + 16 + 20 + 11, found: 'f7 00' });
  });

  test('of a flow that holds messages all bytes are judged, from the first on', () => {
    const bytes = join({ payload: heartbeat.slice(9) }, { payload: heartbeat }, { ...other, payload: [1, 2, 3] });
    const { violations } = checkBytes(bytes, { all: true });
    expect(violations.map(({ record, found }) => [record, found])).toEqual([
      [1, '00, 12 bytes outside any message'],
      // it goes where messages go
      [3, '01, 3 bytes outside any message'],
    ]);
  });

  test('a first message that is damaged anywhere is told', () => {
    for (let i = 0; i < heartbeat.length; i++) {
      const payload = heartbeat.with(i, heartbeat[i] ^ 0x80);
      const { violations } = checkBytes(join({ payload }, { payload: heartbeat }), { all: true });
      expect(violations.length).toBeGreaterThan(0);
      expect(violations[0].record).toBe(1);
      const alone = checkBytes(join({ payload }), { only: ['HEARTBEAT'] }).violations;
      expect(alone).toMatchObject([{ record: 1, level: 'messages' }]);
    }
  });

  test('much before the first message is told from its beginning', () => {
    const text = Array.from({ length: 40 }, (_, i) => ({ payload: new Array(90).fill(0x41 + (i % 26)) }));
    const { violations } = checkBytes(join(...text, { payload: heartbeat }), { all: true });
    expect(violations).toMatchObject([{ record: 1, found: '41, 3600 bytes outside any message' }]);
  });

  test('other traffic is not judged', () => {
    const others = [
      { ...other, destination: [10, 0, 0, 8], payload: [1, 2, 3] },
      { ...other, protocol: 6, destination: [10, 0, 0, 8] },
    ];
    expect(checkBytes(join({ payload: heartbeat }, ...others))).toMatchObject({ verdict: 'pass' });
    expect(checkBytes(join(...others))).toMatchObject({ verdict: 'pass' });
    // but a capture without any message does not hold those that may occur
    expect(checkBytes(join(...others), { only: ['HEARTBEAT'] })).toMatchObject({ verdict: 'fail' });
  });

  test('of a capture with more flows than are told apart, each packet is judged', () => {
    const flows = Array.from({ length: 4200 }, (_, i) => ({ source: [10, 1, i >> 8, i & 255], payload: heartbeat }));
    const last = { source: [10, 2, 0, 1], payload: [...heartbeat.slice(0, -1), 0] };
    const bytes = join(...flows, last, { ...last, payload: heartbeat });
    const { violations, levels } = checkBytes(bytes, { all: true });
    expect(levels[1].checked).toBe(4202);
    expect(violations).toMatchObject([{ level: 'crc', record: 4201 }]);
  });
});
