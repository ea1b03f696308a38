import type { Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Schema } from '../../core/schema.ts';
import { ULOG_LIMITS } from './limits.ts';
import { isTimeLike, MORE, NO } from './look.ts';
import { HEAD, MESSAGE_TABLES, MessageSchemas } from './messages.ts';
import { DATA_HEAD, type Definition, Formats, type Layout } from './schema.ts';

/** Which topic the data of a number are, and which instance of it. */
interface Subscription {
  readonly name: string;
  readonly multi: number;
  /** Whether the log does not say so: size and time of the records fit this topic alone. */
  readonly isGuess: boolean;
}

interface Candidate {
  readonly layout: Layout;
  readonly subscription: Subscription;
}

interface Known {
  /** Those that were read, the one that holds first. */
  subscriptions: Subscription[];
  /** Those that a first reading found, for data that none of the others explains. */
  given: Subscription[];
  candidates: Candidate[];
  /** What was defined when the candidates were put together. */
  version: number;
  /** Whether data of it came since the last subscription. */
  isMet: boolean;
  /** Records that could not be read, their bytes, the first of them, and the time of the data before it. */
  unread: number;
  unreadBytes: number;
  sample: Uint8Array | undefined;
  sampleTime: number;
}

/** What a first reading learned of a log too late to use it. */
interface Lesson {
  readonly definitions: readonly Definition[];
  readonly subscriptions: readonly (Subscription & { readonly id: number })[];
}

/** Of each log of a file. */
export type Lessons = readonly Lesson[];

/** Microseconds by which a record may be away from those around it. */
const NEAR = 10e6;
/** Microseconds since boot that are believed where nothing else has a time: 30 days. */
const LONGEST = 30 * 86400e6;
const NUMBERS = 65_536;

/** The topics of a log, and the tables that its messages go to. */
export class Topics {
  /** By number: the bytes of its messages as they came last, their heads included, and the table that they go to. */
  readonly usualBytes: Int32Array = new Int32Array(NUMBERS);
  readonly usualTable: Int32Array = new Int32Array(NUMBERS);
  /** By table: where its data have their time; -1 for those without. */
  readonly timeAt: Int32Array = new Int32Array(NUMBERS).fill(-1);

  private readonly sink: Sink;
  private readonly messages = new MessageSchemas();
  private formats = new Formats();
  private known: Map<number, Known> = new Map();
  /** Grows with everything that is defined. */
  private version = 0;
  private readonly tables: Map<Schema, Map<string, number>> = new Map();
  private tableCount = 0;
  private readonly given: Lessons | undefined;
  private readonly learned: Lesson[] = [];
  private log = 0;
  private isLate = false;

  constructor(sink: Sink, lessons?: Lessons) {
    this.sink = sink;
    this.given = lessons;
    this.useLesson();
  }

  beginLog(): void {
    this.formats = new Formats(this.formats);
    for (const id of this.known.keys()) this.usualBytes[id] = 0;
    this.known = new Map();
    this.version++;
    this.useLesson();
  }

  private useLesson(): void {
    const { definitions = [], subscriptions = [] } = this.given?.[this.log] ?? {};
    for (const definition of definitions) this.formats.add(definition);
    for (const { id, ...subscription } of subscriptions) this.knownOf(id).given.push(subscription);
  }

  private knownOf(id: number): Known {
    let known = this.known.get(id);
    if (!known) {
      known = {
        subscriptions: [],
        given: [],
        candidates: [],
        version: -1,
        isMet: false,
        unread: 0,
        unreadBytes: 0,
        sample: undefined,
        sampleTime: Number.NaN,
      };
      this.known.set(id, known);
    }
    return known;
  }

  /** A format message. */
  define(definition: Definition, offset: number): void {
    const isKnown = this.formats.has(definition.name);
    if (!this.formats.add(definition)) return;
    this.version++;
    if (!isKnown) return;
    const text = `format ${definition.name} at offset ${offset} differs from the one before: the size of records tells`;
    this.sink.fault({ code: 'repeated-format', offset, length: 0, lost: false, text, subject: definition.name });
  }

