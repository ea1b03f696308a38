import type { Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import { hex } from '../../core/text.ts';
import { type Header, INVERTED_SUM } from './header.ts';
import { ERROR, errorMeaning, isLoss, WARNING, warningMeaning } from './messages.ts';

const KINDS = ['inverted-checksum', 'bad-items', 'no-configuration', 'device-error', 'device-warning'] as const;

interface Remark {
  readonly lost: boolean;
  /** What it is about, and the sentence. */
  readonly subject: string;
  readonly text: string;
}

/** Remarks on frames that are records too. Each is made once for each device: the records show how often. */
export class Remarks {
  private readonly sink: Sink;
  private readonly made: Set<number> = new Set();

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** @param value what distinguishes remarks of one kind on one device: 32 bits */
  private remark(code: (typeof KINDS)[number], bus: number, value: number, offset: number, make: () => Remark): void {
    const key = (KINDS.indexOf(code) * 256 + bus) * 2 ** 32 + value;
    if (this.made.has(key) || this.made.size >= LIMITS.faultSubjects) return;
    this.made.add(key);
    const { lost, subject, text } = make();
    this.sink.fault({ code, offset, length: 0, lost, text, subject });
  }

  /** The first frame by a rule was taken. */
  rule(rule: number, offset: number): void {
    if (rule !== INVERTED_SUM) return;
    this.remark('inverted-checksum', 0, 0, offset, () => ({
      lost: false,
      subject: 'stream',
      text: `frames from offset ${offset} on have 0xff minus their sum as checksum, the protocol expects 0x100 minus it`,
    }));
  }

  /** MTData2 whose checksum is right and whose items do not fill it. */
  items({ bus, length }: Header, offset: number): void {
    this.remark('bad-items', bus, 0, offset, () => ({
      lost: true,
      subject: `device ${bus}`,
      text: `items of MTData2 at offset ${offset} do not add up to its ${length} bytes: kept raw`,
    }));
  }

  /** MTData of a device that never said what it holds. */
  guess({ bus, length }: Header, offset: number, isGuessed: boolean): void {
    this.remark('no-configuration', bus, length, offset, () => ({
      lost: false,
      subject: `device ${bus}, ${length} bytes`,
      text:
        `MTData at offset ${offset} with ${length} bytes came without a configuration: ` +
        (isGuessed ? 'its layout is guessed from its length' : 'it is kept as it is'),
    }));
  }

  /** A device reports an error or a warning. */
  report(bytes: Uint8Array, { bus, message, data, length }: Header, offset: number): void {
    if (message === ERROR && length >= 1) {
      const code = bytes[data];
      this.remark('device-error', bus, code, offset, () => ({
        lost: isLoss(code),
        subject: `device ${bus}, error ${hex(code)}`,
        text: `device ${bus} reports error ${hex(code)} at offset ${offset}: ${errorMeaning(code)}`,
      }));
    } else if (message === WARNING && length >= 4) {
      const code = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(data);
      this.remark('device-warning', bus, code, offset, () => ({
        lost: false,
        subject: `device ${bus}, warning ${code}`,
        text: `device ${bus} warns ${code} at offset ${offset}: ${warningMeaning(code)}`,
      }));
    }
  }
}
