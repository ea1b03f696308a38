import { boundsOf, storeAt } from '../../core/codec.ts';
import { type FieldType, TYPE_BYTES } from '../../core/schema.ts';
import type { MessageDefinition, MessageField } from './dialect/definition.ts';

/** What a field can be given. Null is the number that means "missing". */
export type FieldValue = number | bigint | string | ArrayLike<number | bigint | null> | null | undefined;

const utf8 = new TextEncoder();

/** The untruncated payload of a message. Missing fields are 0; unknown ones and values out of range are errors. */
export function encodePayload(
  definition: MessageDefinition,
  values: Readonly<Record<string, FieldValue>>,
  extensions: boolean,
): Uint8Array {
  const payload = new Uint8Array(extensions ? definition.length : definition.baseLength);
  const view = new DataView(payload.buffer);
  let used = 0;
  for (const field of definition.fields) {
    const isGiven = Object.hasOwn(values, field.name);
    if (isGiven) used++;
    if (field.extension && !extensions) continue;
    const given = isGiven ? values[field.name] : undefined;
    const value = given === undefined ? field.constant : given;
    if (value !== undefined) encodeField(view, payload, `${definition.name}.${field.name}`, field, value);
  }
  if (used < Object.keys(values).length) refuseUnknown(definition, values);
  return payload;
}

function refuseUnknown({ name, fields }: MessageDefinition, values: Readonly<Record<string, FieldValue>>): never {
  const known = fields.map((field) => field.name);
  const unknown = Object.keys(values).find((key) => !known.includes(key));
  throw new RangeError(`message ${name} has no field ${unknown}: it has ${known.join(', ') || 'none'}`);
}

function encodeField(
  view: DataView,
  payload: Uint8Array,
  what: string,
  field: MessageField,
  value: Exclude<FieldValue, undefined>,
): void {
  const { type, count, offset } = field;
  if (type === 'text') {
    if (value !== null) payload.set(textBytes(what, count, value), offset);
    return;
  }
  if (typeof value === 'string') throw new TypeError(`${what} is a text, ${type} holds a number`);
  if (typeof value !== 'object') {
    if (count > 1) throw new TypeError(`${what} is ${value}, not an array of ${count}`);
    setNumber(view, offset, type, value, what);
    return;
  }
  const elements = value ?? new Array(field.invalidByFirst ? 1 : count).fill(null);
  if (count === 1 && value !== null) throw new TypeError(`${what} is an array, ${type} holds one number`);
  if (elements.length > count) throw new RangeError(`${what} has ${elements.length} elements, at most ${count} fit`);
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i] ?? missing(field, i);
    setNumber(view, offset + i * TYPE_BYTES[type], type, element, what);
  }
}

function missing({ invalid, invalidByElement }: MessageField, index: number): number | bigint {
  return invalidByElement?.[index] ?? invalid ?? 0;
}

function textBytes(what: string, count: number, value: Exclude<FieldValue, null | undefined>): Uint8Array {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw new TypeError(`${what} is not a text`);
  const bytes = typeof value === 'string' ? utf8.encode(value) : value;
  if (bytes.length > count) throw new RangeError(`${what} has ${bytes.length} bytes, at most ${count} fit`);
  return bytes;
}

function setNumber(view: DataView, at: number, type: FieldType, value: number | bigint, what: string): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new TypeError(`${what} is not a number`);
  const bounds = boundsOf(type);
  if (bounds) {
    const [least, most] = bounds;
    // comparing a number with a bigint is exact
    if (!(value >= least && value <= most))
      throw new RangeError(`${what} is ${value}, ${type} holds ${least} to ${most}`);
    if (typeof value === 'number' && !Number.isInteger(value))
      throw new RangeError(`${what} is ${value}, ${type} holds integers`);
  }
  if (type === 'float32' && Number.isFinite(Number(value)) && !Number.isFinite(Math.fround(Number(value))))
    throw new RangeError(`${what} is ${value}, float32 holds at most 3.4028234663852886e38`);
  storeAt(view, at, type, value);
}
