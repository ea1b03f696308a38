import type { Decoder, Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import { Feed } from '../../core/feed.ts';
import { MIXED_LIMITS } from '../../core/limits.ts';
import { crc24 } from './crc24.ts';

/*
 * Frames of protocols that Skein does not read, but that stand between those that it does. They are passed over whole,
 * so that nothing inside them is taken for something else.
 *
 *     UBX     B5 62 | class | id | length, two bytes, low one first | data | two sums of class to data
 *     RTCM3   D3 | 6 bits 0, 10 bits length | data | CRC-24Q of all before it
 *
 * https://content.u-blox.com/sites/default/files/u-blox-M10-SPG-5.10_InterfaceDescription_UBX-21035062.pdf
 * https://gpsd.gitlab.io/gpsd/rtcm_protocol.html
 */

const UBX_FIRST = 0xb5;
const UBX_SECOND = 0x62;
const UBX_AROUND = 8;
const RTCM_FIRST = 0xd3;
const RTCM_AROUND = 6;
const WAIT = -1;
const NONE = 0;

/** Finds the frames. Each is a fault by which nothing is lost; what stands between them is not told. */
export class Skimmer implements Decoder {
  private readonly sink: Sink;
  private readonly feed: Feed;
  /** Bytes that were summed for frames that were none: no more than so many times those that came. */
  private wasted = 0;

  constructor(sink: Sink) {
    this.sink = sink;
    this.feed = new Feed((bytes, from, base, final) => this.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.feed.push(bytes);
  }

  end(): void {
    this.feed.end();
  }

  private scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    // the next of each kind, looked for only when it was passed
    let nextUbx = -1;
    let nextRtcm = -1;
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at];
      if (byte !== UBX_FIRST && byte !== RTCM_FIRST) {
        if (nextUbx < at) nextUbx = indexOf(bytes, UBX_FIRST, at);
        if (nextRtcm < at) nextRtcm = indexOf(bytes, RTCM_FIRST, at);
        at = Math.min(nextUbx, nextRtcm);
        continue;
      }
      const size = byte === UBX_FIRST ? this.ubx(bytes, at, base) : this.rtcm(bytes, at, base);
      if (size === WAIT && !final) break;
      if (size <= 0) {
        at++;
        continue;
      }
      this.found(byte === UBX_FIRST ? 'UBX' : 'RTCM3', base + at, size);
      at += size;
    }
    return at;
  }

  private found(name: string, offset: number, size: number): void {
    const text = (): string => `${name} frame of ${size} bytes at offset ${offset} is passed over`;
    this.sink.fault(new LazyFault(`${name.toLowerCase()}-frame`, offset, size, false, undefined, text));
  }

  /** Bytes of the UBX frame at a place; NONE, or WAIT where too few bytes are there to tell. */
  private ubx(bytes: Uint8Array, at: number, base: number): number {
    if (at + 1 < bytes.length && bytes[at + 1] !== UBX_SECOND) return NONE;
    if (at + UBX_AROUND > bytes.length) return WAIT;
    const size = UBX_AROUND + bytes[at + 4] + bytes[at + 5] * 256;
    if (size > MIXED_LIMITS.frameBytes || !this.mayTry(base + at, size)) return NONE;
    if (at + size > bytes.length) return WAIT;
    let [first, second] = [0, 0];
    for (let i = at + 2; i < at + size - 2; i++) {
      first = (first + bytes[i]) & 0xff;
      second = (second + first) & 0xff;
    }
    const isRight = bytes[at + size - 2] === first && bytes[at + size - 1] === second;
    return this.judged(isRight, size);
  }

  private rtcm(bytes: Uint8Array, at: number, base: number): number {
    if (at + 1 < bytes.length && bytes[at + 1] > 3) return NONE;
    if (at + RTCM_AROUND > bytes.length) return WAIT;
    const size = RTCM_AROUND + bytes[at + 1] * 256 + bytes[at + 2];
    // no message is shorter than its number
    if (size < RTCM_AROUND + 2 || !this.mayTry(base + at, size)) return NONE;
    if (at + size > bytes.length) return WAIT;
    // a CRC over what it belongs to and itself is 0
    return this.judged(crc24(bytes, at, at + size) === 0, size);
  }

  private judged(isRight: boolean, size: number): number {
    if (isRight) return size;
    this.wasted += size;
    return NONE;
  }

  /** Dense beginnings that are none would make it slow: the share of the work that they may cause is limited. */
  private mayTry(offset: number, size: number): boolean {
    return this.wasted + size <= MIXED_LIMITS.frameBytes * 4 + offset * MIXED_LIMITS.triesPerByte;
  }
}

/** The first place of a byte from `from` on; behind the last byte if there is none. */
function indexOf(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}
