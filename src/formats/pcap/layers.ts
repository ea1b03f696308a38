import { word } from '../../core/bytes.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import { findIp, fromTypeAt, LINK_ETHERNET, LINK_USER0, NO_IP } from './link.ts';

/*
 * IPv4, https://www.rfc-editor.org/rfc/rfc791
 *     0: version, length in words   2: total length   4: identification   6: flags, fragment offset   9: protocol
 *     12: from (4)   16: to (4)   20: options
 * IPv6, https://www.rfc-editor.org/rfc/rfc8200
 *     0: version   4: length of what follows   6: next header   8: from (16)   24: to (16)
 *     extension headers: next header, length in units of 8 bytes without the first, ...
 * UDP, https://www.rfc-editor.org/rfc/rfc768
 *     0: from port   2: to port   4: length with this header   6: checksum
 * TCP, https://www.rfc-editor.org/rfc/rfc9293
 *     0: from port   2: to port   4: sequence number   8: acknowledged   12: length in words   13: flags
 * GRE, https://www.rfc-editor.org/rfc/rfc2784: 0: flags, version   2: Ethernet type   4: [checksum, key, sequence]
 */

/** What a packet was found to be. */
export const OTHER = 0;
export const UDP = 1;
export const TCP = 2;
/** Bytes of a stream without any header. */
export const BARE = 3;
/** A part of an IP packet: `from` to `to` are its bytes after the IP header. */
export const FRAGMENT = 4;
/** A UDP packet that ICMP gives back to its sender. */
export const RETURNED = 5;

const PROTOCOL_UDP = 17;
const PROTOCOL_TCP = 6;
const PROTOCOL_IPV4 = 4;
const PROTOCOL_IPV6 = 41;
const PROTOCOL_GRE = 47;
const PROTOCOL_AH = 51;
const PROTOCOL_ICMP = 1;
const PROTOCOL_ICMPV6 = 58;
/** Of ICMP: unreachable, quench, redirect, time exceeded, parameter; https://www.rfc-editor.org/rfc/rfc792 */
const ICMP_ERRORS: ReadonlySet<number> = new Set([3, 4, 5, 11, 12]);
/** Of ICMPv6: all below. */
const ICMPV6_ERRORS = 128;
const ICMP_HEADER = 8;
const FRAGMENT_HEADER = 44;
/** Hop by hop, routing, destination options, mobility: headers of IPv6 that only have a length. */
const EXTENSIONS: ReadonlySet<number> = new Set([0, 43, 60, 135]);

// a constant of this module is built into the machine code, what others export is looked up each time
const LINK = LINK_ETHERNET;
const DATAGRAM = PROTOCOL_UDP;
const TCP_HEADER = 20;
const UDP_HEADER = 8;

/** What the headers of a packet say. One object serves for all packets: nothing is made for one. */
export class Layers {
  /** Bytes of an address, 0 if none; and where that of the sender and of the receiver begin. */
  addressBytes = 0;
  source = 0;
  destination = 0;
  sourcePort = 0;
  destinationPort = 0;
  /** In the current chunk: the payload, as far as it was captured. */
  from = 0;
  to = 0;
  /** Bytes of the payload that were sent and are not here. */
  missing = 0;
  /** Of TCP. */
  sequence = 0;
  acknowledged = 0;
  flags = 0;
  /** Of a fragment: the protocol of what it is part of, which one, where it belongs, and whether more follow. */
  protocol = 0;
  identification = 0;
  fragmentOffset = 0;
  hasMore = false;

  /** Reads the headers of a packet of a link type in bytes [start, end). */
  read(bytes: Uint8Array, start: number, end: number, linkType: number, length: number = end - start): number {
    if (linkType === LINK && this.readUsual(bytes, start, end)) return UDP;
    if (linkType === LINK_USER0) {
      this.addressBytes = 0;
      this.sourcePort = 0;
      this.destinationPort = 0;
      this.from = start;
      this.to = end;
      this.missing = Math.max(0, start + length - end);
      return BARE;
    }
    const at = findIp(bytes, start, end, linkType);
    return at === NO_IP ? OTHER : this.readIp(bytes, at, end);
  }

