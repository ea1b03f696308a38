/*
 * The beginning of a pcap file, https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
 *
 *     0          4               8          12         16             20
 *     magic (4)  version (2, 2)  reserved   reserved   snap length    link type
 *
 * Writers use the byte order of their machine; the magic tells which, and what the second half of times
 * counts. The upper half of the link type says something else. Before each packet is
 *
 *     0            4                 8                 12                 [16 ... 23]
 *     seconds      micro- or         captured length   original length    interface, protocol,
 *     since 1970   nanoseconds                                            type: in 'modified' files only
 */
export const FILE_HEADER = 24;
export const RECORD_HEADER = 16;
const MODIFIED_HEADER = 24;

const MICROSECONDS = 0xa1b2c3d4;
const NANOSECONDS = 0xa1b23c4d;
const MODIFIED = 0xa1b2cd34;

/** What the beginning of a pcap file says. */
export interface ClassicHeader {
  readonly littleEndian: boolean;
  /** Parts of a second that times count. */
  readonly perSecond: number;
  /** Bytes before each packet. */
  readonly recordHeader: number;
  readonly snapLength: number;
  readonly linkType: number;
  /** Files of version 2.3 and before may have the two lengths the other way round. */
  readonly isEarly: boolean;
}

/** Reads the beginning of a pcap file; undefined if none, or not all of it. */
export function readClassicHeader(bytes: Uint8Array, at: number): ClassicHeader | undefined {
  if (at + FILE_HEADER > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, FILE_HEADER);
  const littleEndian = isMagic(view.getUint32(0, true));
  if (!littleEndian && !isMagic(view.getUint32(0, false))) return undefined;
  const magic = view.getUint32(0, littleEndian);
  const [major, minor] = [view.getUint16(4, littleEndian), view.getUint16(6, littleEndian)];
  return {
    littleEndian,
    perSecond: magic === NANOSECONDS ? 1e9 : 1e6,
    recordHeader: magic === MODIFIED ? MODIFIED_HEADER : RECORD_HEADER,
    snapLength: view.getUint32(16, littleEndian),
    linkType: view.getUint32(20, littleEndian) & 0xffff,
    isEarly: major < 2 || (major === 2 && minor < 4),
  };
}

/** Whether bytes begin as a pcap file does. */
export function isClassicMagic(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 4);
  return isMagic(view.getUint32(0, true)) || isMagic(view.getUint32(0, false));
}

function isMagic(number: number): boolean {
  return number === MICROSECONDS || number === NANOSECONDS || number === MODIFIED;
}

/** Whether a byte can be the first of a pcap file: asked of every byte where records were lost. */
export function mayBeginFile(byte: number): boolean {
  return byte === 0xd4 || byte === 0x4d || byte === 0x34 || byte === 0xa1;
}
