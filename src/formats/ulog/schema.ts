import { littleEndian } from '../../core/codec.ts';
import { uniqueNames } from '../../core/names.ts';
import { type Field, type FieldType, type Schema, TYPE_BYTES } from '../../core/schema.ts';
import { ULOG_LIMITS } from './limits.ts';

/*
 * The formats of topics, https://docs.px4.io/main/en/dev_log/ulog_file_format.html
 *
 *     esc_status:uint64_t timestamp;uint16_t counter;uint8_t[4] _padding0;esc_report[8] esc;
 *     name      :type     field    ;                 array                nested type
 *
 * Nothing is aligned: a field's offset is the sum of the sizes before it. Fields named _padding... are hidden; at the end
 * of a topic they may be missing in the file.
 */

/** Bytes before the fields of a data message: size, type, number of the subscription. */
export const DATA_HEAD = 5;

const BASIC: ReadonlyMap<string, FieldType> = new Map([
  ['int8_t', 'int8'],
  ['uint8_t', 'uint8'],
  ['bool', 'uint8'],
  ['char', 'text'],
  ['int16_t', 'int16'],
  ['uint16_t', 'uint16'],
  ['int32_t', 'int32'],
  ['uint32_t', 'uint32'],
  ['float', 'float32'],
  ['int64_t', 'int64'],
  ['uint64_t', 'uint64'],
  ['double', 'float64'],
]);

export function basicType(name: string): FieldType | undefined {
  return BASIC.get(name);
}

interface Member {
  readonly type: string;
  /** Elements of an array; 0 for what is none. */
  readonly count: number;
  readonly name: string;
}

/** What a format message says. */
export interface Definition {
  readonly name: string;
  readonly text: string;
  readonly members: readonly Member[];
}

/** PX4 has letters, digits and _-/ in names; others may have what separates nothing. */
export const NAME_LETTER: RegExp = /[!-9<-Z\\^-~]/;
const NAME = new RegExp(`^${NAME_LETTER.source}+$`);
const MEMBER = new RegExp(
  `^\\s*(${NAME_LETTER.source}+)(?:\\[(\\d+)\\])?\\s+((?:${NAME_LETTER.source}|[\u00a1-\uffff])+)\\s*$`,
);

/** The format that a text says, or undefined where it says none. */
export function parseDefinition(text: string): Definition | undefined {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim();
  if (!NAME.test(name) || BASIC.has(name)) return undefined;
  const parts = text.slice(colon + 1).split(';');
  if (parts.at(-1)?.trim() === '') parts.pop();
  const members: Member[] = [];
  for (const part of parts) {
    const [, type, digits, field] = MEMBER.exec(part) ?? [];
    if (type === undefined || (digits !== undefined && !(Number(digits) > 0))) return undefined;
    members.push({ type, count: digits === undefined ? 0 : Number(digits), name: field });
  }
  return { name, text, members };
}

/** What a format comes to with all that is nested in it. */
export interface Layout {
  /** Bytes of the fields of a record with the padding at its end, and without. */
  readonly most: number;
  readonly least: number;
  readonly schema: Schema;
  /** Where the fields have the time, from the beginning of the message on; -1 where they have none. */
  readonly timeAt: number;
}

interface Extent {
  readonly bytes: number;
  /** Hidden fields and nested types count too: what it takes to go through all of them. */
  readonly fields: number;
  readonly depth: number;
}

/** By name; undefined for a type that cannot be read, or is not defined. */
type Extents = Map<string, Extent | undefined>;

/** Formats by name. If a name has several definitions, the size of a record decides. */
export class Formats {
  private readonly byName: Map<string, Definition[]> = new Map();
  /** By the text of the definition; undefined for those that cannot be read. */
  private readonly layouts: Map<string, Layout | undefined> = new Map();
  /** The same definition has the same schema, also in another log of the file. */
  private readonly schemas: Map<string, Layout>;
  private readonly room: { fields: number };
  private steps: number = ULOG_LIMITS.steps;
  private count = 0;

  /** @param before formats of another log in the same file */
  constructor(before?: Formats) {
    this.schemas = before?.schemas ?? new Map();
    this.room = before?.room ?? { fields: ULOG_LIMITS.allFields };
  }

