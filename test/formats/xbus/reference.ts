import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';
import { guessOf, type Piece, piecesOf } from './legacy.ts';
import { isKnownMessage, isUsualMessage, messageName, messageValues } from './messages.ts';
import { itemOf } from './values.ts';

/** A frame that may begin at a place. */
interface Candidate {
  readonly at: number;
  readonly bus: number;
  readonly id: number;
  readonly data: number;
  readonly length: number;
  readonly end: number;
}

interface Setup {
  readonly mode: number;
  readonly settings: number;
}

type Weight = 'wrong' | 'weak' | 'strong';

const MOST_DATA = 8192;

/** XBUS in the plainest way: all bytes at once, one place after the other, nothing kept in mind that need not be. */
export function plainXbus(bytes: Uint8Array): PlainLog {
  const first = new Reading(bytes, new Map(), undefined);
  const isInverted = first.rule !== 0 && first.isPassedOver;
  if (first.late.size === 0 && !isInverted) return first;
  return new Reading(bytes, first.late, isInverted ? 0xff : undefined);
}

class Reading implements PlainLog {
  readonly records: PlainRecord[] = [];
  readonly faults: PlainFault[] = [];
  readonly late: Map<number, Setup> = new Map();
  /** What bytes behind the preamble add up to; undefined before the first frame. */
  rule: number | undefined;
  isPassedOver = false;

  private isProven: boolean;
  private readonly bytes: Uint8Array;
  private readonly setups: Map<number, Setup>;
  private readonly early: Set<number> = new Set();
  private readonly remarked: Set<string> = new Set();
  private gap: { start: number; failure: { code: string; end: number } | undefined } | undefined;
  private failureEnd = -1;
  private origin = 0;
  private steps = 0;

  constructor(bytes: Uint8Array, lessons: ReadonlyMap<number, Setup>, rule: number | undefined) {
    this.bytes = bytes;
    this.rule = rule;
    this.isProven = rule !== undefined;
    this.setups = new Map(lessons);
    for (let at = 0; at < bytes.length; ) {
      this.passTo(at);
      const isLed = !this.gap || at === this.failureEnd;
      const frame = bytes[at] === 0xfa ? this.look(at, isLed) : 'garbage';
      if (typeof frame !== 'string') {
        this.close(at, false);
        if (this.rule === 0xff) this.remark('inverted-checksum', 'stream', at);
        this.take(frame);
        at = frame.end;
        continue;
      }
      if (!this.gap) this.open(at);
      if (isLed && frame !== 'garbage') this.fail(at, frame);
      at++;
    }
    this.close(bytes.length, true);
  }

  private open(at: number): void {
    this.gap = { start: at, failure: undefined };
    this.origin = at;
    this.steps = 0;
  }

  private fail(at: number, code: string): void {
    this.close(at, false);
    const end = code === 'truncated' ? this.bytes.length : (this.candidate(at) as Candidate).end;
    this.gap = { start: at, failure: { code, end } };
    this.failureEnd = end;
  }

  /** A failed frame that ends here or before is a fault. */
  private passTo(at: number): void {
    const failure = this.gap?.failure;
    if (!this.gap || !failure || at < failure.end) return;
    this.faults.push({ code: failure.code, offset: this.gap.start, length: failure.end - this.gap.start });
    this.gap = { start: failure.end, failure: undefined };
  }

  private close(at: number, isLast: boolean): void {
    this.passTo(at);
    if (!this.gap) return;
    const { start, failure } = this.gap;
    if (at > start) {
      const code = failure ? 'cut-frame' : kindOf(this.bytes.subarray(start, at), isLast);
      this.faults.push({ code, offset: start, length: at - start });
    }
    this.gap = undefined;
    this.failureEnd = -1;
  }

  /** The candidate at a place; undefined where the end comes before its header does. */
  private candidate(at: number): Candidate | undefined {
    const { bytes } = this;
    const isExtended = bytes[at + 3] === 0xff;
    const data = at + (isExtended ? 6 : 4);
    if (at + 4 > bytes.length || data > bytes.length) return undefined;
    const length = isExtended ? bytes[at + 4] * 256 + bytes[at + 5] : bytes[at + 3];
    return { at, bus: bytes[at + 1], id: bytes[at + 2], data, length, end: data + length + 1 };
  }

