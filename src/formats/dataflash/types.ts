import { valueAt } from '../../core/codec.ts';
import type { Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import { getOrAdd } from '../../core/maps.ts';
import { DEFINITIONS, type Field, type FieldType, type Schema } from '../../core/schema.ts';
import type { Row } from '../../core/table.ts';
import { type Definition, FMT_DEFINITION, FMT_TYPE, formatLength, HEAD_1, HEADER_BYTES, schemaOf } from './schema.ts';
import { Units } from './units.ts';

/** What a first reading learned too late to use it. */
interface TypeLessons {
  /** Definitions found after records of their type. */
  readonly definitions: readonly Definition[];
  /** Instance fields that became known after records of the type, by the definition's signature. */
  readonly instances: ReadonlyMap<string, number>;
}

/** The state of one of the 256 types of record, as of the place that is being read. */
interface TypeState {
  readonly definition: Definition;
  readonly schema: Schema;
  readonly signature: string;
  readonly timeKind: number;
  /** The sum of the format, which is the length unless one of them is damaged. */
  readonly formatBytes: number | undefined;
  /** What was defined before, in case that this definition is a damaged one of another type. */
  before: TypeState | undefined;
  /** Lengths that its records may have instead, and the length of what was before it when they were put together. */
  others: readonly number[];
  othersWith: number | undefined;
  /** The one table of its records if they define nothing and have no instances; else, or if none came yet, -1. */
  table: number;
  /** The last FMT record that says so. */
  record: Uint8Array;
  /** Whether a record of it was met, and whether one was that contradicts it. */
  met: boolean;
  told: boolean;
}

/** What was learned of a type last from a FMTU record of some schema, and the number of units and multipliers known then. */
interface Assigned {
  readonly by: Schema;
  readonly record: Uint8Array;
  readonly changes: number;
}

const NO_RECORD = new Uint8Array(0);

/** Where a FMT record has its type, length, name, format and columns. */
const TYPE_AT = 3;
const LENGTH_AT = 4;
const NAME_AT = 5;
const FORMAT_AT = 9;
const COLUMNS_AT = 25;

/** Bytes of each format character, 0 for an unknown one. */
const CHARACTER_BYTES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const sum = formatLength(String.fromCharCode(byte));
  return sum === undefined ? 0 : sum - HEADER_BYTES;
});

const NO_TIME = 0;
const TIME_US = 1;
const TIME_MS = 2;
/** Shapes from which on the first field is a time, and one in milliseconds. */
export const TIMED: number = TIME_US << 16;
export const TIMED_MS: number = TIME_MS << 16;

/** Record types as defined at the current offset: logs of two firmwares in one file decode right. */
export class Types {
  /** Bytes of a record of each type by its definition; 0 if none. */
  readonly length: Uint8Array = new Uint8Array(256);
  /** Other lengths that a record of the type may have if its definition is damaged. */
  readonly otherLengths: (readonly number[])[] = new Array(256).fill([]);
  /** Offset of the byte with the instance; 0 for types without instances. */
  private readonly instanceAt: Uint8Array = new Uint8Array(256);
  /** By type: length in the lowest byte, offset of the instance in the next, kind of time above. */
  readonly shape: Uint32Array = new Uint32Array(256);
  /** Table by type and the byte that instanceAt points to; -1 where `meet` must be asked. */
  readonly tableOf: Int32Array = new Int32Array(65536).fill(-1);

  /** Whether the first field of any type was milliseconds. */
  hasMillis = false;

  /** Grows with everything that becomes known: what was concluded before it may not hold any more. */
  known = 0;

