import { boundsOf, storeAt } from '../../core/codec.ts';
import type { Value } from '../../core/column.ts';
import { type FieldType, TYPE_BYTES } from '../../core/schema.ts';
import { PVT_PARTS, SATELLITE_FIELDS, SATELLITE_PARTS, UTC_PARTS } from './gnss.ts';
import { EXTENDED, INVERTED_SUM, MASTER, MOST_DATA, PREAMBLE, PROTOCOL_SUM, STANDARD_DATA, sumOf } from './header.ts';
import { FIXED_ITEMS, REAL_ITEMS } from './items.ts';
import { type FieldSpec, part, sizeOf } from './layout.ts';
import { BAUD_RATES, MESSAGES, MT_DATA_2 } from './messages.ts';
import { itemName, type LocalFrame, type NumberFormat, xdiOf } from './schema.ts';
import { statusParts } from './status.ts';

export interface XbusFrameOptions {
  /** The device on the bus; the master by default. */
  readonly bus?: number | undefined;
  /** By which rule the checksum is made: that of the protocol, or 0xff minus the sum, as some senders do. */
  readonly checksum?: 'protocol' | 'inverted' | undefined;
}

/** An item to be sent, by name or XDI. */
export interface XbusOutgoingItem {
  readonly item: string | number;
  /** How reals are written, and the local frame that they are in: for items that are given by name. */
  readonly format?: NumberFormat | undefined;
  readonly frame?: LocalFrame | undefined;
  /** Fields by name, or the data as they are. */
  readonly data: Values | Uint8Array;
}

export function encodeXbusFrame(message: number, data: ArrayLike<number>, options: XbusFrameOptions = {}): Uint8Array {
  const { bus = MASTER, checksum = 'protocol' } = options;
  const { length } = data;
  if (length > MOST_DATA) throw new RangeError(`frame has ${length} bytes of data, at most ${MOST_DATA} fit`);
  const head = length > STANDARD_DATA ? [EXTENDED, length >> 8, length & 0xff] : [length];
  const frame = new Uint8Array(3 + head.length + length + 1);
  frame.set([PREAMBLE, bus, message, ...head]);
  frame.set(data, 3 + head.length);
  const total = checksum === 'protocol' ? PROTOCOL_SUM : INVERTED_SUM;
  frame[frame.length - 1] = total - sumOf(frame, 1, frame.length - 1);
  return frame;
}

/** A data message from its items. */
export function encodeXbusPacket(items: readonly XbusOutgoingItem[], options: XbusFrameOptions = {}): Uint8Array {
  const data: number[] = [];
  for (const each of items) {
    const xdi = typeof each.item === 'number' ? each.item : xdiOf(each.item, each.format, each.frame);
    const bytes = each.data instanceof Uint8Array ? each.data : itemData(xdi, each.data);
    if (bytes.length > 255) throw new RangeError(`item ${itemName(xdi)} has ${bytes.length} bytes, at most 255 fit`);
    data.push(xdi >> 8, xdi & 0xff, bytes.length, ...bytes);
  }
  return encodeXbusFrame(MT_DATA_2, data, options);
}

function itemData(xdi: number, values: Values): Uint8Array {
  const code = xdi & 0xfff0;
  const real = REAL_ITEMS.get(code);
  if (real) {
    const numbers = real.fields.map((field) => Number(values[field] ?? Number.NaN));
    return writeReals(numbers, xdi & 3);
  }
  if (values.data instanceof Uint8Array) return values.data;
  if (itemName(code) === 'GnssSatInfo') return satelliteData(values);
  const layout = layoutOf(code, values);
  if (!layout) throw new RangeError(`item ${itemName(xdi)} has no fields ${Object.keys(values).join(', ')}`);
  return writeParts(layout, values);
}

function layoutOf(code: number, values: Values): readonly FieldSpec[] | undefined {
  switch (itemName(code)) {
    case 'UtcTime':
      return UTC_PARTS;
    case 'GnssPvtData':
      return PVT_PARTS;
    case 'StatusByte':
      return statusParts(1).slice(0, 1);
    case 'StatusWord':
      return statusParts(4).slice(0, 1);
    default:
      return fitting(FIXED_ITEMS.get(code)?.layouts ?? [], values);
  }
}

/** As many satellites as `numSVs` says, from one list for each of their fields. */
function satelliteData(values: Values): Uint8Array {
  const count = Number(values.numSVs ?? 0);
  const head = writeParts(SATELLITE_PARTS, values);
  const entry = SATELLITE_FIELDS.map((name) => part(name, 'uint8'));
  const lists = SATELLITE_FIELDS.map((name): [string, readonly unknown[]] => [
    name,
    listOf(values[name]).slice(0, count),
  ]);
  return Uint8Array.from([...head, ...entryData(entry, Object.fromEntries(lists) as Values)]);
}

/** A message by its name from its fields, such as a command that sets up a device. */
export function encodeXbusMessage(name: string, values: Values = {}, options: XbusFrameOptions = {}): Uint8Array {
  const [id, message] = [...MESSAGES].find(([, each]) => each.name === name) ?? [];
  if (id === undefined || !message) throw new RangeError(`unknown message ${name}`);
  const { data, text } = values;
  if (data instanceof Uint8Array) return encodeXbusFrame(id, data, options);
  if (typeof text === 'string' && message.text !== undefined)
    return encodeXbusFrame(id, new TextEncoder().encode(text), options);
  const { entry } = message;
  if (entry) return encodeXbusFrame(id, entryData(entry, values), options);
  const layout = fitting(message.layouts, values);
  if (!layout) throw new RangeError(`message ${name} has no fields ${Object.keys(values).join(', ')}`);
  return encodeXbusFrame(id, writeParts(layout, values), options);
}

