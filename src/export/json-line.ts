import type { Column, Value } from '../core/column.ts';
import { type Named, namesAt } from '../core/enumeration.ts';
import type { Table } from '../core/table.ts';
import { hexOf } from '../core/text.ts';

export interface LineOptions {
  /** Values in SI units by the log's own multipliers. */
  readonly si?: boolean | undefined;
  /** Beside the data the names of its enumerated values and of the bits of its bitmasks. */
  readonly names?: boolean | undefined;
}

/** Makes the JSON lines of one table's records; what all of them share is made once. */
export class LineWriter {
  private readonly head: string;
  private readonly keys: readonly string[];
  private readonly si: boolean;
  /** Which fields have names to give. */
  private readonly named: readonly number[];

  constructor(table: Table, { si = false, names = false }: LineOptions = {}) {
    this.head = `{"type":${JSON.stringify(table.name)},"stream":${JSON.stringify(table.stream)},"time":`;
    this.keys = table.fields.map(({ name }, i) => `${i === 0 ? '' : ','}${JSON.stringify(name)}:`);
    this.si = si;
    this.named = names ? table.fields.flatMap(({ enumeration }, i) => (enumeration ? [i] : [])) : [];
  }

  line(columns: readonly Column[], row: number, time: number, offset: number): string {
    let text = `${this.head}${jsonTime(time)},"at":${offset},"data":{`;
    for (let i = 0; i < columns.length; i++) {
      text += this.keys[i] + jsonValue(this.si ? columns[i].si(row) : columns[i].at(row));
    }
    return `${text}}${this.names(columns, row)}}\n`;
  }

  private names(columns: readonly Column[], row: number): string {
    const names: Record<string, Named | readonly Named[]> = Object.create(null);
    for (const i of this.named) names[columns[i].field.name] = namesAt(columns[i], row);
    return this.named.length === 0 ? '' : `,"names":${JSON.stringify(names)}`;
  }
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
