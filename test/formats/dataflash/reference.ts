import type { Value } from '../../../src/core/column.ts';
import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';
import {
  type Definition,
  definitionIn,
  FMT,
  fieldsOf,
  formatLength,
  keyOf,
  type PlainField,
  readValue,
  timeOf,
} from './record.ts';

/** What is known of one type of record at the place that is read. */
interface Known {
  readonly definition: Definition;
  readonly fields: readonly PlainField[];
  readonly key: string;
  before: Known | undefined;
  met: boolean;
  /** Whether it was said that records contradict it. */
  told: boolean;
}

/** What the first reading learned too late, for the second. */
interface Lessons {
  readonly definitions: Map<number, Definition>;
  /** The instance column of a definition, whatever number its type has. */
  readonly instances: Map<string, number>;
}

/** DataFlash in the plainest way: all bytes at once, one record after the other, nothing cached. */
export function plainDataflash(bytes: Uint8Array): PlainLog {
  const first = new Reading(bytes, { definitions: new Map(), instances: new Map() });
  if (!first.isLate) return first;
  return new Reading(bytes, { definitions: first.late, instances: first.instances });
}

class Reading implements PlainLog {
  readonly records: PlainRecord[] = [];
  readonly faults: PlainFault[] = [];
  readonly late: Map<number, Definition> = new Map();
  readonly instances: Map<string, number>;
  isLate = false;

  private readonly bytes: Uint8Array;
  private readonly types: Map<number, Known> = new Map();
  /** Undefined types whose header was seen, and those that a record led to. */
  private readonly seen: Set<number> = new Set();
  private readonly reached: Set<number> = new Set();
  private readonly metKeys: Set<string> = new Set();
  private readonly earlyUnits: Map<number, string> = new Map();
  private gap: { start: number; code: string } | undefined;
  private lastTime = Number.NaN;

  constructor(bytes: Uint8Array, lessons: Lessons) {
    this.bytes = bytes;
    this.instances = new Map(lessons.instances);
    for (const definition of [FMT, ...lessons.definitions.values()]) this.define(definition, 0);
    for (let at = 0; at < bytes.length; ) {
      if (this.gap && !this.isBelievable(at)) at++;
      else at = this.step(at);
    }
    this.endGap(bytes.length);
  }

  /** In step: what begins here is a record, or the first byte of a gap. Returns where to go on. */
  private step(at: number): number {
    const { bytes } = this;
    this.endGap(at);
    if (!this.isHeader(at)) return this.beginGap(at, 'garbage');
    if (at + 2 >= bytes.length) return this.cut(at);
    const type = bytes[at + 2];
    const known = this.types.get(type);
    if (!known) {
      this.seen.add(type);
      this.reached.add(type);
      return this.beginGap(at, 'unknown-type');
    }
    const { length } = known.definition;
    if (this.isHeader(at + length)) return this.take(at, type, length);
    const other = this.otherLength(at, known);
    if (other) return this.take(at, type, other);
    const better = this.betterStart(at, length);
    if (better) {
      this.faults.push({ code: 'damaged-record', offset: at, length: better - at });
      return better;
    }
    return at + length > bytes.length ? this.cut(at) : this.take(at, type, length);
  }

  /** Out of step: a record that another known one follows, or one that stands alone and has a time that fits. */
  private isBelievable(at: number): boolean {
    const { bytes, types } = this;
    if (bytes[at] !== 0xa3 || bytes[at + 1] !== 0x95 || at + 2 >= bytes.length) return false;
    const type = bytes[at + 2];
    const known = types.get(type);
    if (!known) {
      this.seen.add(type);
      if (this.gap?.code === 'unknown-type') {
        this.endGap(at);
        this.beginGap(at, 'unknown-type');
      }
      return false;
    }
    const { length } = known.definition;
    if (this.isKnown(at + length) || this.otherLength(at, known)) return true;
    if (at + length > bytes.length) return false;
    if (type === FMT.type && isSound(definitionIn(bytes, at))) return true;
    if (this.betterStart(at, length)) return false;
    const time = timeOf(known.fields, bytes, at);
    if (Number.isNaN(this.lastTime)) return time < 30 * 86400e6;
    return time > this.lastTime - 10e6 && time < this.lastTime + 3600e6;
  }

  /** A header, or as much of one as the end leaves room for. */
  private isHeader(at: number): boolean {
    const { bytes } = this;
    return at <= bytes.length && [0xa3, 0x95].every((byte, i) => at + i >= bytes.length || bytes[at + i] === byte);
  }

  private isKnown(at: number): boolean {
    const type = this.bytes[at + 2];
    return this.isHeader(at) && (type === undefined || this.types.has(type) || this.reached.has(type));
  }

  /** The length that the format adds up to, or that of the definition before, if that leads to a known record. */
  private otherLength(at: number, { definition, before }: Known): number | undefined {
    const others = [formatLength(definition.format), before?.definition.length];
    return others.find((other) => other && other <= 255 && other !== definition.length && this.isKnown(at + other));
  }

