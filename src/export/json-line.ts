import type { DerivedRow, DerivedTable } from '../analyze/derived-table.ts';
import type { Column, Value } from '../core/column.ts';
import type { Enumeration } from '../core/schema.ts';
import type { Table } from '../core/table.ts';
import { hexOf } from '../core/text.ts';
import { enumNames } from './enum-names.ts';

export interface LineOptions {
  /** Values in SI units by the log's own multipliers. */
  readonly si?: boolean | undefined;
  /** The names of values and bits beside the numbers, where they have any: `fix_type_name` beside `fix_type`. */
  readonly names?: boolean | undefined;
}

/** Makes the JSON lines of one table's records; what all of them share is made once. */
export class LineWriter {
  private readonly head: string;
  private readonly keys: readonly string[];
  private readonly si: boolean;
  /** The key and the names of those fields that have names, where they are wanted. */
  private readonly named: readonly (readonly [key: string, enumeration: Enumeration] | undefined)[];

  constructor(table: Table, { si = false, names = false }: LineOptions = {}) {
    this.head = headOf(table);
    this.keys = table.fields.map(({ name }, i) => `${i === 0 ? '' : ','}${JSON.stringify(name)}:`);
    this.si = si;
    this.named = table.fields.map(({ name, enumeration }) => {
      const key = `${name}_name`;
      return names && enumeration && !table.field(key) ? [`,${JSON.stringify(key)}:`, enumeration] : undefined;
    });
  }

  line(columns: readonly Column[], row: number, time: number, offset: number): string {
    let text = `${this.head}${jsonTime(time)},"at":${offset},"data":{`;
    for (let i = 0; i < columns.length; i++) {
      text += this.keys[i] + jsonValue(this.si ? columns[i].si(row) : columns[i].at(row));
      const named = this.named[i];
      if (named) text += named[0] + JSON.stringify(enumNames(named[1], columns[i].at(row)));
    }
    return `${text}}}\n`;
  }
}

/** The JSON line of a row that was made from records, in the same shape. */
export function derivedLine(table: DerivedTable, { time, at, data }: DerivedRow): string {
  const fields = Object.entries(data).map(([name, value]) => `${JSON.stringify(name)}:${jsonValue(value)}`);
  return `${headOf(table)}${jsonTime(time)},"at":${at},"data":{${fields.join(',')}}}\n`;
}

function headOf({ name, stream }: Pick<Table, 'name' | 'stream'>): string {
  return `{"type":${JSON.stringify(name)},"stream":${JSON.stringify(stream)},"time":`;
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
