import { beginsFile } from './blocks.ts';
import { type ClassicHeader, FILE_HEADER } from './classic-header.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import type { Tally } from './packet.ts';

// a constant of this module is built into the machine code, what others export is looked up each time
const LONGEST = CAPTURE_LIMITS.packetBytes;

/** A place that more bytes must decide. */
const WAIT = -1;
/** Seconds by which the times of two records that follow each other may differ. */
const NEAR = 86_400;
/** What is read of a record's header to check it. */
const LOOK = 16;
/** Records in a row that prove each other where the time jumps. */
const CHAIN = 4;

/** The records of a pcap file: resyncs where one claims too much, or another one inside it is followed by others. */
export class ClassicRecords {
  private readonly tally: Tally;
  private readonly header: ClassicHeader;
  private readonly index: number;
  /** In the file: where records were lost, -1 in step, and where the search for the next goes on. */
  private lostFrom = -1;
  private place = 0;
  /** Of a record without a successor: where its own bytes were searched up to. */
  private searched = 0;
  private seconds: number = Number.NaN;
  /** Where a record claims to be longer than any can be: from there on nothing is read. */
  private overFrom = -1;
  /** A new file begins where the last scan stopped. */
  isEnded = false;

  constructor(tally: Tally, header: ClassicHeader, section: number) {
    this.tally = tally;
    this.header = header;
    this.index = tally.interfaces.length;
    const { linkType, snapLength } = header;
    tally.interfaces.push({ section, number: 0, linkType, name: '', snapLength, packets: 0, bytes: 0 });
  }

  scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    const look = new Look(bytes, this.header, final);
    let at = from;
    while (this.overFrom < 0) {
      if (this.lostFrom >= 0) {
        at = this.search(look, base);
        if (at === WAIT) return this.pause(bytes, base, final);
        if (this.isEnded) return at;
      }
      at = this.run(look, at, base);
      const next = this.step(look, at, base);
      if (next === WAIT) return at;
      at = next;
      if (this.isEnded) return at;
    }
    if (final) this.giveUp(base + bytes.length);
    return bytes.length;
  }

  /** Takes records as long as each is followed by one that looks like it. */
  private run(look: Look, from: number, base: number): number {
    const { view, size } = look;
    const { littleEndian, perSecond, recordHeader, isEarly } = this.header;
    if (isEarly || from + LOOK > size || look.isBlank(from) || beginsFile(look.bytes, from)) return from;
    const { tally } = this;
    const { packet, sink } = tally;
    const isNano = perSecond === 1e9;
    const first = tally.packets;
    packet.interface = this.index;
    packet.linkType = this.header.linkType;
    let at = from;
    let count = first;
    let last = 0;
    let seconds = view.getUint32(at, littleEndian);
    let fraction = view.getUint32(at + 4, littleEndian);
    let captured = view.getUint32(at + 8, littleEndian);
    let length = view.getUint32(at + 12, littleEndian);
    for (;;) {
      const end = at + recordHeader + captured;
      if (captured > LONGEST || end + LOOK > size) break;
      const nextSeconds = view.getUint32(end, littleEndian);
      const nextFraction = view.getUint32(end + 4, littleEndian);
      const nextCaptured = view.getUint32(end + 8, littleEndian);
      const nextLength = view.getUint32(end + 12, littleEndian);
      if (nextFraction >= perSecond || nextCaptured > nextLength || nextCaptured > LONGEST || nextLength === 0) break;
      if (nextSeconds - seconds > NEAR || seconds - nextSeconds > NEAR) break;
      packet.number = ++count;
      packet.time = seconds * 1e6 + (isNano ? Math.round(fraction / 1000) : fraction);
      packet.record = at;
      packet.start = at + recordHeader;
      packet.end = end;
      packet.length = length;
      sink.packet(look.bytes, packet, base);
      at = end;
      last = seconds;
      seconds = nextSeconds;
      fraction = nextFraction;
      captured = nextCaptured;
      length = nextLength;
    }
    if (count === first) return at;
    this.seconds = last;
    tally.count(this.index, count - first, at - from - (count - first) * recordHeader, recordHeader);
    return at;
  }

  private addPacket(look: Look, at: number, end: number, base: number, length: number): void {
    const { tally, header } = this;
    const { packet } = tally;
    const fraction = look.fraction(at);
    this.seconds = look.seconds(at);
    packet.interface = this.index;
    packet.linkType = header.linkType;
    packet.time = this.seconds * 1e6 + (header.perSecond === 1e9 ? Math.round(fraction / 1000) : fraction);
    packet.record = at;
    packet.start = at + header.recordHeader;
    packet.end = end;
    packet.length = length;
    tally.hand(look.bytes, base, header.recordHeader);
  }

  /** Where the quick way ended: looks at one record by all the rules and returns where to go on. */
  private step(look: Look, at: number, base: number): number {
    const { size, final } = look;
    const { recordHeader } = this.header;
    if (at === size) return WAIT;
    if (at + recordHeader > size) return final ? this.cutHeader(at, size, base) : WAIT;
    if (beginsFile(look.bytes, at)) {
      this.isEnded = true;
      return at;
    }
    let captured = look.captured(at);
    if (captured > LONGEST) {
      captured = this.repaired(look, at);
      if (captured === WAIT) return WAIT;
      if (captured > LONGEST) return this.refuse(look, at, base);
      const text = `captured length ${look.captured(at)} of the record at offset ${base + at} is impossible, ${captured} fits`;
      this.tally.fault('bad-length', base + at, 0, false, text);
    }
    if (look.isBlank(at)) return this.lose(at, base);
    const end = at + recordHeader + captured;
    const follows = end > size ? (final ? 0 : WAIT) : look.follows(end, look.seconds(at), this.seconds);
    if (follows === WAIT) return WAIT;
    if (follows === 0) {
      const inside = this.searchInside(look, at, Math.min(end, size), base);
      if (inside === WAIT) return WAIT;
      if (inside > 0 && !look.isCredible(at, this.seconds)) return this.damaged(at, inside, base);
      if (inside > 0) return this.takeShort(look, at, inside, base, captured);
    }
    const stop = Math.min(end, size);
    if (end > size) this.cutRecord(at, end, stop, base);
    this.addPacket(look, at, stop, base, look.length(at));
    return stop;
  }

  /** Only the length of a record is wrong: its packet ends where the next record begins. */
  private takeShort(look: Look, at: number, next: number, base: number, captured: number): number {
    const there = next - at - this.header.recordHeader;
    const text = `record at offset ${base + at} claims ${captured} captured bytes, and the next one begins after ${there}`;
    this.tally.fault('bad-length', base + at, 0, false, text);
    this.addPacket(look, at, next, base, Math.min(look.length(at), there));
    return next;
  }

  /** The captured length with one byte of it set to zero, if a record follows then; else what it is. */
  private repaired(look: Look, at: number): number {
    const captured = look.captured(at);
    for (const mask of [0x00ffffff, 0xff00ffff]) {
      const fixed = (captured & mask) >>> 0;
      if (fixed > LONGEST || fixed > look.length(at)) continue;
      const follows = look.follows(at + this.header.recordHeader + fixed, look.seconds(at), this.seconds);
      if (follows !== 0) return follows === WAIT ? WAIT : fixed;
    }
    return captured;
  }

  /** An impossible captured length. If the rest of the header is right, all after it counts as one packet. */
  private refuse(look: Look, at: number, base: number): number {
    if (!look.isCredible(at, this.seconds)) return this.lose(at, base);
    this.overFrom = base + at;
    return at;
  }

  private giveUp(end: number): void {
    const { overFrom: from } = this;
    const text = `record at offset ${from} claims more than ${LONGEST} captured bytes: the ${end - from} bytes from there on are not read`;
    this.tally.fault('bad-length', from, end - from, true, text);
  }

  private cutHeader(at: number, size: number, base: number): number {
    const text = `header of a record at offset ${base + at} is cut by the end after ${size - at} of ${this.header.recordHeader} bytes`;
    this.tally.fault('truncated', base + at, size - at, true, text);
    return size;
  }

  private cutRecord(at: number, end: number, stop: number, base: number): void {
    const text = `record at offset ${base + at} is cut by the end after ${stop - at} of ${end - at} bytes`;
    this.tally.fault('truncated', base + at, 0, true, text);
  }

  private damaged(at: number, next: number, base: number): number {
    const text = `record at offset ${base + at} is damaged: another one begins ${next - at} bytes later, inside it`;
    this.tally.fault('damaged-record', base + at, next - at, true, text);
    return next;
  }

  private lose(at: number, base: number): number {
    this.lostFrom = base + at;
    this.place = base + at + 1;
    return at;
  }

  /** Looks for a record that begins inside another one; 0 if none. */
  private searchInside(look: Look, at: number, end: number, base: number): number {
    // what is clearly not a header may be anything, and a record may begin right after it
    const first = look.isCredible(at, this.seconds) ? at + this.header.recordHeader : at + 1;
    const from = Math.max(first, this.searched - base);
    for (let place = from; place + LOOK <= end; place++) {
      const found = look.begins(place, this.seconds);
      if (found === WAIT) {
        this.searched = base + place;
        return WAIT;
      }
      if (found > 0) return place;
    }
    return 0;
  }

  /** Out of step: the next place where a record or a file begins. */
  private search(look: Look, base: number): number {
    const { size, final } = look;
    for (let at = this.place - base; at + LOOK <= size; at++) {
      this.place = base + at;
      const isFile = beginsFile(look.bytes, at);
      const found = isFile ? 1 : look.begins(at, this.seconds);
      if (found === WAIT) return WAIT;
      if (found === 0) continue;
      this.found(base + at);
      this.isEnded = isFile;
      return at;
    }
    if (!final) return WAIT;
    this.found(base + size);
    return size;
  }

  private found(offset: number): void {
    const { lostFrom } = this;
    this.lostFrom = -1;
    const length = offset - lostFrom;
    const text = `${length} bytes at offset ${lostFrom} are not part of a record`;
    if (length > 0) this.tally.fault('garbage', lostFrom, length, true, text);
  }

  /** How far the search came: what is before it need not be kept. */
  private pause(bytes: Uint8Array, base: number, final: boolean): number {
    return final ? bytes.length : Math.min(bytes.length, Math.max(0, this.place - base));
  }
}

