import type { Value } from '../../core/column.ts';
import { TYPE_BYTES } from '../../core/schema.ts';
import { type Part, sizeOf } from './layout.ts';

/** Values of fields by name; what is left out or null is what means "missing", or 0. */
export type Values = Readonly<Record<string, Value | readonly string[]>>;

const encoder = new TextEncoder();
const FRACTIONS = 2 ** 32;

/** Writes the fields of a layout, big-endian. */
export function writeParts(all: readonly Part[], values: Values): Uint8Array {
  const bytes = new Uint8Array(sizeOf(all));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const each of all) {
    if (each.type !== 'skip') writePart(bytes, view, at, each, values[each.name] ?? each.invalid ?? 0);
    at += sizeOf([each]);
  }
  return bytes;
}

function writePart(bytes: Uint8Array, view: DataView, at: number, each: Part, value: Values[string]): void {
  const { name, type, count = 1, divisor = 1, invalid } = each;
  if (type === 'text' || type === 'bytes') {
    const content = value instanceof Uint8Array ? value : encoder.encode(value === 0 ? '' : String(value));
    if (content.length > count) throw new RangeError(`field ${name} has ${content.length} bytes, at most ${count} fit`);
    bytes.set(content, at);
    return;
  }
  const elements = (Array.isArray(value) ? value : [value]) as readonly (number | bigint | null)[];
  if (elements.length !== count)
    throw new RangeError(`field ${name} has ${elements.length} values, ${count} are wanted`);
  elements.forEach((element, k) => {
    const stored = scaled(element ?? invalid ?? 0, divisor, invalid);
    writeNumber(view, at + k * TYPE_BYTES[type as 'uint8'], type, stored, name);
  });
}

/** The number that is stored; the one that means "missing" stands for itself. */
function scaled(value: number | bigint, divisor: number, invalid: number | undefined): number | bigint {
  if (typeof value === 'bigint' || divisor === 1 || value === invalid) return value;
  return Math.round(value * divisor);
}

/** Writes one number; one that does not fit is a mistake of the caller. */
function writeNumber(view: DataView, at: number, type: Part['type'], value: number | bigint, name: string): void {
  switch (type) {
    case 'float32':
      view.setFloat32(at, Number(value));
      return;
    case 'float64':
      view.setFloat64(at, Number(value));
      return;
    default:
      writeInteger(view, at, type as 'uint8', value, name);
  }
}

function writeInteger(view: DataView, at: number, type: 'uint8', value: number | bigint, name: string): void {
  const bits = TYPE_BYTES[type] * 8;
  const isSigned = !type.startsWith('u');
  const least = isSigned ? -(2n ** BigInt(bits - 1)) : 0n;
  const most = 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n;
  if (typeof value === 'number' && !Number.isInteger(value))
    throw new RangeError(`field ${name} is ${value}, no integer`);
  const integer = BigInt(value);
  if (integer < least || integer > most) throw new RangeError(`field ${name} is ${value}, not ${least} to ${most}`);
  const word = BigInt.asUintN(64, integer);
  for (let k = 0; k < bits / 8; k++) view.setUint8(at + k, Number((word >> BigInt(bits - 8 * (k + 1))) & 0xffn));
}

/** Reals in one of the four number formats. */
export function writeReals(values: readonly number[], format: number): Uint8Array {
  const width = [4, 4, 6, 8][format];
  const bytes = new Uint8Array(values.length * width);
  const view = new DataView(bytes.buffer);
  values.forEach((value, k) => {
    const at = k * width;
    if (format === 0) view.setFloat32(at, value);
    else if (format === 3) view.setFloat64(at, value);
    else if (format === 1) writeNumber(view, at, 'int32', Math.round(value * 2 ** 20), 'value');
    else writeFixed48(view, at, value);
  });
  return bytes;
}

/** The fraction first, then the integer below the number. */
function writeFixed48(view: DataView, at: number, value: number): void {
  const whole = Math.floor(value);
  const fraction = Math.round((value - whole) * FRACTIONS);
  // a fraction that rounds up to one is the next integer
  const carry = fraction === FRACTIONS ? 1 : 0;
  view.setUint32(at, carry ? 0 : fraction);
  writeNumber(view, at + 4, 'int16', whole + carry, 'value');
}
