import { guessHeader } from '../../../src/formats/pcap/headless.ts';
import type { PlainFault } from '../../suite/plain.ts';

/** A packet as it stands in a capture. */
export interface PlainPacket {
  readonly number: number;
  readonly interface: number;
  readonly linkType: number;
  readonly time: number;
  /** Where its record begins, and its bytes begin and end. */
  readonly record: number;
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/** What the header of a pcap file says of its records. */
interface PlainHeader {
  readonly little: boolean;
  readonly parts: number;
  readonly head: number;
  readonly early: boolean;
}

const MOST = 262_144;
const DAY = 86_400;
const NO_TIME = Number.NaN;

/** The packets of a capture in the plainest way, and what is wrong with the file. */
export class PlainPackets {
  readonly packets: PlainPacket[] = [];
  readonly faults: PlainFault[] = [];
  protected readonly bytes: Uint8Array;
  protected readonly view: DataView;
  private interfaces = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = this.headless();
    while (at < bytes.length) {
      const from = at;
      while (at < bytes.length && !this.fileAt(at)) at++;
      if (at > from) this.fault('no-header', from, at);
      if (at === bytes.length) return;
      at = this.classicAt(at) ? this.classic(at) : this.blocks(at);
    }
  }

  private fault(code: string, from: number, to: number = from): void {
    this.faults.push({ code, offset: from, length: to - from });
  }

  private add(packet: Omit<PlainPacket, 'number'>): void {
    this.packets.push({ ...packet, number: this.packets.length + 1 });
  }

  /** Whether a pcap file begins here: its byte order, parts of a second and bytes of a record's header. */
  private classicAt(at: number): PlainHeader | undefined {
    const { view, bytes } = this;
    if (at + 24 > bytes.length) return undefined;
    for (const little of [true, false]) {
      const [major, minor] = [view.getUint16(at + 4, little), view.getUint16(at + 6, little)];
      const early = major < 2 || (major === 2 && minor < 4);
      switch (view.getUint32(at, little)) {
        case 0xa1b2c3d4:
          return { little, parts: 1e6, head: 16, early };
        case 0xa1b23c4d:
          return { little, parts: 1e9, head: 16, early };
        case 0xa1b2cd34:
          return { little, parts: 1e6, head: 24, early };
      }
    }
    return undefined;
  }

  /** Whether a section of a pcapng file begins here, and its byte order. */
  private sectionAt(at: number): 'little' | 'big' | undefined {
    const { view, bytes } = this;
    if (at + 12 > bytes.length || view.getUint32(at) !== 0x0a0d0d0a) return undefined;
    if (view.getUint32(at + 8, true) === 0x1a2b3c4d) return 'little';
    return view.getUint32(at + 8) === 0x1a2b3c4d ? 'big' : undefined;
  }

  private fileAt(at: number): boolean {
    return this.classicAt(at) !== undefined || this.sectionAt(at) !== undefined;
  }

  /** Records without the header of a file; what it would say is the one thing not found again here. */
  private headless(): number {
    if (this.fileAt(0)) return 0;
    const guess = guessHeader(this.bytes, true);
    if (!guess || guess === 'wait') return 0;
    const { littleEndian: little, perSecond: parts, recordHeader: head, linkType, isEarly: early } = guess;
    return this.records(0, { little, parts, head, early }, linkType);
  }

  private classic(from: number): number {
    const header = this.classicAt(from) as PlainHeader;
    return this.records(from + 24, header, this.view.getUint32(from + 20, header.little) & 0xffff);
  }

