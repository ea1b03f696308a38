import { word } from '../core/bytes.ts';
import { CAPTURE_LIMITS } from '../formats/pcap/limits.ts';
import { findIp, LINK_ETHERNET, LINK_NULL, NO_IP } from '../formats/pcap/link.ts';
import type { Packet } from '../formats/pcap/packet.ts';
import type { OnViolation } from './violation.ts';

/*
 * What the lengths of a packet must be to each other. Each layer is inside the one before, and fills it:
 *
 *     record header: captured length = original length
 *     link header | IP header | UDP header | ...     | what fills up a short Ethernet frame
 *                 '--------- total length -----------'
 *                             '------- length -------'
 *
 * The headers are drawn in formats/pcap/layers.ts.
 */
const LINK_LOOP = 108;
const LINK_SLL = 113;
const LINK_SLL2 = 276;
const LINK_WIRELESS: ReadonlySet<number> = new Set([105, 127]);
const UDP = 17;
const TCP = 6;
const IPV4_INSIDE = 4;
const IPV6_INSIDE = 41;
const IPV4_HEADER = 20;
const IPV6_HEADER = 40;
const UDP_HEADER = 8;
const TCP_HEADER = 20;
/** Frames of Ethernet are filled up to 60 bytes; this and 4 more may follow, or be part of another link header. */
const FILLED = 64;
const FRAME_CHECKSUM = 4;
/** Headers of IPv6 before its content: hop by hop, routing, destination, mobility. */
const EXTENSIONS: ReadonlySet<number> = new Set([0, 43, 60, 135]);
const LEFT = 'left to the network card';

/** Judges the lengths and checksums of packets. What is not IP is not looked at but for its captured length. */
export class PacketStructure {
  private readonly report: OnViolation;
  /** Whether checksums that were left to a network card are accepted. */
  private readonly offload: boolean;
  /** Checksums and lengths that were accepted though they are not there. */
  uncomputed = 0;
  /** Of the current packet: where bytes[0] is in the file, which one it is, whether it left the machine. */
  private base = 0;
  private number = 0;
  private isLocal = false;

  constructor(report: OnViolation, offload: boolean) {
    this.report = report;
    this.offload = offload;
  }

  /** @param captured the offset of the captured length in the record, -1 if none */
  packet(bytes: Uint8Array, packet: Packet, base: number, captured: number): void {
    const { start, end, length, linkType, record } = packet;
    this.base = base;
    this.number = packet.number;
    if (end - start !== length) {
      const at = captured < 0 ? start : record + captured;
      const expected = `${length}, the original length`;
      this.violate(at, 'record header', 'captured length', expected, String(end - start));
      return;
    }
    let at = findIp(bytes, start, end, linkType);
    this.isLocal = linkType === LINK_NULL || linkType === LINK_LOOP;
    let trailer = trailerOf(linkType, end - start);
    let stop = end;
    for (let layer = 0; layer < CAPTURE_LIMITS.layers && at !== NO_IP && at < stop; layer++) {
      const isLater = bytes[at] >> 4 === 6;
      const inner: Content | undefined = isLater
        ? this.ipv6(bytes, at, stop, trailer)
        : this.ipv4(bytes, at, stop, trailer);
      if (!inner) return;
      const { protocol } = inner;
      if (protocol === UDP) this.udp(bytes, inner);
      else if (protocol === TCP) this.tcp(bytes, inner);
      at = protocol === IPV4_INSIDE || protocol === IPV6_INSIDE ? inner.from : NO_IP;
      stop = inner.to;
      trailer = 0;
    }
  }

  private ipv4(bytes: Uint8Array, at: number, end: number, trailer: number): Content | undefined {
    const header = (bytes[at] & 15) * 4;
    if (bytes[at] >> 4 !== 4 || header < IPV4_HEADER || at + header > end) {
      const expected = `version 4 or 6 and a header of 20 to ${Math.max(20, Math.min(60, end - at))} bytes`;
      this.violate(at, 'ip header', 'version and header length', expected, `${bytes[at] >> 4} and ${header} bytes`);
      return undefined;
    }
    const stated = word(bytes, at + 2);
    const total = this.lengthOf(at + 2, 'total length', stated, end - at, header, trailer);
    if (total < 0) return undefined;
    this.headerChecksum(bytes, at, header);
    const isFragment = (word(bytes, at + 6) & 0x3fff) !== 0;
    if (isFragment) return undefined;
    if (bytes[at + 12] === 127 && bytes[at + 16] === 127) this.isLocal = true;
    const addresses = wordSum(bytes, at + 12, at + IPV4_HEADER);
    return { protocol: bytes[at + 9], from: at + header, to: at + total, addresses };
  }

  private ipv6(bytes: Uint8Array, at: number, end: number, trailer: number): Content | undefined {
    if (at + IPV6_HEADER > end) {
      this.violate(at, 'ip header', 'version', `${IPV6_HEADER} bytes of header`, `${end - at}`);
      return undefined;
    }
    const room = end - at - IPV6_HEADER;
    const length = this.lengthOf(at + 4, 'payload length', word(bytes, at + 4), room, 0, trailer);
    if (length < 0) return undefined;
    const to = at + IPV6_HEADER + length;
    let protocol = bytes[at + 6];
    let from = at + IPV6_HEADER;
    for (let layer = 0; layer < CAPTURE_LIMITS.layers && EXTENSIONS.has(protocol); layer++) {
      const next = from + 8 * (bytes[from + 1] + 1);
      if (from + 8 > to || next > to) {
        this.violate(from + 1, 'ip header', 'extension header', `at most ${to - from} bytes`, `${next - from}`);
        return undefined;
      }
      protocol = bytes[from];
      from = next;
    }
    const source = wordSum(bytes, at + 8, at + 24);
    this.isLocal ||= source === 1 && bytes[at + 23] === 1 && bytes[at + 39] === 1;
    return { protocol, from, to, addresses: wordSum(bytes, at + 24, at + IPV6_HEADER, source) };
  }

