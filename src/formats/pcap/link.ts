import { word } from '../../core/bytes.ts';
import { CAPTURE_LIMITS } from './limits.ts';

/*
 * What comes before an IP packet, by link type, https://www.tcpdump.org/linktypes.html
 *
 *     NULL, LOOP    family (4): the first in the byte order of the capturing machine, the second highest byte first
 *     Ethernet      to (6), from (6), type (2) or, up to 1500, a length and LLC/SNAP; VLAN tags: type (2), tag (2)
 *     PPPoE         version, code, session (2), length (2), then PPP
 *     PPP           [FF 03], protocol (2, or 1 where its lowest bit is set)
 *     SLL           packet type (2), device type (2), address length (2), address (8), protocol (2)
 *     SLL2          protocol (2), reserved (2), interface (4), device type (2), packet type (1), length (1), address (8)
 *     radiotap      version, pad, length (2), present (4 ...), fields; then 802.11
 *     802.11        control (2), duration (2), three addresses (18), sequence (2), [address (6)], [QoS (2)], [HT (4)]
 *     LLC/SNAP      AA AA 03, organisation (3), type (2)
 */
export const LINK_NULL = 0;
export const LINK_ETHERNET = 1;
const LINK_PPP = 9;
const LINK_RAW: ReadonlySet<number> = new Set([12, 14, 101]);
export const LINK_RAW_IP = 101;
const LINK_PPP_SERIAL = 50;
const LINK_WIRELESS = 105;
const LINK_LOOP = 108;
export const LINK_SLL = 113;
const LINK_RADIOTAP = 127;
export const LINK_USER0 = 147;
const LINK_IPV4 = 228;
const LINK_IPV6 = 229;
export const LINK_SLL2 = 276;

const TYPE_IPV4 = 0x0800;
const TYPE_IPV6 = 0x86dd;
const TYPE_PPPOE = 0x8864;
const TYPE_BRIDGED = 0x6558;
const PPP_IPV4 = 0x21;
const PPP_IPV6 = 0x57;

const NAMES: ReadonlyMap<number, string> = new Map([
  [LINK_NULL, 'NULL'],
  [LINK_ETHERNET, 'Ethernet'],
  [LINK_PPP, 'PPP'],
  [12, 'RAW'],
  [14, 'RAW'],
  [101, 'RAW'],
  [LINK_PPP_SERIAL, 'PPP'],
  [LINK_WIRELESS, '802.11'],
  [LINK_LOOP, 'LOOP'],
  [LINK_SLL, 'SLL'],
  [LINK_RADIOTAP, 'radiotap'],
  [LINK_USER0, 'USER0'],
  [LINK_IPV4, 'IPv4'],
  [LINK_IPV6, 'IPv6'],
  [LINK_SLL2, 'SLL2'],
]);

/** Link types in which nothing is looked for. */
const UNREAD: ReadonlyMap<number, string> = new Map([
  [3, 'AX.25'],
  [6, 'Token Ring'],
  [8, 'SLIP'],
  [10, 'FDDI'],
  [104, 'Cisco HDLC'],
  [107, 'Frame Relay'],
  [119, '802.11 with Prism headers'],
  [163, '802.11 with AVS headers'],
  [186, 'USB'],
  [187, 'Bluetooth HCI'],
  [189, 'USB (Linux)'],
  [190, 'CAN (2.0B)'],
  [192, 'PPI'],
  [195, '802.15.4'],
  [201, 'Bluetooth HCI'],
  [215, '802.15.4'],
  [220, 'USB (Linux)'],
  [227, 'CAN (SocketCAN)'],
  [230, '802.15.4'],
  [239, 'NFLOG'],
  [249, 'USB (Windows)'],
  [251, 'Bluetooth Low Energy'],
  [253, 'Netlink'],
]);

/** Whether packets of a link type are looked at: for IP packets, or a bare stream. */
export function isReadLink(linkType: number): boolean {
  return NAMES.has(linkType);
}

export function linkName(linkType: number): string {
  return NAMES.get(linkType) ?? UNREAD.get(linkType) ?? (linkType < 0 ? 'not described' : `type ${linkType}`);
}

export const NO_IP = -1;

/** Where the IP packet begins in bytes [start, end) of a link type; NO_IP if none. */
export function findIp(bytes: Uint8Array, start: number, end: number, linkType: number): number {
  if (linkType === LINK_ETHERNET) return fromEthernet(bytes, start, end);
  if (LINK_RAW.has(linkType) || linkType === LINK_IPV4 || linkType === LINK_IPV6) return start;
  switch (linkType) {
    case LINK_NULL:
    case LINK_LOOP:
      return start + 4 <= end && isFamily(bytes, start) ? start + 4 : NO_IP;
    case LINK_PPP:
    case LINK_PPP_SERIAL:
      return fromPpp(bytes, start, end);
    case LINK_SLL:
      return start + 16 <= end ? fromType(bytes, start + 14, end) : NO_IP;
    case LINK_SLL2:
      return start + 20 <= end ? fromTypeAt(bytes, word(bytes, start), start + 20, end) : NO_IP;
    case LINK_RADIOTAP:
      return fromRadiotap(bytes, start, end);
    case LINK_WIRELESS:
      return fromWireless(bytes, start, end, 0);
    default:
      return NO_IP;
  }
}

