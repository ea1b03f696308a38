import type { Column, Value } from '../core/column.ts';
import type { Enumeration, Field } from '../core/schema.ts';
import type { RecordTable } from '../core/table.ts';
import { hexOf } from '../core/text.ts';
import type { DerivedRow, DerivedTable } from '../sensors/derived-table.ts';

export interface LineOptions {
  /** Values in SI units by the log's own multipliers. */
  readonly si?: boolean | undefined;
  /** The names of values and bits beside the numbers, where they have any: `fix_type_name` beside `fix_type`. */
  readonly names?: boolean | undefined;
  readonly fields?: ReadonlySet<Field> | undefined;
  /** Lines as mavlogdump of pymavlink writes them: `meta` with type and time, and `data`. */
  readonly pymavlink?: boolean | undefined;
  /** Marks times that are guessed, because no record of the log has one. */
  readonly guessed?: boolean | undefined;
}

/** Makes the JSON lines of one table's records; what all of them share is made once. */
export class LineWriter {
  private readonly head: Head;
  private readonly body: BodyWriter;

  constructor(table: RecordTable, options: LineOptions = {}) {
    this.head = headOf(table, options);
    this.body = new BodyWriter(table, options);
  }

  line(columns: readonly Column[], row: number, time: number, offset: number): string {
    return `${this.head(time, offset)}${this.body.text(columns, row)}}\n`;
  }
}

/** Makes the JSON objects of the fields of one table's records. */
export class BodyWriter {
  /** The text before the value of each field; undefined for those that are left out. */
  private readonly keys: readonly (string | undefined)[];
  private readonly si: boolean;
  /** The key and the names of those fields that have names, if asked for. */
  private readonly named: readonly (readonly [key: string, enumeration: Enumeration] | undefined)[];

  constructor(table: RecordTable, { si = false, names = false, fields }: LineOptions = {}) {
    const first = table.fields.findIndex((field) => !fields || fields.has(field));
    this.keys = table.fields.map((field, i) =>
      fields && !fields.has(field) ? undefined : `${i === first ? '' : ','}${JSON.stringify(field.name)}:`,
    );
    this.si = si;
    this.named = table.fields.map(({ name, enumeration }) => {
      const key = `${name}_name`;
      return names && enumeration && !table.field(key) ? [`,${JSON.stringify(key)}:`, enumeration] : undefined;
    });
  }

  text(columns: readonly Column[], row: number): string {
    let text = '{';
    for (let i = 0; i < columns.length; i++) {
      const key = this.keys[i];
      if (key === undefined) continue;
      text += key + jsonValue(this.si ? columns[i].si(row) : columns[i].at(row));
      const named = this.named[i];
      if (named) text += named[0] + JSON.stringify(enumNames(named[1], columns[i].at(row)));
    }
    return `${text}}`;
  }
}

/** The JSON line of a row that was made from records, in the same shape. */
export function derivedLine(table: DerivedTable, { time, at, data }: DerivedRow, options: LineOptions = {}): string {
  return `${headOf(table, options)(time, at)}${derivedBody(data)}}\n`;
}

/** The JSON object of the fields of such a row. */
export function derivedBody(data: DerivedRow['data']): string {
  return `{${Object.entries(data)
    .map(([name, value]) => `${JSON.stringify(name)}:${jsonValue(value)}`)
    .join(',')}}`;
}

/** The text before the fields of a record, by its time and offset. */
type Head = (time: number, offset: number) => string;

function headOf({ name, stream }: Pick<RecordTable, 'name' | 'stream'>, { pymavlink, guessed }: LineOptions): Head {
  if (!pymavlink) {
    const start = `{"type":${JSON.stringify(name)},"stream":${JSON.stringify(stream)},"time":`;
    const mark = guessed ? '"guessed":true,' : '';
    return (time, offset) => `${start}${jsonTime(time)},${mark}"at":${offset},"data":`;
  }
  // a sender of MAVLink is a system and a component
  const sender = /^(\d+):(\d+)$/.exec(stream);
  const source = sender ? `,"srcSystem":${sender[1]},"srcComponent":${sender[2]}` : '';
  return (time) => `{"meta":{"type":${JSON.stringify(name)},"timestamp":${jsonTime(time)}${source}},"data":`;
}

/** Microseconds as seconds with all their digits, or null. */
export function jsonTime(micros: number): string {
  return Number.isFinite(micros) ? String(Math.round(micros) / 1e6) : 'null';
}

/** A value in JSON: what is not a number there is null, integers beyond 2^53 are strings, bytes are hexadecimal. */
export function jsonValue(value: Value): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null) return 'null';
  if (typeof value === 'bigint') return `"${value}"`;
  if (value instanceof Uint8Array) return `"${hexOf(value)}"`;
  return `[${value.map(jsonValue).join(',')}]`;
}

const TWO_31 = 2 ** 31;

/** What a value of an enumeration is called, or null; for a bitmask the names of all bits that are set. */
export type EnumNames = string | null | readonly EnumNames[];

export function enumNames(enumeration: Enumeration, value: Value): EnumNames {
  if (Array.isArray(value)) return value.map((each) => enumNames(enumeration, each));
  if (typeof value !== 'number' && typeof value !== 'bigint') return null;
  if (typeof value === 'number' && !Number.isInteger(value)) return null;
  const { bitmask, names } = enumeration;
  if (!bitmask) return names.get(Number(value)) ?? null;
  return [...names].filter(([bits]) => hasBits(value, bits)).map(([, name]) => name);
}

/** Whether all of some bits are set; an entry of none is the name of no bit. */
function hasBits(value: number | bigint, bits: number): boolean {
  if (bits <= 0) return false;
  if (typeof value === 'number' && bits < TWO_31 && Math.abs(value) < TWO_31) return (value & bits) === bits;
  return (BigInt(value) & BigInt(bits)) === BigInt(bits);
}
