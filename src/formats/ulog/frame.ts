import { endOfFill } from '../../core/bytes.ts';
import { ChunkBuffer } from '../../core/chunk-buffer.ts';
import { type Decoder, RecordBatch, type Sink } from '../../core/decoder.ts';
import { LazyFault } from '../../core/fault.ts';
import { blankText, SkippedBytes } from '../../core/skipped-bytes.ts';
import { textOf } from '../../core/text.ts';
import { type Flags, flagsOf, unknownFlag } from './flags.ts';
import {
  IS_TYPE,
  isExact,
  isMagic,
  isSync,
  keyAt,
  MAGIC_BYTES,
  MORE,
  messageBytes,
  NO,
  SYNC_BYTES,
  YES,
} from './look.ts';
import { HEAD, HEADER_BYTES, HEADER_TYPE, TYPE } from './messages.ts';
import { DATA_HEAD, parseDefinition } from './schema.ts';
import { type Lessons, Topics } from './topics.ts';

/*
 * A ULog, https://docs.px4.io/main/en/dev_log/ulog_file_format.html
 *
 *     0          7         8          16
 *     magic      version   start us   | size uint16 | type | content |  | size uint16 | type | content |  ...
 *
 * The size counts the content alone. There is no checksum and nothing marks where a message begins: what tells a
 * message from bytes that look like one is that the size fits what it is (data have the size that their format says)
 * and that others follow it. Some writers put a sync message in, of eight bytes that are always the same.
 */

/** Records handed over at a time. */
const BATCH = 1024;
/** Messages that must follow each other where nothing led to the first; and after one whose size may be wrong. */
const CHAIN = 3;
const NEXT = 1;
const BEHIND = 2;
/** This many zeros or ones in a row are blank space, where nothing was written. */
const BLANK = 64;
/** Microseconds by which data follow those before them in a log without fault. */
const STEP = 3600e6;
const TWO_32 = 2 ** 32;

/** Finds the messages of a ULog, one after the other; where that ends, the next place from which several follow. */
export class FrameDecoder implements Decoder {
  private readonly chunks: ChunkBuffer;
  private readonly sink: Sink;
  private readonly batch = new RecordBatch(BATCH);
  private readonly topics: Topics;
  private inStep = true;
  /** Places behind a message that were looked at for a better one: of which message, and how far. */
  private readonly looked = { at: -1, to: 0 };
  /** Where the header of the log is that is being read, or would be. */
  private logAt = 0;
  /** Where parts begin that were appended later, the next one first. */
  private appended: number[] = [];
  /** Whether the definitions are over. */
  private isData = false;
  private hasFlags = false;
  /** Whether there was any message. */
  private isBegun = false;
  /** Bytes that are skipped, from where on. */
  private skipFrom = -1;
  private skipCode = '';
  private skipSubject: string | undefined;
  private readonly skipped = new SkippedBytes(false);
  /** Whether the bytes so far are all blank, so that the next ones may go on with it. */
  private isBlankOpen = false;
  /** The flag that is not known, in a log that must not be read. */
  private refused = '';
  private lastTime = Number.NaN;
  private steady = true;

  constructor(sink: Sink, lessons?: Lessons) {
    this.sink = sink;
    this.topics = new Topics(sink, lessons);
    this.chunks = new ChunkBuffer((bytes, from, base, final) => this.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.chunks.push(bytes);
  }

  end(): void {
    this.chunks.end();
    for (const offset of this.appended) this.remarkOffset(offset, 'is beyond the end');
    this.topics.end();
  }

  again(sink: Sink): Decoder | undefined {
    const lessons = this.topics.lessons();
    return lessons && new FrameDecoder(sink, lessons);
  }

  isSteady(): boolean {
    return this.steady;
  }

  private scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    this.batch.bytes = bytes;
    this.batch.base = base;
    let at = from;
    for (;;) {
      at = this.inStep ? this.run(bytes, at) : this.search(bytes, at, final);
      if (!this.inStep) break;
      const next = this.decide(bytes, at, final);
      if (next === MORE) break;
      at = next;
    }
    this.flush();
    if (final) this.closeSkip(base + bytes.length, true);
    return at;
  }

