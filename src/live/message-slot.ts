import { LIVE_LIMITS } from '../core/limits.ts';
import { type Schema, TYPE_BYTES } from '../core/schema.ts';
import type { Row } from '../core/table.ts';
import { HEADER_1, HEADER_2, MAGIC_2 } from '../formats/mavlink/header.ts';
import type { Component } from './component.ts';
import type { MessageSource } from './events.ts';
import type { MessageKind } from './message-kind.ts';

/** Bytes beyond the first frame of a kind: zeros at the end are cut off, so that others are longer. */
const ROOM = 16;

/**
 * The latest of one message of one component: a copy of its frame, which is decoded when somebody asks. A message that
 * nobody asks for costs a copy of a few dozen bytes.
 */
export class MessageSlot implements MessageSource {
  readonly kind: MessageKind;
  readonly component: Component;
  /** Its number among the rates. */
  readonly rate: number;
  /** When the latest came, and where it stood in the stream of its sender. */
  time: number = Number.NaN;
  at = 0;
  /** The instance of the latest, where the message has any. */
  instance: number | undefined;
  /** Made when it is needed: most messages have none, and there are thousands of slots. */
  private instances: Map<number, Uint8Array> | undefined;
  private frame: Uint8Array = NOTHING;
  /** Bytes of the latest frame. */
  size = 0;
  /** What was decoded last, and of which frame: they are numbered. */
  private row: Row | undefined;
  private serial = 0;
  private decoded = -1;

  constructor(kind: MessageKind, component: Component, rate: number) {
    this.kind = kind;
    this.component = component;
    this.rate = rate;
  }

  get name(): string {
    return this.kind.schema.name;
  }

  get schema(): Schema {
    return this.kind.schema;
  }

  /** Takes a frame that stands in `bytes`; the bytes are copied. */
  take(bytes: Uint8Array, start: number, size: number, time: number, at: number): void {
    if (this.frame.length < size) this.frame = new Uint8Array(size + ROOM);
    const { frame } = this;
    // a few dozen bytes: a loop is quicker than making a view to copy from
    for (let i = 0; i < size; i++) frame[i] = bytes[start + i];
    if (this.kind.isSecret) frame.fill(0xff, HEADER_2);
    this.size = size;
    this.time = time;
    this.at = at;
    this.serial++;
    if (this.kind.hasInstances) this.keepInstance();
  }

  private keepInstance(): void {
    const instance = payloadByte(this.frame, this.kind.instancePlace);
    this.instance = instance;
    this.instances ??= new Map();
    const kept = this.instances.get(instance);
    if (!kept && this.instances.size >= LIVE_LIMITS.instances) return;
    if (kept && kept.length === this.size) kept.set(this.frame.subarray(0, this.size));
    else this.instances.set(instance, this.frame.slice(0, this.size));
  }

  /** The latest frame, as a copy. */
  get bytes(): Uint8Array {
    return this.frame.slice(0, this.size);
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
    const sorted = [...(this.instances ?? [])].sort(([a], [b]) => a - b);
    return new Map(sorted.map(([instance, frame]) => [instance, this.decode(frame)]));
  }
}

const NOTHING: Uint8Array = new Uint8Array(0);

/** A byte of the payload of a frame that begins the bytes; what is cut off is zero. */
function payloadByte(frame: Uint8Array, place: number): number {
  const head = frame[0] === MAGIC_2 ? HEADER_2 : HEADER_1;
  return place < frame[1] ? frame[head + place] : 0;
}

/** Four bytes of the payload of a frame at `start`; what is cut off is zero. */
export function payloadWord(bytes: Uint8Array, start: number, place: number): number {
  const at = start + (bytes[start] === MAGIC_2 ? HEADER_2 : HEADER_1) + place;
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
