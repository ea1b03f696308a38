import { describe, expect, test } from 'vitest';
import { CaptureWriter, ethernet, ipv4, ipv6, udp } from '../../../test/formats/pcap/writer.ts';
import { concat } from '../../../test/suite/random.ts';
import { detectHeadless, guessHeader } from './headless.ts';

const packet = ipv4(udp(new Uint8Array(300)));
const six = ipv6(udp(new Uint8Array(300)));
const filled = (bytes: number): Uint8Array => concat(ethernet(packet, 0x0800), new Uint8Array(bytes));
const NULL = Uint8Array.of(2, 0, 0, 0);

/** Records of a packet without the header of a file: the first 24 bytes. */
function records(linkType: number, bytes: Uint8Array, count = 1, captured = bytes.length, little = true): Uint8Array {
  const writer = new CaptureWriter({ linkType, little });
  for (let i = 0; i < count; i++) writer.packet(bytes, captured);
  return writer.bytes().slice(24);
}

/** The first record with a byte or a number of its header changed. */
function changed(at: number, number: number, isByte = false): Uint8Array {
  const bytes = records(0, concat(NULL, packet));
  if (isByte) bytes[at] = number;
  else new DataView(bytes.buffer).setUint32(at, number, true);
  return bytes;
}

describe('what the header of a file would say', () => {
  test.each<[string, number, Uint8Array]>([
    ['NULL', 0, concat(NULL, packet)],
    ['Ethernet', 1, ethernet(packet, 0x0800)],
    ['Ethernet, filled', 1, filled(1)],
    ['Ethernet, filled more', 1, filled(64)],
    ['SLL', 113, concat(new Uint8Array(14), Uint8Array.of(8, 0), packet)],
    ['SLL2', 276, concat(Uint8Array.of(8, 0), new Uint8Array(18), packet)],
    ['IP', 101, packet],
    ['IPv6', 101, six],
    ['TCP', 101, ipv4(new Uint8Array(20), { protocol: 6 })],
    ['ICMP', 101, ipv4(new Uint8Array(8), { protocol: 1 })],
    ['ICMPv6', 101, ipv6(new Uint8Array(8), 58)],
    ['the shortest', 101, ipv4(new Uint8Array(0))],
    ['options', 101, ipv4(new Uint8Array(0), { options: [1, 1, 1, 0] })],
  ])('is known from a packet: %s', (_, linkType, bytes) => {
    const header = { littleEndian: true, perSecond: 1e6, recordHeader: 16, snapLength: 0, linkType, isEarly: false };
    expect(guessHeader(records(linkType, bytes), true)).toEqual(header);
    expect(guessHeader(records(linkType, bytes, 1, undefined, false), true)).toEqual({
      ...header,
      littleEndian: false,
    });
    // a packet may be cut, though not in its IP header
    if (bytes === packet) expect(guessHeader(records(linkType, bytes, 1, 30), true)).toEqual(header);
    expect(guessHeader(records(linkType, bytes).slice(0, -1), false)).toBe('wait');
    expect(guessHeader(records(linkType, bytes), false)).toEqual(header);
  });

  test.each<[string, Uint8Array]>([
    ['one byte more than IP says', records(101, concat(packet, new Uint8Array(1)))],
    ['one byte less', records(101, packet.slice(0, -1))],
    ['one byte more than IPv6 says', records(101, concat(six, new Uint8Array(1)))],
    ['Ethernet, filled too much', records(1, filled(65))],
    ['another protocol', records(101, ipv4(new Uint8Array(9), { protocol: 2 }))],
    ['another version', changed(20, 0x55, true)],
    ['a header of 16 bytes', changed(20, 0x44, true)],
    ['a cut IP header', records(101, packet, 1, 19)],
    ['parts of more than a second', changed(4, 1e9)],
    ['more captured than sent', changed(12, packet.length + 3)],
    ['a packet too long', changed(12, 262_145)],
    ['15 bytes', records(101, packet).slice(0, 15)],
  ])('is not known from %s', (_, bytes) => {
    expect(guessHeader(bytes, true)).toBeUndefined();
    expect(detectHeadless(bytes)).toBe(0);
  });

  test.each([
    [999_999, 1e6],
    [1_000_000, 1e9],
    [999_999_999, 1e9],
  ])('with %i parts a second has %i', (parts, perSecond) => {
    expect(guessHeader(changed(4, parts), true)).toMatchObject({ perSecond });
  });

  test('takes 16 bytes to begin with', () => {
    const bytes = records(101, packet);
    expect([15, 16, 17].map((length) => guessHeader(bytes.slice(0, length), false))).toEqual(['wait', 'wait', 'wait']);
    expect(guessHeader(Uint8Array.of(), true)).toBeUndefined();
  });
});

test.each<[string, number, Uint8Array]>([
  ['one record', 0.98, records(101, packet)],
  ['a record and a header', 0.98, records(101, packet, 2, 30).slice(0, 46 + 16)],
  ['four and damage', 0.98, concat(records(101, packet, 4, 30), new Uint8Array(16).fill(255))],
  ['three and damage', 0, concat(records(101, packet, 3, 30), new Uint8Array(16).fill(255))],
  ['three and less than a header', 0.98, concat(records(101, packet, 3, 30), new Uint8Array(15).fill(255))],
  ['three and one of a day later', 0.98, concat(records(101, packet, 3, 30), later(86_400))],
  ['three and one of more than a day later', 0, concat(records(101, packet, 3, 30), later(86_401))],
])('%s: sure by %d', (_, sure, bytes) => {
  expect(detectHeadless(bytes)).toBe(sure);
});

function later(seconds: number): Uint8Array {
  return new CaptureWriter()
    .at(1_700_000_000e6 + seconds * 1e6)
    .packet(packet, 30)
    .bytes()
    .slice(24);
}
