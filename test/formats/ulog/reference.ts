// A decoder of ULogs that is obvious rather than fast: the whole buffer at hand, a table as a plain object.
import type { Value } from '../../../src/core/column.ts';
import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';

/** Bytes of each type. */
export const TYPES: Readonly<Record<string, number>> = {
  int8_t: 1,
  uint8_t: 1,
  bool: 1,
  char: 1,
  int16_t: 2,
  uint16_t: 2,
  int32_t: 4,
  uint32_t: 4,
  float: 4,
  int64_t: 8,
  uint64_t: 8,
  double: 8,
};
const MAGIC = [0x55, 0x4c, 0x6f, 0x67, 1, 0x12, 0x35];
const SYNC = [8, 0, 0x53, 0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12];
const KINDS = 'BFIMPQARDLCSO';
const LEAST: Readonly<Record<string, number>> = { F: 2, I: 4, M: 5, P: 8, Q: 9, A: 4, L: 9, C: 11 };
const LOOK = 260;

interface Member {
  type: string;
  count: number;
  name: string;
}

interface Definition {
  name: string;
  text: string;
  members: Member[];
}

interface Place {
  name: string;
  type: string;
  /** Elements of an array; 0 for what is none. */
  count: number;
  at: number;
}

interface Layout {
  name: string;
  least: number;
  most: number;
  fields: Place[];
  timeAt: number;
}

interface Subscription {
  name: string;
  multi: number;
  guess: boolean;
}

interface Lesson {
  definitions: Definition[];
  subscriptions: (Subscription & { id: number })[];
}

interface Known {
  subscriptions: Subscription[];
  /** Found by a first reading. */
  given: Subscription[];
  met: boolean;
  usual: number;
  usualLayout: Layout | undefined;
  usualMulti: number;
  unread: number;
  unreadBytes: number;
  sample: Uint8Array | undefined;
  sampleTime: number;
}

export function plainUlog(bytes: Uint8Array): PlainLog {
  const first = new Reading(bytes, undefined);
  first.run();
  if (!first.late) return first;
  const second = new Reading(bytes, first.lessons);
  second.run();
  return second;
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** Text up to the first NUL: UTF-8, else Latin-1. */
function textIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const own = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(own);
  } catch {
    return latin(own);
  }
}

function parse(text: string): Definition | undefined {
  const colon = text.indexOf(':');
  const name = colon < 0 ? '' : text.slice(0, colon).trim();
  if (!/^[!-9<-Z\\^-~]+$/.test(name) || name in TYPES) return undefined;
  const parts = text.slice(colon + 1).split(';');
  if (parts[parts.length - 1].trim() === '') parts.pop();
  const members: Member[] = [];
  for (const part of parts) {
    const found = /^\s*([!-9<-Z\\^-~]+)(\[(\d+)\])?\s+([!-9<-Z\\^-~\u00a1-\uffff]+)\s*$/.exec(part);
    if (!found || (found[3] !== undefined && Number(found[3]) < 1)) return undefined;
    members.push({ type: found[1], count: Number(found[3] ?? 0), name: found[4] });
  }
  return { name, text, members };
}

class Reading implements PlainLog {
  readonly records: PlainRecord[] = [];
  readonly faults: PlainFault[] = [];
  readonly lessons: Lesson[] = [];
  late = false;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly given: Lesson[] | undefined;
  private log = 0;
  private formats: Map<string, Definition[]> = new Map();
  private known: Map<number, Known> = new Map();
  private logAt = 0;
  private appended: number[] = [];
  private isData = false;
  private hasFlags = false;
  private isBegun = false;
  private isRefused = false;
  private lastTime = Number.NaN;