  /** A whole record inside this one that a known one follows. */
  private betterStart(at: number, length: number): number | undefined {
    for (let inner = at + 1; inner < Math.min(at + length, this.bytes.length); inner++) {
      if (this.bytes[inner] !== 0xa3 || this.bytes[inner + 1] !== 0x95) continue;
      const known = this.types.get(this.bytes[inner + 2]);
      if (known && this.isKnown(inner + known.definition.length)) return inner;
    }
    return undefined;
  }

  private beginGap(at: number, code: string): number {
    this.gap = { start: at, code };
    return at + 1;
  }

  private endGap(end: number): void {
    if (!this.gap) return;
    const { start, code } = this.gap;
    const first = this.bytes[start];
    const isBlank = code === 'garbage' && (first === 0 || first === 0xff) && this.isFilled(start, end, first);
    const blankCode = end === this.bytes.length ? 'padding' : 'blank';
    this.faults.push({ code: isBlank ? blankCode : code, offset: start, length: end - start });
    this.gap = undefined;
  }

  private isFilled(start: number, end: number, byte: number): boolean {
    return this.bytes.subarray(start, end).every((each) => each === byte);
  }

  private cut(at: number): number {
    this.faults.push({ code: 'truncated', offset: at, length: this.bytes.length - at });
    return this.bytes.length;
  }

  private take(at: number, type: number, length: number): number {
    const { bytes } = this;
    const before = this.types.get(type)?.before?.definition;
    if (before?.length === length && this.types.get(type)?.definition.length !== length) this.restore(type, at);
    const known = this.types.get(type) as Known;
    const { definition, key } = known;
    if (!known.met) this.remark(definition, at);
    known.met = true;
    this.metKeys.add(key);
    const fields = length === definition.length ? known.fields : fieldsOf(definition, length);
    const values = (): [string, Value][] => fields.map((field) => [field.name, readValue(bytes, at, field)]);
    const instance = fields[this.instances.get(key) ?? -1];
    const stream = instance?.char ? String(first(readValue(bytes, at, instance))) : '';
    this.records.push({ name: definition.name, stream, offset: at, length, values });
    const time = timeOf(known.fields, bytes, at);
    if (!Number.isNaN(time)) this.lastTime = time;
    if (key === keyOf(FMT)) this.define(definitionIn(bytes, at), at);
    if (definition.name === 'FMTU') this.learnUnits(fields, new Map(values()));
    return at + length;
  }

  /** Records show that the definition before was right. */
  private restore(type: number, at: number): void {
    const now = this.types.get(type) as Known;
    const before = now.before as Known;
    if (!now.told) this.faults.push({ code: 'bad-format', offset: at, length: 0 });
    now.told = true;
    now.before = undefined;
    before.before = now;
    this.types.set(type, before);
  }

  private remark({ format, length }: Definition, at: number): void {
    const sum = formatLength(format);
    if (sum === undefined) this.faults.push({ code: 'unknown-format', offset: at, length: 0 });
    else if (sum !== length) this.faults.push({ code: 'format-mismatch', offset: at, length: 0 });
  }

  private define(definition: Definition, at: number): void {
    const { type, length } = definition;
    const known = this.types.get(type);
    if (known && (type === FMT.type || known.key === keyOf(definition))) return;
    if (length < 3) {
      this.faults.push({ code: 'bad-format', offset: at, length: 0 });
      return;
    }
    if (!known && this.seen.has(type)) {
      this.isLate = true;
      this.late.set(type, definition);
    }
    this.know(definition, known);
    const units = this.earlyUnits.get(type);
    this.earlyUnits.delete(type);
    if (units !== undefined) this.assign(type, units);
  }

  private know(definition: Definition, before: Known | undefined): void {
    if (before) before.before = undefined;
    const known = { definition, before, key: keyOf(definition), fields: fieldsOf(definition), met: false, told: false };
    this.types.set(definition.type, known);
  }

  /** FMTU: '#' among the units of a type marks the column that tells instances apart. */
  private learnUnits(fields: readonly PlainField[], row: ReadonlyMap<string, Value>): void {
    const isShort = fields.some(({ name, char }) => name === 'FmtType' && !/[qQ]/.test(char));
    const number = first(row.get('FmtType') ?? null);
    if (typeof number === 'number' && isShort) this.assign(number & 0xff, String(row.get('UnitIds') ?? ''));
  }

  private assign(type: number, units: string): void {
    const known = this.types.get(type);
    if (!known) {
      this.earlyUnits.set(type, units);
      return;
    }
    const { key, fields } = known;
    const instance = units.indexOf('#');
    if (instance < 0 || instance >= fields.length || this.instances.get(key) === instance) return;
    if (this.metKeys.has(key)) this.isLate = true;
    this.instances.set(key, instance);
  }
}

/** A definition whose length is the sum of its format: bytes by chance do not say such a thing. */
function isSound({ name, format, length }: Definition): boolean {
  return name !== '' && format !== '' && formatLength(format) === length;
}

/** Where a number is expected, an array stands for its first element. */
function first(value: Value): Value {
  return Array.isArray(value) ? value[0] : value;
}
