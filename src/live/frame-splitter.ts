import { X25_SEED, x25, x25Byte } from '../core/checksum.ts';
import type { RecordBatch, Sink, Skipped } from '../core/decoder.ts';
import type { Schema } from '../core/schema.ts';
import { impliedExtra, sumOf } from '../formats/mavlink/checksum.ts';
import type { Dialect } from '../formats/mavlink/dialect/definition.ts';
import { isUnknownSchema } from '../formats/mavlink/dialect/schema.ts';
import type { MavlinkDecoder } from '../formats/mavlink/frame.ts';
import { CHECKSUM, Header, MAGIC_2, SIGNED } from '../formats/mavlink/header.ts';
import { frameDecoder } from '../formats/mavlink/options.ts';

/** SETUP_SIGNING: it carries a key in the clear. */
export const SETUP_SIGNING = 256;
/** Bytes of its payload. */
const SETUP_LENGTH = 42;

/** Who gets the parts of a stream. What is handed over is borrowed until the call returns. */
export interface SplitSink {
  /**
   * A frame, from header.start to header.end.
   * @param isSure whether its checksum is right by one of the definitions
   * @returns on a live link, false if it is an echo and says nothing new of its sender
   */
  frame(bytes: Uint8Array, header: Header, isSure: boolean): unknown;
  /** Bytes that belong to no frame: text, noise, another protocol. A key in them is made unreadable. */
  rest(bytes: Uint8Array): void;
  /** A frame with a key was left out. */
  secret?(): void;
}

/** Cuts a stream into frames and the bytes between them, and loses nothing but keys. */
export class FrameSplitter implements Sink {
  private readonly filter: KeyFilter;
  private readonly decoder: MavlinkDecoder;
  /** By table, whether a definition makes the checksum of its frames right. */
  private readonly isSure: boolean[] = [];

  constructor(sink: SplitSink, dialect?: Dialect) {
    this.filter = new KeyFilter(sink);
    this.decoder = frameDecoder(this, { dialect });
  }

  /** Frames with keys that were left out. */
  get secrets(): number {
    return this.filter.secrets;
  }

  push(chunk: Uint8Array): void {
    this.decoder.push(chunk);
    this.decoder.settle();
  }

  /** No more will come: what was begun is not a frame. */
  end(): void {
    this.decoder.interrupt();
  }

  table(id: number, schema: Schema): void {
    this.isSure[id] = !isUnknownSchema(schema);
  }

  records({ bytes, count, table, start, size }: RecordBatch): void {
    for (let i = 0; i < count; i++) this.filter.frame(bytes, start[i], start[i] + size[i], this.isSure[table[i]]);
  }

  skipped(bytes: Uint8Array, from: number, to: number, what: Skipped): void {
    this.filter.skipped(bytes, from, to, what);
  }

  fault(): void {}
}

/**
 * Lets frames and the bytes between them through, and no keys: a frame that sets up signing comes out nowhere, also if
 * it is damaged or in pieces. A frame whose checksum is not right by any definition is one all the same if it is
 * between two others: it is damaged, or of another dialect.
 */
export class KeyFilter {
  /** Frames with keys that were left out. */
  secrets = 0;
  private readonly sink: SplitSink;
  private readonly header = new Header();
  /** Bytes to come that may belong to a key. */
  private hidden = 0;

  constructor(sink: SplitSink) {
    this.sink = sink;
  }

  skipped(bytes: Uint8Array, from: number, to: number, what: Skipped): void {
    if (what === 'other') this.rest(bytes, from, to);
    else this.frame(bytes, from, to, what === 'refused');
  }

  /** Returns false if the sink says so: the frame is an echo. */
  frame(bytes: Uint8Array, from: number, to: number, isSure: boolean): boolean {
    const { header } = this;
    header.read(bytes, from);
    const inner = isSure ? -1 : nextSecret(bytes, from + 1);
    if (header.id === SETUP_SIGNING && header.version === 2) {
      this.leaveOut();
      // a length that is wrong may leave a part of the key behind the frame
      this.hidden = isSure ? 0 : Math.max(0, SETUP_LENGTH + CHECKSUM - header.length);
    } else if ((inner >= 0 && inner < to) || (this.hidden > 0 && !isSure)) {
      // it may be a part of a key, or lead to one
      this.rest(bytes, from, to);
    } else {
      this.hidden = 0;
      return this.sink.frame(bytes, header, isSure) !== false;
    }
    return true;
  }

  private leaveOut(): void {
    this.secrets++;
    this.sink.secret?.();
  }

  /** Hands over [from, to), which is not a frame, with every key in it made unreadable. */
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
      this.leaveOut();
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

/**
 * A signed frame as it is written to a log: without its signature, so that what the key signed cannot be collected, and
 * without the flag that says that there is one, which is part of what the checksum covers. A checksum that was wrong
 * stays so. https://mavlink.io/en/guide/message_signing.html#logging
 */
export function withoutSignature(bytes: Uint8Array, header: Header): Uint8Array {
  const extra = impliedExtra(sumOf(bytes, header), header.stated(bytes));
  const frame = new Uint8Array(bytes.subarray(header.start, header.checksum + CHECKSUM));
  frame[2] &= ~SIGNED;
  if (extra < 0) return frame;
  const end = frame.length - CHECKSUM;
  const sum = x25Byte(x25(frame, 1, end, X25_SEED), extra);
  frame[end] = sum & 0xff;
  frame[end + 1] = sum >>> 8;
  return frame;
}