  /** Takes data as long as each has the size that its topic has: where nearly all of a good log goes through. */
  private run(bytes: Uint8Array, from: number): number {
    const { usualBytes, usualTable } = this.topics;
    const { table, start, size, base } = this.batch;
    const limit = Math.min(bytes.length, (this.appended[0] ?? Number.POSITIVE_INFINITY) - base);
    const last = limit - DATA_HEAD;
    let at = from;
    let count = this.batch.count;
    while (at <= last && bytes[at + 2] === TYPE.D) {
      const id = bytes[at + 3] | (bytes[at + 4] << 8);
      const whole = usualBytes[id];
      const next = at + whole;
      if (whole !== (bytes[at] | (bytes[at + 1] << 8)) + HEAD || next > limit) break;
      table[count] = usualTable[id];
      start[count] = at;
      size[count] = whole;
      at = next;
      if (++count === BATCH) {
        this.batch.count = count;
        this.flush();
        count = 0;
      }
    }
    this.batch.count = count;
    return at;
  }

  /** In step, where the quick way ended: looks at one place by all the rules and returns where to go on. */
  private decide(bytes: Uint8Array, at: number, final: boolean): number {
    const left = bytes.length - at;
    if (left === 0) return MORE;
    const offset = this.batch.base + at;
    while (this.appended[0] <= offset) {
      if (this.appended[0] < offset) this.dropOffset('is not the start of a message');
      else if (this.isData) this.appended.shift();
      else this.dropOffset('is in the definitions');
    }
    if (isMagic(bytes, at)) return this.header(bytes, at, final);
    if (this.refused !== '') return this.loseStep(at, 'incompatible', this.refused);
    if (left < HEAD) return final ? this.cut(at, left, undefined) : MORE;
    const whole = this.fits(bytes, at, final);
    if (whole === MORE) return MORE;
    return whole === NO ? this.pass(bytes, at, final) : this.accept(bytes, at, whole, final);
  }

  /** The header of a log: of the file, or of another one behind the first. */
  private header(bytes: Uint8Array, at: number, final: boolean): number {
    const left = bytes.length - at;
    if (left < HEADER_BYTES) return final ? this.cut(at, left, 'file header') : MORE;
    const offset = this.batch.base + at;
    if (this.isBegun) {
      this.topics.endLog();
      const text = `another log begins at offset ${offset} of the file`;
      this.remark('another-log', offset, text, false);
    }
    this.logAt = offset;
    this.refused = '';
    this.isData = false;
    this.hasFlags = false;
    this.appended = [];
    this.lastTime = Number.NaN;
    if (this.isBegun) this.topics.beginLog();
    const version = bytes[at + MAGIC_BYTES];
    if (version > 1)
      this.remark('newer-version', offset, `ULog of version ${version} is read as if it were version 1`, false);
    return this.addMessage(at, HEADER_BYTES, this.topics.messageTable(HEADER_TYPE, HEADER_BYTES));
  }

  /** The bytes of the message at a place if what it says of itself fits, its head included; NO or MORE otherwise. */
  private fits(bytes: Uint8Array, at: number, final: boolean): number {
    const type = bytes[at + 2];
    if (type === TYPE.D) return this.topics.dataBytes(bytes, at, final);
    if (IS_TYPE[type] === 0) return NO;
    if (type !== TYPE.B) return messageBytes(bytes, at, final);
    const whole = HEAD + bytes[at] + bytes[at + 1] * 256;
    if (this.batch.base + at === this.logAt + HEADER_BYTES) return whole >= FLAGS_BYTES ? whole : NO;
    // something came between the header and them
    return whole === FLAGS_BYTES && !this.hasFlags && !this.isData ? whole : NO;
  }

  /** Whether messages follow each other from an offset on: YES, NO or MORE. Of the last one only its head counts. */
  private chain(bytes: Uint8Array, from: number, count: number, final: boolean): number {
    let at = from;
    for (let k = 0; k < count; k++) {
      const left = bytes.length - at;
      if (left < HEAD) {
        if (!final) return MORE;
        return left === 0 || k > 0 ? YES : NO;
      }
      if (isMagic(bytes, at) || (bytes[at + 2] === TYPE.S && isSync(bytes, at))) {
        if (left >= SYNC_BYTES || final) return left >= MAGIC_BYTES || k > 0 ? YES : NO;
        return MORE;
      }
      const whole = this.fits(bytes, at, final);
      if (whole < 0) return whole;
      if (k === count - 1) return YES;
      if (whole > left) return final ? (k > 0 ? YES : NO) : MORE;
      at += whole;
    }
    return YES;
  }

