/** CRC-24Q of RTCM3: polynomial 0x1864CFB, begun with 0. */
const POLYNOMIAL = 0x1864cfb;

const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 16;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ ((value & 0x800000) === 0 ? 0 : POLYNOMIAL);
  return value & 0xffffff;
});

export function crc24(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let i = from; i < to; i++) crc = ((crc << 8) & 0xffffff) ^ TABLE[(crc >>> 16) ^ bytes[i]];
  return crc;
}
