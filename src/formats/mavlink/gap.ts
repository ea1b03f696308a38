import { endOfFill } from '../../core/bytes.ts';
import type { Sink } from '../../core/decoder.ts';

/** Why something that looks like a frame is none. */
export interface Failure {
  readonly code: string;
  /** The message, by name or id. */
  readonly subject: string;
  /** The rest of the sentence that begins with 'frame ATTITUDE at offset 12'. */
  readonly text: string;
}

/** Fewer equal bytes or characters than this happen by chance. */
const LEAST_ALIKE = 4;
/**
 * Frames in a gap that are asked why they fail, which costs more than to pass over them. One that begins inside another
 * counts more: of these a hostile stream can have the most, and they are not even reported.
 */
const MOST_FAILURES = 4096;
const INNER_FAILURE = 16;

const UNDECIDED = -2;
const MIXED = -1;

/**
 * The bytes between records that are being passed over. They become faults: one for each frame that failed, and for
 * each stretch between them, told apart by whether it is blank, text or neither.
 */
export class Gap {
  private readonly sink: Sink;
  /** Where the stretch begins that is not a fault yet; -1 while there is no gap. */
  private start = -1;
  /** Bytes before this place were looked at. */
  seen = 0;
  /** The failed frame that the stretch is part of, and where it ends. */
  private failure: Failure | undefined;
  private failureEnd = 0;
  private failures = 0;
  /** The one value that all bytes of the stretch have, or that they have several. */
  private fill = UNDECIDED;
  private isText = true;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  get isOpen(): boolean {
    return this.start >= 0;
  }

  /** Where what is not a fault yet begins. */
  get from(): number {
    return this.start;
  }

  /** Whether it is worth to ask why a frame failed. */
  get asks(): boolean {
    return this.failures < MOST_FAILURES;
  }

  open(offset: number): void {
    this.failures = 0;
    this.begin(offset);
  }

  private begin(offset: number): void {
    this.start = offset;
    this.seen = offset;
    this.fill = UNDECIDED;
    this.isText = true;
  }

  /** A frame in [offset, end) failed. One that begins inside another that failed does not count. */
  fail(offset: number, end: number, failure: Failure): void {
    this.failures += this.failure ? INNER_FAILURE : 1;
    if (this.failure) return;
    this.end(offset, false);
    this.begin(offset);
    this.failure = failure;
    this.failureEnd = end;
  }

  /** Bytes up to index `to` belong to no record; bytes[0] stands at `base` in the source. */
  pass(bytes: Uint8Array, base: number, to: number): void {
    const stop = base + to;
    if (this.failure) {
      if (stop < this.failureEnd) {
        this.seen = Math.max(this.seen, stop);
        return;
      }
      const { failureEnd } = this;
      this.end(failureEnd, false);
      this.begin(failureEnd);
    }
    if (stop <= this.seen) return;
    this.look(bytes, this.seen - base, to);
    this.seen = stop;
  }

  private look(bytes: Uint8Array, from: number, to: number): void {
    if (this.fill === UNDECIDED) this.fill = bytes[from] === 0 || bytes[from] === 0xff ? bytes[from] : MIXED;
    let at = from;
    if (this.fill !== MIXED) {
      at = endOfFill(bytes, at, to, this.fill);
      if (at === to) return;
      this.fill = MIXED;
      this.isText = false;
    }
    while (this.isText && at < to) this.isText = isPrintable(bytes[at++]);
  }

  /** A record begins at `offset`, or the source ends there. */
  close(offset: number, isLast: boolean): void {
    if (this.start >= 0) this.end(offset, isLast);
    this.start = -1;
  }

  /** Turns what there is up to `offset` into a fault. */
  private end(offset: number, isLast: boolean): void {
    const { start, failure } = this;
    const length = offset - start;
    this.failure = undefined;
    if (length <= 0) return;
    const where = `at offset ${start}`;
    if (failure && offset >= this.failureEnd) {
      this.fault(failure.code, length, true, `frame ${failure.subject} ${where} ${failure.text}`, failure.subject);
    } else if (failure) {
      const text = `frame ${failure.subject} ${where} is cut after ${length} of ${this.failureEnd - start} bytes`;
      this.fault('cut-frame', length, true, text, failure.subject);
    } else if (this.fill >= 0 && (isLast || length >= LEAST_ALIKE)) {
      const value = `0x${this.fill.toString(16).padStart(2, '0')}`;
      const end = isLast ? 'fill up the end' : 'stand where frames should be';
      this.fault(isLast ? 'padding' : 'blank', length, !isLast, `${length} bytes of ${value} ${where} ${end}`);
    } else if (this.isText && length >= LEAST_ALIKE) {
      this.fault('text', length, false, `${length} characters of text ${where} belong to no frame`);
    } else {
      this.fault('garbage', length, true, `${length} bytes ${where} belong to no frame`);
    }
  }

  private fault(code: string, length: number, lost: boolean, text: string, subject?: string): void {
    const { start: offset } = this;
    if (subject === undefined) this.sink.fault({ code, offset, length, lost, text });
    else this.sink.fault({ code, offset, length, lost, text, subject });
  }
}

/** What a serial console sends: ASCII, ends of lines, tabs, and the escape that begins a colour. */
function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1b;
}
