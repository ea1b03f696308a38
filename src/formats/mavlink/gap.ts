import { endOfFill } from '../../core/bytes.ts';
import type { Sink } from '../../core/decoder.ts';
import type { FailedFrame, GapSink } from './scan.ts';

/** Fewer equal bytes or characters than this happen by chance. */
const LEAST_ALIKE = 4;
/** From this many equal bytes on, they are a stretch, whatever follows. */
const LONG_BLANK = 64;
const UNDECIDED = -2;
const MIXED = -1;

/**
 * The bytes between records that are being passed over. They become faults: one for each frame that failed, and for
 * each stretch between them, by whether it is blank, text or neither.
 */
export class Gap implements GapSink {
  private readonly sink: Sink;
  private readonly flush: () => void;
  /** Where the stretch begins that is not a fault yet; -1 while there is none. */
  private start = -1;
  /** The one value that all bytes of the stretch have, or that they have several. */
  private fill = UNDECIDED;
  private isText = true;

  /** @param flush hands over the records before the gap */
  constructor(sink: Sink, flush: () => void) {
    this.sink = sink;
    this.flush = flush;
  }

  lost(): void {
    this.flush();
  }

  failed(bytes: Uint8Array, to: number, base: number, { failure, isSure, from: offset, end }: FailedFrame): void {
    const { code, subject, text } = failure;
    const length = base + to - offset;
    const isWhole = base + to >= end;
    this.sink.skipped?.(bytes, offset - base, to, isSure && isWhole ? 'damaged' : 'other');
    if (length === 0) return;
    const rest = isWhole ? text : `is cut after ${length} of ${end - offset} bytes`;
    const sentence = `frame ${subject} at offset ${offset} ${rest}`;
    this.sink.fault({ code: isWhole ? code : 'cut-frame', offset, length, lost: true, text: sentence, subject });
  }

  passed(bytes: Uint8Array, from: number, to: number, base: number): void {
    if (this.start < 0) this.begin(base + from);
    let at = from;
    for (;;) {
      const blank = this.endOfBlank(bytes, at, to);
      if (this.fill === MIXED || blank === to || base + blank - this.start < LONG_BLANK) break;
      if (blank > at) this.sink.skipped?.(bytes, at, blank, 'other');
      this.ended(base + blank, false);
      this.begin(base + blank);
      at = blank;
    }
    this.look(bytes, at, to);
    this.sink.skipped?.(bytes, at, to, 'other');
  }

  private begin(offset: number): void {
    this.start = offset;
    this.fill = UNDECIDED;
    this.isText = true;
  }

  /** Where the bytes end that are all blank from the beginning of the stretch on. */
  private endOfBlank(bytes: Uint8Array, from: number, to: number): number {
    if (this.fill === UNDECIDED) this.fill = bytes[from] === 0 || bytes[from] === 0xff ? bytes[from] : MIXED;
    return this.fill === MIXED ? from : endOfFill(bytes, from, to, this.fill);
  }

  private look(bytes: Uint8Array, from: number, to: number): void {
    let at = this.endOfBlank(bytes, from, to);
    if (this.fill !== MIXED) {
      if (at === to) return;
      this.fill = MIXED;
      this.isText = false;
    }
    while (this.isText && at < to) this.isText = isPrintable(bytes[at++]);
  }

  /** Turns what was passed into a fault. */
  ended(end: number, isLast: boolean): void {
    const { start: offset, fill, sink } = this;
    if (offset < 0) return;
    const length = end - offset;
    const where = `at offset ${offset}`;
    this.start = -1;
    if (fill >= 0 && (isLast || length >= LEAST_ALIKE)) {
      const code = isLast ? 'padding' : 'blank';
      const what = isLast ? 'fill up the end' : 'stand where frames should be';
      const text = `${length} bytes of 0x${fill.toString(16).padStart(2, '0')} ${where} ${what}`;
      // nothing was ever written before the first frame
      sink.fault({ code, offset, length, lost: !isLast && offset > 0, text });
    } else if (this.isText && length >= LEAST_ALIKE) {
      const text = `${length} characters of text ${where} belong to no frame`;
      sink.fault({ code: 'text', offset, length, lost: false, text });
    } else {
      sink.fault({ code: 'garbage', offset, length, lost: true, text: `${length} bytes ${where} belong to no frame` });
    }
  }
}

/** What a serial console sends: ASCII, ends of lines, tabs, and the escape that begins a colour. */
function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1b;
}
