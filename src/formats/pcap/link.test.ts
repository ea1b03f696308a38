import { describe, expect, test } from 'vitest';
import { findIp, isEncrypted, isReadLink, linkName, NO_IP } from './link.ts';

const zeros = (length: number): number[] => new Array(length).fill(0);
const IP = 0x45;
const IPV4 = [8, 0];
const IPV6 = [0x86, 0xdd];
const SNAP = [0xaa, 0xaa, 3, 0, 0, 0];
/** A data frame of 802.11: control, flags, all up to its content. */
const wireless = (control: number, flags: number, length = 24): number[] => [control, flags, ...zeros(length - 2)];
/** A header of radiotap with these words of flags and fields, and its length in all. */
const radiotap = (words: number[], fields: number[] = []): number[] => [
  ...[0, 0, 4 + words.length + fields.length, 0],
  ...words,
  ...fields,
];

/** Each is followed by an IP packet. */
const HEADERS: readonly (readonly [name: string, linkType: number, header: readonly number[]])[] = [
  ['NULL, low byte first', 0, [2, 0, 0, 0]],
  ['NULL, high byte first', 0, [0, 0, 0, 2]],
  ...[10, 24, 28, 30].map((family) => [`NULL, IPv6 as ${family}`, 0, [family, 0, 0, 0]] as const),
  ['LOOP', 108, [0, 0, 0, 30]],
  ['Ethernet', 1, [...zeros(12), ...IPV4]],
  ['Ethernet, IPv6', 1, [...zeros(12), ...IPV6]],
  ...[
    [0x81, 0],
    [0x88, 0xa8],
    [0x91, 0],
    [0x92, 0],
  ].map((tag) => [`a VLAN tag ${tag}`, 1, [...zeros(12), ...tag, 0, 7, ...IPV4]] as const),
  ['two VLAN tags', 1, [...zeros(12), 0x88, 0xa8, 0, 7, 0x81, 0, 0, 8, ...IPV6]],
  ['a length and SNAP', 1, [...zeros(12), 5, 0xdc, ...SNAP, ...IPV4]],
  ['PPPoE', 1, [...zeros(12), 0x88, 0x64, ...zeros(6), 0, 0x21]],
  ['a bridged frame', 276, [0x65, 0x58, ...zeros(18), ...zeros(12), ...IPV4]],
  ['PPP', 9, [0, 0x57]],
  ['PPP with an address', 50, [0xff, 3, 0, 0x21]],
  ['PPP, shortened', 9, [0x21]],
  ['PPP with an address, shortened', 9, [0xff, 3, 0x57]],
  ['RAW', 12, []],
  ['RAW of BSD', 14, []],
  ['RAW IP', 101, []],
  ['IPv4', 228, []],
  ['IPv6', 229, []],
  ['SLL', 113, [...zeros(14), ...IPV4]],
  ['SLL, SNAP', 113, [...zeros(14), 0, 4, ...SNAP, ...IPV4]],
  ['SLL2', 276, [...IPV6, ...zeros(18)]],
  ['802.11', 105, [...wireless(8, 0), ...SNAP, ...IPV4]],
  ['802.11 between access points', 105, [...wireless(8, 3, 30), ...SNAP, ...IPV4]],
  ['802.11 with QoS', 105, [...wireless(0x88, 1, 26), ...SNAP, ...IPV4]],
  ['802.11 with QoS and HT', 105, [...wireless(0x88, 0x81, 30), ...SNAP, ...IPV6]],
  ['802.11, several in one', 105, [...wireless(0x88, 1), 0x80, 0, ...zeros(14), ...SNAP, ...IPV4]],
  ['radiotap', 127, [...radiotap(zeros(4)), ...wireless(8, 0), ...SNAP, ...IPV4]],
  ['radiotap, padded', 127, [...radiotap([2, 0, 0, 0], [0x20]), ...wireless(0x88, 0, 28), ...SNAP, ...IPV4]],
  [
    'radiotap with a time, padded',
    127,
    [...radiotap([3, 0, 0, 0], [...zeros(8), 0x20]), ...wireless(0x88, 0, 28), ...SNAP, ...IPV4],
  ],
  [
    'radiotap with more words and a time, padded',
    127,
    [...radiotap([3, 0, 0, 0x80, ...zeros(4)], [...zeros(12), 0x20]), ...wireless(0x88, 0, 28), ...SNAP, ...IPV4],
  ],
];

