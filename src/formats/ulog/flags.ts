import { isMagic, MAGIC_BYTES } from './look.ts';
import { HEAD, HEADER_BYTES, TYPE } from './messages.ts';

/** What the first message of a log says of the whole. */
export interface Flags {
  readonly compat: Uint8Array;
  readonly incompat: Uint8Array;
  /** Where appended parts begin, 0 if none. */
  readonly appended: readonly number[];
}

/** The one known incompatible flag: the log has appended parts. */
const KNOWN = 1;

/** @param at where the message begins; what it is too short for is 0 */
export function flagsOf(bytes: Uint8Array, at: number): Flags {
  const whole = new Uint8Array(40);
  const end = Math.min(at + HEAD + bytes[at] + bytes[at + 1] * 256, at + HEAD + whole.length);
  whole.set(bytes.subarray(at + HEAD, end));
  const view = new DataView(whole.buffer);
  const appended = [16, 24, 32].map((place) => view.getUint32(place, true) + view.getUint32(place + 4, true) * 2 ** 32);
  return { compat: whole.subarray(0, 8), incompat: whole.subarray(8, 16), appended };
}

export function unknownFlag(incompat: Uint8Array): string {
  for (let i = 0; i < incompat.length; i++) {
    const unknown = i === 0 ? incompat[i] & ~KNOWN : incompat[i];
    for (let bit = 0; bit < 8; bit++)
      if ((unknown & (1 << bit)) !== 0) return `bit ${bit} of byte ${i} of the incompatible flags`;
  }
  return '';
}

/** Why a ULog cannot be read by its beginning; undefined where it can, or where it is none. */
export function refusal(head: Uint8Array): string | undefined {
  if (head.length < MAGIC_BYTES || !isMagic(head, 0)) return undefined;
  if (head.length < HEADER_BYTES)
    return `cut after ${head.length} bytes; its header alone has ${HEADER_BYTES}: get the whole file`;
  if (head[HEADER_BYTES + 2] !== TYPE.B || head.length < HEADER_BYTES + HEAD + 16) return undefined;
  const flag = unknownFlag(flagsOf(head, HEADER_BYTES).incompat);
  return flag === '' ? undefined : `not read, since ${flag} is set, which Skein does not know`;
}