/** The shortest layout whose fields are just those that have a value, and that has room for them. */
function fitting(layouts: readonly (readonly FieldSpec[])[], values: Values): readonly FieldSpec[] | undefined {
  const given = Object.keys(values).sort().join();
  const fits = (layout: readonly FieldSpec[]): boolean => {
    const names = layout.filter(({ type }) => type !== 'skip').map(({ name }) => name);
    return names.sort().join() === given;
  };
  const found = layouts.filter(fits).sort((a, b) => sizeOf(a) - sizeOf(b));
  return found.find((layout) => hasRoom(layout, values)) ?? found[0];
}

/** Whether all values of a layout have room in it: a device id may have 32 bits or 64. */
function hasRoom(layout: readonly FieldSpec[], values: Values): boolean {
  return layout.every(({ name, type, count = 1 }) => {
    const value = values[name];
    if (value instanceof Uint8Array) return value.length <= count;
    if (typeof value !== 'number' && typeof value !== 'bigint') return true;
    return type === 'skip' || !type.startsWith('uint') || value < 2 ** (8 * TYPE_BYTES[type]);
  });
}

function listOf(value: Values[string] | undefined): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** Entries one after the other, from one list for each field; one number is a list of one. */
function entryData(entry: readonly FieldSpec[], values: Values): Uint8Array {
  const count = Math.max(...entry.map(({ name }) => listOf(values[name]).length));
  const size = sizeOf(entry);
  const data = new Uint8Array(count * size);
  for (let k = 0; k < count; k++) {
    const row = Object.fromEntries(entry.map(({ name }) => [name, listOf(values[name])[k] ?? null])) as Values;
    data.set(writeParts(entry, row), k * size);
  }
  return data;
}

/** The rate of items that come with every packet. */
const EVERY_PACKET = 0xffff;

/** What a device is to send: items by name, each with its rate in Hz; without a rate it comes with every packet. */
export interface XbusOutput {
  readonly item: string | number;
  readonly format?: NumberFormat | undefined;
  readonly frame?: LocalFrame | undefined;
  readonly frequency?: number | undefined;
}

/** The command that configures what a device sends. */
export function encodeXbusOutputConfiguration(
  outputs: readonly XbusOutput[],
  options: XbusFrameOptions = {},
): Uint8Array {
  const xdi = outputs.map(({ item, format, frame }) => (typeof item === 'number' ? item : xdiOf(item, format, frame)));
  const frequency = outputs.map((output) => output.frequency ?? EVERY_PACKET);
  return encodeXbusMessage('OutputConfiguration', { xdi, frequency }, options);
}

/** The command that sets the baud rate of a device. */
export function encodeXbusBaudrate(rate: number, options: XbusFrameOptions = {}): Uint8Array {
  const id = [...BAUD_RATES].find(([, each]) => each === rate)?.[0];
  if (id === undefined) {
    const known = [...new Set(BAUD_RATES.values())].join(', ');
    throw new RangeError(`baud rate ${rate}: must be one of ${known}`);
  }
  return encodeXbusMessage('Baudrate', { rate: id }, options);
}

/** Values of fields by name; what is left out or null is what means "missing", or 0. */
export type Values = Readonly<Record<string, Value | readonly string[]>>;

const encoder = new TextEncoder();
const FRACTIONS = 2 ** 32;

function writeParts(all: readonly FieldSpec[], values: Values): Uint8Array {
  const bytes = new Uint8Array(sizeOf(all));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const each of all) {
    if (each.type !== 'skip') writePart(bytes, view, at, each, values[each.name] ?? each.invalid ?? 0);
    at += sizeOf([each]);
  }
  return bytes;
}

function writePart(bytes: Uint8Array, view: DataView, at: number, each: FieldSpec, value: Values[string]): void {
  const { name, type, count = 1, divisor = 1, invalid } = each;
  if (type === 'text' || type === 'bytes') {
    const content = value instanceof Uint8Array ? value : encoder.encode(value === 0 ? '' : String(value));
    if (content.length > count) throw new RangeError(`field ${name} has ${content.length} bytes, at most ${count} fit`);
    bytes.set(content, at);
    return;
  }
  const elements = (Array.isArray(value) ? value : [value]) as readonly (number | bigint | null)[];
  if (elements.length !== count) throw new RangeError(`field ${name} has ${elements.length} values, expected ${count}`);
  elements.forEach((element, k) => {
    const stored = scaled(element ?? invalid ?? 0, divisor, invalid);
    if (type !== 'skip') writeNumber(view, at + k * TYPE_BYTES[type], type, stored, name);
  });
}

/** The number that is stored; the one that means "missing" is kept. */
function scaled(value: number | bigint, divisor: number, invalid: number | undefined): number | bigint {
  if (typeof value === 'bigint' || divisor === 1 || value === invalid) return value;
  return Math.round(value * divisor);
}

/** Writes one number; one that does not fit is a mistake of the caller. */
function writeNumber(view: DataView, at: number, type: FieldType, value: number | bigint, name: string): void {
  const bounds = boundsOf(type);
  if (bounds && typeof value === 'number' && !Number.isInteger(value))
    throw new RangeError(`field ${name} is ${value}, not an integer`);
  if (bounds && !(value >= bounds[0] && value <= bounds[1]))
    throw new RangeError(`field ${name} is ${value}, not ${bounds[0]} to ${bounds[1]}`);
  storeAt(view, at, type, value, false);
}

function writeReals(values: readonly number[], format: number): Uint8Array {
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
