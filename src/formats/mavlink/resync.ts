import type { Sink } from '../../core/decoder.ts';
import { SkippedBytes, skippedText } from '../../core/skipped-bytes.ts';
import type { FailedFrame, GapSink } from './scan.ts';

/** Fewer equal bytes or characters than this happen by chance. */
const LEAST_ALIKE = 4;
/** From this many equal bytes on, they are a stretch, whatever follows. */
const LONG_BLANK = 64;

/** Skipped bytes as faults: one for each failed frame, and for each run between them (blank, text or neither). */
export class Resync implements GapSink {
  private readonly sink: Sink;
  private readonly flush: () => void;
  /** Where the stretch begins that is not a fault yet; -1 while there is none. */
  private start = -1;
  private readonly skipped = new SkippedBytes(true);

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
    const { skipped } = this;
    let at = from;
    for (;;) {
      const blank = skipped.endOfBlank(bytes, at, to);
      if (!skipped.isBlank || blank === to || base + blank - this.start < LONG_BLANK) break;
      if (blank > at) this.sink.skipped?.(bytes, at, blank, 'other');
      this.ended(base + blank, false);
      this.begin(base + blank);
      at = blank;
    }
    skipped.extend(bytes, at, to);
    this.sink.skipped?.(bytes, at, to, 'other');
  }

  private begin(offset: number): void {
    this.start = offset;
    this.skipped.begin();
  }

  /** Turns what was passed into a fault. */
  ended(end: number, isLast: boolean): void {
    const { start: offset, sink } = this;
    const { fill, isText } = this.skipped;
    if (offset < 0) return;
    const length = end - offset;
    this.start = -1;
    const isBlank = fill >= 0 && (isLast || length >= LEAST_ALIKE);
    const other = isText && length >= LEAST_ALIKE ? 'text' : 'garbage';
    const code = isBlank ? (isLast ? 'padding' : 'blank') : other;
    // nothing was ever written before the first frame
    const lost = code === 'garbage' || (code === 'blank' && offset > 0);
    sink.fault({ code, offset, length, lost, text: skippedText(code, length, fill, offset, 'frame') });
  }
}
