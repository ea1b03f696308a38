import type { Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';

/** Subjects of faults about undefined types: made once, since a hostile file has millions. */
export const TYPE_SUBJECTS: readonly string[] = Array.from({ length: 256 }, (_, type) => `type ${type}`);

/** The stretch of bytes between records that is being passed over, until it becomes a fault. */
export class Gap {
  private readonly sink: Sink;
  private start = -1;
  private code = '';
  private subject: string | undefined;
  /** The one byte that the stretch consists of, or -1. */
  private fill = -1;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  open(offset: number, code: string, subject?: string): void {
    this.start = offset;
    this.code = code;
    this.subject = subject;
    this.fill = Number.NaN;
  }

  /** Notes whether bytes [from, to) leave the stretch blank: all zeros, or all ones as erased flash is. */
  extend(bytes: Uint8Array, from: number, to: number): void {
    if (this.fill === -1 || from >= to) return;
    if (Number.isNaN(this.fill)) this.fill = bytes[from] === 0 || bytes[from] === 0xff ? bytes[from] : -1;
    let at = from;
    while (at < to && bytes[at] === this.fill) at++;
    if (at < to) this.fill = -1;
  }

  /** Another header of an undefined type inside a stretch that began with one: a record of its own. */
  unknownType(offset: number, type: number): void {
    if (this.code !== 'unknown-type') return;
    this.close(offset, false);
    this.open(offset, 'unknown-type', TYPE_SUBJECTS[type]);
  }

  /** Ends the stretch before `offset`; `last` says that the source ends there. */
  close(offset: number, last: boolean): void {
    if (this.start < 0) return;
    const length = offset - this.start;
    const blank = this.fill === 0 || this.fill === 0xff;
    const padding = blank && last && this.code === 'garbage';
    const code = padding ? 'padding' : blank && this.code === 'garbage' ? 'blank' : this.code;
    if (length > 0) {
      const { start, fill, subject } = this;
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
  const value = `0x${Math.max(0, fill).toString(16).padStart(2, '0')}`;
  switch (code) {
    case 'padding':
      return `${length} bytes of ${value} ${where} fill up the end`;
    case 'blank':
      return `${length} bytes of ${value} ${where} where records should be`;
    case 'unknown-type':
      return `record of ${subject} ${where}, which no FMT defines: ${length} bytes passed over`;
    case 'damaged-record':
      return `record ${subject} ${where} is overlaid by another after ${length} bytes`;
    default:
      return `${length} bytes ${where} belong to no record`;
  }
}
