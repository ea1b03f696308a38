import type { Sink } from '../../core/decoder.ts';
import { ALL_BINARY, BINARY, Gap } from '../nmea/gap.ts';
import { HEX, NO_DIGIT } from '../nmea/head.ts';

const STAR = 42;
/** Bytes of a checksum of a sentence: a star and two digits. */
const CHECKSUM = 3;

/** Bytes that no protocol claims, until they become a fault. */
export class Rest {
  private readonly gap: Gap;
  private binary = 0;
  /** How many bytes of a checksum were seen last. */
  private seen = 0;

  constructor(sink: Pick<Sink, 'fault'>) {
    this.gap = new Gap(sink, 'protocol');
  }

  /** Adds bytes [from, to), which are part of those from `base` on. */
  extend(bytes: Uint8Array, from: number, to: number, base: number): void {
    if (!this.gap.isOpen) {
      this.binary = 0;
      this.seen = 0;
    }
    let hasChecksum = false;
    for (let at = from; at < to && this.binary !== ALL_BINARY; at++) {
      const byte = bytes[at];
      this.binary |= BINARY[byte];
      if (byte === STAR) this.seen = 1;
      else if (this.seen > 0) this.seen = HEX[byte] < NO_DIGIT ? this.seen + 1 : 0;
      if (this.seen < CHECKSUM) continue;
      hasChecksum = true;
      this.seen = 0;
    }
    this.gap.extend(bytes, from, to, base, this.binary);
    if (hasChecksum) this.gap.checksum();
  }

  close(isLast: boolean): void {
    this.gap.close(isLast);
  }
}