  /** Takes a definition. @returns whether it says anything new */
  add(definition: Definition): boolean {
    const known = this.byName.get(definition.name);
    if (known?.some(({ text }) => text === definition.text)) return false;
    if (this.count >= ULOG_LIMITS.formats || (known && known.length >= ULOG_LIMITS.versions)) return false;
    if (known) known.push(definition);
    else this.byName.set(definition.name, [definition]);
    this.count++;
    return true;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  names(): Iterable<string> {
    return this.byName.keys();
  }

  /** All definitions, in the order in which they came. */
  *all(): Generator<Definition> {
    for (const definitions of this.byName.values()) yield* definitions;
  }

  /** The layouts that records of a topic may have. */
  layoutsOf(name: string): Layout[] {
    return (this.byName.get(name) ?? []).flatMap((definition) => this.layoutOf(definition) ?? []);
  }

  private layoutOf(definition: Definition): Layout | undefined {
    const key = definition.text;
    if (this.layouts.has(key)) return this.layouts.get(key);
    const extents: Extents = new Map();
    const extent = this.extentOf(definition, extents, 1);
    const layout = extent && this.makeLayout(definition, extent, extents);
    // a type that is missing may be defined later
    if ([...extents.keys()].every((name) => this.byName.has(name))) this.layouts.set(key, layout);
    return layout;
  }

  private makeLayout(definition: Definition, extent: Extent, extents: Extents): Layout | undefined {
    const signature = this.signatureOf(definition);
    const known = this.schemas.get(signature);
    if (known) return known;
    if (extent.fields > this.room.fields) return undefined;
    this.room.fields -= extent.fields;
    const fields: Field[] = [];
    this.collect(definition, '', DATA_HEAD, fields);
    const names = uniqueNames(fields.map(({ name }) => name));
    const named = fields.map((field, i) => (field.name === names[i] ? field : { ...field, name: names[i] }));
    let least = extent.bytes;
    for (const member of definition.members.toReversed()) {
      if (!member.name.startsWith('_padding')) break;
      least -= this.sizeOf(member, extents);
    }
    const time = named.find(({ name, type, count }) => name === 'timestamp' && type === 'uint64' && count === 1);
    const schema: Schema = {
      name: definition.name,
      fields: named,
      size: least === extent.bytes ? DATA_HEAD + least : 0,
      maxSize: DATA_HEAD + extent.bytes,
      instance: -1,
      codec: littleEndian,
    };
    const layout = { most: extent.bytes, least, schema, timeAt: time?.offset ?? -1 };
    this.schemas.set(signature, layout);
    return layout;
  }

  /** Bytes and fields of a format; undefined where it goes beyond the limits, or into itself. */
  private extentOf(definition: Definition, known: Extents, depth: number): Extent | undefined {
    // while it is open, it may not be met again
    known.set(definition.name, undefined);
    let [bytes, fields, deepest] = [0, 0, 0];
    for (const { type, count } of definition.members) {
      if (this.steps-- <= 0) return undefined;
      const basic = BASIC.get(type);
      const part = basic ? { bytes: TYPE_BYTES[basic], fields: 0, depth: 0 } : this.nestedExtent(type, known, depth);
      if (!part) return undefined;
      const times = Math.max(1, count);
      bytes += part.bytes * times;
      fields += basic ? 1 : (1 + part.fields) * times;
      deepest = Math.max(deepest, part.depth);
      const isLarge = bytes > ULOG_LIMITS.recordBytes || fields > ULOG_LIMITS.fields;
      if (isLarge || deepest + depth >= ULOG_LIMITS.depth) return undefined;
    }
    const extent = { bytes, fields, depth: deepest + 1 };
    known.set(definition.name, extent);
    return extent;
  }

  private nestedExtent(type: string, known: Extents, depth: number): Extent | undefined {
    if (known.has(type)) return known.get(type);
    const [nested] = this.byName.get(type) ?? [];
    if (nested && depth < ULOG_LIMITS.depth) return this.extentOf(nested, known, depth + 1);
    known.set(type, undefined);
    return undefined;
  }

  private sizeOf({ type, count }: Member, extents: Extents): number {
    const basic = BASIC.get(type);
    const bytes = basic ? TYPE_BYTES[basic] : (extents.get(type)?.bytes ?? 0);
    return bytes * Math.max(1, count);
  }

  /** The texts of a format and of all types in it: what makes two topics the same table. */
  private signatureOf(definition: Definition, seen: Set<string> = new Set()): string {
    seen.add(definition.name);
    let signature = definition.text;
    for (const { type } of definition.members) {
      const [nested] = this.byName.get(type) ?? [];
      if (nested && !seen.has(type)) signature += `\n${this.signatureOf(nested, seen)}`;
    }
    return signature;
  }

  /** Adds the fields of a format. @returns where the next one begins */
  private collect(definition: Definition, prefix: string, from: number, fields: Field[]): number {
    let at = from;
    for (const { type, count, name } of definition.members) {
      const basic = BASIC.get(type);
      const isHidden = name.startsWith('_padding');
      if (basic) {
        if (!isHidden) {
          const isList = count === 1 && basic !== 'text';
          fields.push(fieldOf(prefix + name, basic, at, Math.max(1, count), isList, type === 'bool'));
        }
        at += TYPE_BYTES[basic] * Math.max(1, count);
        continue;
      }
      const [nested] = this.byName.get(type) ?? [];
      const hidden: Field[] = [];
      for (let i = 0; i < Math.max(1, count); i++) {
        const path = `${prefix}${name}${count > 0 ? `[${i}]` : ''}.`;
        at = this.collect(nested, path, at, isHidden ? hidden : fields);
      }
    }
    return at;
  }
}

export function fieldOf(
  name: string,
  type: FieldType,
  offset: number,
  count = 1,
  isList?: boolean,
  isBool?: boolean,
): Field {
  return { name, type, count, isList, isBool, offset, divisor: 1, unit: '', multiplier: undefined, siUnit: '' };
}
