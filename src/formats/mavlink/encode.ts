import { X25_SEED, x25, x25Byte } from '../../core/checksum.ts';
import type { Dialect, MessageDefinition } from './dialect/definition.ts';
import type { Messages, SendValues } from './dialect/messages.ts';
import { CHECKSUM, HEADER_1, HEADER_2, MAGIC_1, MAGIC_2, SIGNATURE, SIGNED } from './header.ts';
import { encodePayload, type FieldValue } from './payload.ts';

export interface SenderOptions {
  readonly system: number;
  readonly component: number;
  /** Of the protocol; 2 by default. */
  readonly version?: 1 | 2 | undefined;
  /** Given a frame of version 2 that is marked as signed and has its checksum: returns it with its 13 bytes more. */
  readonly sign?: ((frame: Uint8Array) => Uint8Array) | undefined;
}

export interface EncodeOptions extends SenderOptions {
  /** Counts the frames of a sender, from 0 to 255 and again from 0. */
  readonly sequence: number;
}

/** A message as a frame. Version 2 cuts trailing zeros but the first byte; version 1 has no extensions, ids to 255. */
export function encodeMessage(
  definition: MessageDefinition,
  values: Readonly<Record<string, FieldValue>>,
  options: EncodeOptions,
): Uint8Array {
  const { version = 2, sequence, system, component } = options;
  needByte('sequence', sequence);
  needByte('system', system);
  needByte('component', component);
  if (version === 1) return encode1(definition, values, options);
  return encodeBytes(definition, encodePayload(definition, values, true), options);
}

/** A payload that is encoded already, whole or cut, as a frame of version 2. */
export function encodeBytes(
  definition: MessageDefinition,
  bytes: Uint8Array,
  { sequence, system, component, sign }: EncodeOptions,
): Uint8Array {
  const payload = truncated(bytes);
  const frame = new Uint8Array(HEADER_2 + payload.length + CHECKSUM);
  const { id } = definition;
  frame[0] = MAGIC_2;
  frame[1] = payload.length;
  frame[2] = sign ? SIGNED : 0;
  frame[4] = sequence;
  frame[5] = system;
  frame[6] = component;
  frame[7] = id;
  frame[8] = id >> 8;
  frame[9] = id >> 16;
  frame.set(payload, HEADER_2);
  setChecksum(frame, definition);
  return sign ? signed(frame, sign) : frame;
}

function encode1(
  definition: MessageDefinition,
  values: Readonly<Record<string, FieldValue>>,
  { sequence, system, component, sign }: EncodeOptions,
): Uint8Array {
  const { id, name } = definition;
  if (id > 255) throw new RangeError(`message ${name} has id ${id}, MAVLink 1 has no ids above 255`);
  if (sign) throw new TypeError(`message ${name} cannot be signed: MAVLink 1 has no signatures`);
  const payload = encodePayload(definition, values, false);
  const frame = new Uint8Array(HEADER_1 + payload.length + CHECKSUM);
  frame.set([MAGIC_1, payload.length, sequence, system, component, id]);
  frame.set(payload, HEADER_1);
  setChecksum(frame, definition);
  return frame;
}

function needByte(what: string, value: number): void {
  if (!Number.isInteger(value) || value < 0 || value > 255) throw new RangeError(`${what} is ${value}, not 0 to 255`);
}

function truncated(payload: Uint8Array): Uint8Array {
  let length = payload.length;
  while (length > 1 && payload[length - 1] === 0) length--;
  return payload.subarray(0, length);
}

function setChecksum(frame: Uint8Array, { crcExtra }: MessageDefinition): void {
  const end = frame.length - CHECKSUM;
  const sum = x25Byte(x25(frame, 1, end, X25_SEED), crcExtra);
  frame[end] = sum & 0xff;
  frame[end + 1] = sum >>> 8;
}

function signed(frame: Uint8Array, sign: (frame: Uint8Array) => Uint8Array): Uint8Array {
  const result = sign(frame);
  if (result.length !== frame.length + SIGNATURE)
    throw new RangeError(`signed frame has ${result.length} bytes, not ${frame.length + SIGNATURE}`);
  return result;
}

/** Makes the frames of one sender, each with the next number. */
export class Encoder<M = Messages> {
  private readonly dialect: string;
  private readonly options: SenderOptions;
  private readonly definitions = new Map<string, MessageDefinition>();
  private next = 0;

  constructor(dialect: Dialect, options: SenderOptions) {
    this.dialect = dialect.name;
    this.options = options;
    for (const definition of [...dialect.messages.values()].flat()) {
      if (!this.definitions.has(definition.name)) this.definitions.set(definition.name, definition);
    }
  }

  get sequence(): number {
    return this.next;
  }

  message<N extends keyof M & string>(name: N, values: SendValues<M[N]>): Uint8Array {
    const definition = this.definitions.get(name);
    if (!definition) throw new RangeError(`no message ${name} in dialect ${this.dialect}`);
    const fields = values as Readonly<Record<string, FieldValue>>;
    const frame = encodeMessage(definition, fields, { ...this.options, sequence: this.next });
    // a frame that could not be made has used no number
    this.next = (this.next + 1) & 0xff;
    return frame;
  }
}
