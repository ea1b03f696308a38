import { Column } from '../core/column.ts';
import type { RecordBatch, Sink } from '../core/decoder.ts';
import { type Field, type Schema, TYPE_BYTES } from '../core/schema.ts';
import { type Row, rowOf } from '../core/table.ts';
import { words } from '../core/text.ts';
import type { MavlinkDecoder } from '../formats/mavlink/frame.ts';
import { frameSize, HEADER_2, Header, LONGEST_FRAME, MAGIC_2, payloadAt } from '../formats/mavlink/header.ts';
import { frameDecoder, type MavlinkOptions } from '../formats/mavlink/options.ts';
import type { MessageEvent, MessageSource } from './events.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { Pace, Rates } from './rates.ts';
import { HIGH_LATENCY } from './state.ts';
import type { Component } from './system.ts';

/** The field with the time since boot. */
const BOOT_FIELD = 'time_boot_ms';
const NOWHERE = -1;
/** Carries a key in the clear, which is not kept. */
const SECRET = 'SETUP_SIGNING';
/** Messages that are more than the latest of their kind. */
const TELLING: ReadonlySet<string> = new Set([
  ...words(
    'HEARTBEAT GLOBAL_POSITION_INT STATUSTEXT COMMAND_ACK AVAILABLE_MODES AUTOPILOT_VERSION RADIO_STATUS EVENT ' +
      'COMPONENT_METADATA FILE_TRANSFER_PROTOCOL LOG_ENTRY LOG_DATA TIMESYNC',
  ),
  HIGH_LATENCY,
]);
const FIRST: Int32Array = Int32Array.of(0);

/**
 * Messages that begin with a time and what no other vehicle has just then, and with how many bytes: a vehicle sends none of
 * them twice on a link.
 */
const UNIQUE: ReadonlyMap<string, number> = new Map([
  ['TIMESYNC', 16],
  ['ATTITUDE', 16],
  ['ATTITUDE_QUATERNION', 20],
]);

/** What all messages of a kind have in common, found once: hundreds of vehicles send the same kinds. */
export class MessageKind {
  readonly schema: Schema;
  /** Whether its content is looked at when it comes. */
  readonly isTelling: boolean;
  readonly isSecret: boolean;
  /** Offsets in the payload of the time since boot and of the instance number; below 0 if it has none. */
  readonly bootPlace: number;
  readonly instancePlace: number;
  readonly hasInstances: boolean;
  /** Bytes at its beginning that no other vehicle sends; 0 if there are none. */
  readonly uniqueBytes: number;
  private columns: readonly Column[] | undefined;

  constructor(schema: Schema) {
    this.schema = schema;
    this.isTelling = TELLING.has(schema.name);
    this.isSecret = schema.name === SECRET;
    this.uniqueBytes = UNIQUE.get(schema.name) ?? 0;
    const boot = schema.fields.find((field) => field.name === BOOT_FIELD && field.type === 'uint32');
    this.bootPlace = boot?.offset ?? NOWHERE;
    const instance: Field | undefined = schema.fields[schema.instance];
    const isByte = instance !== undefined && TYPE_BYTES[instance.type] === 1 && instance.count === 1;
    this.instancePlace = isByte ? instance.offset : NOWHERE;
    this.hasInstances = isByte;
  }

  /** The fields of a frame that begins the bytes. Values that the protocol marks as invalid are null. */
  decode(frame: Uint8Array): Row {
    this.columns ??= this.schema.fields.map((field) => new Column(field, 1));
    this.schema.codec.read(frame, FIRST, 1, this.columns, 0);
    return rowOf(this.columns, 0);
  }
}

/** The latest frame of each slot and instance, side by side: thousands of small arrays cost more than the bytes in them. */
export class LatestFrames {
  bytes: Uint8Array = new Uint8Array(64 * LONGEST_FRAME);

  /** Where a frame is, by the number of its slot or instance among the rates. */
  placeOf(number: number): number {
    const place = number * LONGEST_FRAME;
    while (place >= this.bytes.length) {
      const longer = new Uint8Array(2 * this.bytes.length);
      longer.set(this.bytes);
      this.bytes = longer;
    }
    return place;
  }

  copyOf(number: number): Uint8Array {
    const place = number * LONGEST_FRAME;
    return this.bytes.slice(place, place + frameSize(this.bytes, place));
  }
}

