import { ubxName } from '../../../src/formats/ubx/schema.ts';
import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';

/** Bytes that may be summed in vain: at first, and for each byte that came. */
const FIRST_TRIES = 4 * 8192;
const TRIES = 8;
const MOST_UBX = 8192;

/** Frames of UBX and RTCM 3 in the plainest way. */
export function plainUbx(bytes: Uint8Array): PlainLog {
  const records: PlainRecord[] = [];
  const faults: PlainFault[] = [];
  let wasted = 0;
  let gap = 0;
  let failed: { at: number; length: number } | undefined;
  const close = (at: number): void => {
    if (at > gap) faults.push(gapFault(bytes, gap, at, failed));
    failed = undefined;
  };
  for (let at = 0; at < bytes.length; ) {
    const isUbx = bytes[at] === 0xb5 && bytes[at + 1] === 0x62 && at + 8 <= bytes.length;
    const isRtcm = bytes[at] === 0xd3 && bytes[at + 1] < 4 && at + 6 <= bytes.length;
    const length = isUbx
      ? 8 + bytes[at + 4] + 256 * bytes[at + 5]
      : isRtcm
        ? 6 + 256 * bytes[at + 1] + bytes[at + 2]
        : Number.NaN;
    const isPossible = (isUbx && length <= MOST_UBX) || (isRtcm && length >= 8);
    if (!isPossible || wasted + length > FIRST_TRIES + at * TRIES) {
      at++;
      continue;
    }
    const frame = bytes.subarray(at, at + length);
    if (frame.length === length && (isUbx ? isUbxRight(frame) : isRtcmRight(frame))) {
      close(at);
      const name = isUbx ? ubxName(frame[2], frame[3]) : String(frame[3] * 16 + (frame[4] >> 4));
      const payload = isUbx ? frame.subarray(6, -2) : frame.subarray(3, -3);
      const values = (): ReturnType<PlainRecord['values']> => [
        ['length', payload.length],
        ['payload', payload.slice()],
      ];
      records.push({ name, stream: '', offset: at, length, values });
      at += length;
      gap = at;
    } else {
      if (frame.length === length) wasted += length;
      failed ??= { at, length };
      at++;
    }
  }
  close(bytes.length);
  return { records, faults };
}

function gapFault(
  bytes: Uint8Array,
  from: number,
  to: number,
  failed: { at: number; length: number } | undefined,
): PlainFault {
  const text = String.fromCharCode(...bytes.subarray(from, to));
  let code = 'text';
  // letters beyond ASCII are text in a comment
  if ((text[0] === '#' ? /[^\t\r\n -~\x80-\xff]/ : /[^\t\r\n -~]/).test(text)) code = 'garbage';
  if (text === 'UdPbC\0') code = 'datagram-header';
  if (/^(\0+|\xff+)$/.test(text)) code = to === bytes.length ? 'padding' : from === 0 ? 'blank' : code;
  if (failed?.at === from && failed.length === to - from) code = 'bad-checksum';
  if (failed?.at === from && failed.length > to - from && to === bytes.length) code = 'truncated';
  return { code, offset: from, length: to - from };
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
