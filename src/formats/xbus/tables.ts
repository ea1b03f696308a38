import type { Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Schema } from '../../core/schema.ts';
import type { Legacy } from './legacy.ts';
import { XBUS_LIMITS } from './limits.ts';
import { anyMessageSchema, messageSchema, packetSchema } from './message-schema.ts';
import { MT_DATA_2 } from './messages.ts';
import { anyItemSchema, anyPieceSchema, itemOf, type LocalFrame } from './schema.ts';

export const NO_TABLE = 0xffff;
/** What those hold that came after the limit. */
const SHARED = { item: anyItemSchema(), message: anyMessageSchema(), piece: anyPieceSchema() };
/** The slot of items that were not met: it never has a table. */
const NO_ITEM: Slot = { schema: SHARED.item, first: 0 };
/** A hostile stream has millions of kinds of records. */
const MOST_SLOTS = XBUS_LIMITS.kinds;
const OTHERS_STREAM = 'others';
/** In place of a length: the header of a data message. */
const PACKET = 0xffff;

interface TableKind {
  readonly schema: Schema;
  readonly frame?: LocalFrame | undefined;
  /** Whether one table holds all lengths: that of a list, say. */
  readonly anyLength?: boolean;
}

interface Slot extends TableKind {
  /** The slot whose tables it shares: its own, or that of the first length of an item that has one table for all. */
  readonly first: number;
}

/** The tables of a bus: one for each device and kind (item or message of one length), made when met, up to a limit. */
export class Tables {
  /** By the XDI of an item the length that it had last, in the lowest byte, and above it the slot for that length. */
  readonly slotOf: Int32Array = new Int32Array(65536);

  private readonly sink: Sink;
  private readonly keepInvalid: boolean;
  private readonly slots: Slot[] = [NO_ITEM];
  /** Slots by what they are for: items by XDI and length, messages by number, length and kind of header, pieces. */
  private readonly known: Readonly<Record<keyof typeof SHARED, Map<number | string, number>>> = {
    item: new Map(),
    message: new Map(),
    piece: new Map(),
  };
  /** Table by device and slot. */
  private readonly tables: (Uint16Array | undefined)[] = [];
  /** Tables of those beyond the limit. */
  private readonly others = new Uint16Array(MOST_SLOTS).fill(NO_TABLE);
  private count = 0;
  /** Devices with separate tables. */
  private readonly devices: Set<number> = new Set();
  /** The slot of what comes before the items of a frame with a standard header. */
  readonly usualPacket: number;

  constructor(sink: Sink, keepInvalid: boolean) {
    this.sink = sink;
    this.keepInvalid = keepInvalid;
    this.usualPacket = this.packet(MT_DATA_2, false);
  }

  /** The tables of a device by slot; NO_TABLE where `table` must be asked. */
  ofBus(bus: number): Uint16Array {
    const known = this.tables[bus];
    if (known) return known;
    const made = new Uint16Array(MOST_SLOTS).fill(NO_TABLE);
    this.tables[bus] = made;
    return made;
  }

  item(xdi: number, length: number): number {
    const slot = this.slot('item', (xdi << 8) | length, () => itemOf(xdi, length, this.keepInvalid));
    if (this.slots[slot].schema !== SHARED.item) this.slotOf[xdi] = (slot << 8) | length;
    return slot;
  }

  /** The slot of what comes before the items of a data message. */
  packet(id: number, isExtended: boolean): number {
    return this.slot('message', messageKey(id, PACKET, isExtended), () => ({ schema: packetSchema(id, isExtended) }));
  }

  /** The slot of a message that is one record. */
  whole(id: number, length: number, isExtended: boolean): number {
    const make = (): TableKind => ({ schema: messageSchema(id, length, isExtended) });
    return this.slot('message', messageKey(id, length, isExtended), make);
  }

  /** The slot of one piece of MTData; `key` is that of the set-up. */
  piece(key: string, { pieces }: Legacy, k: number): number {
    return this.slot('piece', `${key} ${k}`, () => pieces[k]);
  }

  private slot(group: keyof typeof SHARED, key: number | string, make: () => TableKind): number {
    const known = this.known[group];
    let slot = known.get(key);
    if (slot === undefined) {
      // leaves room for the shared ones
      const isFull = this.slots.length >= MOST_SLOTS - 3;
      const place = isFull ? group : key;
      slot = known.get(place) ?? this.add(isFull ? { schema: SHARED[group] } : make());
      known.set(place, slot);
    }
    return slot;
  }

  private add(kind: TableKind): number {
    const slot = this.slots.length;
    const isSame = (each: Slot): boolean => each.anyLength === true && each.schema.name === kind.schema.name;
    const same = kind.anyLength ? this.slots.findIndex(isSame) : -1;
    this.slots.push({ ...kind, first: same < 0 ? slot : same });
    return slot;
  }

  table(bus: number, slot: number): number {
    const tables = this.ofBus(bus);
    if (tables[slot] === NO_TABLE) tables[slot] = this.find(bus, slot);
    return tables[slot];
  }

  private find(bus: number, slot: number): number {
    const { schema, frame, first } = this.slots[slot];
    if (first !== slot) return this.table(bus, first);
    if (this.devices.size < XBUS_LIMITS.devices) this.devices.add(bus);
    // past the limits devices share tables, but nothing is dropped
    const isFull = this.count >= LIMITS.tables || !this.devices.has(bus);
    if (isFull && this.others[slot] !== NO_TABLE) return this.others[slot];
    const id = this.count++;
    const stream = isFull ? OTHERS_STREAM : streamOf(bus, frame);
    this.sink.table(id, schema, stream);
    if (isFull) this.others[slot] = id;
    return id;
  }
}

function messageKey(id: number, length: number, isExtended: boolean): number {
  return (((length << 8) | id) << 1) | Number(isExtended);
}

/** Who a record came from: the device on the bus, and the local frame that it is in. */
export function streamOf(bus: number, frame?: LocalFrame): string {
  return frame === undefined ? String(bus) : `${bus}:${frame}`;
}
