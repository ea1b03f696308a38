// MAVLink as plainly as it can be written: one frame at a time, the checksum by the bit, the fields by a DataView.
import type { MessageDefinition, MessageField } from '../../../src/formats/mavlink/dialect/definition.ts';

export type PlainValue = number | bigint | string | (number | bigint)[];

export interface PlainMessage {
  readonly version: 1 | 2;
  readonly sequence: number;
  readonly system: number;
  readonly component: number;
  readonly id: number;
  /** Of the payload as it was sent. */
  readonly length: number;
  readonly values: Record<string, PlainValue>;
}

const SIZES: Readonly<Record<string, number>> = {
  text: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
};

export function plainSum(bytes: Iterable<number>, seed = 0xffff): number {
  let sum = seed;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const carry = (sum ^ (byte >> bit)) & 1;
      sum = (sum >> 1) ^ (carry ? 0x8408 : 0);
    }
  }
  return sum;
}

/** The message of a frame, or a sentence about what is wrong with it. A signature behind it is not looked at. */
export function plainMessage(frame: Uint8Array, definition: MessageDefinition): PlainMessage | string {
  const version = frame[0] === 0xfd ? 2 : 1;
  if (version === 1 && frame[0] !== 0xfe) return `begins with ${frame[0]}`;
  const header = version === 2 ? 10 : 6;
  const length = frame[1];
  const end = header + length;
  const [sequence, system, component] = version === 2 ? frame.slice(4, 7) : frame.slice(2, 5);
  const id = version === 2 ? frame[7] + frame[8] * 256 + frame[9] * 65536 : frame[5];
  if (id !== definition.id) return `id ${id}, not ${definition.id}`;
  const sum = plainSum([...frame.slice(1, end), definition.crcExtra]);
  if (frame[end] !== (sum & 255) || frame[end + 1] !== sum >> 8) return `checksum is not ${sum}`;
  const payload = new Uint8Array(255);
  payload.set(frame.slice(header, end));
  const values: Record<string, PlainValue> = Object.create(null);
  let at = 0;
  for (const field of wireOrder(definition.fields)) {
    values[field.name] = plainValue(payload, at, field);
    at += SIZES[field.type] * field.count;
  }
  return { version, sequence, system, component, id, length, values };
}

function wireOrder(fields: readonly MessageField[]): MessageField[] {
  const base = fields.filter((field) => !field.extension);
  const sized = [8, 4, 2, 1].flatMap((size) => base.filter((field) => SIZES[field.type] === size));
  return [...sized, ...fields.filter((field) => field.extension)];
}

function plainValue(payload: Uint8Array, at: number, { type, count }: MessageField): PlainValue {
  if (type === 'text') {
    const bytes = payload.slice(at, at + count);
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(end < 0 ? bytes : bytes.slice(0, end));
  }
  const view = new DataView(payload.buffer);
  const elements = Array.from({ length: count }, (_, i) => plainElement(view, at, type, i));
  return count === 1 ? elements[0] : elements;
}

/** The ith element of an array that begins at `start`. */
export function plainElement(view: DataView, start: number, type: string, i: number): number | bigint {
  const at = start + i * SIZES[type];
  switch (type) {
    case 'int8':
      return view.getInt8(at);
    case 'uint8':
      return view.getUint8(at);
    case 'int16':
      return view.getInt16(at, true);
    case 'uint16':
      return view.getUint16(at, true);
    case 'int32':
      return view.getInt32(at, true);
    case 'uint32':
      return view.getUint32(at, true);
    case 'int64':
      return view.getBigInt64(at, true);
    case 'uint64':
      return view.getBigUint64(at, true);
    case 'float32':
      return view.getFloat32(at, true);
    default:
      return view.getFloat64(at, true);
  }
}