  private records(from: number, { little, parts, head, early }: PlainHeader, linkType: number): number {
    const { view, bytes } = this;
    const size = bytes.length;
    const index = this.interfaces++;
    let last = Number.NaN;
    const near = (a: number, b: number): boolean => Number.isNaN(a) || Number.isNaN(b) || Math.abs(a - b) <= DAY;
    const read = (at: number): { seconds: number; part: number; captured: number; length: number } => {
      const [a, b] = [view.getUint32(at + 8, little), view.getUint32(at + 12, little)];
      return {
        seconds: view.getUint32(at, little),
        part: view.getUint32(at + 4, little),
        captured: early ? Math.min(a, b) : a,
        length: early ? Math.max(a, b) : b,
      };
    };
    const possible = (at: number): boolean => {
      const { part, captured, length } = read(at);
      return part < parts && captured <= MOST && captured <= length;
    };
    const chains = (at: number, before: number): boolean => {
      let place = at;
      let seconds = Number.NaN;
      for (let count = 0; count < 4; count++) {
        if (place === size) return count > 0;
        if (place + 16 > size) return false;
        const { captured, seconds: now } = read(place);
        if (captured === 0 || captured > MOST) return false;
        if (count === 1 && possible(place) && !Number.isNaN(before) && near(now, before)) return true;
        if (!near(now, seconds)) return false;
        seconds = now;
        place += head + captured;
      }
      return true;
    };
    const follows = (at: number, seconds: number): boolean => {
      if (at + 16 > size || this.fileAt(at)) return true;
      return (possible(at) && near(read(at).seconds, seconds)) || chains(at, last);
    };
    const begins = (at: number): boolean => {
      if (!possible(at)) return false;
      const { captured, seconds } = read(at);
      if (captured === 0) return false;
      if (Number.isNaN(last) || !near(seconds, last)) return chains(at, Number.NaN);
      const end = at + head + captured;
      if (end > size) return false;
      if (end + 16 > size || this.fileAt(end)) return true;
      return possible(end) && near(read(end).seconds, seconds);
    };
    const take = (at: number, end: number, length: number): void => {
      const { seconds, part } = read(at);
      last = seconds;
      const time = seconds * 1e6 + (parts === 1e9 ? Math.round(part / 1000) : part);
      this.add({ interface: index, linkType, time, record: at, start: at + head, end, length });
    };
    let at = from;
    while (at < size) {
      if (at + head > size) {
        this.fault('truncated', at, size);
        return size;
      }
      if (this.fileAt(at)) return at;
      const { seconds, part, length } = read(at);
      let { captured } = read(at);
      let isLost = seconds === 0 && part === 0 && captured === 0 && length === 0;
      if (captured > MOST) {
        const fits = [captured & 0x00ffffff, (captured & 0xff00ffff) >>> 0].find(
          (less) => less <= MOST && less <= length && follows(at + head + less, seconds),
        );
        if (fits !== undefined) {
          this.fault('bad-length', at);
          captured = fits;
        } else if (part < parts && near(seconds, last)) {
          this.fault('bad-length', at, size);
          return size;
        } else {
          isLost = true;
        }
      }
      if (isLost) {
        let next = at + 1;
        while (next + 16 <= size && !this.fileAt(next) && !begins(next)) next++;
        if (next + 16 > size) next = size;
        this.fault('garbage', at, next);
        at = next;
        continue;
      }
      const end = at + head + captured;
      const stop = Math.min(end, size);
      let inside = 0;
      if (end > size || !follows(end, seconds)) {
        const first = part < parts && near(seconds, last) ? at + head : at + 1;
        for (let place = first; place + 16 <= stop && inside === 0; place++) if (begins(place)) inside = place;
      }
      if (inside === 0) {
        if (end > size) this.fault('truncated', at);
        take(at, stop, length);
        at = stop;
      } else if (part < parts && near(seconds, last)) {
        this.fault('bad-length', at);
        take(at, inside, Math.min(length, inside - at - head));
        at = inside;
      } else {
        this.fault('damaged-record', at, inside);
        at = inside;
      }
    }
    return size;
  }

