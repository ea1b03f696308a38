import type { Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import { ScanningDecoder } from '../../core/scanning-decoder.ts';
import { ALL_BINARY, BINARY, Resync } from '../nmea/resync.ts';
import { UBX_LIMITS } from './limits.ts';
import { RTCM_FIRST, Tables, ubxName } from './schema.ts';

/*
 * What a GNSS receiver sends beside NMEA, and what it is sent for corrections:
 *
 *     UBX     B5 62 | class | id | length, two bytes, low one first | payload | two sums of class to payload
 *     RTCM 3  D3 | 6 bits 0, 10 bits length | payload, which begins with 12 bits of number | CRC-24Q of all before it
 *
 * https://content.u-blox.com/sites/default/files/u-blox-M10-SPG-5.10_InterfaceDescription_UBX-21035062.pdf
 * https://gpsd.gitlab.io/gpsd/rtcm_protocol.html
 */

const UBX_FIRST = 0xb5;
const UBX_SECOND = 0x62;
const UBX_AROUND = 8;
const RTCM_AROUND = 6;
const WAIT = -1;
const NONE = 0;
const BATCH = 1024;

/** Something that begins as a frame does, and is not one. */
interface FalseFrame {
  readonly offset: number;
  readonly size: number;
  readonly name: string;
}

/** Finds UBX and RTCM 3 frames by checksum; a wrong one costs a byte, and frames inside it are found. */
export class UbxDecoder extends ScanningDecoder {
  private readonly tables: Tables;
  /** Bytes between frames; undefined if a stream of several protocols accounts for them. */
  private readonly resync: Resync | undefined;
  private failed: FalseFrame | undefined;
  /** Up to here bytes are in frames or in the gap. */
  private passed = 0;
  /** Bytes that were summed for false frames: limited to a multiple of those that came. */
  private wasted = 0;

  constructor(sink: Sink, between: 'faults' | 'silent' = 'faults') {
    super(sink, BATCH);
    this.tables = new Tables(sink);
    this.resync = between === 'faults' ? new Resync(sink, 'frame') : undefined;
  }

  protected scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    // the next of each kind, looked for only when it was passed
    let nextUbx = -1;
    let nextRtcm = -1;
    let at = from;
    this.passed = from;
    while (at < bytes.length) {
      const byte = bytes[at];
      if (byte !== UBX_FIRST && byte !== RTCM_FIRST) {
        if (nextUbx < at) nextUbx = indexOf(bytes, UBX_FIRST, at);
        if (nextRtcm < at) nextRtcm = indexOf(bytes, RTCM_FIRST, at);
        at = Math.min(nextUbx, nextRtcm);
        continue;
      }
      const size = byte === UBX_FIRST ? this.ubx(bytes, at, base, final) : this.rtcm(bytes, at, base, final);
      if (size === WAIT && !final) break;
      if (size <= 0) {
        at++;
        continue;
      }
      this.addFrame(bytes, at, size, byte === UBX_FIRST ? UBX_AROUND : RTCM_AROUND);
      at += size;
      this.passed = at;
    }
    this.pass(bytes, at);
    if (final) this.close(true);
    return at;
  }

  private addFrame(bytes: Uint8Array, at: number, size: number, around: number): void {
    const { batch } = this;
    this.pass(bytes, at);
    this.close(false);
    batch.table[batch.count] = this.tables.idOf(bytes, at, size - around);
    batch.start[batch.count] = at;
    batch.size[batch.count] = size;
    if (++batch.count === BATCH) this.flush();
  }

  /** Bytes up to a place are not part of a frame. */
  private pass(bytes: Uint8Array, to: number): void {
    const { resync, passed } = this;
    if (!resync || to <= passed) return;
    let binary = 0;
    for (let at = passed; at < to && binary !== ALL_BINARY; at++) binary |= BINARY[bytes[at]];
    resync.extend(bytes, passed, to, this.batch.base, binary);
    this.passed = to;
  }

  /** A frame follows, or the source ends: what is between frames becomes a fault. */
  private close(isLast: boolean): void {
    const { resync, failed } = this;
    this.failed = undefined;
    if (!resync?.isOpen) return;
    this.flush();
    const length = resync.size;
    const isWhole = failed?.offset === resync.from && failed.size === length;
    const isCut = failed?.offset === resync.from && failed.size > length && isLast;
    if (!failed || !(isWhole || isCut)) {
      resync.close(isLast);
      return;
    }
    resync.drop();
    const { offset, size, name } = failed;
    const text = isWhole
      ? (): string => `checksum of ${name} at offset ${offset} is wrong`
      : (): string => `${name} at offset ${offset} is cut by the end after ${length} of ${size} bytes`;
    this.sink.fault(new LazyFault(isWhole ? 'bad-checksum' : 'truncated', offset, length, true, undefined, text));
  }

  /** Bytes of the UBX frame at a place; NONE, or WAIT for more bytes. */
  private ubx(bytes: Uint8Array, at: number, base: number, final: boolean): number {
    if (at + 1 < bytes.length && bytes[at + 1] !== UBX_SECOND) return NONE;
    if (at + UBX_AROUND > bytes.length) return WAIT;
    const size = UBX_AROUND + bytes[at + 4] + bytes[at + 5] * 256;
    if (size > UBX_LIMITS.frameBytes || !this.mayTry(base + at, size)) return NONE;
    const isWhole = at + size <= bytes.length;
    if (!isWhole && !final) return WAIT;
    let [first, second] = [0, 0];
    for (let i = at + 2; isWhole && i < at + size - 2; i++) {
      first = (first + bytes[i]) & 0xff;
      second = (second + first) & 0xff;
    }
    const isRight = isWhole && bytes[at + size - 2] === first && bytes[at + size - 1] === second;
    return isRight ? size : this.fail(base + at, size, isWhole, () => ubxName(bytes[at + 2], bytes[at + 3]));
  }

  private rtcm(bytes: Uint8Array, at: number, base: number, final: boolean): number {
    if (at + 1 < bytes.length && bytes[at + 1] > 3) return NONE;
    if (at + RTCM_AROUND > bytes.length) return WAIT;
    const size = RTCM_AROUND + bytes[at + 1] * 256 + bytes[at + 2];
    // no message is shorter than its number
    if (size < RTCM_AROUND + 2 || !this.mayTry(base + at, size)) return NONE;
    const isWhole = at + size <= bytes.length;
    if (!isWhole && !final) return WAIT;
    // a CRC over what it belongs to and itself is 0
    if (isWhole && crc24(bytes, at, at + size) === 0) return size;
    return this.fail(base + at, size, isWhole, () => `RTCM ${(bytes[at + 3] << 4) | (bytes[at + 4] >> 4)}`);
  }

  private fail(offset: number, size: number, isWhole: boolean, name: () => string): number {
    if (isWhole) this.wasted += size;
    // the first where the bytes between frames begin: they may be nothing but it
    if (this.resync && !this.failed) this.failed = { offset, size, name: name() };
    return NONE;
  }

  /** Dense beginnings that are none would make it slow: the share of the work that they may cause is limited. */
  private mayTry(offset: number, size: number): boolean {
    return this.wasted + size <= UBX_LIMITS.frameBytes * 4 + offset * UBX_LIMITS.triesPerByte;
  }
}

/** The first place of a byte from `from` on; after the last byte if there is none. */
function indexOf(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}

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