  /** The quick way for nearly all packets: UDP in IPv4 in Ethernet, with nothing else in between, and all of it there. */
  private readUsual(bytes: Uint8Array, start: number, end: number): boolean {
    const ip = start + 14;
    const udp = ip + 20;
    if (udp + UDP_HEADER > end) return false;
    if (bytes[ip - 2] !== 8 || bytes[ip - 1] !== 0 || bytes[ip] !== 0x45 || bytes[ip + 9] !== DATAGRAM) return false;
    if ((bytes[ip + 6] & 0x3f) !== 0 || bytes[ip + 7] !== 0) return false;
    const total = ip + ((bytes[ip + 2] << 8) | bytes[ip + 3]);
    const stop = udp + ((bytes[udp + 4] << 8) | bytes[udp + 5]);
    if (total > end || stop > total || stop < udp + UDP_HEADER) return false;
    this.addressBytes = 4;
    this.source = ip + 12;
    this.destination = ip + 16;
    this.sourcePort = (bytes[udp] << 8) | bytes[udp + 1];
    this.destinationPort = (bytes[udp + 2] << 8) | bytes[udp + 3];
    this.protocol = DATAGRAM;
    this.from = udp + UDP_HEADER;
    this.to = stop;
    this.missing = 0;
    return true;
  }

  /** Reads the IP packet at a place, and what it carries. */
  private readIp(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    let isReturned = false;
    for (let layer = 0; layer < CAPTURE_LIMITS.layers; layer++) {
      const version = bytes[at] >> 4;
      const isRead = version === 4 ? this.readIpv4(bytes, at, end) : version === 6 && this.readIpv6(bytes, at, end);
      if (!isRead) return OTHER;
      if (this.fragmentOffset > 0 || this.hasMore) return isReturned ? OTHER : FRAGMENT;
      const { protocol } = this;
      if (protocol === PROTOCOL_UDP || protocol === PROTOCOL_TCP) {
        const kind = this.readTransport(bytes, end);
        // ICMP need not give back all of a packet
        return isReturned ? (kind === UDP && this.missing === 0 ? RETURNED : OTHER) : kind;
      }
      if (this.isIcmpError(bytes)) {
        if (isReturned) return OTHER;
        isReturned = true;
        at = this.from + ICMP_HEADER;
        continue;
      }
      if (protocol === PROTOCOL_IPV4 || protocol === PROTOCOL_IPV6) at = this.from;
      else if (protocol === PROTOCOL_GRE) at = afterGre(bytes, this.from, Math.min(this.to, end));
      else return OTHER;
      if (at === NO_IP) return OTHER;
    }
    return OTHER;
  }

  private isIcmpError(bytes: Uint8Array): boolean {
    const { protocol, from } = this;
    if (protocol === PROTOCOL_ICMP) return ICMP_ERRORS.has(bytes[from]);
    return protocol === PROTOCOL_ICMPV6 && bytes[from] < ICMPV6_ERRORS;
  }

  private readIpv4(bytes: Uint8Array, at: number, end: number): boolean {
    const header = (bytes[at] & 15) * 4;
    if (header < 20 || at + header > end) return false;
    const total = word(bytes, at + 2);
    const flags = word(bytes, at + 6);
    this.addressBytes = 4;
    this.source = at + 12;
    this.destination = at + 16;
    this.protocol = bytes[at + 9];
    this.identification = word(bytes, at + 4);
    this.fragmentOffset = (flags & 0x1fff) * 8;
    this.hasMore = (flags & 0x2000) !== 0;
    this.from = at + header;
    // a total of 0 is left to the network card by the sender
    return this.bound(total === 0 ? end : at + total, end);
  }