/** The latest of one message of one component: a copy of its frame, decoded on demand. */
export class MessageSlot implements MessageSource {
  readonly kind: MessageKind;
  readonly component: Component;
  /** Its number among the rates. */
  readonly rate: number;
  private readonly frames: LatestFrames;
  /** Where its frame is among all of them. */
  private readonly place: number;
  private readonly rates: Rates;
  /** Where the latest was in the stream of its sender. */
  at = 0;
  /** The instance of the latest; -1 for a message that has none. */
  private lastInstance = -1;
  /** Numbers among the rates by instance. Most messages have none, and there are thousands of slots. */
  private readonly instances: Map<number, number> | undefined;
  /** What was decoded last, and of which frame. */
  private row: Row | undefined;
  private decoded: number = Number.NaN;

  constructor(kind: MessageKind, component: Component, rates: Rates, frames: LatestFrames) {
    this.kind = kind;
    this.component = component;
    this.rates = rates;
    this.frames = frames;
    this.rate = rates.add();
    this.place = frames.placeOf(this.rate);
    this.instances = kind.hasInstances ? new Map() : undefined;
  }

  /** When the latest came. */
  get time(): number {
    return this.rates.last(this.rate);
  }

  /** The same, and how far apart they come. */
  get pace(): Pace {
    return this.rates.pace(this.rate);
  }

  get name(): string {
    return this.kind.schema.name;
  }

  get schema(): Schema {
    return this.kind.schema;
  }

  /** The instance of the latest, where the message has any. */
  get instance(): number | undefined {
    return this.lastInstance < 0 ? undefined : this.lastInstance;
  }

  /** How many frames came. */
  get serial(): number {
    return this.rates.count(this.rate);
  }

  /** A frame in `bytes`, which is copied. */
  push(bytes: Uint8Array, start: number, size: number, time: number, at: number): void {
    const { place, kind } = this;
    const frame = this.frames.bytes;
    // a few dozen bytes: a loop is quicker than making a view to copy from
    for (let i = 0; i < size; i++) frame[place + i] = bytes[start + i];
    if (kind.isSecret) frame.fill(0xff, place + HEADER_2, place + size);
    this.at = at;
    this.rates.hit(this.rate, time);
    if (this.instances) this.keepInstance(this.instances, time);
  }

  private keepInstance(instances: Map<number, number>, time: number): void {
    const { rates, frames } = this;
    const instance = payloadByte(frames.bytes, this.place, this.kind.instancePlace);
    this.lastInstance = instance;
    let number = instances.get(instance);
    if (number === undefined) {
      // the first one makes room, and comes back with its next message
      if (instances.size >= LIVE_LIMITS.instances) {
        const [[first, its]] = instances;
        rates.remove(its);
        instances.delete(first);
      }
      number = rates.add();
      instances.set(instance, number);
    }
    const place = frames.placeOf(number);
    this.copyTo(frames.bytes, place);
    rates.hit(number, time);
  }

  /** It is of no use any more. */
  release(): void {
    this.rates.remove(this.rate);
    for (const number of this.instances?.values() ?? []) this.rates.remove(number);
  }

  /** The number of the latest frame. */
  get sequence(): number {
    return frameNumber(this.frames.bytes, this.place);
  }

  /** Bytes of the latest frame. */
  get size(): number {
    return frameSize(this.frames.bytes, this.place);
  }

  /** The latest frame, as a copy. */
  get bytes(): Uint8Array {
    return this.frames.copyOf(this.rate);
  }

  /** The payload of the latest frame, without the zeros that were cut off; it holds until the next one comes. */
  get payload(): Uint8Array {
    const { bytes } = this.frames;
    const head = payloadAt(bytes, this.place);
    return bytes.subarray(head, head + bytes[this.place + 1]);
  }

  copyTo(target: Uint8Array, at: number): void {
    const { size, place } = this;
    const { bytes } = this.frames;
    for (let i = 0; i < size; i++) target[at + i] = bytes[place + i];
  }

  decode(frame: Uint8Array): Row {
    return this.kind.decode(frame);
  }

  /** The fields of the latest frame. Values that the protocol marks as invalid are null. */
  get data(): Row {
    const { serial } = this;
    if (this.row === undefined || this.decoded !== serial) {
      this.row = this.decode(this.bytes);
      this.decoded = serial;
    }
    return this.row;
  }

  /** The fields of the latest frame of each instance, in the order of their numbers. */
  byInstance(): Map<number, Row> {
    return new Map(this.eachInstance().map(({ instance, row }) => [instance, row]));
  }

