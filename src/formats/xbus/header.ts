import { XBUS_LIMITS } from './limits.ts';

/*
 * A frame, https://mtidocs.movella.com/messages ("MT Low Level Communication Protocol", MT0101P). Numbers are big-endian.
 *
 *     0    1     2     3     4 ...      4 + LEN
 *     FA   BID   MID   LEN   data       checksum
 *
 *     0    1     2     3     4    5     6 ...      6 + length
 *     FA   BID   MID   FF    length     data       checksum
 *
 * BID is the device on the bus: FF the master or the only one, 01 the first after it. MID is the message. The bytes
 * from BID to the checksum add up to 0 modulo 256.
 */
export const PREAMBLE = 0xfa;
export const EXTENDED = 0xff;
/** Bytes before the data, of the one and the other kind. */
export const HEADER = 4;
export const EXTENDED_HEADER = 6;
export const CHECKSUM = 1;
/** Most data of a frame with a standard header. */
export const STANDARD_DATA = 254;
export const MOST_DATA: number = XBUS_LIMITS.dataBytes;

export const MASTER = 0xff;

/** What all bytes after the preamble add up to, modulo 256, by the protocol. */
export const PROTOCOL_SUM = 0;
/** And by senders that write 0xff minus the sum as their checksum, where it is 0x100 minus it. */
export const INVERTED_SUM = 0xff;

/** What comes before the data of a frame. */
export class Header {
  bus = 0;
  message = 0;
  length = 0;
  /** Where the data begin, and where the frame ends, after its checksum. */
  data = 0;
  end = 0;

  /** Reads the header at `at`; false if the bytes end before it does. */
  read(bytes: Uint8Array, at: number): boolean {
    if (at + HEADER > bytes.length) return false;
    this.bus = bytes[at + 1];
    this.message = bytes[at + 2];
    this.length = bytes[at + 3];
    this.data = at + HEADER;
    if (this.length === EXTENDED) {
      if (at + EXTENDED_HEADER > bytes.length) return false;
      this.length = (bytes[at + 4] << 8) | bytes[at + 5];
      this.data = at + EXTENDED_HEADER;
    }
    this.end = this.data + this.length + CHECKSUM;
    return true;
  }
}

/** The bytes [from, to) added up, modulo 256. */
export function sumOf(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += bytes[at];
  return sum & 0xff;
}