  constructor(bytes: Uint8Array, given: Lesson[] | undefined) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.given = given;
    this.useLesson();
  }

  run(): void {
    let at = 0;
    while (at < this.bytes.length) {
      const next = this.step(at);
      at = next < 0 ? this.seek(at, next === -2 ? 'incompatible' : 'garbage') : next;
    }
    for (const _ of this.appended) this.fault('bad-offset', this.logAt + 16, 0);
    this.endLog();
  }

  private useLesson(): void {
    const lesson = this.given?.[this.log];
    for (const definition of lesson?.definitions ?? []) this.define(definition);
    for (const { id, name, multi, guess } of lesson?.subscriptions ?? [])
      this.of(id).given.push({ name, multi, guess });
  }

  private of(id: number): Known {
    let known = this.known.get(id);
    if (!known) {
      known = {
        subscriptions: [],
        given: [],
        met: false,
        usual: 0,
        usualLayout: undefined,
        usualMulti: 0,
        unread: 0,
        unreadBytes: 0,
        sample: undefined,
        sampleTime: Number.NaN,
      };
      this.known.set(id, known);
    }
    return known;
  }

  private fault(code: string, offset: number, length: number): void {
    this.faults.push({ code, offset, length });
  }

  private is(at: number, what: readonly number[]): boolean {
    for (let i = 0; i < what.length && at + i < this.bytes.length; i++)
      if (this.bytes[at + i] !== what[i]) return false;
    return true;
  }

  private kind(at: number): string {
    const kind = String.fromCharCode(this.bytes[at + 2]);
    return KINDS.includes(kind) ? kind : '';
  }

  private size(at: number): number {
    return 3 + this.view.getUint16(at, true);
  }

  private id(at: number): number {
    return this.view.getUint16(at, true);
  }

  /** One step where messages are in order: the next place, or a negative number where they are not. */
  private step(at: number): number {
    const { bytes } = this;
    const left = bytes.length - at;
    while (this.appended[0] <= at) {
      const place = this.appended.shift() as number;
      if (place < at || !this.isData) this.fault('bad-offset', this.logAt + 16, 0);
    }
    if (this.is(at, MAGIC)) {
      if (left < 16) return this.cut(at);
      this.header(at);
      return at + 16;
    }
    if (this.isRefused) return -2;
    if (left < 3) return this.cut(at);
    const whole = this.fits(at);
    return whole > 0 ? this.accept(at, whole) : this.pass(at);
  }

  private cut(at: number): number {
    this.fault('truncated', at, this.bytes.length - at);
    return this.bytes.length;
  }

  private header(at: number): void {
    if (this.isBegun) {
      this.fault('another-log', at, 0);
      this.endLog();
    }
    this.logAt = at;
    this.isRefused = false;
    this.isData = false;
    this.hasFlags = false;
    this.appended = [];
    this.lastTime = Number.NaN;
    if (this.isBegun) {
      this.formats = new Map();
      this.known = new Map();
      this.useLesson();
    }
    if (this.bytes[at + 7] > 1) this.fault('newer-version', at, 0);
    this.record('HEADER', '', at, 16, () => [
      ['version', this.bytes[at + 7]],
      ['start', this.number('uint64_t', at + 8)],
    ]);
  }

  private record(name: string, stream: string, offset: number, length: number, values: PlainRecord['values']): void {
    this.isBegun = true;
    this.records.push({ name, stream, offset, length, values });
  }

  /** The bytes of what may be a message, or 0. */
  private fits(at: number): number {
    const { bytes } = this;
    const kind = this.kind(at);
    const whole = this.size(at);
    const left = bytes.length - at;
    const end = at + whole;
    if (kind === '') return 0;
    if (kind === 'D') return this.dataFits(at) ? whole : 0;
    if (kind === 'B') {
      if (at === this.logAt + 16) return whole >= 43 ? whole : 0;
      return whole === 43 && !this.hasFlags && !this.isData ? whole : 0;
    }
    if (kind === 'S') return whole === 11 && this.is(at, SYNC) ? whole : 0;
    if (kind === 'O' || kind === 'R') return whole === 5 ? whole : 0;
    if (whole < 3 + LEAST[kind]) return 0;
    if (left < Math.min(whole, LOOK)) return whole;
    const isGood = (): boolean => {
      switch (kind) {
        case 'F':
          return /^[!-9<-Z\\^-~]+:/.test(latin(bytes.subarray(at + 3, Math.min(end, at + LOOK))));
        case 'A':
          return whole <= LOOK && /^[!-9<-Z\\^-~]+$/.test(latin(bytes.subarray(at + 6, end)));
        case 'L':
          return this.isText(at + 3, at + 4, end, at);
        case 'C':
          return this.isText(at + 3, at + 6, end, at);
        case 'I':
          return this.isInfo(at + 3, end, false);
        case 'M':
          return bytes[at + 3] <= 1 && this.isInfo(at + 4, end, false);
        case 'P':
          return this.isInfo(at + 3, end, true);
        default:
          return this.isInfo(at + 4, end, true);
      }
    };
    return isGood() ? whole : 0;
  }

  private isText(levelAt: number, timeAt: number, end: number, at: number): boolean {
    const { bytes } = this;
    if (bytes[levelAt] < 0x30 || bytes[levelAt] > 0x37) return false;
    if (!isTimeLike(bytes, timeAt)) return false;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
    return /^[^\x00-\x06\x0e-\x1a\x1c-\x1f]*\0*$/.test(latin(bytes.subarray(timeAt + 8, Math.min(end, at + LOOK))));
  }

  private key(at: number): { type: string; count: number | undefined } | undefined {
    const text = latin(this.bytes.subarray(at + 1, at + 1 + this.bytes[at]));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a name begins with none
    const found = /^([a-z0-9_]{1,8})(?:\[(\d{1,5})\])? [^\x00-\x20]/.exec(text);
    if (!found) return undefined;
    return { type: found[1], count: found[2] === undefined ? undefined : Number(found[2]) };
  }

  private isInfo(keyAt: number, end: number, isParameter: boolean): boolean {
    const key = this.key(keyAt);
    const valueAt = keyAt + 1 + this.bytes[keyAt];
    if (!key || !(key.type in TYPES) || valueAt > end) return false;
    if (isParameter && (key.type === 'char' || key.count !== undefined)) return false;
    return key.count !== undefined || valueAt + TYPES[key.type] === end;
  }

  private layouts({ name }: { name: string }): Layout[] {
    return (this.formats.get(name) ?? []).flatMap((definition) => {
      const layout = this.layout(definition);
      return layout ? [layout] : [];
    });
  }

  private candidates(known: Known | undefined): { layout: Layout; subscription: Subscription }[] {
    return [...(known?.subscriptions ?? []), ...(known?.given ?? [])].flatMap((subscription) =>
      this.layouts(subscription).map((layout) => ({ layout, subscription })),
    );
  }

  private layout(definition: Definition): Layout | undefined {
    const fields: Place[] = [];
    const end = this.place(definition, '', 5, 1, [], fields);
    if (end === undefined) return undefined;
    let least = end - 5;
    for (const { type, count, name } of definition.members.toReversed()) {
      if (!name.startsWith('_padding')) break;
      least -= (TYPES[type] ?? 0) * Math.max(1, count);
    }
    const time = fields.find(({ name, type, count }) => name === 'timestamp' && type === 'uint64_t' && count <= 1);
    return { name: definition.name, least, most: end - 5, fields, timeAt: time?.at ?? -1 };
  }

  /** Adds the fields of a format; undefined where it has no end, or one that is too far. */
  private place(
    { name: own, members }: Definition,
    prefix: string,
    from: number,
    depth: number,
    open: string[],
    fields: Place[],
  ): number | undefined {
    if (depth > 31 || open.includes(own)) return undefined;
    let at = from;
    for (const { type, count, name } of members) {
      if (type in TYPES) {
        if (!name.startsWith('_padding')) fields.push({ name: prefix + name, type, count, at });
        at += TYPES[type] * Math.max(1, count);
        if (at - 5 > 65_533 || fields.length > 65_536) return undefined;
        continue;
      }
      const nested = this.formats.get(type)?.[0];
      if (!nested) return undefined;
      for (let i = 0; i < Math.max(1, count); i++) {
        const before = at;
        const path = `${prefix}${name}${count > 0 ? `[${i}]` : ''}.`;
        const next = this.place(nested, path, at, depth + 1, [...open, own], fields);
        if (next === undefined || next - 5 > 65_533) return undefined;
        at = next;
        // many times nothing
        if (at === before) break;
      }
    }
    return at;
  }

  private dataFits(at: number): boolean {
    const { bytes } = this;
    const whole = this.size(at);
    const left = bytes.length - at;
    if (whole < 5) return false;
    if (left < 5) return true;
    const known = this.known.get(this.id(at + 3));
    if (known && known.usual === whole) return true;
    const candidates = this.candidates(known);
    if (candidates.some(({ layout }) => whole - 5 >= layout.least && whole - 5 <= layout.most)) return true;
    if (candidates.length > 0 && known && known.usual > 0) return false;
    if (known && known.unreadBytes === whole) return true;
    if (whole < 13) return false;
    if (left < 13) return true;
    return isTimeLike(bytes, at + 5) && bytes.subarray(at + 6, at + 10).some((byte) => byte !== 0);
  }

  private isSure(at: number, whole: number): boolean {
    const kind = this.kind(at);
    if (kind !== 'D') return 'SPQB'.includes(kind);
    if (this.bytes.length - at < 5) return false;
    const known = this.known.get(this.id(at + 3));
    if (known && known.usual > 0) return known.usual === whole;
    return this.candidates(known).some(({ layout: { least, most } }) => whole - 5 === least || whole - 5 === most);
  }

  /** Whether so many messages follow each other. */
  private chain(from: number, count: number): boolean {
    let at = from;
    for (let k = 0; k < count; k++) {
      const left = this.bytes.length - at;
      if (left < 3) return left === 0 || k > 0;
      if (this.is(at, MAGIC) || (this.kind(at) === 'S' && this.is(at, SYNC))) return left >= 7 || k > 0;
      const whole = this.fits(at);
      if (whole === 0) return false;
      if (k === count - 1) return true;
      if (whole > left) return k > 0;
      at += whole;
    }
    return true;
  }

  private accept(at: number, whole: number): number {
    const left = this.bytes.length - at;
    const [boundary] = this.appended;
    if (at + whole > boundary) {
      const part = this.chain(boundary, 2);
      if (this.isData && part && !this.chain(at + whole, 2)) return this.skip(at, boundary, 'truncated');
      this.appended.shift();
      this.fault('bad-offset', this.logAt + 16, 0);
    }
    if (!this.isSure(at, whole) && (whole > left || !this.chain(at + whole, 1))) {
      for (let inside = at + 1; inside < Math.min(at + whole, this.bytes.length); inside++)
        if (this.chain(inside, 3)) return this.skip(at, inside, 'damaged-record');
      if (this.kind(at) === 'F' && whole <= left && this.bytes[at + whole - 1] !== 0x3b) return -1;
    }
    return whole > left ? this.cut(at) : this.message(at, whole);
  }

  private pass(at: number): number {
    const whole = this.size(at);
    const [boundary] = this.appended;
    if (at + whole > boundary && boundary <= this.bytes.length && this.chain(boundary, 2) && this.isData)
      return this.skip(at, boundary, 'truncated');
    if (whole === 3 || at + whole > this.bytes.length || !this.chain(at + whole, 2)) return -1;
    for (let inside = at + 1; inside < at + whole; inside++)
      if (this.chain(inside, 3)) return this.skip(at, inside, 'damaged-record');
    return this.skipMessage(at, whole);
  }

  private skip(at: number, to: number, code: string): number {
    const own = this.bytes.subarray(at, to);
    const isBlank = code === 'garbage' && (own[0] === 0 || own[0] === 0xff) && own.every((byte) => byte === own[0]);
    const blank = to === this.bytes.length ? 'padding' : 'blank';
    if (to > at) this.fault(isBlank ? blank : code, at, to - at);
    return to;
  }

  private skipMessage(at: number, whole: number): number {
    const kind = this.kind(at);
    if (kind === 'B' && at === this.logAt + 16) {
      this.flags(at);
      return this.skip(at, at + whole, 'short-flags');
    }
    if (kind !== 'D') return this.skip(at, at + whole, kind === '' ? 'unknown-type' : 'damaged-record');
    const known = this.of(this.id(at + 3));
    if (known.usual > 0) return this.skip(at, at + whole, 'damaged-record');
    known.unread++;
    known.unreadBytes = whole;
    if (!known.sample) {
      known.sample = this.bytes.slice(at, at + Math.min(whole, 4096));
      known.sampleTime = this.lastTime;
    }
    return this.skip(at, at + whole, 'unknown-id');
  }

  /** Where nothing is in order: the next place from which messages follow each other. */
  private seek(from: number, code: string): number {
    const { bytes } = this;
    let start = from;
    for (let at = from; at < bytes.length; at++) {
      const fill = bytes[at];
      let stop = at;
      while ((fill === 0 || fill === 0xff) && bytes[stop] === fill) stop++;
      if (code === 'garbage' && (fill === 0 || fill === 0xff) && stop - at >= 64) {
        const isOther = start < at && bytes.subarray(start, at).some((byte) => byte !== fill);
        if (isOther) {
          this.skip(start, at, code);
          start = at;
        }
        if (stop === bytes.length) break;
        this.skip(start, stop - 1, code);
        start = stop - 1;
        at = stop - 1;
      }
      const isFound = this.isRefused
        ? this.is(at, MAGIC) && bytes.length - at >= 7
        : this.chain(at, at === this.appended[0] ? 1 : 3);
      if (isFound) return this.skip(start, at, code);
    }
    return this.skip(start, bytes.length, code);
  }

  private define(definition: Definition): boolean {
    const all = this.formats.get(definition.name) ?? [];
    if (all.length >= 4 || all.some(({ text }) => text === definition.text)) return false;
    all.push(definition);
    this.formats.set(definition.name, all);
    return true;
  }

  /** A message that is believed. */
  private message(at: number, whole: number): number {
    const { bytes } = this;
    const end = at + whole;
    const fields: [string, Value][] = [];
    const own = (from: number, to = end): Uint8Array => bytes.subarray(from, to);
    const keyed = (lengthAt: number): string => textIn(own(lengthAt + 1, lengthAt + 1 + bytes[lengthAt]));
    const valueAt = (lengthAt: number): number => lengthAt + 1 + bytes[lengthAt];
    let name = '';
    switch (this.kind(at)) {
      case 'D':
        return this.data(at, whole);
      case 'B':
        name = 'FLAGS';
        fields.push(['compat', [...own(at + 3, at + 11)]], ['incompat', [...own(at + 11, at + 19)]]);
        fields.push(['appended', [0, 1, 2].map((i) => this.number('uint64_t', at + 19 + 8 * i))]);
        this.flags(at);
        break;
      case 'F': {
        const definition = parse(textIn(own(at + 3)));
        if (!definition) return this.skip(at, end, 'bad-format');
        const isKnown = this.formats.has(definition.name);
        if (this.define(definition) && isKnown) this.fault('repeated-format', at, 0);
        name = 'FORMAT';
        fields.push(['format', textIn(own(at + 3))]);
        break;
      }
      case 'I':
      case 'M': {
        const isMulti = this.kind(at) === 'M';
        const lengthAt = isMulti ? at + 4 : at + 3;
        const key = this.key(lengthAt);
        const isBinary = key?.type === 'uint8_t' && key.count !== undefined && (isMulti || whole > 64);
        name = `${isMulti ? 'MULTI' : 'INFO'}${isBinary ? '_DATA' : ''}`;
        if (isMulti) fields.push(['continued', bytes[at + 3]]);
        const [type, ...words] = latinKey(own(lengthAt + 1, valueAt(lengthAt)));
        fields.push(['key', words.join(' ')], ['type', type]);
        const value = own(valueAt(lengthAt));
        const basic = type.replace(/\[.*/, '');
        fields.push(['value', isBinary ? value.slice() : this.shown(value, basic, valueAt(lengthAt))]);
        break;
      }
      case 'P':
      case 'Q': {
        const isDefault = this.kind(at) === 'Q';
        const lengthAt = isDefault ? at + 4 : at + 3;
        name = isDefault ? 'PARM_DEFAULT' : 'PARM';
        if (isDefault) fields.push(['Kinds', bytes[at + 3]]);
        fields.push(['Name', keyed(lengthAt).replace(/^\S* /, '')]);
        const type = this.key(lengthAt)?.type as string;
        fields.push(['Value', Number(this.number(type === 'bool' ? 'uint8_t' : type, valueAt(lengthAt)))]);
        break;
      }
      case 'A': {
        const known = this.of(this.id(at + 4));
        const subscription = { name: textIn(own(at + 6)), multi: bytes[at + 3], guess: false };
        const { subscriptions } = known;
        const isSame = ({ name: other, multi }: Subscription): boolean =>
          other === subscription.name && multi === subscription.multi;
        const isIn = subscriptions.some(isSame);
        if (known.met ? !(isIn && isSame(subscriptions[0])) : !isIn) {
          const others = subscriptions.filter((each) => !isSame(each));
          known.subscriptions = (known.met ? [subscription, ...others] : [...others, subscription]).slice(0, 4);
          known.met = false;
          known.usual = 0;
        }
        this.isData = true;
        name = 'SUBSCRIPTION';
        fields.push(['multi_id', bytes[at + 3]], ['msg_id', this.id(at + 4)], ['name', subscription.name]);
        break;
      }
      case 'R': {
        const known = this.known.get(this.id(at + 3));
        if (known) {
          known.subscriptions = [];
          known.usual = 0;
        }
        name = 'UNSUBSCRIPTION';
        fields.push(['msg_id', this.id(at + 3)]);
        break;
      }
      case 'L':
        this.isData = true;
        name = 'LOG';
        fields.push(['timestamp', this.number('uint64_t', at + 4)], ['level', bytes[at + 3] - 0x30]);
        fields.push(['text', textIn(own(at + 12))]);
        break;
      case 'C':
        this.isData = true;
        name = 'LOG_TAGGED';
        fields.push(['timestamp', this.number('uint64_t', at + 6)], ['level', bytes[at + 3] - 0x30]);
        fields.push(['tag', this.id(at + 4)], ['text', textIn(own(at + 14))]);
        break;
      case 'S':
        name = 'SYNC';
        fields.push(['magic', [...own(at + 3)]]);
        break;
      default:
        name = 'DROPOUT';
        this.fault('dropout', at, 0);
        fields.push(['duration', this.id(at + 3)]);
    }
    this.record(name, '', at, whole, () => fields);
    return end;
  }

  /** The value of an information as text. */
  private shown(value: Uint8Array, type: string, at: number): string {
    if (!(type in TYPES) || type === 'char') return textIn(value);
    const numbers: string[] = [];
    for (let i = 0; i + TYPES[type] <= value.length; i += TYPES[type])
      numbers.push(String(this.number(type === 'bool' ? 'uint8_t' : type, at + i)));
    return numbers.join(',');
  }

  private flags(at: number): void {
    this.hasFlags = true;
    const whole = new Uint8Array(40);
    whole.set(this.bytes.subarray(at + 3, Math.min(at + this.size(at), at + 43)));
    const incompat = whole.subarray(8, 16);
    this.isRefused = incompat.some((byte, i) => (i === 0 ? byte & 0xfe : byte) !== 0);
    if (this.isRefused) {
      this.fault('incompatible', at, 0);
      return;
    }
    if ((incompat[0] & 1) === 0) return;
    let last = at;
    for (const from of [16, 24, 32]) {
      const place = Number(new DataView(whole.buffer).getBigUint64(from, true));
      if (place === 0) continue;
      if (place <= last) this.fault('bad-offset', this.logAt + 16, 0);
      else {
        this.appended.push(place);
        last = place;
      }
    }
  }

  private data(at: number, whole: number): number {
    const id = this.id(at + 3);
    const known = this.known.get(id);
    let layout: Layout | undefined;
    let multi = 0;
    if (known && known.usual === whole) {
      layout = known.usualLayout;
      multi = known.usualMulti;
    } else {
      const fitting = (each: { layout: Layout }): boolean =>
        whole - 5 >= each.layout.least && whole - 5 <= each.layout.most;
      const found = this.candidates(known).find(fitting);
      if (!known || !found) return this.skipMessage(at, whole);
      layout = found.layout;
      multi = found.subscription.multi;
      const isNew = !this.records.some((each) => each.name === layout?.name && each.stream === String(multi));
      if (found.subscription.guess && isNew) this.fault('guessed-topic', at, 0);
      known.usual = whole;
      known.usualLayout = layout;
      known.usualMulti = multi;
      known.met = true;
    }
    const { name, fields, timeAt } = layout as Layout;
    this.record(name, String(multi), at, whole, () => {
      const taken = new Map<string, number>();
      const used = new Set<string>();
      return fields.map((field) => {
        let unique = field.name;
        let count = taken.get(field.name) ?? 1;
        while (used.has(unique)) unique = `${field.name}_${++count}`;
        taken.set(field.name, count);
        used.add(unique);
        return [unique, this.value(field, at)];
      });
    });
    if (timeAt >= 0) {
      const time = Number(this.view.getBigUint64(at + timeAt, true));
      if (time === 0) this.fault('no-time', at, 0);
      else this.lastTime = time;
    }
    return at + whole;
  }

  private value({ type, count, at }: Place, start: number): Value {
    const from = start + at;
    if (type === 'char') return textIn(this.bytes.subarray(from, from + Math.max(1, count)));
    if (count === 0) return this.number(type, from);
    return Array.from({ length: count }, (_, i) => this.number(type, from + i * TYPES[type]) as number);
  }

  private number(type: string, at: number): number | bigint {
    const { view } = this;
    const exact = (value: bigint): number | bigint => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
    switch (type) {
      case 'bool':
        return view.getUint8(at) === 0 ? 0 : 1;
      case 'int8_t':
        return view.getInt8(at);
      case 'uint8_t':
        return view.getUint8(at);
      case 'int16_t':
        return view.getInt16(at, true);
      case 'uint16_t':
        return view.getUint16(at, true);
      case 'int32_t':
        return view.getInt32(at, true);
      case 'uint32_t':
        return view.getUint32(at, true);
      case 'float':
        return view.getFloat32(at, true);
      case 'double':
        return view.getFloat64(at, true);
      case 'int64_t':
        return exact(view.getBigInt64(at, true));
      default:
        return exact(view.getBigUint64(at, true));
    }
  }

  private endLog(): void {
    this.log++;
    if (this.given) return;
    const subscriptions: (Subscription & { id: number })[] = [];
    const unread: number[] = [];
    for (const [id, known] of [...this.known].sort(([a], [b]) => a - b)) {
      for (const each of known.subscriptions) subscriptions.push({ id, ...each });
      if (known.unread === 0) continue;
      const size = known.unreadBytes - 5;
      if (this.candidates(known).some(({ layout }) => size >= layout.least && size <= layout.most)) this.late = true;
      else unread.push(id);
    }
    const guessed: (Subscription & { id: number })[] = [];
    for (const id of unread) {
      const { unreadBytes, sample, sampleTime } = this.known.get(id) as Known;
      const fitting: string[] = [];
      for (const [name, definitions] of this.formats) {
        for (const definition of definitions) {
          const layout = this.layout(definition);
          if (!layout || layout.timeAt < 0) continue;
          if (unreadBytes - 5 !== layout.least && unreadBytes - 5 !== layout.most) continue;
          if (isTimely(sample as Uint8Array, layout.timeAt, sampleTime)) fitting.push(name);
        }
      }
      if (fitting.length !== 1) continue;
      const [name] = fitting;
      let multi = 0;
      while ([...subscriptions, ...guessed].some((each) => each.name === name && each.multi === multi)) multi++;
      guessed.push({ id, name, multi, guess: true });
      this.late = true;
    }
    this.lessons.push({
      definitions: [...this.formats.values()].flat(),
      subscriptions: [...subscriptions, ...guessed],
    });
  }
}

function latinKey(bytes: Uint8Array): [string, ...string[]] {
  const space = bytes.indexOf(0x20);
  const from = space < 0 ? bytes.length : space;
  return [textIn(bytes.subarray(0, from)), textIn(bytes.subarray(Math.min(from + 1, bytes.length)))];
}

/** Whether a time is one since boot, of less than nine years, or a date from 2005 to 2093. */
function isTimeLike(bytes: Uint8Array, at: number): boolean {
  const upper = bytes[at + 6];
  return bytes[at + 7] === 0 && (upper === 0 || (upper > 3 && upper < 14));
}

function isTimely(sample: Uint8Array, at: number, last: number): boolean {
  if (at + 8 > sample.length) return false;
  const time = Number(new DataView(sample.buffer, sample.byteOffset, sample.length).getBigUint64(at, true));
  return Number.isNaN(last) ? time > 0 && time < 30 * 86400e6 : Math.abs(time - last) <= 10e6;
}
