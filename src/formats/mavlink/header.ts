/*
 * A frame, https://mavlink.io/en/guide/serialization.html
 *
 *     0    1     2          3        4     5     6      7          10           10 + len    12 + len
 *     FD   len   incompat   compat   seq   sys   comp   id (3)     payload ...  crc (2)     [signature (13)]
 *
 *     0    1     2     3     4      5      6            6 + len
 *     FE   len   seq   sys   comp   id     payload ...  crc (2)
 *
 * Numbers are little-endian. The checksum covers all between the first byte and itself, then CRC_EXTRA, a byte that
 * depends on the message's definition. Bit 0 of incompat says that a signature follows; a frame with any other bit set
 * is not understood. Version 2 cuts zeros off the end of the payload, but never its first byte.
 */
export const MAGIC_1 = 0xfe;
export const MAGIC_2 = 0xfd;
export const HEADER_1 = 6;
export const HEADER_2 = 10;
export const CHECKSUM = 2;
export const SIGNATURE = 13;
export const SIGNED = 1;
/** The longest frame: of version 2, signed. */
export const LONGEST_FRAME: number = HEADER_2 + 255 + CHECKSUM + SIGNATURE;

/** What the header of a frame says. One object serves for many: nothing is made for a frame. */
export class Header {
  version = 0;
  length = 0;
  flags = 0;
  sequence = 0;
  system = 0;
  component = 0;
  id = 0;
  /** Index of the first byte, of the payload, of the checksum, and of what follows the frame. */
  start = 0;
  payload = 0;
  checksum = 0;
  end = 0;

  /** Reads the header at `start`; false if none, or not all of it. */
  read(bytes: Uint8Array, start: number): boolean {
    const magic = bytes[start];
    const isLater = magic === MAGIC_2;
    if (!isLater && magic !== MAGIC_1) return false;
    const size = isLater ? HEADER_2 : HEADER_1;
    if (start + size > bytes.length) return false;
    this.version = isLater ? 2 : 1;
    this.start = start;
    this.length = bytes[start + 1];
    this.flags = isLater ? bytes[start + 2] : 0;
    const counter = isLater ? start + 4 : start + 2;
    this.sequence = bytes[counter];
    this.system = bytes[counter + 1];
    this.component = bytes[counter + 2];
    this.id = bytes[counter + 3];
    if (isLater) this.id |= (bytes[start + 8] << 8) | (bytes[start + 9] << 16);
    this.payload = start + size;
    this.checksum = this.payload + this.length;
    this.end = this.checksum + CHECKSUM + (this.flags & SIGNED ? SIGNATURE : 0);
    return true;
  }

  stated(bytes: Uint8Array): number {
    return bytes[this.checksum] | (bytes[this.checksum + 1] << 8);
  }
}

export function isMagic(byte: number): boolean {
  return byte === MAGIC_1 || byte === MAGIC_2;
}

/** Where the payload of the frame at a place begins. */
export function payloadAt(bytes: Uint8Array, at: number): number {
  return at + (bytes[at] === MAGIC_2 ? HEADER_2 : HEADER_1);
}

/** Bytes of the frame whose header begins at a place, by its length; 0 if none, or not all of it. */
export function frameSize(bytes: Uint8Array, at: number): number {
  const left = bytes.length - at;
  if (bytes[at] === MAGIC_2 && left >= HEADER_2)
    return HEADER_2 + bytes[at + 1] + CHECKSUM + (bytes[at + 2] & SIGNED ? SIGNATURE : 0);
  return bytes[at] === MAGIC_1 && left >= HEADER_1 ? HEADER_1 + bytes[at + 1] + CHECKSUM : 0;
}

/** Its system, times 256, and component. */
export function senderOf(bytes: Uint8Array, at: number): number {
  const place = at + (bytes[at] === MAGIC_2 ? 5 : 3);
  return (bytes[place] << 8) | bytes[place + 1];
}

export function messageIdOf(bytes: Uint8Array, at: number): number {
  return bytes[at] === MAGIC_2 ? bytes[at + 7] | (bytes[at + 8] << 8) | (bytes[at + 9] << 16) : bytes[at + 5];
}