  private blocks(from: number): number {
    const { view, bytes } = this;
    const size = bytes.length;
    let little = true;
    let own: { index: number; linkType: number; snap: number; time: (units: bigint) => number }[] = [];
    let unknown = -1;
    /** Where the block ends that begins here, if it is one by its type and both its lengths. */
    const blockEnd = (at: number): number => {
      if (at + 12 > size) return 0;
      const order = this.sectionAt(at);
      const less = order ? order === 'little' : little;
      const type = view.getUint32(at, less);
      const isKnown = order !== undefined || (type >= 1 && type <= 10) || type === 0xbad || type === 0x40000bad;
      const length = view.getUint32(at + 4, less);
      if (!isKnown || length < 12 || length > 1 << 20 || length % 4 !== 0 || at + length > size) return 0;
      return view.getUint32(at + length - 4, less) === length ? at + length : 0;
    };
    const take = (at: number, end: number, room: number, isCut: boolean): void => {
      const type = view.getUint32(at, little);
      const isPacket = type === 6 || type === 2;
      if ((isPacket && end - at >= 32) || (type === 3 && end - at >= 16)) {
        const number = type === 6 ? view.getUint32(at + 8, little) : type === 2 ? view.getUint16(at + 8, little) : 0;
        const start = at + (type === 3 ? 12 : 28);
        const length = view.getUint32(type === 3 ? at + 8 : at + 24, little);
        const snap = own[number]?.snap || length;
        const captured = type === 3 ? Math.min(length, snap) : view.getUint32(at + 20, little);
        if (type !== 3 && captured > room - start && !isCut) this.fault('bad-length', at);
        const found = own[number];
        if (!found) this.fault('unknown-interface', at);
        if (!found && unknown < 0) unknown = this.interfaces++;
        const units = (BigInt(view.getUint32(at + 12, little)) << 32n) | BigInt(view.getUint32(at + 16, little));
        this.add({
          interface: found?.index ?? unknown,
          linkType: found?.linkType ?? -1,
          time: found && type !== 3 ? found.time(units) : NO_TIME,
          record: at,
          start,
          end: Math.min(room, start + captured),
          length,
        });
      } else if (isPacket || type === 3 || (type === 0x0a0d0d0a && end - at < 28)) {
        this.fault('bad-length', at, end);
      } else if (type === 1 && end - at >= 20) {
        own.push({ index: this.interfaces++, ...this.description(at, end, little) });
      }
    };
    let at = from;
    while (at < size) {
      if (this.classicAt(at)) return at;
      if (at + 12 > size) {
        this.fault('truncated', at, size);
        return size;
      }
      const order = this.sectionAt(at);
      const less: boolean = order ? order === 'little' : little;
      const type = view.getUint32(at, less);
      const length = view.getUint32(at + 4, less);
      const end = at + Math.ceil(length / 4) * 4;
      let isLost = length < 12 || length > 1 << 20;
      const isOther = [1, 4, 5, 7, 8, 9, 10, 0xbad, 0x40000bad].includes(type);
      if (length > 1 << 20 && length <= 16 << 20 && !order && isOther) {
        // a long block that is not there, since no input of a test is so long
        this.fault('bad-length', at, size);
        return size;
      }
      if (!isLost && end > size) {
        for (let place = at + 4; place + 12 <= size && !isLost; place++) isLost = blockEnd(place) > 0;
        if (!isLost) {
          const isPacket = at + 32 <= size && [2, 6].includes(view.getUint32(at, little));
          this.fault('truncated', at, isPacket ? at : size);
          if (isPacket) take(at, size, size, true);
          return size;
        }
      } else if (!isLost && view.getUint32(end - 4, less) !== length && end !== size && blockEnd(end) === 0) {
        isLost = true;
      }
      if (isLost) {
        let next = at + 1;
        while (next + 12 <= size && blockEnd(next) === 0) next++;
        if (next + 12 > size) next = size;
        this.fault('damaged-block', at, next);
        at = next;
        continue;
      }
      if (view.getUint32(end - 4, less) !== length || length % 4 !== 0) this.fault('bad-length', at);
      if (order) {
        little = less;
        own = [];
        unknown = -1;
      }
      take(at, end, end - 4, false);
      at = end;
    }
    return size;
  }

  private description(
    at: number,
    end: number,
    little: boolean,
  ): { linkType: number; snap: number; time: (units: bigint) => number } {
    const { view, bytes } = this;
    let [resolution, offset] = [6, 0n];
    for (let option = at + 16; option + 8 <= end; ) {
      const [code, length] = [view.getUint16(option, little), view.getUint16(option + 2, little)];
      if (code === 0 || option + 4 + length > end - 4) break;
      if (code === 9 && length === 1) resolution = bytes[option + 4];
      if (code === 14 && length === 8) offset = view.getBigInt64(option + 4, little);
      option += 4 + Math.ceil(length / 4) * 4;
    }
    const unit = resolution < 128 ? 10n ** BigInt(resolution) : 2n ** BigInt(resolution - 128);
    return {
      linkType: view.getUint16(at + 8, little),
      snap: view.getUint32(at + 12, little),
      // to the nearest microsecond
      time: (units) => Number(offset) * 1e6 + Number((units * 2_000_000n + unit) / (2n * unit)),
    };
  }
}