  /** A message whose size fits: taken if others follow it, or none begins inside it. */
  private accept(bytes: Uint8Array, at: number, whole: number, final: boolean): number {
    const type = bytes[at + 2];
    const left = bytes.length - at;
    const isSure = type === TYPE.D ? this.topics.isKnown(bytes, at, whole) : isExact(type);
    if (whole > left && !final) return MORE;
    const boundary = (this.appended[0] ?? Number.POSITIVE_INFINITY) - this.batch.base;
    if (at + whole > boundary) {
      const verdict = this.cross(bytes, at, at + whole, boundary, final);
      if (verdict !== NO) return verdict;
    }
    if (!isSure) {
      const behind = whole > left ? NO : this.chain(bytes, at + whole, NEXT, final);
      if (behind === MORE) return MORE;
      const better = behind === YES ? NO : this.inside(bytes, at, Math.min(at + whole, bytes.length), final);
      if (better === MORE) return MORE;
      if (better !== NO) return this.skip(bytes, at, better, 'damaged-record');
      // a format that is cut short would be a false one
      if (behind === NO && type === TYPE.F && whole <= left && bytes[at + whole - 1] !== SEMICOLON)
        return this.loseStep(at, 'garbage');
    }
    if (whole > left) return this.cut(at, left, this.nameOf(bytes, at));
    return this.message(bytes, at, whole);
  }

  /** A message that reaches over the place where an appended part begins: which of both is wrong? */
  private cross(bytes: Uint8Array, at: number, next: number, boundary: number, final: boolean): number {
    const part = this.chain(bytes, boundary, BEHIND, final);
    const plain = part === YES ? this.chain(bytes, next, BEHIND, final) : NO;
    if (part === MORE || plain === MORE) return MORE;
    if (!this.isData) this.dropOffset('is in the definitions');
    else if (part === NO || plain === YES) this.dropOffset('is inside a record');
    else return this.skip(bytes, at, boundary, 'truncated');
    return NO;
  }

  /** Not a message: its size alone is believed if others follow there; else looks for the next one. */
  private pass(bytes: Uint8Array, at: number, final: boolean): number {
    const whole = HEAD + bytes[at] + bytes[at + 1] * 256;
    const isBlank = whole === HEAD;
    const boundary = (this.appended[0] ?? Number.POSITIVE_INFINITY) - this.batch.base;
    if (at + whole > boundary && boundary <= bytes.length) {
      const part = this.chain(bytes, boundary, BEHIND, final);
      if (part === MORE) return MORE;
      if (part === YES && this.isData) return this.skip(bytes, at, boundary, 'truncated');
    }
    if (!isBlank && (at + whole <= bytes.length || !final)) {
      const behind = at + whole > bytes.length ? MORE : this.chain(bytes, at + whole, BEHIND, final);
      if (behind === MORE) return MORE;
      if (behind === YES) {
        // the size may lead to a message by chance
        const better = this.inside(bytes, at, at + whole, final);
        if (better === MORE) return MORE;
        return better === NO ? this.skipMessage(bytes, at, whole) : this.skip(bytes, at, better, 'damaged-record');
      }
    }
    return this.loseStep(at, 'garbage');
  }

  /** The first place inside (from, to) where several messages follow each other; NO or MORE. */
  private inside(bytes: Uint8Array, from: number, to: number, final: boolean): number {
    const { base } = this.batch;
    const { looked } = this;
    if (looked.at !== base + from) {
      looked.at = base + from;
      looked.to = looked.at + 1;
    }
    for (let at = looked.to - base; at < to; at++) {
      const found = this.starts(bytes, at, final);
      looked.to = base + at;
      if (found === YES) return at;
      if (found === MORE) return MORE;
    }
    return NO;
  }

