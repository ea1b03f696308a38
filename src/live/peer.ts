import type { RecordBatch, Sink, Skipped, StreamStatistics } from '../core/decoder.ts';
import type { Fault } from '../core/fault.ts';
import type { Schema } from '../core/schema.ts';
import { isUnknownSchema } from '../formats/mavlink/dialect/schema.ts';
import type { FrameDecoder } from '../formats/mavlink/frame.ts';
import { frameDecoder, type MavlinkOptions } from '../formats/mavlink/options.ts';
import { KeyFilter } from './frame-splitter.ts';
import type { LiveLink } from './live-link.ts';
import type { MessageSlot } from './message-slot.ts';
import type { System } from './system.ts';

/** The stream of all senders that are more than a decoder tells apart. */
const OTHERS = 'others';

/** A decoder of a link: of one sender, whose frames may go on in its next datagram, or of all that send whole ones. */
export class Peer implements Sink {
  /** The sender, '' for several. */
  readonly address: string;
  /** By their ids: systems whose ids another sender had before. */
  readonly systems: (System | undefined)[] = [];
  /** When bytes came last, and how many messages were in them all. */
  lastTime: number = Number.NaN;
  messages = 0;
  /** Whether there were more senders than it tells apart. */
  isFull = false;
  private readonly link: LiveLink;
  /** Who sent its last bytes. */
  private from = '';
  private readonly decoder: FrameDecoder;
  /** For a sink that gets all bytes: it gets them from here, so that each is looked at once. */
  private readonly filter: KeyFilter | undefined;
  readonly skipped?: NonNullable<Sink['skipped']>;
  private readonly isSure: boolean[] = [];
  private readonly schemas: Schema[] = [];
  private readonly streamOf: string[] = [];
  private slots: (MessageSlot | undefined)[] = [];
  private readonly keepsSlots: boolean;

  /** @param keepsSlots whether the ids of a frame are enough to know its sender */
  constructor(link: LiveLink, address: string, options: MavlinkOptions, keepsSlots = true) {
    this.link = link;
    this.address = address;
    this.keepsSlots = keepsSlots;
    const { sink } = link;
    if (sink) {
      const filter = new KeyFilter({
        frame: (bytes, header, isSure) => sink.frame(link.name, this.from, bytes, header, isSure, this.lastTime),
        rest: (bytes) => sink.rest(link.name, this.from, bytes, this.lastTime),
        secret: () => sink.secret(link.name),
      });
      this.filter = filter;
      this.skipped = (bytes: Uint8Array, from: number, to: number, what: Skipped) =>
        filter.skipped(bytes, from, to, what);
    }
    this.decoder = frameDecoder(this, options);
  }

  /** A message of it was found by another decoder. */
  meet(time: number): void {
    this.lastTime = time;
    this.messages++;
  }

  /** @param isDatagram whether the bytes end where the sender ended them, not anywhere */
  push(bytes: Uint8Array, time: number, isDatagram: boolean): void {
    this.from = this.link.from;
    this.lastTime = time;
    this.decoder.push(bytes);
    this.decoder.settle(isDatagram ? undefined : time);
  }

  /** Time goes by: frames are held back by what is unfinished for a moment only. */
  tick(time: number): void {
    this.link.from = this.from;
    this.decoder.settle(time);
  }

  rebooted(system: number, component: number): void {
    this.decoder.rebooted(system, component);
  }

  /** Received and lost by sender. */
  streams(): StreamStatistics[] {
    return this.decoder.streams();
  }

  /** Looks for all slots again: some are gone, or belong to another sender now. */
  forgetSlots(): void {
    this.slots = [];
  }

  table(id: number, schema: Schema, stream: string): void {
    this.schemas[id] = schema;
    this.isSure[id] = !isUnknownSchema(schema);
    this.streamOf[id] = stream;
    if (stream === OTHERS) this.isFull = true;
  }

  records({ bytes, base, count, table, start, size }: RecordBatch): void {
    const { link, filter } = this;
    const { receiver } = link;
    this.messages += count;
    for (let i = 0; i < count; i++) {
      if (filter && !filter.frame(bytes, start[i], start[i] + size[i], this.isSure[table[i]])) continue;
      const slot = this.slots[table[i]] ?? this.find(table[i], bytes, start[i]);
      link.messages++;
      if (slot) receiver.message(link, slot, bytes, start[i], size[i], base + start[i]);
      else link.stray(this.schemas[table[i]], bytes, start[i]);
    }
  }

  private find(table: number, bytes: Uint8Array, start: number): MessageSlot | undefined {
    const slot = this.link.slot(this, this.schemas[table], bytes, start);
    if (this.keepsSlots && this.streamOf[table] !== OTHERS) this.slots[table] = slot;
    return slot;
  }

  fault(fault: Fault): void {
    this.link.fault(fault);
  }

  /** Bytes that wait for the rest of a frame are given up. */
  end(): void {
    this.decoder.interrupt();
  }
}