  private readIpv6(bytes: Uint8Array, at: number, end: number): boolean {
    if (at + 40 > end) return false;
    const length = word(bytes, at + 4);
    this.addressBytes = 16;
    this.source = at + 8;
    this.destination = at + 24;
    this.fragmentOffset = 0;
    this.hasMore = false;
    let next = bytes[at + 6];
    let place = at + 40;
    for (let layer = 0; layer < CAPTURE_LIMITS.layers; layer++) {
      const isAuthentication = next === PROTOCOL_AH;
      if (!EXTENSIONS.has(next) && next !== FRAGMENT_HEADER && !isAuthentication) break;
      if (place + 8 > end) return false;
      if (next === FRAGMENT_HEADER) {
        const offset = word(bytes, place + 2);
        this.fragmentOffset = offset & 0xfff8;
        this.hasMore = (offset & 1) !== 0;
        this.identification = (word(bytes, place + 4) << 16) | word(bytes, place + 6);
      }
      next = bytes[place];
      const units = bytes[place + 1];
      const isFragment = this.fragmentOffset > 0 || this.hasMore;
      place += isFragment ? 8 : isAuthentication ? (units + 2) * 4 : (units + 1) * 8;
      if (isFragment) break;
    }
    this.protocol = next;
    this.from = place;
    return this.bound(length === 0 ? end : at + 40 + length, end);
  }

  /** The content ends where the header says, or where the capture ends; what follows is not part of it. */
  private bound(stated: number, end: number): boolean {
    this.to = Math.min(stated, end);
    this.missing = Math.max(0, stated - end);
    return this.from <= this.to;
  }

  /** Reads what a packet carries that came in fragments: its two addresses are before its content. */
  readWhole(whole: { readonly bytes: Uint8Array; readonly addressBytes: number; readonly protocol: number }): number {
    this.source = 0;
    this.destination = whole.addressBytes;
    this.addressBytes = whole.addressBytes;
    this.protocol = whole.protocol;
    this.from = 2 * whole.addressBytes;
    this.to = whole.bytes.length;
    this.missing = 0;
    return this.readTransport(whole.bytes, this.to);
  }

  /** Reads the header of UDP or TCP in [from, to), as `protocol` says. */
  private readTransport(bytes: Uint8Array, end: number): number {
    const { from } = this;
    const stated = this.to + this.missing;
    if (from + UDP_HEADER > this.to) return OTHER;
    this.sourcePort = word(bytes, from);
    this.destinationPort = word(bytes, from + 2);
    if (this.protocol === PROTOCOL_UDP) {
      const length = word(bytes, from + 4);
      if (length !== 0 && length < UDP_HEADER) return OTHER;
      this.from = from + UDP_HEADER;
      return this.bound(length === 0 ? stated : Math.min(from + length, stated), end) ? UDP : OTHER;
    }
    if (from + TCP_HEADER > this.to) return OTHER;
    const header = (bytes[from + 12] >> 4) * 4;
    if (header < TCP_HEADER || from + header > stated) return OTHER;
    this.sequence = ((word(bytes, from + 4) << 16) | word(bytes, from + 6)) >>> 0;
    this.acknowledged = ((word(bytes, from + 8) << 16) | word(bytes, from + 10)) >>> 0;
    this.flags = bytes[from + 13];
    this.from = Math.min(from + header, this.to);
    this.missing = stated - Math.max(this.to, from + header);
    return TCP;
  }
}

/** What follows the header of a tunnel, if it is IP. */
function afterGre(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 > end || (bytes[at] & 0x40) !== 0 || (bytes[at + 1] & 7) !== 0) return NO_IP;
  const flags = bytes[at];
  const length = 4 + (flags & 0x80 ? 4 : 0) + (flags & 0x20 ? 4 : 0) + (flags & 0x10 ? 4 : 0);
  return at + length <= end ? fromTypeAt(bytes, word(bytes, at + 2), at + length, end) : NO_IP;
}
