import type { RecordBatch, Sink, StreamStatistics } from '../core/decoder.ts';
import type { Fault } from '../core/fault.ts';
import type { Schema } from '../core/schema.ts';
import type { FrameDecoder } from '../formats/mavlink/frame.ts';
import { frameDecoder, type MavlinkOptions } from '../formats/mavlink/options.ts';
import type { MessageSlot } from './message-slot.ts';

/** Who takes what a peer's decoder finds. */
export interface PeerOwner {
  /** The slot for messages of a sender, or undefined where senders are not told apart or no more are kept. */
  slot(schema: Schema, stream: string): MessageSlot | undefined;
  message(slot: MessageSlot, bytes: Uint8Array, start: number, size: number, at: number): void;
  /** A message that has no slot. */
  stray(schema: Schema, bytes: Uint8Array, start: number, size: number, at: number): void;
  fault(fault: Fault): void;
}

/** One sender on a link: what it sends is a stream of its own, wherever datagrams begin and end. */
export class Peer implements Sink {
  /** When bytes came last, and how many messages were in them all. */
  lastTime: number = Number.NaN;
  messages = 0;
  private readonly owner: PeerOwner;
  private readonly decoder: FrameDecoder;
  private readonly slots: (MessageSlot | undefined)[] = [];
  private readonly schemas: Schema[] = [];

  constructor(owner: PeerOwner, options: MavlinkOptions) {
    this.owner = owner;
    this.decoder = frameDecoder(this, options);
  }

  push(bytes: Uint8Array, time: number): void {
    this.lastTime = time;
    this.decoder.push(bytes);
  }

  /** Received and lost by sender. */
  streams(): StreamStatistics[] {
    return this.decoder.streams();
  }

  table(id: number, schema: Schema, stream: string): void {
    this.slots[id] = this.owner.slot(schema, stream);
    this.schemas[id] = schema;
  }

  records({ bytes, base, count, table, start, size }: RecordBatch): void {
    const { owner, slots } = this;
    this.messages += count;
    for (let i = 0; i < count; i++) {
      const slot = slots[table[i]];
      if (slot) owner.message(slot, bytes, start[i], size[i], base + start[i]);
      else owner.stray(this.schemas[table[i]], bytes, start[i], size[i], base + start[i]);
    }
  }

  fault(fault: Fault): void {
    this.owner.fault(fault);
  }
}
