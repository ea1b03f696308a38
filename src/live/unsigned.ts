import { X25_SEED, x25, x25Byte } from '../core/checksum.ts';
import { impliedExtra, sumOf } from '../formats/mavlink/checksum.ts';
import { CHECKSUM, type Header, SIGNED } from '../formats/mavlink/header.ts';

/**
 * A signed frame as it is written to a log: without its signature, so that what the key signed cannot be collected, and
 * without the flag that says that there is one, which is part of what the checksum covers. A checksum that was wrong
 * stays so. https://mavlink.io/en/guide/message_signing.html#logging
 */
export function withoutSignature(bytes: Uint8Array, header: Header): Uint8Array {
  const extra = impliedExtra(sumOf(bytes, header), header.stated(bytes));
  const frame = new Uint8Array(bytes.subarray(header.start, header.checksum + CHECKSUM));
  frame[2] &= ~SIGNED;
  if (extra < 0) return frame;
  const end = frame.length - CHECKSUM;
  const sum = x25Byte(x25(frame, 1, end, X25_SEED), extra);
  frame[end] = sum & 0xff;
  frame[end + 1] = sum >>> 8;
  return frame;
}