  /** The frame at a place, or why there is none. */
  private look(at: number, isLed: boolean): Candidate | 'truncated' | 'bad-checksum' | 'garbage' {
    const frame = this.candidate(at);
    if (!frame) return 'truncated';
    if (frame.length > MOST_DATA) return 'garbage';
    if (frame.end > this.bytes.length) return 'truncated';
    if (this.isProven) return this.isFrame(frame, isLed, this.rule as number) ? frame : 'bad-checksum';
    const isFirst = this.rule === undefined;
    if (this.isFrame(frame, isLed, 0)) {
      this.rule = 0;
      this.isProven = !isFirst;
      return frame;
    }
    if (this.weigh(frame, isLed, 0xff) !== 'strong') return 'bad-checksum';
    const follower = this.follower(frame.end, 0xff);
    if (follower === 'frame' || (follower === 'end' && isFirst)) {
      this.rule = 0xff;
      this.isProven = true;
      return frame;
    }
    this.isPassedOver = true;
    return 'bad-checksum';
  }

  private isFrame(frame: Candidate, isLed: boolean, rule: number): boolean {
    const weight = this.weigh(frame, isLed, rule);
    if (weight !== 'weak') return weight === 'strong';
    const follower = this.follower(frame.end, rule);
    if (isLed) return follower !== undefined || !this.holdsStrong(frame, rule, frame.at, 0);
    if (follower !== 'frame' || this.isTired(frame.at)) return false;
    const next = this.candidate(frame.end) as Candidate;
    this.steps += Math.floor(next.length / 3);
    if (this.weigh(next, true, rule) !== 'strong') return false;
    return !this.holdsStrong(frame, rule, this.origin, this.steps);
  }

  private isTired(at: number): boolean {
    return this.steps > 256 + 2 * (at - this.origin);
  }

  private weigh(frame: Candidate, isLed: boolean, rule: number): Weight {
    const { at, bus, id, length, end } = frame;
    let sum = 0;
    for (let k = at + 1; k < end; k++) sum += this.bytes[k];
    if (sum % 256 !== rule) return 'wrong';
    if (id === 0x36) return this.areItems(frame, isLed) ? 'strong' : 'weak';
    if (id === 0x32) return this.piecesOf(bus) && sizeOf(this.piecesOf(bus)) === length ? 'strong' : 'weak';
    const isKnown = isLed ? isKnownMessage(id, length) : bus === 0xff && isUsualMessage(id, length);
    return isKnown ? 'strong' : 'weak';
  }

  private areItems({ at, data, length }: Candidate, isLed: boolean): boolean {
    if (!isLed && this.isTired(at)) return false;
    const items = this.itemsIn(data, length);
    if (!isLed) this.steps += items.length;
    const last = items.at(-1);
    const isKnown = isLed || items.some(({ xdi, size }) => itemOf(xdi, size).isKnown);
    return isKnown && last !== undefined && last.place + 3 + last.size === data + length;
  }

  /** Items one after the other; the last one may reach beyond the data. */
  private itemsIn(data: number, length: number): { place: number; xdi: number; size: number }[] {
    const { bytes } = this;
    const items = [];
    for (let place = data; place + 3 <= data + length; place += 3 + bytes[place + 2]) {
      items.push({ place, xdi: bytes[place] * 256 + bytes[place + 1], size: bytes[place + 2] });
    }
    return items;
  }

  private follower(end: number, rule: number): 'frame' | 'end' | undefined {
    const { bytes } = this;
    if (end === bytes.length) return 'end';
    if (bytes[end] !== 0xfa) return undefined;
    const next = this.candidate(end);
    if (!next) return 'end';
    if (next.length > MOST_DATA) return undefined;
    if (next.end > bytes.length) return 'end';
    return bytes.subarray(end + 1, next.end).reduce((sum, byte) => sum + byte, 0) % 256 === rule ? 'frame' : undefined;
  }

  /** Whether a strong frame begins inside; what is looked at where nothing led to it counts for the gap. */
  private holdsStrong({ at, end }: Candidate, rule: number, from: number, looks: number): boolean {
    const { origin, steps } = this;
    this.origin = from;
    this.steps = looks;
    let holds = false;
    for (let place = at + 1; place < end && !holds; place++) {
      if (this.bytes[place] !== 0xfa) continue;
      this.steps++;
      const inner = this.candidate(place);
      if (!inner || inner.length > MOST_DATA || inner.end > this.bytes.length) continue;
      holds = this.weigh(inner, false, rule) === 'strong';
    }
    this.origin = origin;
    if (from !== origin) this.steps = steps;
    return holds;
  }

  private piecesOf(bus: number): Piece[] | undefined {
    const setup = this.setups.get(bus);
    return setup && piecesOf(setup.mode, setup.settings);
  }

