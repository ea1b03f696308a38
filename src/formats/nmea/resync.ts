import type { Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import { LIMITS } from '../../core/limits.ts';
import { blankText, SkippedBytes } from '../../core/skipped-bytes.ts';
import { hexOf, textOf } from '../../core/text.ts';

const NEWLINE = 10;
const RETURN = 13;
const TAB = 9;
const NOTHING: Uint8Array = new Uint8Array(0);
/** Bytes of a gap that are shown. */
const SHOWN = 48;

/** What IEC 61162-450 puts at the head of a datagram. */
const DATAGRAM: readonly number[] = [...'UdPbC\0'].map((char) => char.charCodeAt(0));

/** What bytes are: control characters, letters beyond ASCII, or (0) printable and line breaks. */
const CONTROL = 1;
const LETTER = 4;
export const BINARY: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte > 0x7f) return LETTER;
  return (byte < 0x20 && byte !== TAB && byte !== NEWLINE && byte !== RETURN) || byte === 0x7f ? CONTROL : 0;
});
/** All that a stretch may have: more need not be looked for. */
export const ALL_BINARY: number = CONTROL | LETTER;

/** What a comment begins with: names of people and places in it may be in any letters. */
const HASH = 35;

/** Skips bytes from one sentence to the next, and makes faults of them. */
export class Resync {
  private readonly sink: Pick<Sink, 'fault'>;
  private readonly record: string;
  private start = -1;
  private length = 0;
  /** Its first bytes: they are gone when it ends. */
  private readonly head = new Uint8Array(SHOWN);
  private binary = 0;
  private hasChecksum = false;
  private readonly skipped = new SkippedBytes(false);
  private count = 0;

  /** @param record what it is that the bytes do not belong to */
  constructor(sink: Pick<Sink, 'fault'>, record = 'sentence') {
    this.sink = sink;
    this.record = record;
  }

  get isOpen(): boolean {
    return this.start >= 0;
  }

  /** Where it begins in the source, and its bytes so far. */
  get from(): number {
    return this.start;
  }

  get size(): number {
    return this.length;
  }

  /** Ends the stretch without a fault: something else accounts for it. */
  drop(): void {
    this.start = -1;
  }

  /** Adds bytes [from, to); `binary` says what is among them that is not plain text. */
  extend(bytes: Uint8Array, from: number, to: number, base: number, binary: number): void {
    if (from >= to) return;
    if (this.start < 0) {
      this.start = base + from;
      this.length = 0;
      this.binary = 0;
      this.hasChecksum = false;
      this.skipped.begin();
    }
    // one by one: they are few
    for (let k = this.length, at = from; k < SHOWN && at < to; ) this.head[k++] = bytes[at++];
    this.skipped.extend(bytes, from, to);
    this.length += to - from;
    this.binary |= binary;
  }

  /** It contains what looks like a checksum: it was a sentence. */
  checksum(): void {
    this.hasChecksum = true;
  }

  /** Ends the stretch; `last` says that the source ends there. */
  close(last: boolean): void {
    if (this.start < 0) return;
    const { start: offset, length } = this;
    this.start = -1;
    const code = this.codeOf(offset, last);
    const lost = code === 'garbage' || code === 'headless-sentence';
    // bytes are copied for faults whose sentences are kept: copies for all would take most of the time
    const shown = this.count++ < LIMITS.faultsKept ? this.head.slice(0, length) : NOTHING;
    const { record } = this;
    const { fill } = this.skipped;
    const text = (): string => sentence(code, offset, length, record, fill, shown);
    this.sink.fault(new LazyFault(code, offset, length, lost, undefined, text));
  }

  private codeOf(offset: number, last: boolean): string {
    if (this.skipped.isBlank && last) return 'padding';
    // nothing was ever written before the first record
    if (this.skipped.isBlank && offset === 0) return 'blank';
    if (this.length === DATAGRAM.length && DATAGRAM.every((byte, i) => this.head[i] === byte)) return 'datagram-header';
    if ((this.binary & CONTROL) !== 0 || (this.binary !== 0 && this.head[0] !== HASH)) return 'garbage';
    return this.hasChecksum ? 'headless-sentence' : 'text';
  }
}

function sentence(
  code: string,
  offset: number,
  length: number,
  record: string,
  fill: number,
  shown: Uint8Array,
): string {
  switch (code) {
    case 'padding':
    case 'blank':
      return blankText(code, length, fill, offset, `a ${record}`);
    case 'datagram-header':
      return `header of a datagram of IEC 61162-450 at offset ${offset}`;
    case 'garbage':
      return `${length} bytes at offset ${offset} are not part of a ${record}${after(hexOf(shown.subarray(0, 16)))}`;
    case 'headless-sentence':
      return `${length} bytes at offset ${offset} are a sentence without its beginning${after(wordsOf(shown))}`;
    default:
      return `${length} bytes of text at offset ${offset} are not part of a ${record}${after(wordsOf(shown))}`;
  }
}

function wordsOf(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : JSON.stringify(textOf(bytes, 0, bytes.length).trim());
}

/** What a sentence ends with, if there is anything. */
function after(shown: string): string {
  return shown === '' ? '' : `: ${shown}`;
}
