import type { Value } from '../../../src/core/column.ts';

/** What a FMT record says. */
export interface Definition {
  readonly type: number;
  readonly length: number;
  readonly name: string;
  readonly format: string;
  readonly columns: string;
}

/** A column of a definition; without a character where it cannot be read. */
export interface PlainField {
  readonly name: string;
  readonly char: string;
  /** Where it begins in the record. */
  readonly offset: number;
  readonly raw: boolean;
}

export const FMT: Definition = {
  type: 128,
  length: 89,
  name: 'FMT',
  format: 'BBnNZ',
  columns: 'Type,Length,Name,Format,Columns',
};

/** Bytes of a value by its character, as ArduPilot's documentation lists them. */
export const WIDTHS: ReadonlyMap<string, number> = new Map([
  ...[...'bBM'].map((char): [string, number] => [char, 1]),
  ...[...'ghHcC'].map((char): [string, number] => [char, 2]),
  ...[...'iIeELfn'].map((char): [string, number] => [char, 4]),
  ...[...'dqQ'].map((char): [string, number] => [char, 8]),
  ['N', 16],
  ['Z', 64],
  ['a', 64],
]);

/** All of a definition but the number of its type. */
export function keyOf({ length, name, format, columns }: Definition): string {
  return JSON.stringify([length, name, format, columns]);
}

/** Bytes of a record by its format, header included; undefined where a character is not known. */
export function formatLength(format: string): number | undefined {
  const widths = [...format].map((char) => WIDTHS.get(char));
  return widths.every((width) => width !== undefined) ? widths.reduce((sum, width) => sum + width, 3) : undefined;
}

/** The definition in a FMT record. */
export function definitionIn(bytes: Uint8Array, at: number): Definition {
  const [type, length, name, format, columns] = fieldsOf(FMT).map((field) => readValue(bytes, at, field));
  return {
    type: Number(type),
    length: Number(length),
    name: String(name),
    format: String(format),
    columns: String(columns),
  };
}

/** The columns, as far as there are characters for them; from the first that does not fit on none can be read. */
export function fieldsOf(definition: Definition, length: number = definition.length): PlainField[] {
  const chars = [...definition.format];
  const names = definition.columns === '' ? [] : definition.columns.split(',').slice(0, chars.length);
  const taken = new Set<string>();
  let offset = 3;
  let readable = true;
  return names.map((text, i) => {
    let name = text.trim();
    for (let n = 2; taken.has(name); n++) name = `${text.trim()}_${n}`;
    taken.add(name);
    const start = offset;
    const width = WIDTHS.get(chars[i]);
    offset += width ?? 0;
    readable &&= width !== undefined && offset <= length;
    const raw = definition.name === 'FILE' && chars[i] === 'Z';
    return { name, char: readable ? chars[i] : '', offset: start, raw };
  });
}

/** Microseconds since boot that a record carries in its first column, or NaN. */
export function timeOf([first]: readonly PlainField[], bytes: Uint8Array, at: number): number {
  if (first?.char === 'Q' && first.name === 'TimeUS') return Number(readValue(bytes, at, first));
  // hundredths, which E would say, are no milliseconds
  if (first?.char === 'I' && first.name === 'TimeMS') return Number(readValue(bytes, at, first)) * 1000;
  return Number.NaN;
}

export function readValue(bytes: Uint8Array, at: number, { char, offset, raw }: PlainField): Value {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const p = at + offset;
  switch (char) {
    case 'a':
      return Array.from({ length: 32 }, (_, i) => view.getInt16(p + 2 * i, true));
    case 'b':
      return view.getInt8(p);
    case 'B':
    case 'M':
      return view.getUint8(p);
    case 'g':
      return half(view.getUint16(p, true));
    case 'h':
      return view.getInt16(p, true);
    case 'H':
      return view.getUint16(p, true);
    case 'c':
      return view.getInt16(p, true) / 100;
    case 'C':
      return view.getUint16(p, true) / 100;
    case 'i':
      return view.getInt32(p, true);
    case 'I':
      return view.getUint32(p, true);
    case 'e':
      return view.getInt32(p, true) / 100;
    case 'E':
      return view.getUint32(p, true) / 100;
    case 'L':
      return view.getInt32(p, true) / 1e7;
    case 'f':
      return view.getFloat32(p, true);
    case 'd':
      return view.getFloat64(p, true);
    case 'q':
      return safe(view.getBigInt64(p, true));
    case 'Q':
      return safe(view.getBigUint64(p, true));
    case '':
      return null;
    default: {
      const stored = bytes.slice(p, p + (WIDTHS.get(char) as number));
      return raw ? stored : text(stored);
    }
  }
}

/** A number where that is exact. */
export function safe(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Up to the first NUL: UTF-8 where it is that, else Latin-1. */
export function text(stored: Uint8Array): string {
  const end = stored.indexOf(0);
  const used = end < 0 ? stored : stored.subarray(0, end);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(used);
  } catch {
    return Buffer.from(used).toString('latin1');
  }
}

/** A half float has the bits of a float but 3 of exponent and 13 of fraction: shifted there, it is too small by 2^112. */
export function half(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  const isSpecial = (bits & 0x7c00) === 0x7c00;
  view.setUint32(0, (((bits & 0x8000) << 16) | ((bits & 0x7fff) << 13) | (isSpecial ? 0x7f800000 : 0)) >>> 0);
  return isSpecial ? view.getFloat32(0) : view.getFloat32(0) * 2 ** 112;
}