describe('an IP packet', () => {
  test.each(HEADERS)('behind %s', (_, linkType, header) => {
    const bytes = Uint8Array.of(9, 9, ...header, IP, 9);
    const at = 2 + header.length;
    expect(findIp(bytes, 2, bytes.length, linkType)).toBe(at);
    // all of its header must be there
    for (let end = 2; end < at; end++) expect(findIp(bytes.subarray(0, end), 2, end, linkType)).toBe(NO_IP);
    expect(findIp(bytes, 2, at, linkType)).toBe(at);
  });

  test.each<[string, number, number[]]>([
    ['an unread link', 187, []],
    ['NULL of another family', 0, [3, 0, 0, 0]],
    ['NULL of a large family', 0, [2, 0, 0, 2]],
    ['another type', 1, [...zeros(12), 8, 6]],
    ['a length above 1500', 1, [...zeros(12), 5, 0xdd, ...SNAP, ...IPV4]],
    ['no SNAP', 1, [...zeros(12), 0, 40, 0xaa, 0xaa, 4, 0, 0, 0, ...IPV4]],
    ['SNAP of a length', 1, [...zeros(12), 0, 40, ...SNAP, 5, 0xdc]],
    ['SNAP that does not begin so', 1, [...zeros(12), 0, 40, 0xab, 0xaa, 3, 0, 0, 0, ...IPV4]],
    ['SNAP that does not go on so', 1, [...zeros(12), 0, 40, 0xaa, 0xab, 3, 0, 0, 0, ...IPV4]],
    ['PPP of another protocol', 9, [0xc0, 0x21]],
    ['a beacon', 105, [...wireless(0x80, 0), ...SNAP, ...IPV4]],
    ['802.11 without data', 105, [...wireless(0x48, 0), ...SNAP, ...IPV4]],
    ['802.11 of another version', 105, [...wireless(9, 0), ...SNAP, ...IPV4]],
    ['encrypted 802.11', 105, [...wireless(8, 0x40), ...SNAP, ...IPV4]],
    ['radiotap of another version', 127, [1, 0, 8, 0, ...zeros(4), ...wireless(8, 0), ...SNAP, ...IPV4]],
    ['radiotap that is too short', 127, [0, 0, 7, 0, ...zeros(3), ...wireless(8, 0), ...SNAP, ...IPV4]],
  ])('is not found behind %s', (_, linkType, header) => {
    const bytes = Uint8Array.of(...header, IP, 9);
    expect(findIp(bytes, 0, bytes.length, linkType)).toBe(NO_IP);
  });
});

test.each<[string, number, number[], boolean]>([
  ['802.11', 105, wireless(8, 0x40), true],
  ['802.11 with QoS', 105, wireless(0x88, 0x41), true],
  ['radiotap', 127, [...radiotap(zeros(4)), ...wireless(8, 0x40)], true],
  ['802.11 as it is', 105, wireless(8, 1), false],
  ['a frame that manages', 105, wireless(0xb0, 0x40), false],
  ['one byte', 105, [8], false],
  ['Ethernet', 1, wireless(8, 0x40), false],
  ['radiotap alone', 127, radiotap(zeros(4)), false],
])('whether %s is encrypted', (_, linkType, bytes, expected) => {
  expect(isEncrypted(Uint8Array.from(bytes), 0, bytes.length, linkType)).toBe(expected);
});

// https://www.tcpdump.org/linktypes.html
test.each([
  [0, 'NULL', true],
  [1, 'Ethernet', true],
  [9, 'PPP', true],
  [50, 'PPP', true],
  [105, '802.11', true],
  [113, 'SLL', true],
  [127, 'radiotap', true],
  [147, 'USER0', true],
  [276, 'SLL2', true],
  [6, 'Token Ring', false],
  [189, 'USB (Linux)', false],
  [227, 'CAN (SocketCAN)', false],
  [251, 'Bluetooth Low Energy', false],
  [9999, 'type 9999', false],
  [-1, 'not described', false],
])('link type %i is %s', (linkType, name, isRead) => {
  expect([linkName(linkType), isReadLink(linkType)]).toEqual([name, isRead]);
});
