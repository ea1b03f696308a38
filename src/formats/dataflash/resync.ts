import type { Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import { blankText, SkippedBytes } from '../../core/skipped-bytes.ts';

/** Subjects of faults about undefined types: made once, since a hostile file has millions. */
export const TYPE_SUBJECTS: readonly string[] = Array.from({ length: 256 }, (_, type) => `type ${type}`);

/** Skips bytes from one record to the next, and makes faults of them. */
export class Resync {
  private readonly sink: Sink;
  private start = -1;
  private code = '';
  private subject: string | undefined;
  private readonly skipped = new SkippedBytes(false);

  constructor(sink: Sink) {
    this.sink = sink;
  }

  open(offset: number, code: string, subject?: string): void {
    this.start = offset;
    this.code = code;
    this.subject = subject;
    this.skipped.begin();
  }

  extend(bytes: Uint8Array, from: number, to: number): void {
    this.skipped.extend(bytes, from, to);
  }

  /** Another header of an undefined type in damage that began with one: a separate record. */
  unknownType(offset: number, type: number): void {
    if (this.code !== 'unknown-type') return;
    this.close(offset, false);
    this.open(offset, 'unknown-type', TYPE_SUBJECTS[type]);
  }

  /** Ends the stretch before `offset`; `last` says that the source ends there. */
  close(offset: number, last: boolean): void {
    if (this.start < 0) return;
    const length = offset - this.start;
    const blank = this.skipped.isBlank;
    const padding = blank && last && this.code === 'garbage';
    const code = padding ? 'padding' : blank && this.code === 'garbage' ? 'blank' : this.code;
    if (length > 0) {
      const { start, subject } = this;
      const { fill } = this.skipped;
      const text = (): string => sentence(code, start, length, fill, subject);
      // nothing was ever written before the first record
      const lost = !padding && !(code === 'blank' && start === 0);
      this.sink.fault(new LazyFault(code, start, length, lost, subject, text));
    }
    this.start = -1;
    this.code = '';
  }

  /** The end of the source came inside a record. */
  cut(offset: number, length: number, name: string | undefined): void {
    const what = name === undefined ? 'record header' : `record ${name}`;
    const text = `${what} at offset ${offset} is cut by the end after ${length} bytes`;
    this.sink.fault({ code: 'truncated', offset, length, lost: true, text });
  }
}

function sentence(code: string, start: number, length: number, fill: number, subject: string | undefined): string {
  const where = `at offset ${start}`;
  switch (code) {
    case 'padding':
    case 'blank':
      return blankText(code, length, fill, start, 'records');
    case 'unknown-type':
      return `record of ${subject} ${where}, which no FMT defines: ${length} bytes skipped`;
    case 'damaged-record':
      return `record ${subject} ${where} is overwritten by another after ${length} bytes`;
    default:
      return `${length} bytes ${where} are not part of a record`;
  }
}
