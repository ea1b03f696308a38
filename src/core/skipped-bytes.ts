import { endOfFill } from './bytes.ts';
import { hex } from './text.ts';

const UNDECIDED = -2;
const MIXED = -1;

/** The bytes between two records, examined while a decoder skips them: blank (all 0x00 or 0xff), text, or neither. */
export class SkippedBytes {
  /** The value of all bytes if they are blank, else negative. */
  fill: number = UNDECIDED;
  isText: boolean;
  private readonly mayBeText: boolean;

  /** @param mayBeText whether to look for text as well */
  constructor(mayBeText: boolean) {
    this.mayBeText = mayBeText;
    this.isText = mayBeText;
  }

  get isBlank(): boolean {
    return this.fill >= 0;
  }

  begin(): void {
    this.fill = UNDECIDED;
    this.isText = this.mayBeText;
  }

  /** Where the blank bytes end that started at `begin`; `from` if there were others. */
  endOfBlank(bytes: Uint8Array, from: number, to: number): number {
    if (this.fill === UNDECIDED) this.fill = bytes[from] === 0 || bytes[from] === 0xff ? bytes[from] : MIXED;
    return this.fill === MIXED ? from : endOfFill(bytes, from, to, this.fill);
  }

  extend(bytes: Uint8Array, from: number, to: number): void {
    if (from >= to || (this.fill === MIXED && !this.isText)) return;
    let at = this.endOfBlank(bytes, from, to);
    if (this.fill !== MIXED) {
      if (at === to) return;
      this.fill = MIXED;
      this.isText = false;
    }
    while (this.isText && at < to) this.isText = isPrintable(bytes[at++]);
  }
}

/** The text of a fault about blank bytes. @param records what was expected in their place */
export function blankText(
  code: 'padding' | 'blank',
  length: number,
  fill: number,
  offset: number,
  records: string,
): string {
  const value = hex(fill);
  return `${length} bytes of ${value} at offset ${offset} ${code === 'padding' ? 'pad the end' : `where ${records} should be`}`;
}

/** The text of a fault about skipped bytes: padding, blank, text or garbage. @param record what they are not part of */
export function skippedText(code: string, length: number, fill: number, offset: number, record: string): string {
  if (code === 'padding' || code === 'blank') return blankText(code, length, fill, offset, `${record}s`);
  const what = code === 'text' ? 'characters of text' : 'bytes';
  return `${length} ${what} at offset ${offset} are not part of a ${record}`;
}

/** What a serial console sends: ASCII, tabs, line ends, and the escape that begins a colour. */
function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1b;
}
