import { Column, type Value } from '../../src/core/column.ts';
import type { Found } from './found.ts';
import { join } from './random.ts';

/** A record as a plain reference decoder gives it. */
export interface PlainRecord {
  readonly name: string;
  readonly stream: string;
  readonly offset: number;
  readonly length: number;
  /** Names and values of its fields, decoded when asked for. */
  values(): [name: string, value: Value][];
}

export interface PlainFault {
  readonly code: string;
  readonly offset: number;
  readonly length: number;
}

export interface PlainLog {
  readonly records: readonly PlainRecord[];
  readonly faults: readonly PlainFault[];
}

/** A decoder that is obvious rather than fast: the same rules on a whole buffer. */
export type PlainDecoder = (bytes: Uint8Array) => PlainLog;

/** What a reading and the plain one differ in first, values left out; undefined where they are the same. */
export function plainDifference(found: Found, plain: PlainLog): string | undefined {
  const records = Math.min(found.count, plain.records.length);
  for (let i = 0; i < records; i++) {
    const { name, stream, offset, length } = plain.records[i];
    const expected = `${name}${stream && `[${stream}]`} at ${offset} of ${length} bytes`;
    if (found.label(i) !== expected) return `record ${i}: ${found.label(i)}, plainly ${expected}`;
  }
  if (found.count !== plain.records.length) return `${found.count} records, plainly ${plain.records.length}`;
  const faults = Math.min(found.faults.length, plain.faults.length);
  // in a container, those of each flow come when it is decoded
  const [ours, theirs] = [found.faults.map(said), plain.faults.map(said)];
  if (found.container) for (const list of [ours, theirs]) list.sort();
  for (let i = 0; i < faults; i++) {
    const [a, b] = [ours[i], theirs[i]];
    if (a !== b) return `fault ${i}: ${a}, plainly ${b}`;
  }
  if (found.faults.length !== plain.faults.length)
    return `${found.faults.length} faults, plainly ${plain.faults.length}`;
  return undefined;
}

function said({ code, offset, length }: PlainFault): string {
  return `${code} at ${offset} of ${length} bytes`;
}

/** Names and values of each record, as the format's own codec reads them; whole tables at a time. */
export function valuesOf(bytes: Uint8Array, found: Found): [name: string, value: Value][][] {
  const rows: number[][] = found.schemas.map(() => []);
  found.ids.forEach((id, i) => {
    rows[id].push(i);
  });
  const data = found.container ? join(found.pieces) : bytes;
  const starts = found.container ? found.starts : found.offsets;
  const values: [string, Value][][] = [];
  for (const [id, indices] of rows.entries()) {
    const { fields, codec } = found.schemas[id];
    const columns = fields.map((field) => new Column(field, indices.length));
    const places = Int32Array.from(indices, (i) => starts[i]);
    codec.read(data, places, places.length, columns, 0);
    for (const [row, i] of indices.entries())
      values[i] = columns.map((column): [string, Value] => [column.field.name, column.at(row)]);
  }
  return values;
}

/** The first value that the format's own codec reads otherwise than the plain decoder does. */
export function valueDifference(bytes: Uint8Array, found: Found, plain: PlainLog): string | undefined {
  for (const [i, got] of valuesOf(bytes, found).entries()) {
    const expected = plain.records[i].values();
    if (!sameValues(got, expected)) return `values of ${found.label(i)}: ${shown(got)}, plainly ${shown(expected)}`;
  }
  return undefined;
}

function sameValues(a: readonly [string, Value][], b: readonly [string, Value][]): boolean {
  return a.length === b.length && a.every(([name, value], i) => name === b[i][0] && sameValue(value, b[i][1]));
}

function sameValue(a: Value, b: Value): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  return a.constructor === b.constructor && a.length === b.length && a.every((each, i) => Object.is(each, b[i]));
}

function shown(values: readonly [string, Value][]): string {
  return values.map(([name, value]) => `${JSON.stringify(name)}: ${typeof value} ${String(value)}`).join(', ');
}