  private take(frame: Candidate): void {
    if (frame.id === 0x36) this.takeItems(frame);
    else if (frame.id === 0x32) this.takeLegacy(frame);
    else this.takeWhole(frame);
    this.learn(frame);
    this.report(frame);
  }

  private add(
    name: string,
    bus: number,
    frame: string,
    offset: number,
    length: number,
    values: PlainRecord['values'],
  ): void {
    this.records.push({ name, stream: frame === '' ? `${bus}` : `${bus}:${frame}`, offset, length, values });
  }

  private takeWhole({ at, bus, id, data, length, end }: Candidate): void {
    this.add(messageName(id), bus, '', at, end - at, () => messageValues(id, this.bytes, data, length));
  }

  private takePacket({ at, bus, id, data, length }: Candidate): void {
    this.add(messageName(id), bus, '', at, data - at, () => [['length', length]]);
  }

  private takeItems(frame: Candidate): void {
    const { at, bus, data, length } = frame;
    const items = this.itemsIn(data, length);
    const filled = items.reduce((sum, { size }) => sum + 3 + size, 0);
    if (filled !== length) {
      this.remark('bad-items', `${bus}`, at);
      this.takeWhole(frame);
      return;
    }
    this.takePacket(frame);
    for (const { place, xdi, size } of items) {
      const item = itemOf(xdi, size);
      this.add(item.name, bus, item.frame, place, 3 + size, () => item.values(this.bytes, place + 3));
    }
    this.addChecksum();
  }

  private addChecksum(): void {
    const last = this.records[this.records.length - 1];
    this.records[this.records.length - 1] = { ...last, length: last.length + 1 };
  }

  private takeLegacy(frame: Candidate): void {
    const { at, bus, data, length } = frame;
    let pieces = this.piecesOf(bus);
    if (!pieces) {
      this.early.add(bus);
      pieces = guessOf(length);
      this.remark('no-configuration', `${bus} ${length}`, at);
    }
    if (!pieces || sizeOf(pieces) !== length) {
      this.takeWhole(frame);
      return;
    }
    this.takePacket(frame);
    let place = data;
    for (const piece of pieces) {
      const from = place;
      this.add(piece.name, bus, piece.frame, from, piece.size, () => piece.values(this.bytes, from));
      place += piece.size;
    }
    this.addChecksum();
  }

  private learn({ bus, id, data, length }: Candidate): void {
    const buffer = Buffer.from(this.bytes.subarray(data, data + length));
    const known = this.setups.get(bus);
    if (id === 0x0d) {
      const devices = [];
      for (let place = 98; place + 20 <= length; place += 20) {
        devices.push({ mode: buffer.readUInt16BE(place + 6), settings: buffer.readUInt32BE(place + 8) });
      }
      for (const [k, device] of devices.entries()) this.setup(k + 1, device);
      if (devices.length > 0) this.setup(bus, devices[0]);
    }
    if (id === 0xd1 && length === 2) this.setup(bus, { mode: buffer.readUInt16BE(), settings: known?.settings ?? 0 });
    if (id === 0xd3 && length === 4) this.setup(bus, { mode: known?.mode ?? 0, settings: buffer.readUInt32BE() });
  }

  private setup(bus: number, setup: Setup): void {
    this.setups.set(bus, setup);
    if (this.early.has(bus) && !this.late.has(bus)) this.late.set(bus, setup);
  }

  private report({ at, bus, id, data, length }: Candidate): void {
    const buffer = Buffer.from(this.bytes.subarray(data, data + length));
    if (id === 0x42 && length >= 1) this.remark('device-error', `${bus} ${buffer[0]}`, at);
    if (id === 0x43 && length >= 4) this.remark('device-warning', `${bus} ${buffer.readUInt32BE()}`, at);
  }

  private remark(code: string, subject: string, offset: number): void {
    if (this.remarked.has(`${code} ${subject}`)) return;
    this.remarked.add(`${code} ${subject}`);
    this.faults.push({ code, offset, length: 0 });
  }
}

function sizeOf(pieces: readonly Piece[] | undefined): number {
  return (pieces ?? []).reduce((sum, { size }) => sum + size, 0);
}

/** What bytes that are not part of a frame are. */
function kindOf(bytes: Uint8Array, isLast: boolean): string {
  const [first] = bytes;
  if ((first === 0 || first === 0xff) && bytes.every((byte) => byte === first)) return isLast ? 'padding' : 'blank';
  const isText = bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || [9, 10, 13].includes(byte));
  return isText && bytes.length >= 4 ? 'text' : 'garbage';
}
