import { type Schema, TYPE_BYTES } from '../core/schema.ts';
import type { Row } from '../core/table.ts';
import { HEADER_2, MAGIC_2, payloadAt } from '../formats/mavlink/header.ts';
import type { Component } from './component.ts';
import type { MessageSource } from './events.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { MessageKind } from './message-kind.ts';
import { meanDistance, type Pace } from './pace.ts';
import type { Rates } from './rates.ts';

/** Bytes beyond the first frame of a kind: zeros at the end are cut off, so that others are longer. */
const ROOM = 16;

/**
 * The latest of one message of one component: a copy of its frame, which is decoded when asked for. A message that
 * is never asked for costs a copy of a few dozen bytes.
 */
export class MessageSlot implements MessageSource {
  readonly kind: MessageKind;
  readonly component: Component;
  /** Its number among the rates. */
  readonly rate: number;
  private readonly rates: Rates;
  /** Where the latest was in the stream of its sender. */
  at = 0;
  /** The instance of the latest, where the message has any. */
  instance: number | undefined;
  /** Made when it is needed: most messages have none, and there are thousands of slots. */
  private instances: Map<number, Instance> | undefined;
  private frame: Uint8Array = NOTHING;
  /** Bytes of the latest frame. */
  size = 0;
  /** What was decoded last, and of which frame: they are numbered. */
  private row: Row | undefined;
  private serial = 0;
  private decoded = -1;

  constructor(kind: MessageKind, component: Component, rates: Rates) {
    this.kind = kind;
    this.component = component;
    this.rates = rates;
    this.rate = rates.add();
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

  /** Takes a frame in `bytes`; the bytes are copied. */
  take(bytes: Uint8Array, start: number, size: number, time: number, at: number): void {
    if (this.frame.length < size) this.frame = new Uint8Array(size + ROOM);
    const { frame } = this;
    // a few dozen bytes: a loop is quicker than making a view to copy from
    for (let i = 0; i < size; i++) frame[i] = bytes[start + i];
    if (this.kind.isSecret) frame.fill(0xff, HEADER_2);
    this.size = size;
    this.at = at;
    this.serial++;
    this.rates.hit(this.rate, time);
    if (this.kind.hasInstances) this.keepInstance(time);
  }

  private keepInstance(time: number): void {
    const instance = payloadByte(this.frame, this.kind.instancePlace);
    this.instance = instance;
    this.instances ??= new Map();
    let kept = this.instances.get(instance);
    if (!kept) {
      // the first one makes room, and comes back with its next message
      if (this.instances.size >= LIVE_LIMITS.instances) this.instances.delete([...this.instances.keys()][0]);
      kept = { frame: NOTHING, count: 0, time: Number.NaN, interval: Number.NaN };
      this.instances.set(instance, kept);
    }
    if (kept.frame.length !== this.size) kept.frame = new Uint8Array(this.size);
    kept.frame.set(this.frame.subarray(0, this.size));
    if (kept.count > 0) kept.interval = meanDistance(kept.interval, Math.max(0, time - kept.time), kept.count);
    kept.count++;
    kept.time = time;
  }

  /** The number of the latest frame. */
  get sequence(): number {
    return frameNumber(this.frame, 0);
  }

  /** The latest frame, as a copy. */
  get bytes(): Uint8Array {
    return this.frame.slice(0, this.size);
  }

  /** The payload of the latest frame, without the zeros that were cut off; it holds until the next one comes. */
  get payload(): Uint8Array {
    const head = payloadAt(this.frame, 0);
    return this.frame.subarray(head, Math.min(this.size, head + this.frame[1]));
  }

  copyTo(target: Uint8Array, at: number): void {
    for (let i = 0; i < this.size; i++) target[at + i] = this.frame[i];
  }

  decode(frame: Uint8Array): Row {
    return this.kind.decode(frame);
  }

  /** The fields of the latest frame. Values that the protocol marks as invalid are null. */
  get data(): Row {
    if (this.row === undefined || this.decoded !== this.serial) {
      this.row = this.decode(this.frame);
      this.decoded = this.serial;
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
    return sorted.map(([instance, kept]) => ({ instance, row: this.decode(kept.frame), pace: kept }));
  }
}

/** The latest frame of one instance, and how many came. */
interface Instance {
  frame: Uint8Array;
  count: number;
  time: number;
  interval: number;
}

const NOTHING: Uint8Array = new Uint8Array(0);

/** A byte of the payload of a frame that begins the bytes; what is cut off is zero. */
function payloadByte(frame: Uint8Array, place: number): number {
  return place < frame[1] ? frame[payloadAt(frame, 0) + place] : 0;
}

/** The sequence number of a frame at `start`. */
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
  for (let i = 0; i < bytes.length; i++) bytes[i] = payloadByte(frame, field.offset + i);
  return bytes;
}
