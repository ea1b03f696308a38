import { FILE_HEADER, isClassicMagic, mayBeginFile, readClassicHeader } from './classic-header.ts';
import { clockOf, readDescription } from './interfaces.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import type { Tally } from './packet.ts';

/*
 * A pcapng file consists of blocks, https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html
 *
 *     0          4               8             length - 4
 *     type (4)   length (4)      content ...   length (4)
 *
 *     section header:    8: byte order magic, 12: version (2, 2), 16: length of the section (8), options
 *     enhanced packet:   8: interface, 12: time (4, 4), 20: captured length, 24: original length, 28: packet, options
 *     simple packet:     8: original length, 12: packet; of interface 0, without a time
 *     packet (old):      8: interface (2), drops (2), 12: time (4, 4), 20: captured, 24: original length, 28: packet
 *
 * Lengths are multiples of 4. Each section has its own byte order and its own interfaces.
 */
const SECTION = 0x0a0d0d0a;
const INTERFACE = 1;
const OLD_PACKET = 2;
const SIMPLE_PACKET = 3;
const ENHANCED_PACKET = 6;
/** Types up to this one, and these others, are believed where blocks are looked for. */
const LAST_KNOWN = 10;
const CUSTOM: readonly number[] = [0xbad, 0x40000bad];
const BYTE_ORDER = 0x1a2b3c4d;

const FRAME = 12;
const SECTION_LEAST = 28;
const PACKET_LEAST = 32;
const SIMPLE_LEAST = 16;
const INTERFACE_LEAST = 20;
const HELD = CAPTURE_LIMITS.blockBytes;

const WAIT = -1;
const NO_BLOCK = 0;

/** Whether a section header begins at a place, and its byte order. */
export function sectionOrder(bytes: Uint8Array, at: number): 'little' | 'big' | undefined {
  if (at + FRAME > bytes.length || bytes[at] !== 0x0a) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, FRAME);
  if (view.getUint32(0) !== SECTION) return undefined;
  if (view.getUint32(8, true) === BYTE_ORDER) return 'little';
  return view.getUint32(8, false) === BYTE_ORDER ? 'big' : undefined;
}

/** Whether a file of either kind begins at a place, as where captures were joined. */
export function beginsFile(bytes: Uint8Array, at: number): boolean {
  if (sectionOrder(bytes, at)) return true;
  return mayBeginFile(bytes[at]) && readClassicHeader(bytes, at) !== undefined;
}

/** The blocks of a pcapng file. One that its lengths do not agree on is damaged: the next good one is looked for. */
export class Blocks {
  private readonly tally: Tally;
  private littleEndian = true;
  private section: number;
  /** The interfaces of this section: which of all interfaces each is, and how its times are read. */
  private own: { readonly index: number; readonly clock: (high: number, low: number) => number }[] = [];
  /** The interface for those that this section does not describe, -1 for none yet. */
  private unknown = -1;
  /** In the file: where blocks were lost, -1 in step, and where the search goes on. */
  private lostFrom = -1;
  private place = 0;
  /** A long block that is passed over: where it begins and ends. */
  private longFrom = 0;
  private longEnd = -1;
  /** A file of the other kind begins where the last scan stopped. */
  isEnded = false;

  /** @param section the number of its first section */
  constructor(tally: Tally, section: number) {
    this.tally = tally;
    this.section = section - 1;
  }

  scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = from;
    for (;;) {
      if (this.longEnd >= 0) {
        at = this.passLong(bytes, view, base, final);
        if (this.longEnd >= 0) return at;
      }
      if (this.lostFrom >= 0) {
        at = this.search(bytes, view, base, final);
        if (this.lostFrom >= 0) return at;
      }
      if (at === bytes.length) return at;
      if (isClassicMagic(bytes.subarray(at, at + 4))) {
        if (at + FILE_HEADER > bytes.length && !final) return at;
        this.isEnded = readClassicHeader(bytes, at) !== undefined;
        if (this.isEnded) return at;
      }
      const next = this.step(bytes, view, at, base, final);
      if (next === WAIT) return at;
      at = next;
    }
  }

  /** Looks at the block that should begin here; returns where to go on. */
  private step(bytes: Uint8Array, view: DataView, at: number, base: number, final: boolean): number {
    const size = bytes.length;
    if (at + FRAME > size) return final ? this.cut(bytes, view, at, size, base) : WAIT;
    const order = sectionOrder(bytes, at);
    const littleEndian = order ? order === 'little' : this.littleEndian;
    const length = view.getUint32(at + 4, littleEndian);
    const end = at + length + (-length & 3);
    if (length > HELD && length <= CAPTURE_LIMITS.longBlockBytes && !order) {
      const type = view.getUint32(at, littleEndian);
      if (isBelieved(type) && !isPacket(type)) {
        this.longFrom = base + at;
        this.longEnd = base + end;
        return at;
      }
    }
    if (length < FRAME || length > HELD) return this.lose(base + at, at);
    if (end > size) {
      if (!final) return WAIT;
      // if it claims too much, another block begins inside it
      return this.hasInside(bytes, view, at, size) ? this.lose(base + at, at) : this.cut(bytes, view, at, end, base);
    }
    const behind = view.getUint32(end - 4, littleEndian);
    if (behind !== length) {
      const next = final && end === size ? end : this.blockAt(bytes, view, end, final);
      if (next === WAIT) return WAIT;
      if (next === NO_BLOCK) return this.lose(base + at, at);
    }
    if (behind !== length || length % 4 !== 0) this.remarkLengths(at, length, behind, base);
    if (order) this.begin(order);
    this.addPacket(bytes, view, at, end, base);
    return end;
  }

  private remarkLengths(at: number, length: number, behind: number, base: number): void {
    const where = `block at offset ${base + at} has length ${length}`;
    const text =
      behind === length ? `${where}, which is not a multiple of 4` : `${where} before and ${behind} after its content`;
    this.tally.fault('bad-length', base + at, 0, false, text);
  }

  /** Where the block ends that begins here, if it is of a known type and its two lengths agree. */
  private blockAt(bytes: Uint8Array, view: DataView, at: number, final: boolean): number {
    if (at + FRAME > bytes.length) return final ? NO_BLOCK : WAIT;
    const order = sectionOrder(bytes, at);
    const littleEndian = order ? order === 'little' : this.littleEndian;
    const type = view.getUint32(at, littleEndian);
    if (!order && !isBelieved(type)) return NO_BLOCK;
    const length = view.getUint32(at + 4, littleEndian);
    if (length < FRAME || length > HELD || length % 4 !== 0) return NO_BLOCK;
    const end = at + length;
    if (end > bytes.length) return final ? NO_BLOCK : WAIT;
    return view.getUint32(end - 4, littleEndian) === length ? end : NO_BLOCK;
  }

  private hasInside(bytes: Uint8Array, view: DataView, at: number, size: number): boolean {
    for (let place = at + 4; place + FRAME <= size; place++) {
      if (this.blockAt(bytes, view, place, true) > NO_BLOCK) return true;
    }
    return false;
  }

  private lose(offset: number, at: number): number {
    this.lostFrom = offset;
    this.place = offset + 1;
    return at;
  }

  private search(bytes: Uint8Array, view: DataView, base: number, final: boolean): number {
    const size = bytes.length;
    for (let at = this.place - base; at + FRAME <= size; at++) {
      const end = this.blockAt(bytes, view, at, final);
      if (end === WAIT) {
        this.place = base + at;
        return at;
      }
      if (end !== NO_BLOCK) return this.found(base + at, at);
    }
    if (final) return this.found(base + size, size);
    this.place = Math.max(this.place, base + size - FRAME + 1);
    return Math.min(size, this.place - base);
  }

  private found(offset: number, at: number): number {
    const length = offset - this.lostFrom;
    const text = `${length} bytes at offset ${this.lostFrom} are not a block: its lengths do not agree`;
    this.tally.fault('damaged-block', this.lostFrom, length, true, text);
    this.lostFrom = -1;
    return at;
  }

  private passLong(bytes: Uint8Array, view: DataView, base: number, final: boolean): number {
    const { longFrom, longEnd } = this;
    const end = base + bytes.length;
    if (end < longEnd && !final) return Math.max(0, Math.min(bytes.length, longEnd - 4 - base));
    this.longEnd = -1;
    const length = Math.min(end, longEnd) - longFrom;
    const isWhole = end >= longEnd && view.getUint32(longEnd - 4 - base, this.littleEndian) === longEnd - longFrom;
    if (isWhole) this.tally.fileBytes += length;
    else
      this.tally.fault('bad-length', longFrom, length, true, `block at offset ${longFrom} is not as long as it says`);
    return Math.min(bytes.length, longEnd - base);
  }

  private begin(order: 'little' | 'big'): void {
    this.littleEndian = order === 'little';
    this.section++;
    this.own = [];
    this.unknown = -1;
  }

  /** The last block is cut: a packet in it may still have some of its bytes. */
  private cut(bytes: Uint8Array, view: DataView, at: number, end: number, base: number): number {
    const size = bytes.length;
    const text = `block at offset ${base + at} is cut by the end after ${size - at} of ${Math.max(end, size + 1) - at} bytes`;
    const isEnhanced = at + PACKET_LEAST <= size && isTimedPacket(view.getUint32(at, this.littleEndian));
    this.tally.fault('truncated', base + at, isEnhanced ? 0 : size - at, true, text);
    if (isEnhanced) this.addPacket(bytes, view, at, size, base, true);
    return size;
  }

  private addPacket(bytes: Uint8Array, view: DataView, at: number, end: number, base: number, isCut = false): void {
    const { littleEndian, tally } = this;
    const type = view.getUint32(at, littleEndian);
    const size = end - at;
    const room = isCut ? end : end - 4;
    if (isTimedPacket(type) && size >= PACKET_LEAST) {
      this.takePacket(bytes, view, at, room, base, size, isCut);
    } else if (type === SIMPLE_PACKET && size >= SIMPLE_LEAST) {
      this.takeSimple(bytes, view, at, room, base, size);
    } else if (isPacket(type) || (type === SECTION && size < SECTION_LEAST)) {
      const text = `block at offset ${base + at} has ${size} bytes, too few for its type ${type}`;
      tally.fault('bad-length', base + at, size, true, text);
    } else {
      if (type === INTERFACE && size >= INTERFACE_LEAST) this.addInterface(bytes, at, end);
      tally.fileBytes += size;
    }
  }

  private addInterface(bytes: Uint8Array, at: number, end: number): void {
    const { tally, own, section } = this;
    if (tally.interfaces.length >= CAPTURE_LIMITS.interfaces) return;
    const description = readDescription(bytes, at, end, this.littleEndian);
    const { linkType, snapLength, name } = description;
    own.push({ index: tally.interfaces.length, clock: clockOf(description) });
    tally.interfaces.push({ section, number: own.length - 1, linkType, name, snapLength, packets: 0, bytes: 0 });
  }

  private takePacket(
    bytes: Uint8Array,
    view: DataView,
    at: number,
    room: number,
    base: number,
    size: number,
    isCut: boolean,
  ): void {
    const { littleEndian, tally } = this;
    const { packet } = tally;
    const type = view.getUint32(at, littleEndian);
    const number = type === OLD_PACKET ? view.getUint16(at + 8, littleEndian) : view.getUint32(at + 8, littleEndian);
    const captured = view.getUint32(at + 20, littleEndian);
    const start = at + 28;
    if (captured > room - start && !isCut) {
      const text = `packet in the block at offset ${base + at} claims ${captured} bytes, and there are ${room - start}`;
      tally.fault('bad-length', base + at, 0, true, text);
    }
    packet.record = at;
    packet.start = start;
    packet.end = Math.min(room, start + captured);
    packet.length = view.getUint32(at + 24, littleEndian);
    const high = view.getUint32(at + 12, littleEndian);
    const low = view.getUint32(at + 16, littleEndian);
    packet.time = this.own[number]?.clock(high, low) ?? Number.NaN;
    packet.interface = this.from(number, base + at);
    packet.linkType = tally.interfaces[packet.interface].linkType;
    tally.hand(bytes, base, size - (packet.end - packet.start));
  }

  private takeSimple(bytes: Uint8Array, view: DataView, at: number, room: number, base: number, size: number): void {
    const { packet, interfaces } = this.tally;
    const from = this.from(0, base + at);
    const { snapLength, linkType } = interfaces[from];
    packet.record = at;
    packet.start = at + FRAME;
    packet.length = view.getUint32(at + 8, this.littleEndian);
    const most = snapLength === 0 ? packet.length : Math.min(packet.length, snapLength);
    packet.end = Math.min(room, packet.start + most);
    packet.time = Number.NaN;
    packet.interface = from;
    packet.linkType = linkType;
    this.tally.hand(bytes, base, size - (packet.end - packet.start));
  }

  /** Which of all interfaces a packet came from. One that was never described has no link type that is known. */
  private from(number: number, offset: number): number {
    const known = this.own[number];
    if (known) return known.index;
    const { tally, section } = this;
    tally.fault(
      'unknown-interface',
      offset,
      0,
      true,
      `packet at offset ${offset} is of interface ${number}, which is not described`,
    );
    if (this.unknown < 0) {
      this.unknown = tally.interfaces.length;
      tally.interfaces.push({ section, number: -1, linkType: -1, name: '', snapLength: 0, packets: 0, bytes: 0 });
    }
    return this.unknown;
  }
}

/** Whether a block may be of this type where nothing else speaks for it. */
function isBelieved(type: number): boolean {
  return (type > 0 && type <= LAST_KNOWN) || CUSTOM.includes(type);
}

function isTimedPacket(type: number): boolean {
  return type === ENHANCED_PACKET || type === OLD_PACKET;
}

function isPacket(type: number): boolean {
  return isTimedPacket(type) || type === SIMPLE_PACKET;
}
