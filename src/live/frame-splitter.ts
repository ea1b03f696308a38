import type { Catalog } from '../formats/mavlink/catalog.ts';
import { isRight, sumOf } from '../formats/mavlink/checksum.ts';
import type { Dialect } from '../formats/mavlink/definition.ts';
import { CHECKSUM, Header, isMagic, MAGIC_2, SIGNED } from '../formats/mavlink/header.ts';
import { catalogOf } from '../formats/mavlink/options.ts';

/** SETUP_SIGNING: it carries a key in the clear. */
export const SETUP_SIGNING = 256;
/** Bytes of its payload. */
const SETUP_LENGTH = 42;

/** Who gets the parts of a stream. What is handed over is borrowed until the call returns. */
export interface SplitSink {
  /**
   * A frame, from header.start to header.end.
   * @param isSure whether its checksum is right by one of the definitions
   */
  frame(bytes: Uint8Array, header: Header, isSure: boolean): void;
  /** Bytes that belong to no frame: text, noise, another protocol. A key in them is made unreadable. */
  rest(bytes: Uint8Array): void;
}

/**
 * Cuts a stream into frames and what is between them, and loses nothing but keys: it does not decide what is worth to
 * be kept, as a decoder does. A frame is taken if its checksum is right, or if it stands between two others: then it is
 * one that is damaged, or of another dialect. A frame that sets up signing comes out of neither end.
 */
export class FrameSplitter {
  /** Frames with keys that were left out. */
  secrets = 0;
  private readonly sink: SplitSink;
  private readonly catalog: Catalog;
  private readonly header = new Header();
  private left: Uint8Array = new Uint8Array(0);
  /** Whether the last frame ended where `left` begins. */
  private isInStep = true;
  /** Bytes to come that may belong to a key. */
  private hidden = 0;

  constructor(sink: SplitSink, dialect?: Dialect) {
    this.sink = sink;
    this.catalog = catalogOf(dialect);
  }

  push(chunk: Uint8Array): void {
    // the rest of what was begun never came: a datagram was lost, or it was noise
    if (this.left.length > 0 && this.beginsWithFrame(chunk)) this.end();
    const { left } = this;
    let bytes = chunk;
    if (left.length > 0) {
      bytes = new Uint8Array(left.length + chunk.length);
      bytes.set(left);
      bytes.set(chunk, left.length);
    }
    this.keep(bytes, this.scan(bytes, false));
  }

  /** No more will come: what was begun is no frame. */
  end(): void {
    const { left } = this;
    this.left = new Uint8Array(0);
    this.scan(left, true);
  }

  private keep(bytes: Uint8Array, from: number): void {
    // a copy, also of a Buffer, whose own slice is none
    this.left = from === bytes.length ? new Uint8Array(0) : new Uint8Array(bytes.subarray(from));
  }

  /** Hands over what can be decided and returns where it ends. */
  private scan(bytes: Uint8Array, isFinal: boolean): number {
    const { header } = this;
    let at = 0;
    let done = 0;
    let step = this.isInStep ? 0 : -1;
    while (at < bytes.length) {
      if (!isMagic(bytes[at])) {
        at++;
        continue;
      }
      const isWhole = header.read(bytes, at) && header.end <= bytes.length;
      if (!isWhole && !isFinal && this.mayBegin(bytes, at, at === step)) break;
      const isSure = isWhole && this.isDefined(bytes, at === step);
      if (!isSure && !(isWhole && at === step && this.isFollowed(bytes))) {
        at++;
        continue;
      }
      this.rest(bytes, done, at);
      const isSecret = header.id === SETUP_SIGNING && header.version === 2;
      // a length that is wrong may leave a part of the key behind the frame
      this.hidden = isSecret && !isSure ? Math.max(0, SETUP_LENGTH + CHECKSUM - header.length) : 0;
      if (isSecret) this.secrets++;
      else this.sink.frame(bytes, header, isSure);
      at = header.end;
      done = at;
      step = this.hidden > 0 ? -1 : at;
    }
    this.rest(bytes, done, at);
    this.isInStep = step === at;
    return at;
  }

  private beginsWithFrame(bytes: Uint8Array): boolean {
    const { header } = this;
    return header.read(bytes, 0) && header.end <= bytes.length && this.isDefined(bytes, false);
  }

  /** Whether the bytes that are here may be the beginning of a frame. */
  private mayBegin(bytes: Uint8Array, at: number, isLed: boolean): boolean {
    const { header, catalog } = this;
    if (!header.read(bytes, at)) return true;
    if (header.flags > SIGNED) return false;
    return isLed || catalog.find(header.id) !== 0;
  }

  /** Whether the checksum is right by a definition. Where no frame leads to it, the length must fit before it is summed. */
  private isDefined(bytes: Uint8Array, isLed: boolean): boolean {
    const { header, catalog } = this;
    const first = catalog.find(header.id);
    if (header.flags > SIGNED || first === 0) return false;
    if (!isLed && catalog.firstFit(first, header.length, header.version) === 0) return false;
    const sum = sumOf(bytes, header);
    const stated = header.stated(bytes);
    for (let slot = first; slot !== 0; slot = catalog.other[slot]) {
      if (isRight(sum, catalog.extra(slot), stated)) return true;
    }
    return false;
  }

  /** Whether another frame, or the end, follows, and nothing in between could be a key that noise leads to. */
  private isFollowed(bytes: Uint8Array): boolean {
    const { start, end, flags } = this.header;
    if (flags > SIGNED || (end < bytes.length && !isMagic(bytes[end]))) return false;
    const at = nextSecret(bytes, start + 1);
    return at < 0 || at >= end;
  }

  /** Hands over [from, to), which is no frame, with every key in it made unreadable. */
  private rest(bytes: Uint8Array, from: number, to: number): void {
    if (from >= to) return;
    let shown = bytes.subarray(from, to);
    let isCopy = false;
    const hide = (start: number, end: number): void => {
      if (!isCopy) shown = new Uint8Array(shown);
      isCopy = true;
      shown.fill(0xff, Math.max(0, start), Math.min(end, shown.length));
    };
    if (this.hidden > 0) {
      hide(0, this.hidden);
      this.hidden = Math.max(0, this.hidden - shown.length);
    }
    for (let at = nextSecret(bytes, from); at >= 0 && at < to; at = nextSecret(bytes, at + 1)) {
      const start = at + 10 - from;
      const end = start + Math.max(SETUP_LENGTH, bytes[at + 1] ?? 0);
      hide(start, end);
      this.hidden = Math.max(this.hidden, end - shown.length);
      this.secrets++;
    }
    this.sink.rest(shown);
  }
}

/** Where the header of a SETUP_SIGNING begins, or may begin if more came; -1 for nowhere. */
function nextSecret(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(MAGIC_2, from);
  while (at >= 0 && !(is(bytes[at + 7], 0) && is(bytes[at + 8], 1) && is(bytes[at + 9], 0)))
    at = bytes.indexOf(MAGIC_2, at + 1);
  return at;
}

function is(byte: number | undefined, value: number): boolean {
  return byte === undefined || byte === value;
}
