import { endOfFill } from '../../core/bytes.ts';
import type { Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import type { DecodeOptions } from '../../core/format.ts';
import { ScanningDecoder } from '../../core/scanning-decoder.ts';
import { hexDigits, textOf } from '../../core/text.ts';
import { isChecksum } from './cells.ts';
import { addressEnd, BACKSLASH, BANG, HEX as DIGITS, isNumber, NO_DIGIT, NOTHING, tagEnd, UNDECIDED } from './head.ts';
import { NMEA_LIMITS } from './limits.ts';
import { ALL_BINARY, BINARY, Resync } from './resync.ts';
import { placeOf, Tables } from './tables.ts';

/*
 * A sentence, and what ends it:
 *
 *     $GPGGA,181240.90,5128.20000,N,00027.25800,W,4,10,01.2,0025.10,M,0.0,M,,*7E\r\n
 *     |address|cells                                                        | |  line break
 *     $ or !                                      exclusive or of all bytes between $ and *
 *
 * https://gpsd.gitlab.io/gpsd/NMEA.html#_nmea_0183_physical_protocol_layer
 *
 * It ends at the first star with two hexadecimal digits. It is cut where another begins, where a control character
 * stands, and after the most bytes that a sentence may have. Without a checksum it ends with its line.
 */

const BATCH = 1024;
const LINE_BYTES = NMEA_LIMITS.sentenceBytes;
// not imported: what a module exports is looked up each time that it is used
const HEX = DIGITS;
const ALL = ALL_BINARY;
const DOLLAR = 36;
const STAR = 42;
const COMMA = 44;
const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const BLANK = 32;
const LAST_PRINTABLE = 0x7e;

/** Four bytes of which each is one above the star, and the eighth bit of each of four. */
const ABOVE_STAR = 0x2b2b2b2b;
const EIGHTH_BITS = 0x80808080 | 0;

/** What bytes between sentences are: as `BINARY` says, or 2 where something may begin or a checksum may be. */
const CLASSES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === DOLLAR || byte === BANG || byte === BACKSLASH || byte === STAR ? 2 : BINARY[byte],
);

/** Finds sentences in any bytes: text, and binary of other protocols between them. */
export class SentenceDecoder extends ScanningDecoder {
  private readonly resync: Resync;
  private readonly tables: Tables;
  private readonly isRequired: boolean;
  /** Kinds of sentences that came without a checksum. */
  private readonly unchecked: Set<string> = new Set();

  constructor(sink: Sink, { checksum = 'optional' }: DecodeOptions = {}) {
    super(sink, BATCH);
    this.isRequired = checksum === 'required';
    this.resync = new Resync(sink);
    this.tables = new Tables(sink);
  }