/** The IP packet in what an Ethernet type announces, as also tunnels do. */
export function fromTypeAt(bytes: Uint8Array, first: number, from: number, end: number): number {
  let type = first;
  let at = from;
  for (let layer = 0; layer < CAPTURE_LIMITS.layers; layer++) {
    if (type === TYPE_IPV4 || type === TYPE_IPV6) return at;
    if (isVlan(type)) {
      if (at + 4 > end) return NO_IP;
      type = word(bytes, at + 2);
      at += 4;
    } else if (type === TYPE_PPPOE) {
      return fromPpp(bytes, at + 6, end);
    } else if (type === TYPE_BRIDGED) {
      if (at + 14 > end) return NO_IP;
      type = word(bytes, at + 12);
      at += 14;
    } else {
      // a length: what follows says itself what it is; SLL has 4 for the same
      return type <= 1500 ? fromSnap(bytes, at, end) : NO_IP;
    }
  }
  return NO_IP;
}

function fromEthernet(bytes: Uint8Array, start: number, end: number): number {
  return start + 14 <= end ? fromType(bytes, start + 12, end) : NO_IP;
}

function fromType(bytes: Uint8Array, at: number, end: number): number {
  return fromTypeAt(bytes, word(bytes, at), at + 2, end);
}

function isVlan(type: number): boolean {
  return type === 0x8100 || type === 0x88a8 || type === 0x9100 || type === 0x9200;
}

/** The family of addresses is 2 for IPv4; the systems disagree about IPv6. */
function isFamily(bytes: Uint8Array, at: number): boolean {
  const isLow = bytes[at + 3] === 0 && bytes[at + 2] === 0 && bytes[at + 1] === 0;
  const isHigh = bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 0;
  const family = isLow ? bytes[at] : isHigh ? bytes[at + 3] : 0;
  return family === 2 || family === 10 || family === 24 || family === 28 || family === 30;
}

function fromPpp(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  if (at + 2 <= end && bytes[at] === 0xff && bytes[at + 1] === 0x03) at += 2;
  if (at >= end) return NO_IP;
  const isShort = (bytes[at] & 1) === 1;
  if (!isShort && at + 2 > end) return NO_IP;
  const protocol = isShort ? bytes[at] : word(bytes, at);
  return protocol === PPP_IPV4 || protocol === PPP_IPV6 ? at + (isShort ? 1 : 2) : NO_IP;
}

function fromSnap(bytes: Uint8Array, at: number, end: number): number {
  if (at + 8 > end || bytes[at] !== 0xaa || bytes[at + 1] !== 0xaa || bytes[at + 2] !== 3) return NO_IP;
  const type = word(bytes, at + 6);
  return type <= 1500 ? NO_IP : fromTypeAt(bytes, type, at + 8, end);
}

/** Whether a packet is a data frame of 802.11 that WEP or WPA encrypted. */
export function isEncrypted(bytes: Uint8Array, start: number, end: number, linkType: number): boolean {
  if (linkType !== LINK_WIRELESS && linkType !== LINK_RADIOTAP) return false;
  const at = linkType === LINK_WIRELESS ? start : behindRadiotap(bytes, start, end);
  if (at === NO_IP || at + 2 > end) return false;
  return (bytes[at] & 0x0f) === 0x08 && (bytes[at + 1] & PROTECTED) !== 0;
}

/** Where the 802.11 frame begins after a header of radiotap. */
function behindRadiotap(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== 0) return NO_IP;
  const length = bytes[start + 2] | (bytes[start + 3] << 8);
  return length < 8 || start + length > end ? NO_IP : start + length;
}

function fromRadiotap(bytes: Uint8Array, start: number, end: number): number {
  const stop = behindRadiotap(bytes, start, end);
  if (stop === NO_IP) return NO_IP;
  // words of flags follow each other as long as the highest bit says so; the fields after are in the order of bits
  let at = start + 4;
  while (at + 4 <= stop && (bytes[at + 3] & 0x80) !== 0) at += 4;
  at += 4;
  const present = bytes[start + 4];
  if (present & 1) at += (-(at - start) & 7) + 8;
  const flags = present & 2 && at < stop ? bytes[at] : 0;
  return fromWireless(bytes, stop, end, flags);
}

/** Flags of radiotap: the header is padded to a multiple of 4. */
const PADDED = 0x20;
/** Flag of 802.11: its data are encrypted. */
const PROTECTED = 0x40;

function fromWireless(bytes: Uint8Array, start: number, end: number, flags: number): number {
  if (start + 24 > end) return NO_IP;
  const control = bytes[start];
  const bits = bytes[start + 1];
  const isData = (control & 0x0c) === 0x08 && (control & 0x40) === 0;
  const isProtected = (bits & PROTECTED) !== 0;
  if ((control & 3) !== 0 || !isData || isProtected) return NO_IP;
  const isQos = (control & 0x80) !== 0;
  let length = (bits & 3) === 3 ? 30 : 24;
  const isGathered = isQos && (bytes[start + length] & 0x80) !== 0;
  if (isQos) length += (bits & 0x80) !== 0 ? 6 : 2;
  if (flags & PADDED) length += -length & 3;
  // of several packets in one frame, the first: each has two addresses and a length before it
  return fromSnap(bytes, start + length + (isGathered ? 14 : 0), end);
}
