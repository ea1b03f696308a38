import type { DerivedRow, DerivedTable } from '../analyze/derived-table.ts';
import type { Column, Value } from '../core/column.ts';
import type { Table } from '../core/table.ts';
import { hexOf } from '../core/text.ts';

export interface LineOptions {
  /** Values in SI units by the log's own multipliers. */
  readonly si?: boolean | undefined;
}

/** Makes the JSON lines of one table's records; what all of them share is made once. */
export class LineWriter {
  private readonly head: string;
  private readonly keys: readonly string[];
  private readonly si: boolean;

  constructor(table: Table, { si = false }: LineOptions = {}) {
    this.head = headOf(table);
    this.keys = table.fields.map(({ name }, i) => `${i === 0 ? '' : ','}${JSON.stringify(name)}:`);
    this.si = si;
  }

  line(columns: readonly Column[], row: number, time: number, offset: number): string {
    let text = `${this.head}${jsonTime(time)},"at":${offset},"data":{`;
    for (let i = 0; i < columns.length; i++) {
      text += this.keys[i] + jsonValue(this.si ? columns[i].si(row) : columns[i].at(row));
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