  private readonly sink: Sink;
  private readonly states: (TypeState | undefined)[] = new Array(256).fill(undefined);
  private readonly schemas: Map<string, Schema> = new Map();
  /** Schemas of records whose length is not the stated one, by the schema of the definition and that length. */
  private readonly others: Map<Schema, Map<number, Schema>> = new Map();
  /** Schemas of which a record was met, by whatever number. */
  private readonly metSchemas: Set<Schema> = new Set();
  private readonly tables: Map<Schema, Map<string, number>> = new Map();
  private readonly numbered = new Instances();
  private tableCount = 0;
  /** What each type says of time in its first field: nothing, microseconds or milliseconds. */
  private readonly timeKind = new Uint8Array(256);
  private readonly units = new Units();
  private readonly assigned: Map<Schema, Assigned> = new Map();
  /** FMTU records about types that are not defined yet. */
  private readonly early: Map<number, Row> = new Map();

  /** Undefined types that were seen at all, and those that a record led to. */
  private readonly seen = new Uint8Array(256);
  private readonly reached = new Uint8Array(256);
  private readonly lateDefinitions: Map<number, Definition> = new Map();
  private readonly instances: Map<string, number>;
  private isLate = false;
  private readonly isSecond: boolean;

  constructor(sink: Sink, lessons?: TypeLessons) {
    this.sink = sink;
    this.isSecond = lessons !== undefined;
    this.instances = new Map(lessons?.instances);
    this.define(FMT_DEFINITION, 0);
    for (const definition of lessons?.definitions ?? []) this.define(definition, 0);
  }

  /** A header of an undefined type was seen; `inStep` says that a record led to it. */
  missing(type: number, inStep: boolean): void {
    this.seen[type] = 1;
    if (!inStep || this.reached[type]) return;
    this.reached[type] = 1;
    this.known++;
  }

  /** Whether records of the type are defined or were led to. */
  isMet(type: number): boolean {
    return this.length[type] !== 0 || this.reached[type] !== 0;
  }

  nameOf(type: number): string {
    return this.states[type]?.definition.name ?? `type ${type}`;
  }

  /** Whether a FMT record is plausible: its length is the sum of its format. Makes no texts, for speed. */
  isSound(bytes: Uint8Array, at: number): boolean {
    if (bytes[at + NAME_AT] === 0 || bytes[at + FORMAT_AT] === 0) return false;
    let sum = HEADER_BYTES;
    for (let i = at + FORMAT_AT; i < at + COLUMNS_AT && bytes[i] !== 0; i++) {
      const width = CHARACTER_BYTES[bytes[i]];
      if (width === 0) return false;
      sum += width;
    }
    return sum === bytes[at + LENGTH_AT];
  }

  /** The time that a record carries, in microseconds since boot, or NaN. */
  timeOf(type: number, bytes: Uint8Array, at: number): number {
    const kind = this.timeKind[type];
    if (kind === NO_TIME) return Number.NaN;
    const low = word(bytes, at + HEADER_BYTES);
    return kind === TIME_US ? low + word(bytes, at + HEADER_BYTES + 4) * 2 ** 32 : low * 1000;
  }

  /** A record was taken: learns from it if it defines something, and says which table it belongs to. */
  meet(type: number, bytes: Uint8Array, at: number, length: number, offset: number): number {
    if (length === this.states[type]?.before?.definition.length && length !== this.length[type]) {
      this.restore(type, offset);
    }
    const state = this.states[type] as TypeState;
    const asStated = length === this.length[type];
    if (asStated && state.table >= 0 && state.schema.instance < 0) return state.table;
    if (!state.met) {
      this.remark(state, offset);
      state.met = true;
      this.metSchemas.add(state.schema);
    }
    const schema = asStated ? state.schema : this.otherSchema(state, length);
    const id = this.instanceTable(schema, bytes, at);
    if (this.learn(schema, bytes, at, offset) || !asStated) return id;
    const field = schema.fields[schema.instance];
    if (schema.instance < 0) state.table = id;
    if (!field || this.instanceAt[type] !== 0) this.tableOf[(type << 8) | bytes[at + this.instanceAt[type]]] = id;
    return id;
  }