  protected scan(bytes: Uint8Array, from: number, _base: number, final: boolean): number {
    // the same bytes four at a time, from the last place before them where four may begin
    const shift = bytes.byteOffset & 3;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset - shift, (bytes.length + shift) >> 2);
    let at = from;
    while (at < bytes.length) {
      at = this.run(bytes, words, at);
      if (at === bytes.length) break;
      const byte = bytes[at];
      let start = at;
      let address = NOTHING;
      if (byte === DOLLAR || byte === BANG) {
        address = addressEnd(bytes, at, bytes.length, final);
      } else if (byte === BACKSLASH) {
        start = tagEnd(bytes, at, bytes.length, final);
        address = start > 0 ? addressEnd(bytes, start, bytes.length, final) : start;
      }
      if (address === UNDECIDED) break;
      const next = address > 0 ? this.sentence(bytes, at, start, address, final) : this.pass(bytes, at, final);
      // what cannot be decided yet stays where it is
      if (next === at) break;
      at = next;
    }
    if (final) this.closeGap(true);
    return at;
  }

  /** Takes sentences while they are usual (known address, right checksum, CR LF or LF); returns where it stopped. */
  private run(bytes: Uint8Array, words: Int32Array, from: number): number {
    const { tables, batch } = this;
    const { first, second, quick, sums, longest, guarded } = tables;
    const shift = bytes.byteOffset & 3;
    const { length } = bytes;
    let at = from;
    // after a star are two digits and a line break
    for (const safe = length - 4; at + 7 < safe; ) {
      if (bytes[at] !== DOLLAR || bytes[at + 6] !== COMMA) break;
      const word = bytes[at + 1] | (bytes[at + 2] << 8) | (bytes[at + 3] << 16) | (bytes[at + 4] << 24);
      const place = placeOf(word, bytes[at + 5]);
      if (first[place] !== word || second[place] !== bytes[at + 5]) break;
      if (guarded[place] !== 0 && !isNumber(bytes, at + 7)) break;
      const stop = at + LINE_BYTES < safe ? at + LINE_BYTES : safe;
      let sum = sums[place];
      let star = at + 7;
      let byte = bytes[star];
      for (const aligned = (star + shift + 3) & ~3; star + shift < aligned && byte > STAR; ) {
        sum ^= byte;
        byte = bytes[++star];
      }
      if (byte > STAR) {
        // four at a time, as long as none of them is the star or below: then a subtraction borrows from its eighth bit
        let many = 0;
        let word = (star + shift) >> 2;
        const last = (stop + shift) >> 2;
        for (let four = words[word]; word < last; four = words[++word]) {
          if (((four - ABOVE_STAR) & ~four & EIGHTH_BITS) !== 0 || (four & EIGHTH_BITS) !== 0) break;
          many ^= four;
        }
        many ^= many >>> 16;
        sum ^= (many ^ (many >>> 8)) & 0xff;
        star = word * 4 - shift;
        byte = bytes[star];
      }
      while (star < stop && byte > STAR) {
        sum ^= byte;
        byte = bytes[++star];
      }
      if (star >= stop || byte !== STAR || HEX[bytes[star + 1]] * 16 + HEX[bytes[star + 2]] !== sum) break;
      const next = bytes[star + 3] === RETURN ? star + 5 : star + 4;
      if (bytes[next - 1] !== NEWLINE) break;
      if (this.resync.isOpen) this.closeGap(false);
      if (star - at >= longest[place]) tables.grow(quick[place], bytes, at, star);
      batch.table[batch.count] = quick[place];
      batch.start[batch.count] = at;
      batch.size[batch.count] = next - at;
      if (++batch.count === BATCH) this.flush();
      at = next;
    }
    return at;
  }

  /** Passes over bytes that begin no sentence, up to the next that may. */
  private pass(bytes: Uint8Array, from: number, final: boolean): number {
    const isStar = bytes[from] === STAR;
    if (isStar && from + 2 >= bytes.length && !final) return from;
    let binary = BINARY[bytes[from]];
    const end = bytes.length;
    let at = bytes[from] === 0 ? endOfFill(bytes, from, end, 0) : from + 1;
    for (; at < end; at++) {
      const kind = CLASSES[bytes[at]];
      // a star that no two digits can follow is like all other bytes
      if (kind === 2 && (bytes[at] !== STAR || HEX[bytes[at + 1]] < NO_DIGIT || at + 1 === end)) break;
      binary |= kind & ALL;
    }
    this.resync.extend(bytes, from, at, this.batch.base, binary);
    if (isStar && isChecksum(bytes, from)) this.resync.checksum();
    return at;
  }

  /** Reads the sentence from `start`, its tag block from `record`. Returns its end, or `record` if undecided. */
  private sentence(bytes: Uint8Array, record: number, start: number, address: number, final: boolean): number {
    const stop = Math.min(bytes.length, start + LINE_BYTES);
    let sum = 0;
    for (let at = start + 1; at < stop; at++) {
      const byte = bytes[at];
      // almost all bytes of a sentence are greater than the star
      if (byte <= STAR) {
        if (byte === STAR) {
          if (at + 2 >= bytes.length && !final) return record;
          if (isChecksum(bytes, at)) return this.checked(bytes, record, start, address, at, sum, final);
        } else if (byte < BLANK && byte !== TAB) {
          if (byte === NEWLINE || byte === RETURN) return this.line(bytes, record, start, address, at, final);
          return this.broken(nameOf(bytes, start, address), record, at, `byte 0x${hexDigits(byte)} follows`);
        } else if (byte === DOLLAR || byte === BANG) {
          const other = addressEnd(bytes, at, bytes.length, final);
          if (other === UNDECIDED) return record;
          if (other > 0) return this.broken(nameOf(bytes, start, address), record, at, 'another begins');
        }
      }
      sum ^= byte;
    }
    const name = nameOf(bytes, start, address);
    if (stop === start + LINE_BYTES) return this.broken(name, record, stop, `none may have more than ${LINE_BYTES}`);
    if (!final) return record;
    const offset = this.batch.base + record;
    const text = (): string => `sentence ${name} at offset ${offset} is cut by the end after ${stop - record} bytes`;
    this.fault('truncated', record, stop, text);
    return stop;
  }

  /** A sentence with a checksum at `star`. */
  private checked(
    bytes: Uint8Array,
    record: number,
    start: number,
    address: number,
    star: number,
    sum: number,
    final: boolean,
  ): number {
    const next = behindLine(bytes, star + 3, final);
    if (next === UNDECIDED) return record;
    const said = HEX[bytes[star + 1]] * 16 + HEX[bytes[star + 2]];
    if (said === sum) {
      this.addSentence(bytes, record, start, address, star, next);
    } else {
      const name = nameOf(bytes, start, address);
      const offset = this.batch.base + record;
      const text = (): string =>
        `checksum of ${name} at offset ${offset} is ${hexDigits(sum)}, the sentence says ${hexDigits(said)}`;
      this.fault('bad-checksum', record, next, text);
    }
    return next;
  }

  /** A sentence whose line ends at `end` without a checksum. */
  private line(bytes: Uint8Array, record: number, start: number, address: number, end: number, final: boolean): number {
    const next = behindLine(bytes, end, final);
    if (next === UNDECIDED) return record;
    const offset = this.batch.base + record;
    const name = nameOf(bytes, start, address);
    const what = (): string => `${name} at offset ${offset}`;
    if (bytes[end - 1] === STAR || bytes[end - 2] === STAR) {
      const digits = bytes[end - 1] === STAR ? 0 : 1;
      this.fault('bad-checksum', record, next, () => `checksum of ${what()} has ${digits} of 2 digits`);
    } else if (!isPrintable(bytes, start, end)) {
      this.fault('damaged-sentence', record, next, () => `sentence ${what()} has no checksum and is not text`);
    } else if (this.isRequired) {
      this.fault('no-checksum', record, next, () => `sentence ${what()} has no checksum, which is required`);
    } else {
      const kind = this.addSentence(bytes, record, start, address, end, next);
      if (!this.unchecked.has(kind)) this.remark(kind, record);
    }
    return next;
  }

  /** Says once of each kind of sentence that it comes without a checksum. */
  private remark(kind: string, record: number): void {
    this.unchecked.add(kind);
    this.flush();
    const offset = this.batch.base + record;
    const text = `${kind} at offset ${offset} has no checksum, like others of its kind: damage in it cannot be detected`;
    this.sink.fault({ code: 'no-checksum', offset, length: 0, lost: false, text, subject: kind });
  }

  /** A sentence without an end. */
  private broken(name: string, record: number, end: number, why: string): number {
    const offset = this.batch.base + record;
    const text = (): string => `sentence ${name} at offset ${offset} is cut after ${end - record} bytes: ${why}`;
    this.fault('cut-sentence', record, end, text);
    return end;
  }

  private addSentence(
    bytes: Uint8Array,
    record: number,
    start: number,
    address: number,
    end: number,
    next: number,
  ): string {
    const { batch, tables } = this;
    this.closeGap(false);
    const id = tables.idOf(bytes, start + 1, address, start !== record, batch.base + record);
    tables.grow(id, bytes, start, end);
    batch.table[batch.count] = id;
    batch.start[batch.count] = record;
    batch.size[batch.count] = next - record;
    if (++batch.count === BATCH) this.flush();
    return tables.schemas[id].name;
  }

  private fault(code: string, from: number, to: number, text: () => string): void {
    this.closeGap(false);
    this.flush();
    this.sink.fault(new LazyFault(code, this.batch.base + from, to - from, true, undefined, text));
  }

  private closeGap(last: boolean): void {
    if (!this.resync.isOpen) return;
    this.flush();
    this.resync.close(last);
  }
}

function nameOf(bytes: Uint8Array, start: number, address: number): string {
  return textOf(bytes, start + 1, address);
}
function isPrintable(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] > LAST_PRINTABLE) return false;
  return true;
}

/** Where the line break at `at` ends, or `at` if there is none there: LF, CR LF, CR CR LF as seen in logs, or CR. */
function behindLine(bytes: Uint8Array, at: number, final: boolean): number {
  for (let returns = 0; returns < 3; returns++) {
    const byte = bytes[at + returns];
    if (byte === undefined && !final) return UNDECIDED;
    if (byte === NEWLINE) return at + returns + 1;
    if (byte !== RETURN) return returns === 0 ? at : at + 1;
  }
  return at + 1;
}