/** The current chunk as headers of records. */
class Look {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly size: number;
  readonly final: boolean;
  private readonly header: ClassicHeader;

  constructor(bytes: Uint8Array, header: ClassicHeader, final: boolean) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.size = bytes.length;
    this.final = final;
    this.header = header;
  }

  seconds(at: number): number {
    return this.view.getUint32(at, this.header.littleEndian);
  }

  fraction(at: number): number {
    return this.view.getUint32(at + 4, this.header.littleEndian);
  }

  captured(at: number): number {
    const [first, second] = this.lengths(at);
    return this.header.isEarly ? Math.min(first, second) : first;
  }

  length(at: number): number {
    const [first, second] = this.lengths(at);
    return this.header.isEarly ? Math.max(first, second) : second;
  }

  private lengths(at: number): [number, number] {
    const { littleEndian } = this.header;
    return [this.view.getUint32(at + 8, littleEndian), this.view.getUint32(at + 12, littleEndian)];
  }

  /** Zeros where a header should be: a file that was never written to its end. */
  isBlank(at: number): boolean {
    return this.seconds(at) === 0 && this.fraction(at) === 0 && this.captured(at) === 0 && this.length(at) === 0;
  }

  isNear(seconds: number, last: number): boolean {
    return !(Math.abs(seconds - last) > NEAR);
  }

  /** Whether this is a header by all but its lengths. */
  isCredible(at: number, last: number): boolean {
    return this.fraction(at) < this.header.perSecond && this.isNear(this.seconds(at), last);
  }

  /** Whether this may be a header, its time aside. */
  private isPossible(at: number): boolean {
    return this.fraction(at) < this.header.perSecond && this.captured(at) <= Math.min(LONGEST, this.length(at));
  }

  /** Whether a record follows at `at`, the end of one of this time: 1, 0, or WAIT for more bytes. */
  follows(at: number, seconds: number, last: number): number {
    const { size, final } = this;
    if (at + FILE_HEADER > size && !final) return WAIT;
    // the last bytes are too few to decide
    if (at + LOOK > size) return 1;
    if (beginsFile(this.bytes, at)) return 1;
    if (this.isPossible(at) && this.isNear(this.seconds(at), seconds)) return 1;
    return this.chains(at, last);
  }

  /** Whether records follow each other from here on though the time jumps. */
  private chains(at: number, last: number): number {
    const { size, final, header } = this;
    let place = at;
    let seconds = Number.NaN;
    for (let count = 0; count < CHAIN; count++) {
      if (place === size && final) return count > 0 ? 1 : 0;
      if (place + LOOK > size) return final ? 0 : WAIT;
      const captured = this.captured(place);
      if (captured === 0 || captured > LONGEST) return 0;
      // a single wrong time between right ones
      if (count === 1 && this.isPossible(place) && !Number.isNaN(last) && this.isNear(this.seconds(place), last))
        return 1;
      if (!this.isNear(this.seconds(place), seconds)) return 0;
      seconds = this.seconds(place);
      place += header.recordHeader + captured;
    }
    return 1;
  }

  /** Whether a record begins here, where nothing but itself and those after it says so. */
  begins(at: number, last: number): number {
    if (!this.isPossible(at)) return 0;
    const captured = this.captured(at);
    if (captured === 0) return 0;
    const seconds = this.seconds(at);
    if (Number.isNaN(last) || !this.isNear(seconds, last)) return this.chains(at, Number.NaN);
    const end = at + this.header.recordHeader + captured;
    if (end > this.size) return this.final ? 0 : WAIT;
    if (end + LOOK > this.size) return this.final ? 1 : WAIT;
    if (beginsFile(this.bytes, end)) return 1;
    return this.isPossible(end) && this.isNear(this.seconds(end), seconds) ? 1 : 0;
  }
}