  private instanceTable(schema: Schema, bytes: Uint8Array, at: number): number {
    const field = schema.fields[schema.instance];
    const bits = this.numbered.bitsOf(field, bytes, at);
    if (bits === undefined) return this.tableId(schema, this.streamOf(schema, bytes, at));
    const known = this.numbered.tableOf(field, bits);
    if (known !== undefined) return known;
    if (this.tableCount >= LIMITS.tables) return this.tableId(schema, '');
    const id = this.tableId(schema, this.streamOf(schema, bytes, at));
    this.numbered.keep(field, bits, id);
    return id;
  }

  private streamOf(schema: Schema, bytes: Uint8Array, at: number): string {
    const field = schema.fields[schema.instance];
    if (!field || field.type === 'unknown' || field.type === 'bytes') return '';
    return String(valueAt(bytes, at, field));
  }

  private tableId(schema: Schema, stream: string): number {
    const streams = getOrAdd(this.tables, schema, () => new Map());
    // past the limit all instances share a table, but nothing is dropped
    const name = this.tableCount < LIMITS.tables ? stream : '';
    const known = streams.get(stream) ?? streams.get(name);
    if (known !== undefined) return known;
    const id = this.tableCount++;
    streams.set(name, id);
    this.sink.table(id, schema, name);
    return id;
  }

  /** The schema of records that have another length than their definition states. */
  private otherSchema({ definition, schema }: TypeState, length: number): Schema {
    const others = getOrAdd(this.others, schema, () => new Map<number, Schema>());
    let other = others.get(length);
    if (!other) {
      other = schemaOf(definition, length);
      other.instance = schema.instance;
      others.set(length, other);
      this.units.share(schema, other);
    }
    return other;
  }

  /** Remarks on a definition, made when the first record shows that they matter. */
  private remark({ definition }: TypeState, offset: number): void {
    const { name, format, length } = definition;
    const sum = formatLength(format);
    if (sum === undefined) {
      const text = `FMT ${name}: format '${format}' has an unknown character: fields from it on cannot be read`;
      this.sink.fault({ code: 'unknown-format', offset, length: 0, lost: true, text, subject: name });
    } else if (sum !== length) {
      const text = `FMT ${name} states length ${length}, its format '${format}' adds up to ${sum}`;
      this.sink.fault({ code: 'format-mismatch', offset, length: 0, lost: false, text, subject: name });
    }
  }

  /** Learns from FMT, FMTU, UNIT and MULT records; false for all others. */
  private learn(schema: Schema, bytes: Uint8Array, at: number, offset: number): boolean {
    const { name } = schema;
    const isFormat = schema === this.states[FMT_TYPE]?.schema;
    if (!isFormat && name !== 'FMTU' && name !== 'UNIT' && name !== 'MULT') return false;
    if (isFormat ? this.isDefined(bytes, at) : name === 'FMTU' && this.isAssigned(schema, bytes, at)) return true;
    const row: Row = Object.create(null);
    for (const field of schema.fields) row[field.name] = valueAt(bytes, at, field);
    // a copy also of a Buffer, whose own slice is none
    const record = new Uint8Array(bytes.subarray(at, at + schema.size));
    if (isFormat) this.define(definitionOf(row), offset, record);
    else if (name === 'FMTU' && typeof row.FmtType === 'number') {
      const type = row.FmtType & 0xff;
      this.assign(type, row);
      const subject = this.states[type]?.schema;
      const { changes } = this.units;
      if (subject) this.assigned.set(subject, { by: schema, record, changes });
    } else if (name === 'UNIT' && typeof row.Id === 'number') this.units.label(row.Id, String(row.Label ?? ''));
    else if (name === 'MULT' && typeof row.Id === 'number') this.units.factor(row.Id, Number(row.Mult));
    return true;
  }

  /** Whether a FMT record repeats the definition that holds. */
  private isDefined(bytes: Uint8Array, at: number): boolean {
    const record = this.states[bytes[at + TYPE_AT]]?.record;
    return record !== undefined && isSame(record, bytes, at, HEADER_BYTES);
  }

