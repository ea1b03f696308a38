import { type ClassicHeader, RECORD_HEADER } from './classic-header.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import { findIp, LINK_ETHERNET, LINK_NULL, LINK_RAW_IP, LINK_SLL, LINK_SLL2, NO_IP } from './link.ts';

/*
 * Records of a pcap file without the header of the file, as parsers are tested with. What the header would say follows
 * from the first record: the byte order from its lengths, the link type from where its IP packet begins, which must end
 * where the record does.
 */

const LINKS: readonly number[] = [LINK_NULL, LINK_ETHERNET, LINK_SLL, LINK_SLL2, LINK_RAW_IP];
/** Protocols that packets carry: ICMP, TCP, UDP, ICMPv6. */
const PROTOCOLS: ReadonlySet<number> = new Set([1, 6, 17, 58]);
/** Bytes of the shortest IP packet. */
const LEAST = 20;
/** Bytes that Ethernet and its cards may add behind a packet. */
const FILLED = 64;
/** Records in a row that are not chance, and the seconds by which neighbours may differ. */
const CHAIN = 4;
const NEAR = 86_400;
/** Surer than messages inside packets. */
const SURE = 0.98;

/** What the header would say; undefined if the bytes do not begin with a record, 'wait' for more bytes. */
export function guessHeader(bytes: Uint8Array, final: boolean): ClassicHeader | 'wait' | undefined {
  if (bytes.length < RECORD_HEADER) return final ? undefined : 'wait';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const littleEndian of [true, false]) {
    const [fraction, captured, length] = [4, 8, 12].map((at) => view.getUint32(at, littleEndian));
    const isPossible = captured >= LEAST && captured <= length && length <= CAPTURE_LIMITS.packetBytes;
    if (!isPossible || fraction >= 1e9) continue;
    const end = RECORD_HEADER + captured;
    if (end > bytes.length && !final) return 'wait';
    const linkType = LINKS.find((link) => holdsIp(bytes, RECORD_HEADER, end, length - captured, link));
    if (linkType === undefined) continue;
    const perSecond = fraction >= 1e6 ? 1e9 : 1e6;
    return { littleEndian, perSecond, recordHeader: RECORD_HEADER, snapLength: 0, linkType, isEarly: false };
  }
  return undefined;
}

/** Whether the IP packet in bytes [start, end) of a link type ends where they do; `cut` bytes more were sent. */
function holdsIp(bytes: Uint8Array, start: number, end: number, cut: number, link: number): boolean {
  const at = findIp(bytes, start, end, link);
  if (at === NO_IP || at + LEAST > Math.min(end, bytes.length)) return false;
  const version = bytes[at] >> 4;
  const isSix = version === 6;
  if (!isSix && (version !== 4 || (bytes[at] & 15) < 5)) return false;
  const size = isSix ? 40 + bytes[at + 4] * 256 + bytes[at + 5] : bytes[at + 2] * 256 + bytes[at + 3];
  const left = end + cut - at - size;
  const most = link === LINK_ETHERNET ? FILLED : 0;
  return left >= 0 && left <= most && PROTOCOLS.has(bytes[at + (isSix ? 6 : 9)]);
}

/** How sure it is that bytes are such records, from their first byte on. */
export function detectHeadless(bytes: Uint8Array): number {
  const header = guessHeader(bytes, true);
  if (!header || header === 'wait') return 0;
  const { littleEndian, perSecond } = header;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const numberAt = (at: number): number => view.getUint32(at, littleEndian);
  const seconds = numberAt(0);
  let at = 0;
  for (let count = 0; at + RECORD_HEADER <= bytes.length; count++) {
    const [captured, length] = [numberAt(at + 8), numberAt(at + 12)];
    const isPossible = captured <= length && length <= CAPTURE_LIMITS.packetBytes && numberAt(at + 4) < perSecond;
    // what follows enough of them may be damaged
    if (!isPossible || Math.abs(numberAt(at) - seconds) > NEAR) return count >= CHAIN ? SURE : 0;
    at += RECORD_HEADER + captured;
  }
  return SURE;
}
