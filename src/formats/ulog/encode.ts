import { HEAD, HEADER_BYTES, TYPE } from './messages.ts';

const BOOT_TIME = 'uint64_t boot_time_utc_us';

/** The bytes of a message at a place, or of the header of the file. */
export function messageLength(bytes: Uint8Array, at: number, isHeader: boolean): number {
  return isHeader ? HEADER_BYTES : HEAD + bytes[at] + bytes[at + 1] * 256;
}

/** Flags without those that say where parts were appended: these places are not those of a part of the log. */
export function withoutAppended(flags: Uint8Array): Uint8Array {
  const changed = flags.slice();
  changed[HEAD + 8] &= ~1;
  changed.fill(0, HEAD + 16, HEAD + 40);
  return changed;
}

/** The information when the vehicle was started, in microseconds since 1970. */
export function bootTimeMessage(micros: number): Uint8Array {
  const key = new TextEncoder().encode(BOOT_TIME);
  const message = new Uint8Array(HEAD + 1 + key.length + 8);
  const view = new DataView(message.buffer);
  view.setUint16(0, message.length - HEAD, true);
  message[2] = TYPE.I;
  message[HEAD] = key.length;
  message.set(key, HEAD + 1);
  view.setBigUint64(HEAD + 1 + key.length, BigInt(Math.round(micros)), true);
  return message;
}
