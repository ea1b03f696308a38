const CRC32_POLYNOMIAL = 0xedb8_8320;
const CRC32_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC32_POLYNOMIAL : crc >>> 1;
  return crc;
});

/** The sum that zip files have of their contents, going on from that of earlier bytes. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = CRC32_TABLE[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/*
 * The checksum of MAVLink, which its makers call X.25: CRC-16/MCRF4XX, polynomial 0x1021 with the bits of each byte
 * reversed (0x8408), begun with 0xffff and not inverted at the end. The sum of the text "123456789" is 0x6f91.
 */
export const X25_SEED = 0xffff;

const X25_POLYNOMIAL = 0x8408;

/*
 * Table k gives what a byte is worth that k further bytes follow. One array, so that a loop keeps one address. What is
 * exported is looked up each time it is used, what is not is built into the machine code: the sums here use the latter.
 */
const TABLES: Uint16Array = makeTables();
export const X25_TABLES: Uint16Array = TABLES;

function makeTables(): Uint16Array {
  const tables = new Uint16Array(9 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ X25_POLYNOMIAL : sum >>> 1;
    tables[byte] = sum;
  }
  for (let i = 256; i < tables.length; i++) tables[i] = (tables[i - 256] >>> 8) ^ tables[tables[i - 256] & 0xff];
  return tables;
}

export function x25Byte(sum: number, byte: number): number {
  return (sum >>> 8) ^ TABLES[(sum ^ byte) & 0xff];
}

/** The sum of bytes [from, to), byte by byte. */
export function x25(bytes: Uint8Array, from = 0, to: number = bytes.length, seed: number = X25_SEED): number {
  const tables = TABLES;
  let sum = seed;
  for (let at = from; at < to; at++) sum = (sum >>> 8) ^ tables[(sum ^ bytes[at]) & 0xff];
  return sum;
}

/** The same sum, eight bytes a step, for fast paths: its table look-ups do not wait for each other. */
export function x25Sliced(bytes: Uint8Array, from: number, to: number, seed: number): number {
  const tables = TABLES;
  let sum = seed;
  let at = from;
  for (const last = to - 8; at <= last; at += 8) {
    sum =
      tables[1280 | bytes[at + 2]] ^
      tables[1024 | bytes[at + 3]] ^
      tables[768 | bytes[at + 4]] ^
      tables[512 | bytes[at + 5]] ^
      tables[256 | bytes[at + 6]] ^
      tables[bytes[at + 7]] ^
      tables[1792 | ((sum ^ bytes[at]) & 0xff)] ^
      tables[1536 | ((sum >>> 8) ^ bytes[at + 1])];
  }
  if (at <= to - 4) {
    sum =
      tables[256 | bytes[at + 2]] ^
      tables[bytes[at + 3]] ^
      tables[768 | ((sum ^ bytes[at]) & 0xff)] ^
      tables[512 | ((sum >>> 8) ^ bytes[at + 1])];
    at += 4;
  }
  if (at <= to - 2) {
    sum = tables[256 | ((sum ^ bytes[at]) & 0xff)] ^ tables[(sum >>> 8) ^ bytes[at + 1]];
    at += 2;
  }
  if (at < to) sum = (sum >>> 8) ^ tables[(sum ^ bytes[at]) & 0xff];
  return sum;
}
