import type { Sink } from '../../core/decoder.ts';
import { hexOf, textOf } from '../../core/text.ts';

const NEWLINE = 10;
const RETURN = 13;
const TAB = 9;
/** Bytes of a gap that are shown. */
const SHOWN = 48;

/** What IEC 61162-450 puts at the head of a datagram. */
const DATAGRAM = 'UdPbC\0';

/** Bytes that are neither printable nor part of a line break. */
export const BINARY: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte < 0x20 && byte !== TAB && byte !== NEWLINE && byte !== RETURN) || byte > 0x7e ? 1 : 0,
);

/** The stretch of bytes between sentences that is being passed over, until it becomes a fault. */
export class Gap {
  private readonly sink: Sink;
  private start = -1;
  private length = 0;
  /** Its first bytes: they are gone when it ends. */
  private readonly head = new Uint8Array(SHOWN);
  private binary = false;
  private hasChecksum = false;
  /** The one byte that the stretch consists of, or -1. */
  private fill = -1;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  get isOpen(): boolean {
    return this.start >= 0;
  }

  /** Adds bytes [from, to); `binary` says whether any of them is no text. */
  extend(bytes: Uint8Array, from: number, to: number, base: number, binary: boolean): void {
    if (from >= to) return;
    if (this.start < 0) {
      this.start = base + from;
      this.length = 0;
      this.binary = false;
      this.hasChecksum = false;
      this.fill = bytes[from] === 0 || bytes[from] === 0xff ? bytes[from] : -1;
    }
    if (this.length < SHOWN) this.head.set(bytes.subarray(from, Math.min(to, from + SHOWN - this.length)), this.length);
    if (this.fill >= 0) {
      let at = from;
      while (at < to && bytes[at] === this.fill) at++;
      if (at < to) this.fill = -1;
    }
    this.length += to - from;
    this.binary ||= binary;
  }

  /** What looks like a checksum stands in it: it was a sentence once. */
  checksum(): void {
    this.hasChecksum = true;
  }

  /** Ends the stretch; `last` says that the source ends there. */
  close(last: boolean): void {
    if (this.start < 0) return;
    const { start: offset, length } = this;
    this.start = -1;
    const shown = this.head.subarray(0, Math.min(length, SHOWN));
    const fault = (code: string, lost: boolean, text: string): void =>
      this.sink.fault({ code, offset, length, lost, text });
    if (this.fill >= 0 && last) {
      const value = `0x${this.fill.toString(16).padStart(2, '0')}`;
      fault('padding', false, `${length} bytes of ${value} at offset ${offset} fill up the end`);
    } else if (length === DATAGRAM.length && String.fromCharCode(...shown) === DATAGRAM) {
      fault('datagram-header', false, `header of a datagram of IEC 61162-450 at offset ${offset}`);
    } else if (this.binary) {
      fault(
        'garbage',
        true,
        `${length} bytes at offset ${offset} belong to no sentence: ${hexOf(shown.subarray(0, 16))}`,
      );
    } else if (this.hasChecksum) {
      const text = `${length} bytes at offset ${offset} are a sentence without its beginning: ${wordsOf(shown)}`;
      fault('headless-sentence', true, text);
    } else {
      fault('text', false, `${length} bytes of text at offset ${offset} belong to no sentence: ${wordsOf(shown)}`);
    }
  }
}

function wordsOf(bytes: Uint8Array): string {
  return JSON.stringify(textOf(bytes, 0, bytes.length).trim());
}
