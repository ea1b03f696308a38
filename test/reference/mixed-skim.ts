import type { PlainFault } from '../suite/plain.ts';

/** Bytes that may be summed in vain: at first, and for each byte that came. */
const FIRST_TRIES = 4 * 8192;
const TRIES = 8;
const MOST_UBX = 8192;

/** Frames of UBX and RTCM3 in the plainest way. */
export function plainSkim(bytes: Uint8Array): PlainFault[] {
  const found: PlainFault[] = [];
  let wasted = 0;
  for (let at = 0; at < bytes.length; ) {
    const isUbx = bytes[at] === 0xb5 && bytes[at + 1] === 0x62;
    const isRtcm = bytes[at] === 0xd3 && bytes[at + 1] < 4;
    const length = isUbx
      ? 8 + bytes[at + 4] + 256 * bytes[at + 5]
      : isRtcm
        ? 6 + 256 * bytes[at + 1] + bytes[at + 2]
        : Number.NaN;
    const isPossible = (isUbx && length <= MOST_UBX) || (isRtcm && length >= 8);
    const mayTry = wasted + length <= FIRST_TRIES + at * TRIES;
    if (!isPossible || !mayTry || at + length > bytes.length) {
      at++;
      continue;
    }
    const frame = bytes.subarray(at, at + length);
    if (isUbx ? isUbxRight(frame) : isRtcmRight(frame)) {
      found.push({ code: isUbx ? 'ubx-frame' : 'rtcm3-frame', offset: at, length });
      at += length;
    } else {
      wasted += length;
      at++;
    }
  }
  return found;
}

/** The two sums of all from the class to the data. */
export function ubxSums(body: Uint8Array): [number, number] {
  const first = body.reduce((sum, byte) => sum + byte, 0);
  const second = body.reduce((sum, byte, i) => sum + byte * (body.length - i), 0);
  return [first % 256, second % 256];
}

function isUbxRight(frame: Uint8Array): boolean {
  const [first, second] = ubxSums(frame.subarray(2, -2));
  return frame.at(-2) === first && frame.at(-1) === second;
}

/** CRC-24Q bit by bit. */
export function rtcmSum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      crc = crc * 2 + ((byte >> bit) & 1);
      if (crc >= 2 ** 24) crc = (crc - 2 ** 24) ^ 0x864cfb;
    }
  // what it belongs to is followed by 24 zeros
  for (let bit = 0; bit < 24; bit++) {
    crc *= 2;
    if (crc >= 2 ** 24) crc = (crc - 2 ** 24) ^ 0x864cfb;
  }
  return crc;
}

function isRtcmRight(frame: Uint8Array): boolean {
  const stated = frame.subarray(-3).reduce((sum, byte) => sum * 256 + byte, 0);
  return rtcmSum(frame.subarray(0, -3)) === stated;
}