  /** The stated length of an IP packet, or -1 if it is wrong for the room there is. */
  private lengthOf(at: number, field: string, stated: number, room: number, least: number, trailer: number): number {
    // a card that cuts large packets to pieces is given them without a length
    if (stated === 0 && this.offload) {
      this.uncomputed++;
      return room;
    }
    if (stated <= room && stated >= Math.max(least, room - trailer)) return stated;
    const expected = stated > room ? `at most ${room}` : `${Math.max(least, room - trailer)} to ${room}`;
    this.violate(at, 'ip header', field, `${expected}, as the record has bytes`, String(stated));
    return -1;
  }

  private headerChecksum(bytes: Uint8Array, at: number, header: number): void {
    const sum = wordSum(bytes, at, at + header);
    this.checksum(bytes, at + 10, 'ip header', sum, (stated) => stated === 0, '0000');
  }

  private udp(bytes: Uint8Array, { from, to, addresses }: Content): void {
    if (from + UDP_HEADER > to) {
      this.violate(from, 'udp header', 'length', `${UDP_HEADER} bytes of header`, String(to - from));
      return;
    }
    const stated = word(bytes, from + 4);
    if (stated !== to - from) {
      this.violate(from + 4, 'udp header', 'length', `${to - from}, all bytes of the ip packet`, String(stated));
      return;
    }
    const hasNone = word(bytes, from + 6) === 0;
    if (!hasNone) this.transportChecksum(bytes, from, to, addresses + UDP, from + 6, 'udp header');
  }

  private tcp(bytes: Uint8Array, { from, to, addresses }: Content): void {
    const header = from + TCP_HEADER > to ? 0 : (bytes[from + 12] >> 4) * 4;
    if (header < TCP_HEADER || from + header > to) {
      const expected = `20 to ${Math.max(20, Math.min(60, to - from))} bytes`;
      const found = header === 0 ? `${to - from}` : `${header}`;
      this.violate(header === 0 ? from : from + 12, 'tcp header', 'header length', expected, found);
      return;
    }
    this.transportChecksum(bytes, from, to, addresses + TCP, from + 16, 'tcp header');
  }

  /** UDP and TCP sum up what IP says of them too; a card is left the sum of that part alone. */
  private transportChecksum(
    bytes: Uint8Array,
    from: number,
    to: number,
    pseudo: number,
    at: number,
    layer: string,
  ): void {
    const length = to - from;
    const begun = wordSum(bytes, 0, 0, pseudo + length);
    const sum = wordSum(bytes, from, to, begun);
    const isLeft = (stated: number): boolean => {
      if (stated === begun || stated === 0) return true;
      // what never left the machine may have been made longer since
      const shorter = (stated + 0xffff - (pseudo % 0xffff)) % 0xffff;
      return this.isLocal && shorter >= UDP_HEADER && shorter <= length;
    };
    this.checksum(bytes, at, layer, sum, isLeft, hexWord(begun));
  }

  /** @param sum of all that the checksum covers, itself included */
  private checksum(
    bytes: Uint8Array,
    at: number,
    layer: string,
    sum: number,
    isLeft: (stated: number) => boolean,
    left: string,
  ): void {
    if (sum === 0xffff) return;
    const stated = word(bytes, at);
    const isUncomputed = isLeft(stated);
    if (isUncomputed && this.offload) {
      this.uncomputed++;
      return;
    }
    const right = hexWord(turned(wordSum(bytes, 0, 0, sum + turned(stated))));
    const expected = this.offload ? `${right}, or ${left} where it is ${LEFT}` : right;
    this.violate(at, layer, 'checksum', expected, `${hexWord(stated)}${isUncomputed ? `, ${LEFT}` : ''}`);
  }

  private violate(at: number, layer: string, field: string, expected: string, found: string): void {
    const offset = this.base + at;
    this.report({ level: 'structure', offset, record: this.number, layer, field, expected, found });
  }
}

/** What an IP packet carries: bytes [from, to), and the sum of its addresses. */
interface Content {
  readonly protocol: number;
  readonly from: number;
  readonly to: number;
  readonly addresses: number;
}

/** Most bytes that may follow the IP packet in a frame of a link. */
function trailerOf(linkType: number, bytes: number): number {
  if (linkType === LINK_ETHERNET || linkType === LINK_SLL || linkType === LINK_SLL2)
    return bytes <= FILLED ? bytes : FRAME_CHECKSUM;
  return LINK_WIRELESS.has(linkType) ? FRAME_CHECKSUM : 0;
}

/*
 * The checksum of IP, UDP and TCP, https://www.rfc-editor.org/rfc/rfc1071: the sum of all 16-bit words in arithmetic
 * where the carry comes back in, turned over. The sum over words that include their right checksum is 0xffff.
 */

function wordSum(bytes: Uint8Array, from: number, to: number, begin = 0): number {
  let sum = begin;
  const last = to - ((to - from) & 1);
  for (let at = from; at < last; at += 2) sum += word(bytes, at);
  if (last < to) sum += bytes[last] << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return sum;
}

/** All bits the other way round. */
function turned(sum: number): number {
  return sum ^ 0xffff;
}

function hexWord(value: number): string {
  return value.toString(16).padStart(4, '0');
}