  /** Whether a FMTU record repeats all but the time of the last one about its type, and would teach nothing. */
  private isAssigned(schema: Schema, bytes: Uint8Array, at: number): boolean {
    const [time, type] = schema.fields;
    if (type?.name !== 'FmtType' || type.type !== 'uint8') return false;
    const subject = this.states[bytes[at + type.offset]]?.schema;
    const known = subject && this.assigned.get(subject);
    if (known?.by !== schema || known.changes !== this.units.changes) return false;
    return isSame(known.record, bytes, at, time.name === 'TimeUS' ? type.offset : time.offset);
  }

  private define(definition: Definition, offset: number, record: Uint8Array = NO_RECORD): void {
    const { type, length, name } = definition;
    const signature = signatureOf(definition);
    const state = this.states[type];
    if (state && (type === FMT_TYPE || state.signature === signature)) {
      state.record = record;
      return;
    }
    if (length < HEADER_BYTES || this.schemas.size >= LIMITS.schemas) {
      const text =
        length < HEADER_BYTES
          ? `FMT ${name} states length ${length}, a record has at least ${HEADER_BYTES} bytes`
          : `FMT ${name} exceeds the limit: ${LIMITS.schemas} are the limit`;
      this.sink.fault({ code: 'bad-format', offset, length: 0, lost: true, text, subject: name });
      return;
    }
    if (!state && this.seen[type]) {
      this.isLate = true;
      this.lateDefinitions.set(type, definition);
    }
    this.set(definition, signature, record);
  }

  private set(definition: Definition, signature: string, record: Uint8Array): void {
    const { type } = definition;
    let schema = this.schemas.get(signature);
    if (!schema) {
      schema = schemaOf(definition);
      schema.instance = this.instances.get(signature) ?? -1;
      this.schemas.set(signature, schema);
    }
    this.install(type, {
      definition,
      schema,
      signature,
      timeKind: timeKindOf(schema),
      formatBytes: formatLength(definition.format),
      before: this.states[type],
      others: [],
      othersWith: Number.NaN,
      table: -1,
      record,
      met: false,
      told: false,
    });
    const early = this.early.get(type);
    this.early.delete(type);
    if (early) this.assign(type, early);
  }

  /** Makes a definition the one that holds. */
  private install(type: number, state: TypeState): void {
    const { definition, before } = state;
    const { length } = definition;
    if (before) before.before = undefined;
    this.states[type] = state;
    this.length[type] = length;
    const lengthBefore = before?.definition.length;
    // the same two definitions may take turns at every record
    if (state.othersWith !== lengthBefore) {
      state.othersWith = lengthBefore;
      state.others = [state.formatBytes, lengthBefore].filter(
        (other): other is number => other !== undefined && other !== length && other <= 255,
      );
    }
    this.otherLengths[type] = state.others;
    this.timeKind[type] = state.timeKind;
    this.known++;
    this.placeInstance(type, state.schema);
  }

  /** Records show that the definition before was right: the later one was damaged, or meant for another type. */
  private restore(type: number, offset: number): void {
    const now = this.states[type] as TypeState;
    const before = now.before as TypeState;
    if (!now.told) {
      const { name } = now.definition;
      const text = `FMT ${name} redefines type ${type}, but its records are still ${before.definition.name}`;
      this.sink.fault({ code: 'bad-format', offset, length: 0, lost: false, text, subject: name });
    }
    now.told = true;
    before.before = now;
    this.install(type, before);
  }

