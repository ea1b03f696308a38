import { describe, expect, test } from 'vitest';
import { plainLayers } from '../../../test/formats/pcap/layers.ts';
import { ethernet, ipv4, ipv6, tcp, udp } from '../../../test/formats/pcap/writer.ts';
import { concat } from '../../../test/suite/random.ts';
import { BARE, FRAGMENT, Layers, OTHER, RETURNED, TCP, UDP } from './layers.ts';

const KINDS = { UDP, TCP, bare: BARE, fragment: FRAGMENT, returned: RETURNED };
/** Bytes of headers that are changed. */
const MOST_HEADERS = 100;
const PAYLOAD = Uint8Array.of(0xfd, 0xfe);
const datagram = udp(PAYLOAD);
const segment = tcp(PAYLOAD, { sequence: 0x81828384, acknowledged: 0x91929394, options: [1, 1, 1, 0] });
const inTcp = { protocol: 6 };
const gre = (flags: number, ...rest: number[]): Uint8Array => Uint8Array.of(flags, 0, 8, 0, ...rest);
const PAIR = [0, 0, 0, 0];
const icmp = Uint8Array.of(3, 3, 0, 0, ...PAIR);
const bridged = Uint8Array.of(0x20, 0, 0x65, 0x58, ...PAIR);
const hop = [17, 0, 1, 4, ...PAIR];
const wifi = (header: number): Uint8Array =>
  concat(Uint8Array.of(0x88, 1), new Uint8Array(header - 2), Uint8Array.of(0xaa, 0xaa, 3, 0, 0, 0, 8, 0));

/** Packets by what their headers are, each with the link type that it is of. */
const PACKETS: readonly (readonly [name: string, linkType: number, bytes: Uint8Array])[] = [
  ['UDP in IPv4 in Ethernet', 1, ethernet(ipv4(datagram), 0x0800)],
  ['a long datagram', 1, ethernet(ipv4(udp(new Uint8Array(0x203))), 0x0800)],
  ['a datagram without a length', 101, ipv4(udp(PAYLOAD, 1, 2, 0))],
  ['IPv4 with options', 101, ipv4(datagram, { options: [1, 1, 1, 0] })],
  ['TCP with options', 101, ipv4(segment, inTcp)],
  ['a fragment of IPv4', 101, ipv4(datagram, { id: 0x1234, offset: 8 * 0x123, hasMore: true })],
  ['IPv6', 101, ipv6(datagram)],
  ['TCP in IPv6', 101, ipv6(segment, 6)],
  [
    'IPv6 with headers',
    101,
    ipv6(datagram, 0, [60, 0, 1, 4, ...PAIR, 51, ...hop.slice(1), 17, 1, ...PAIR, ...PAIR, 0, 0]),
  ],
  ['a fragment of IPv6', 101, ipv6(datagram, 44, [17, 0, 0x12, 0x39, 0x81, 2, 3, 4])],
  ['a datagram that came back', 101, ipv4(concat(icmp, ipv4(datagram)), { protocol: 1 })],
  ['a datagram that came back by IPv6', 101, ipv6(concat(Uint8Array.of(1, 4, 0, 0, ...PAIR), ipv6(datagram)), 58)],
  ['IPv4 in IPv4', 228, ipv4(ipv4(datagram), { protocol: 4 })],
  ['IPv6 in IPv4', 228, ipv4(ipv6(datagram), { protocol: 41 })],
  ['GRE', 101, ipv4(concat(gre(0), ipv4(datagram)), { protocol: 47 })],
  ['GRE with all fields', 101, ipv4(concat(gre(0xb0, ...PAIR, ...PAIR, ...PAIR), ipv4(datagram)), { protocol: 47 })],
  ['Ethernet in GRE', 101, ipv4(concat(bridged, ethernet(ipv4(datagram), 0x0800)), { protocol: 47 })],
  ['VLANs', 1, ethernet(ipv4(segment, inTcp), 0x88a8, 5, 0x8100, 6, 0x0800)],
  ['802.11', 105, concat(wifi(26), ipv4(datagram))],
  ['radiotap', 127, concat(Uint8Array.of(0, 0, 17, 0, 3, 0, 0, 0, ...PAIR, ...PAIR, 0x20), wifi(28), ipv4(datagram))],
  ['SLL', 113, concat(new Uint8Array(14), Uint8Array.of(8, 0), ipv4(datagram))],
  ['PPP', 9, concat(Uint8Array.of(0xff, 3, 0, 0x21), ipv4(datagram))],
  ['a bare stream', 147, PAYLOAD],
];

/** What is found of a packet, in the words of the plain reader. */
function said(layers: Layers, bytes: Uint8Array, start: number, end: number, linkType: number, length: number): string {
  const kind = layers.read(bytes, start, end, linkType, length);
  if (kind === OTHER) return '';
  const { addressBytes, source, destination, sourcePort, destinationPort, from, to, missing } = layers;
  const addresses = [source, destination].map((at) => bytes.subarray(at, at + addressBytes).join('.')).join('.');
  const common = [kind, from, to, missing].join();
  if (kind === FRAGMENT) {
    const { protocol, identification, fragmentOffset, hasMore } = layers;
    const key = `${addressBytes === 4 ? 4 : 6} ${addresses} ${protocol} ${identification >>> 0}`;
    return [common, key, fragmentOffset, hasMore].join();
  }
  const key = kind === BARE ? '' : `${addresses} ${sourcePort * 65536 + destinationPort}`;
  return kind === TCP ? [common, key, layers.sequence, layers.flags].join() : `${common},${key}`;
}

function plainly(bytes: Uint8Array, start: number, end: number, linkType: number, length: number): string {
  const found = plainLayers(bytes, start, end, linkType, length);
  if (!found) return '';
  const { kind, key, from, to, missing, offset, hasMore, sequence, flags } = found;
  const common = [KINDS[kind], from, to, missing, key].join();
  if (kind === 'fragment') return [common, offset, hasMore].join();
  return kind === 'TCP' ? [common, sequence, flags].join() : common;
}

describe('headers are read as plainly', () => {
  test.each(PACKETS)('%s, each byte with every value, and cut anywhere', (_, linkType, packet) => {
    const layers = new Layers();
    // it begins inside a chunk, and what comes after it is not part of it
    const bytes = concat(Uint8Array.of(1, 2, 3), packet, new Uint8Array(20).fill(0x45));
    const [start, end] = [3, 3 + packet.length];
    const compare = (stop: number): void => {
      const ours = said(layers, bytes, start, stop, linkType, packet.length);
      const plain = plainly(bytes, start, stop, linkType, packet.length);
      if (ours !== plain) expect(ours, bytes.subarray(start, stop).join()).toBe(plain);
    };
    expect(said(layers, bytes, start, end, linkType, packet.length)).not.toBe('');
    for (let stop = start; stop <= end + 4; stop++) compare(stop);
    for (let at = start; at < Math.min(end, start + MOST_HEADERS); at++) {
      const kept = bytes[at];
      for (let value = 0; value < 256; value++) {
        bytes[at] = value;
        compare(end);
      }
      bytes[at] = kept;
    }
  });

  test('what the other side has got is the number at byte 8 of TCP', () => {
    const layers = new Layers();
    const packet = ipv4(segment, inTcp);
    layers.read(packet, 0, packet.length, 101);
    expect(layers.acknowledged).toBe(0x91929394);
  });
});