  subscribe(id: number, multi: number, name: string): void {
    const known = this.knownOf(id);
    const { subscriptions } = known;
    const at = subscriptions.findIndex((each) => each.name === name && each.multi === multi);
    if (at === 0 || (at > 0 && !known.isMet)) return;
    const subscription = { name, multi, isGuess: false };
    // in the middle of data the later one holds; before them one of both is damaged
    if (known.isMet) known.subscriptions = [subscription, ...subscriptions.filter((_, i) => i !== at)];
    else subscriptions.push(subscription);
    known.subscriptions.splice(ULOG_LIMITS.versions);
    known.isMet = false;
    known.version = -1;
    this.usualBytes[id] = 0;
    this.version++;
  }

  unsubscribe(id: number): void {
    const known = this.known.get(id);
    if (!known) return;
    known.subscriptions = [];
    known.version = -1;
    this.usualBytes[id] = 0;
  }

  /** What records of a number may be. */
  private candidatesOf(known: Known): readonly Candidate[] {
    if (known.version === this.version) return known.candidates;
    known.version = this.version;
    known.candidates = [...known.subscriptions, ...known.given].flatMap((subscription) =>
      this.formats.layoutsOf(subscription.name).map((layout) => ({ layout, subscription })),
    );
    return known.candidates;
  }

  /** The bytes of a data message if it can be one, its head included; NO or MORE otherwise. */
  dataBytes(bytes: Uint8Array, at: number, final: boolean): number {
    const whole = HEAD + bytes[at] + bytes[at + 1] * 256;
    const left = bytes.length - at;
    if (whole < DATA_HEAD) return NO;
    if (left < DATA_HEAD) return final ? whole : MORE;
    const id = bytes[at + 3] | (bytes[at + 4] << 8);
    if (this.usualBytes[id] === whole) return whole;
    const known = this.known.get(id);
    const candidates = known ? this.candidatesOf(known) : [];
    if (candidates.some(({ layout }) => isOfSize(layout, whole))) return whole;
    // where no record ever fitted, the format may be the damaged one
    if (candidates.length > 0 && this.usualBytes[id] > 0) return NO;
    if (known && known.unreadBytes === whole) return whole;
    // without a definition, its time, which nearly always comes first, distinguishes it from other bytes
    if (whole < DATA_HEAD + 8) return NO;
    if (left < DATA_HEAD + 8) return final ? whole : MORE;
    const isSome = (bytes[at + 6] | bytes[at + 7] | bytes[at + 8] | bytes[at + 9]) !== 0;
    return isSome && isTimeLike(bytes[at + 11], bytes[at + 12]) ? whole : NO;
  }

  /** Whether data have the very size that their topic says. */
  isKnown(bytes: Uint8Array, at: number, whole: number): boolean {
    const id = bytes[at + 3] | (bytes[at + 4] << 8);
    const usual = this.usualBytes[id];
    if (usual > 0) return usual === whole;
    const known = this.known.get(id);
    const size = whole - DATA_HEAD;
    return (
      known !== undefined &&
      this.candidatesOf(known).some(({ layout: { least, most } }) => size === least || size === most)
    );
  }

  /** The table of data; negative where nothing says what they are. */
  dataTable(bytes: Uint8Array, at: number, whole: number, offset: number): number {
    const id = bytes[at + 3] | (bytes[at + 4] << 8);
    const known = this.known.get(id);
    const found = known && this.candidatesOf(known).find(({ layout }) => isOfSize(layout, whole));
    if (!known || !found) return -1;
    const { layout, subscription } = found;
    const { name, multi, isGuess } = subscription;
    const before = this.tableCount;
    const table = this.tableOf(layout.schema, String(multi), LIMITS.tables - MESSAGE_TABLES);
    if (table < 0) return -1;
    this.timeAt[table] = layout.timeAt;
    this.usualBytes[id] = whole;
    this.usualTable[id] = table;
    known.isMet = true;
    if (isGuess && this.tableCount > before) {
      const text = `no subscription of number ${id} can be read: size and time of its records fit ${name} alone`;
      this.sink.fault({ code: 'guessed-topic', offset, length: 0, lost: false, text, subject: name });
    }
    return table;
  }

  messageTable(type: number, bytes: number, isBinary = false): number {
    return this.tableOf(this.messages.schemaOf(type, bytes, isBinary), '', LIMITS.tables);
  }

  /** @param most tables that there may be */
  private tableOf(schema: Schema, stream: string, most: number): number {
    let streams = this.tables.get(schema);
    if (!streams) {
      streams = new Map();
      this.tables.set(schema, streams);
    }
    const known = streams.get(stream);
    if (known !== undefined) return known;
    if (this.tableCount >= most) {
      // all instances share a table then, but nothing is dropped
      const [other = -1] = streams.values();
      return other;
    }
    const id = this.tableCount++;
    streams.set(stream, id);
    this.sink.table(id, schema, stream);
    return id;
  }