  /** A FMTU record: one unit and one multiplier for each column of a type. */
  private assign(type: number, row: Row): void {
    const state = this.states[type];
    if (!state) {
      this.early.set(type, row);
      return;
    }
    const units = String(row.UnitIds ?? '');
    const { schema, definition } = state;
    this.assigned.delete(schema);
    this.units.assign(schema, {
      units,
      multipliers: String(row.MultIds ?? ''),
      format: definition.format,
      text: false,
    });
    const instance = units.indexOf('#');
    if (instance < 0 || instance >= schema.fields.length || schema.instance === instance) return;
    if (this.metSchemas.has(schema)) this.isLate = true;
    this.instances.set(state.signature, instance);
    schema.instance = instance;
    for (const other of this.others.get(schema)?.values() ?? []) other.instance = instance;
    // the same definition may have several numbers
    for (let number = 0; number < 256; number++) {
      if (this.states[number]?.schema === schema) this.placeInstance(number, schema);
    }
  }

  /** The quick way knows instances that are one byte; others go by `meet`. */
  private placeInstance(type: number, schema: Schema): void {
    const field = schema.fields[schema.instance];
    const isByte = field !== undefined && (field.type === 'uint8' || field.type === 'int8');
    const had = this.instanceAt[type];
    this.instanceAt[type] = isByte ? field.offset : 0;
    const isTimed = this.length[type] >= HEADER_BYTES + 8 && !DEFINITIONS.has(schema.name);
    if (isTimed && this.timeKind[type] === TIME_MS) this.hasMillis = true;
    this.shape[type] = this.length[type] | (this.instanceAt[type] << 8) | (isTimed ? this.timeKind[type] << 16 : 0);
    // without instances there is one place only: that of the first byte of all records
    if (had === 0) this.tableOf[(type << 8) | HEAD_1] = -1;
    else this.tableOf.fill(-1, type << 8, (type + 1) << 8);
  }

  end(): void {
    this.units.apply();
  }

  /** The types for a second reading of the same source, if that would find or distinguish more. */
  relearned(sink: Sink): Types | undefined {
    if (this.isSecond || !this.isLate) return undefined;
    return new Types(sink, { definitions: [...this.lateDefinitions.values()], instances: this.instances });
  }
}

function timeKindOf({ fields: [first] }: Schema): number {
  if (first?.type === 'uint64' && first.name === 'TimeUS') return TIME_US;
  return first?.type === 'uint32' && first.name === 'TimeMS' && first.divisor === 1 ? TIME_MS : NO_TIME;
}

function definitionOf(row: Row): Definition {
  return {
    type: Number(row.Type),
    length: Number(row.Length),
    name: String(row.Name),
    format: String(row.Format),
    columns: String(row.Columns),
  };
}

/** All of a definition but the number of its type: what makes two of them the same table. */
function signatureOf({ length, name, format, columns }: Definition): string {
  return JSON.stringify([length, name, format, columns]);
}

/** Whether bytes repeat a record from a place in it on. */
function isSame(record: Uint8Array, bytes: Uint8Array, at: number, from: number): boolean {
  let i = from;
  while (i < record.length && bytes[at + i] === record[i]) i++;
  return i === record.length && i > from;
}

/** Whole numbers that take several bytes, of which there may be very many instances. */
const NUMBER_BYTES: ReadonlyMap<FieldType, 2 | 4> = new Map([
  ['int16', 2],
  ['uint16', 2],
  ['int32', 4],
  ['uint32', 4],
]);

/** Four bytes as a number, little-endian. */
function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/** Tables of instances by the bits of their field, if that is a number of several bytes: texts would be slow. */
class Instances {
  private readonly tables: Map<Field, Map<number, number>> = new Map();

  /** The bits of the instance of the record at an offset; undefined for instances named by text. */
  bitsOf(field: Field | undefined, bytes: Uint8Array, at: number): number | undefined {
    const width = field && NUMBER_BYTES.get(field.type);
    if (!width) return undefined;
    const place = at + field.offset;
    return width === 2 ? bytes[place] | (bytes[place + 1] << 8) : word(bytes, place);
  }

  tableOf(field: Field, bits: number): number | undefined {
    return this.tables.get(field)?.get(bits);
  }

  keep(field: Field, bits: number, table: number): void {
    getOrAdd(this.tables, field, () => new Map()).set(bits, table);
  }
}