  /** Whether messages begin at a place although nothing leads there. */
  private starts(bytes: Uint8Array, at: number, final: boolean): number {
    const type = bytes[at + 2];
    if (IS_TYPE[type] === 0 && type !== MAGIC_TYPE && at + 2 < bytes.length) return NO;
    return this.chain(bytes, at, CHAIN, final);
  }

  /** Out of step: goes to the next place where messages begin, or as far as decidable. */
  private search(bytes: Uint8Array, from: number, final: boolean): number {
    const { base } = this.batch;
    const end = bytes.length;
    let at = from;
    let extended = from;
    for (; at < end; at++) {
      if (this.isBlankOpen || (this.skipCode === 'garbage' && isBlankAt(bytes, at))) {
        if (!this.isBlankOpen && end < at + BLANK && !final) break;
        if (this.isBlankOpen || end >= at + BLANK) {
          this.skipped.extend(bytes, extended, at);
          at = this.blank(bytes, at, final);
          extended = at;
          if (this.isBlankOpen || at === end) break;
        }
      }
      // most bytes that are not a message end here: none has such a type
      if (at + 2 < end && IS_TYPE[bytes[at + 2]] === 0 && bytes[at + 2] !== MAGIC_TYPE) continue;
      const isPart = base + at === this.appended[0];
      const found =
        this.refused === '' ? this.chain(bytes, at, isPart ? NEXT : CHAIN, final) : this.headerAt(bytes, at);
      if (found === MORE && !final) break;
      if (found !== YES) continue;
      this.skipped.extend(bytes, extended, at);
      this.closeSkip(base + at, false);
      this.inStep = true;
      return at;
    }
    this.skipped.extend(bytes, extended, at);
    return at;
  }

  /** A stretch in which nothing was ever written, as a fault. Its last byte may be the first of a message. */
  private blank(bytes: Uint8Array, from: number, final: boolean): number {
    const { base } = this.batch;
    const fill = bytes[from];
    const stop = endOfFill(bytes, from, bytes.length, fill);
    if (!this.isBlankOpen && base + from > this.skipFrom && !(this.skipped.isBlank && this.skipped.fill === fill)) {
      this.closeSkip(base + from, false);
      this.openSkip(from, 'garbage', undefined);
    }
    this.isBlankOpen = stop === bytes.length && !final;
    const to = stop === bytes.length && final ? stop : stop - 1;
    this.skipped.extend(bytes, from, to);
    if (stop < bytes.length) {
      this.closeSkip(base + to, false);
      this.openSkip(to, 'garbage', undefined);
    }
    return to;
  }

  private headerAt(bytes: Uint8Array, at: number): number {
    if (!isMagic(bytes, at)) return NO;
    return bytes.length - at >= MAGIC_BYTES ? YES : MORE;
  }

  /** A message that is believed: what it says is learned, and it is a record. */
  private message(bytes: Uint8Array, at: number, whole: number): number {
    const offset = this.batch.base + at;
    const type = bytes[at + 2];
    switch (type) {
      case TYPE.D: {
        this.flush();
        const table = this.topics.dataTable(bytes, at, whole, offset);
        if (table < 0) return this.skipMessage(bytes, at, whole);
        return this.addMessage(at, whole, table);
      }
      case TYPE.F: {
        const definition = parseDefinition(textOf(bytes, at + HEAD, at + whole));
        if (!definition) return this.skip(bytes, at, at + whole, 'bad-format');
        this.flush();
        this.topics.define(definition, offset);
        break;
      }
      case TYPE.A:
        this.flush();
        this.topics.subscribe(bytes[at + 4] | (bytes[at + 5] << 8), bytes[at + 3], textOf(bytes, at + 6, at + whole));
        this.isData = true;
        break;
      case TYPE.R:
        this.flush();
        this.topics.unsubscribe(bytes[at + 3] | (bytes[at + 4] << 8));
        break;
      case TYPE.B:
        this.useFlags(flagsOf(bytes, at), offset);
        break;
      case TYPE.O:
        this.dropout(bytes[at + 3] | (bytes[at + 4] << 8), offset);
        break;
      case TYPE.L:
      case TYPE.C:
        this.isData = true;
        break;
    }
    return this.addMessage(at, whole, this.topics.messageTable(type, whole, isBinary(bytes, at, whole)));
  }