  nameOf(bytes: Uint8Array, at: number): string {
    const id = bytes[at + 3] | (bytes[at + 4] << 8);
    const { subscriptions = [], given = [] } = this.known.get(id) ?? {};
    return (subscriptions[0] ?? given[0])?.name ?? `number ${id}`;
  }

  /** Data that cannot be read. @returns whether none of them can be read, and not only this one is damaged */
  meetUnknown(bytes: Uint8Array, at: number, whole: number, lastTime: number): boolean {
    const id = bytes[at + 3] | (bytes[at + 4] << 8);
    const known = this.knownOf(id);
    if (this.usualBytes[id] > 0) return false;
    known.unread++;
    known.unreadBytes = whole;
    if (known.sample === undefined) {
      known.sample = bytes.slice(at, at + Math.min(whole, ULOG_LIMITS.sampleBytes));
      known.sampleTime = lastTime;
    }
    return true;
  }

  /** The file ends: nothing is kept that only more of it would need. */
  end(): void {
    this.endLog();
    this.known.clear();
    if (!this.isLate) this.learned.length = 0;
  }

  /** The log ends here: what would its beginning have been read with? */
  endLog(): void {
    if (this.log++ >= ULOG_LIMITS.parts || this.given) return;
    const subscriptions: (Subscription & { id: number })[] = [];
    const unread: number[] = [];
    for (const [id, known] of [...this.known].sort(([a], [b]) => a - b)) {
      for (const each of known.subscriptions) subscriptions.push({ id, ...each });
      if (known.unread === 0) continue;
      if (this.candidatesOf(known).some(({ layout }) => isOfSize(layout, known.unreadBytes))) this.isLate = true;
      else if (known.sample !== undefined) unread.push(id);
    }
    subscriptions.push(...this.guesses(unread, subscriptions));
    this.learned.push({ definitions: [...this.formats.all()], subscriptions });
  }

  /** Topics whose subscription is lost, where the size of their records and its place for the time fit one alone. */
  private guesses(unread: readonly number[], known: readonly Subscription[]): (Subscription & { id: number })[] {
    if (unread.length === 0) return [];
    // by size and by the place of the time: the topic, or undefined for several
    const bySize = new Map<number, Map<number, string | undefined>>();
    for (const name of this.formats.names()) {
      for (const { least, most, timeAt } of this.formats.layoutsOf(name)) {
        if (timeAt < 0) continue;
        for (const size of new Set([least, most])) {
          const byTime = bySize.get(size) ?? new Map<number, string | undefined>();
          bySize.set(size, byTime.set(timeAt, byTime.has(timeAt) ? undefined : name));
        }
      }
    }
    const taken = new Set(known.map(({ name, multi }) => `${name} ${multi}`));
    const next = new Map<string, number>();
    const found: (Subscription & { id: number })[] = [];
    for (const id of unread) {
      const { unreadBytes, sample, sampleTime } = this.known.get(id) as Known;
      const fitting = [...(bySize.get(unreadBytes - DATA_HEAD) ?? [])].filter(([timeAt]) =>
        isTimely(sample as Uint8Array, timeAt, sampleTime),
      );
      const [, name] = fitting[0] ?? [];
      if (fitting.length !== 1 || name === undefined) continue;
      let multi = next.get(name) ?? 0;
      while (taken.has(`${name} ${multi}`)) multi++;
      next.set(name, multi + 1);
      found.push({ id, name, multi, isGuess: true });
      this.isLate = true;
    }
    return found;
  }

  /** What a second reading would find more with, if it would. */
  lessons(): Lessons | undefined {
    return this.given || !this.isLate ? undefined : this.learned;
  }
}

function isOfSize({ least, most }: Layout, whole: number): boolean {
  const size = whole - DATA_HEAD;
  return size >= least && size <= most;
}

function isTimely(sample: Uint8Array, at: number, last: number): boolean {
  if (at + 8 > sample.length) return false;
  const view = new DataView(sample.buffer, sample.byteOffset, sample.length);
  const time = view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  return Number.isNaN(last) ? time > 0 && time < LONGEST : Math.abs(time - last) <= NEAR;
}
