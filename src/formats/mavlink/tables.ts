import type { Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import { getOrAdd } from '../../core/maps.ts';
import type { Schema } from '../../core/schema.ts';
import type { Catalog } from './dialect/catalog.ts';
import { type SchemaOptions, schemaOf, unknownSchema } from './dialect/schema.ts';
import { Unknowns } from './unknown.ts';

export const NO_TABLE = 0xffff;

/** Senders beyond the limit: one stream for all of them. */
const OTHERS = 1;
const OTHERS_STREAM = 'others';
/** The bits of a sender's number, and the one that says that it cuts zeros and makes the checksum of what is left. */
export const SENDER_MASK = 0x7fff;
const CUTS_RIGHT = 0x8000;
/** How many senders are kept apart, including the two numbers that mean none. */
export const SENDERS: number = LIMITS.streams + 2;

/** The tables of a stream: one for each message of each sender, made when met; past a limit one for the rest. */
export class Tables {
  /** The sender by system and component, 0 for one that was not met; and in another bit that it cuts zeros right. */
  readonly senderOf: Uint16Array = new Uint16Array(65536);
  /** Table by sender and slot. It is replaced when there are more senders, so it must be asked for again. */
  tableOf: Uint16Array;
  /** Slots of a sender. Those after the catalog's are for messages that it does not have. */
  readonly slots: number;

  private readonly sink: Sink;
  private readonly catalog: Catalog;
  private readonly options: SchemaOptions;
  private readonly schemas: Map<number, Schema> = new Map();
  private readonly streams: string[] = ['', OTHERS_STREAM];
  private count = 0;

  constructor(sink: Sink, catalog: Catalog, options: SchemaOptions) {
    this.sink = sink;
    this.catalog = catalog;
    this.options = options;
    this.slots = catalog.slots + Unknowns.most;
    this.tableOf = new Uint16Array(this.slots * 4).fill(NO_TABLE);
  }

  /** The senders that were met, by number: those that are kept apart. */
  *senders(): Generator<[sender: number, stream: string]> {
    for (let sender = OTHERS + 1; sender < this.streams.length; sender++) yield [sender, this.streams[sender]];
  }

  streamOf(sender: number): string {
    return this.streams[sender];
  }

  /** The number of a sender, a new one if it was not met before. */
  sender(system: number, component: number): number {
    const key = (system << 8) | component;
    const known = this.senderOf[key] & SENDER_MASK;
    if (known !== 0) return known;
    const isFull = this.streams.length >= SENDERS;
    if (!isFull) this.streams.push(`${system}:${component}`);
    const sender = isFull ? OTHERS : this.streams.length - 1;
    this.senderOf[key] = sender;
    this.makeRoom(sender);
    return sender;
  }

  /** A frame with a right checksum came whose zeros are cut. */
  sawCut(system: number, component: number): void {
    this.senderOf[(system << 8) | component] |= CUTS_RIGHT;
  }

  /** Whether the sender cuts zeros before it makes the checksum, as it should. */
  cutsRight(system: number, component: number): boolean {
    return (this.senderOf[(system << 8) | component] & CUTS_RIGHT) !== 0;
  }

  private makeRoom(sender: number): void {
    const { tableOf, slots } = this;
    if ((sender + 1) * slots <= tableOf.length) return;
    this.tableOf = new Uint16Array(Math.min(2 * tableOf.length, SENDERS * slots)).fill(NO_TABLE);
    this.tableOf.set(tableOf);
  }

  table(slot: number, sender: number): number {
    return this.find(slot, sender, 0);
  }

  /** The table of a message that it does not have, which is the nth of its kind. */
  unknownTable(id: number, nth: number, sender: number): number {
    return this.find(this.catalog.slots + nth, sender, id);
  }

  private find(slot: number, sender: number, id: number): number {
    const known = this.tableOf[sender * this.slots + slot];
    if (known !== NO_TABLE) return known;
    // past the limit senders are not kept apart any more, but nothing is dropped
    const place = this.count < LIMITS.tables ? sender : OTHERS;
    let table = this.tableOf[place * this.slots + slot];
    if (table === NO_TABLE) {
      table = this.count++;
      this.sink.table(table, this.schema(slot, id), this.streams[place]);
      this.tableOf[place * this.slots + slot] = table;
    }
    this.tableOf[sender * this.slots + slot] = table;
    return table;
  }

  private schema(slot: number, id: number): Schema {
    const definition = this.catalog.definitions[slot];
    // what no definition has is the nth of its kind for this stream alone
    const schemas = definition ? (this.options.shared ?? this.schemas) : this.schemas;
    return getOrAdd(schemas, slot, () =>
      definition ? schemaOf(definition, this.options) : unknownSchema(id, this.options),
    );
  }
}