  private useFlags({ incompat, appended }: Flags, offset: number): void {
    this.hasFlags = true;
    this.refused = unknownFlag(incompat);
    if (this.refused !== '') {
      this.remark('incompatible', offset, `the log must not be read: ${this.refused} is not known`, true);
      return;
    }
    if ((incompat[0] & 1) === 0) return;
    let last = offset;
    for (const place of appended) {
      if (place === 0) continue;
      if (place <= last) {
        this.remarkOffset(place, 'is not after the one before it');
        continue;
      }
      this.appended.push(place);
      last = place;
    }
  }

  private dropOffset(why: string): void {
    this.remarkOffset(this.appended.shift() as number, why);
  }

  private remarkOffset(place: number, why: string): void {
    const text = `the appended part that the flags place at offset ${place} ${why}: it is read as it follows`;
    this.remark('bad-offset', this.logAt + HEADER_BYTES, text, false);
  }

  private dropout(duration: number, offset: number): void {
    this.flush();
    const when = Number.isNaN(this.lastTime) ? '' : ` after ${(this.lastTime / 1e6).toFixed(3)} s`;
    this.remark('dropout', offset, `the logger lost ${duration} ms of data${when}, before offset ${offset}`, false);
  }

  private remark(code: string, offset: number, text: string, lost: boolean): void {
    this.flush();
    this.sink.fault({ code, offset, length: 0, lost, text });
  }

  private addMessage(at: number, whole: number, table: number): number {
    const { batch } = this;
    this.isBegun = true;
    batch.table[batch.count] = table;
    batch.start[batch.count] = at;
    batch.size[batch.count] = whole;
    if (++batch.count === BATCH) this.flush();
    return at + whole;
  }

  private nameOf(bytes: Uint8Array, at: number): string {
    const type = bytes[at + 2];
    if (type === TYPE.D) return `of ${this.topics.nameOf(bytes, at)}`;
    return `of type ${TYPE_NAMES[type]}`;
  }

  /** One whole message that says nothing that can be used. */
  private skipMessage(bytes: Uint8Array, at: number, whole: number): number {
    const type = bytes[at + 2];
    const end = at + whole;
    if (type === TYPE.B && this.batch.base + at === this.logAt + HEADER_BYTES) {
      this.useFlags(flagsOf(bytes, at), this.batch.base + at);
      return this.skip(bytes, at, end, 'short-flags');
    }
    if (type !== TYPE.D) return this.skip(bytes, at, end, IS_TYPE[type] === 0 ? 'unknown-type' : 'damaged-record');
    this.flush();
    const isUnknown = this.topics.meetUnknown(bytes, at, whole, this.lastTime);
    return this.skip(bytes, at, end, isUnknown ? 'unknown-id' : 'damaged-record');
  }

  private skip(bytes: Uint8Array, at: number, to: number, code: string): number {
    const type = bytes[at + 2];
    const subject = type === TYPE.D ? this.topics.nameOf(bytes, at) : `type ${TYPE_NAMES[type]}`;
    this.openSkip(at, code, subject);
    this.skipped.extend(bytes, at, to);
    this.closeSkip(this.batch.base + to, false);
    return to;
  }

  private loseStep(at: number, code: string, subject?: string): number {
    this.openSkip(at, code, subject);
    this.inStep = false;
    return at;
  }

  private openSkip(at: number, code: string, subject: string | undefined): void {
    this.flush();
    this.skipFrom = this.batch.base + at;
    this.skipCode = code;
    this.skipSubject = subject;
    this.skipped.begin();
  }

  /** Ends the stretch of skipped bytes before an offset. @param last whether the source ends there */
  private closeSkip(offset: number, last: boolean): void {
    if (this.skipFrom < 0) return;
    const { skipFrom: start, skipSubject: subject, skipped } = this;
    const { fill } = skipped;
    const isBlank = skipped.isBlank && this.skipCode === 'garbage';
    const code = isBlank ? (last ? 'padding' : 'blank') : this.skipCode;
    const length = offset - start;
    const text = (): string => sentence(code, start, length, fill, subject);
    this.sink.fault(new LazyFault(code, start, length, code !== 'padding', subject, text));
    this.skipFrom = -1;
  }

