import type { Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import { SkippedBytes, skippedText } from '../../core/skipped-bytes.ts';
import { hex } from '../../core/text.ts';
import { messageName } from './messages.ts';

/** Why something that looks like a frame is none. */
export interface Failure {
  readonly code: 'bad-checksum' | 'truncated';
  /** The number of the message; undefined if not even the header is there. */
  readonly message: number | undefined;
  /** Bytes that the frame has, or would have. */
  readonly length: number;
  /** The checksum that it has, and the one that its bytes ask for. */
  readonly stated: number;
  readonly wanted: number;
}

/** Fewer characters than this happen by chance. */
const LEAST_TEXT = 4;

/** Skipped bytes as faults: one for each failed frame, and for each run between them (blank, text or neither). */
export class Resync {
  private readonly sink: Sink;
  /** Where the stretch begins that is not a fault yet; -1 while there is no gap. */
  private start = -1;
  /** Bytes before this place were looked at. */
  private seen = 0;
  /** The failed frame that the stretch is. */
  private failure: Failure | undefined;
  /** Where the last failed frame of the gap ends: there another one may begin. -1 while there is none. */
  failureEnd = -1;
  private readonly skipped = new SkippedBytes(true);

  constructor(sink: Sink) {
    this.sink = sink;
  }

  get isOpen(): boolean {
    return this.start >= 0;
  }

  open(offset: number): void {
    this.failureEnd = -1;
    this.begin(offset);
  }

  private begin(offset: number): void {
    this.start = offset;
    this.seen = offset;
    this.failure = undefined;
    this.skipped.begin();
  }

  /** The frame in [offset, end) failed, and what came before it is accounted for. */
  fail(offset: number, end: number, failure: Failure): void {
    this.end(offset, false);
    this.begin(offset);
    this.failure = failure;
    this.failureEnd = end;
  }

  /** Bytes up to index `to` are not part of a frame; bytes[0] is at `base` in the source. */
  pass(bytes: Uint8Array, base: number, to: number): void {
    const stop = base + to;
    if (this.failure) {
      if (stop < this.failureEnd) return;
      const { failureEnd } = this;
      this.end(failureEnd, false);
      this.begin(failureEnd);
    }
    if (stop > this.seen) this.skipped.extend(bytes, this.seen - base, to);
    this.seen = stop;
  }

  /** A frame begins at `offset`, or the source ends there. */
  close(offset: number, isLast: boolean): void {
    if (this.start >= 0) this.end(offset, isLast);
    this.start = -1;
    this.failure = undefined;
    this.failureEnd = -1;
  }

  /** Turns what there is up to `offset` into a fault. */
  private end(offset: number, isLast: boolean): void {
    const { start } = this;
    const length = offset - start;
    if (length <= 0) return;
    const code = this.codeOf(offset, isLast);
    // nothing was ever written before the first frame
    const lost = code !== 'padding' && code !== 'text' && !(code === 'blank' && start === 0);
    const { failure } = this;
    const { fill } = this.skipped;
    const text = (): string =>
      failure
        ? failureSentence(code, failure, `at offset ${start}`, length)
        : skippedText(code, length, fill, start, 'frame');
    this.sink.fault(new LazyFault(code, start, length, lost, undefined, text));
  }

  private codeOf(offset: number, isLast: boolean): string {
    if (this.failure) return offset >= this.failureEnd ? this.failure.code : 'cut-frame';
    if (this.skipped.isBlank) return isLast ? 'padding' : 'blank';
    return this.skipped.isText && offset - this.start >= LEAST_TEXT ? 'text' : 'garbage';
  }
}

function failureSentence(code: string, failure: Failure, where: string, length: number): string {
  const { message, stated, wanted } = failure;
  const name = message === undefined ? 'frame header' : `frame ${messageName(message)}`;
  const whole = message === undefined ? '' : ` of ${failure.length}`;
  if (code === 'truncated') return `${name} ${where} is cut by the end after ${length}${whole} bytes`;
  if (code === 'cut-frame') return `${name} ${where} is cut after ${length}${whole} bytes`;
  return `${name} ${where} has checksum ${hex(stated)}, expected ${hex(wanted)}`;
}