  /** The same, with when they came and how far apart they come. */
  eachInstance(): { readonly instance: number; readonly row: Row; readonly pace: Pace }[] {
    const sorted = [...(this.instances ?? [])].sort(([a], [b]) => a - b);
    return sorted.map(([instance, number]) => ({
      instance,
      row: this.decode(this.frames.copyOf(number)),
      pace: this.rates.pace(number),
    }));
  }
}

/** A byte of the payload of a frame at `start`; what is cut off is zero. */
function payloadByte(bytes: Uint8Array, start: number, place: number): number {
  const at = payloadAt(bytes, start) + place;
  return place < bytes[start + 1] ? bytes[at] : 0;
}

export function frameNumber(bytes: Uint8Array, start: number): number {
  return bytes[start + (bytes[start] === MAGIC_2 ? 4 : 2)];
}

/** Four bytes of the payload of a frame at `start`; what is cut off is zero. */
export function payloadWord(bytes: Uint8Array, start: number, place: number): number {
  const at = payloadAt(bytes, start) + place;
  const left = bytes[start + 1] - place;
  let word = 0;
  for (let i = 0; i < 4 && i < left; i++) word |= bytes[at + i] << (8 * i);
  return word >>> 0;
}

/** The bytes of a field of the latest frame; what is cut off is zero. */
export function payloadField(slot: MessageSlot, name: string): Uint8Array {
  const field = slot.schema.fields.find((each) => each.name === name);
  if (!field) return new Uint8Array(0);
  const frame = slot.bytes;
  const bytes = new Uint8Array(field.count * TYPE_BYTES[field.type]);
  for (let i = 0; i < bytes.length; i++) bytes[i] = payloadByte(frame, 0, field.offset + i);
  return bytes;
}

/** A message as its slot has it now. */
export class ReceivedMessage implements MessageEvent {
  readonly type = 'message';
  readonly vehicle: string | null;
  readonly time: number;
  readonly source: MessageSlot;

  constructor(slot: MessageSlot, vehicle: string | null, time: number) {
    this.source = slot;
    this.vehicle = vehicle;
    this.time = time;
  }

  get name(): string {
    return this.source.name;
  }

  get link(): string {
    return this.source.component.system.link;
  }

  get system(): number {
    return this.source.component.system.id;
  }

  get component(): number {
    return this.source.component.id;
  }

  get instance(): number | undefined {
    return this.source.instance;
  }

  get bytes(): Uint8Array {
    return this.source.bytes;
  }

  get data(): Row {
    return this.source.data;
  }

  keep(): MessageEvent {
    const { type, vehicle, time, name, link, system, component, instance, bytes, source } = this;
    let row: Row | undefined;
    return {
      ...{ type, vehicle, time, name, link, system, component, instance, bytes, source },
      get data(): Row {
        row ??= source.decode(bytes);
        return row;
      },
      keep() {
        return this;
      },
    };
  }
}

export interface ReadMessage {
  readonly name: string;
  readonly id: number;
  readonly system: number;
  readonly component: number;
  /** Of the protocol. */
  readonly version: number;
  readonly data: Row;
}

/** Decodes chosen messages one by one as their bytes come: for what is rare, such as requests. */
export class MessageReader implements Sink {
  private readonly decoder: MavlinkDecoder;
  private readonly header = new Header();
  private readonly columns: (readonly Column[] | undefined)[] = [];
  private readonly schemas: Schema[] = [];
  private readonly start = new Int32Array(1);
  private readonly wants: (name: string) => boolean;
  private readonly found: (message: ReadMessage) => void;

  constructor(wants: (name: string) => boolean, found: (message: ReadMessage) => void, options: MavlinkOptions = {}) {
    this.wants = wants;
    this.found = found;
    this.decoder = frameDecoder(this, options);
  }

  push(bytes: Uint8Array): void {
    this.decoder.push(bytes);
  }

  /** No more bytes will come: what is unfinished is decided. */
  end(): void {
    this.decoder.end();
  }

  table(id: number, schema: Schema): void {
    this.schemas[id] = schema;
    this.columns[id] = this.wants(schema.name) ? schema.fields.map((field) => new Column(field, 1)) : undefined;
  }

  records({ bytes, count, table, start }: RecordBatch): void {
    for (let i = 0; i < count; i++) {
      const columns = this.columns[table[i]];
      if (!columns) continue;
      const { codec, name } = this.schemas[table[i]];
      this.start[0] = start[i];
      codec.read(bytes, this.start, 1, columns, 0);
      this.header.read(bytes, start[i]);
      const { id, system, component, version } = this.header;
      this.found({ name, id, system, component, version, data: rowOf(columns, 0) });
    }
  }

  fault(): void {}
}