  /** The source ended inside a message. */
  private cut(at: number, length: number, what: string | undefined): number {
    this.flush();
    const offset = this.batch.base + at;
    const text = `${what === undefined ? 'head of a message' : what.startsWith('of') ? `message ${what}` : what} at offset ${offset} is cut by the end after ${length} bytes`;
    this.sink.fault({ code: 'truncated', offset, length, lost: true, text });
    return at + length;
  }

  /** Looks at the times of data: those that are missing, and whether they follow each other. */
  private watch(): void {
    const { bytes, base, count, start, table } = this.batch;
    const { timeAt } = this.topics;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let last = this.lastTime;
    for (let i = 0; i < count; i++) {
      const place = timeAt[table[i]];
      if (place < 0) continue;
      const at = start[i] + place;
      const low = view.getUint32(at, true);
      const time = low + view.getUint32(at + 4, true) * TWO_32;
      if (time === 0) {
        const offset = base + start[i];
        const name = this.topics.nameOf(bytes, start[i]);
        const text = (): string => `record of ${name} at offset ${offset} has timestamp 0: it has no time`;
        this.sink.fault(new LazyFault('no-time', offset, 0, false, name, text));
        continue;
      }
      if (time > last + STEP || time < last - STEP) this.steady = false;
      last = time;
    }
    this.lastTime = last;
  }

  private flush(): void {
    if (this.batch.count === 0) return;
    this.watch();
    this.sink.records(this.batch);
    this.batch.count = 0;
  }
}

/** Whether bytes are blank for some stretch, or as far as there are any. */
function isBlankAt(bytes: Uint8Array, at: number): boolean {
  const fill = bytes[at];
  if ((fill !== 0 && fill !== 0xff) || fill !== bytes[at + 1]) return false;
  const room = Math.min(bytes.length, at + BLANK);
  return endOfFill(bytes, at, room, fill) === room;
}

const SEMICOLON = 0x3b;
/** Bytes of flags, their head included; later versions of the format may have more. */
const FLAGS_BYTES = HEAD + 40;
/** The third byte of a header, where messages have their type. */
const MAGIC_TYPE = 0x6f;
/** Bytes from which on an array of bytes is shown as bytes and no more as a list of numbers. */
const BINARY = 64;

/** Whether the value of an information is bytes. Of several pieces the last may be short. */
function isBinary(bytes: Uint8Array, at: number, whole: number): boolean {
  const type = bytes[at + 2];
  if (type !== TYPE.M && (type !== TYPE.I || whole <= BINARY)) return false;
  const key = keyAt(bytes, at + (type === TYPE.I ? 3 : 4));
  return key?.type === 'uint8_t' && key.count !== undefined;
}

/** Types as they are written: a letter, or a number if none. */
const TYPE_NAMES: readonly string[] = Array.from({ length: 256 }, (_, type) =>
  type > 0x20 && type < 0x7f ? `'${String.fromCharCode(type)}'` : String(type),
);

function sentence(code: string, start: number, length: number, fill: number, subject = ''): string {
  const where = `at offset ${start}`;
  switch (code) {
    case 'padding':
    case 'blank':
      return blankText(code, length, fill, start, 'messages');
    case 'unknown-id':
      return `record of ${subject} ${where} cannot be read: ${length} bytes skipped`;
    case 'unknown-type':
      return `message of ${subject} ${where} is of no known kind: ${length} bytes skipped`;
    case 'damaged-record':
      return `message of ${subject} ${where} is damaged: ${length} bytes skipped`;
    case 'short-flags':
      return `flags ${where} have ${length} bytes in place of 43: those that are there are used`;
    case 'truncated':
      return `message of ${subject} ${where} is cut by an appended part after ${length} bytes`;
    case 'bad-format':
      return `format message ${where} says no format: ${length} bytes skipped`;
    case 'incompatible':
      return `${length} bytes ${where} must not be read: ${subject} is not known`;
    default:
      return `${length} bytes ${where} are not part of a message`;
  }
}
