import type { Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Schema } from '../../core/schema.ts';
import type { Legacy } from './legacy.ts';
import { XBUS_LIMITS } from './limits.ts';
import { anyMessageSchema, messageSchema, packetSchema } from './message-schema.ts';
import { MT_DATA_2 } from './messages.ts';
import { anyItemSchema, anyPieceSchema, itemOf, type LocalFrame } from './schema.ts';

export const NO_TABLE = 0xffff;
/** The slot of items that were not met: it never has a table. */
const NO_ITEM: Slot = { schema: anyItemSchema(), frame: undefined, first: 0 };
/** A hostile stream has millions of kinds of records. */
const MOST_SLOTS = XBUS_LIMITS.kinds;
const OTHERS_STREAM = 'others';
/** In place of a length: the header of a data message. */
const PACKET = 0xffff;

interface TableKind {
  readonly schema: Schema;
  readonly frame: LocalFrame | undefined;
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
  /** Slots by what they are for: items by XDI and length, messages by number, length and kind of header. */
  private readonly items: Map<number, number> = new Map();
  private readonly messages: Map<number, number> = new Map();
  private readonly pieces: Map<string, number> = new Map();
  /** The slots of those without a separate one; 0 as long as there are none. */
  private anyItem = 0;
  private anyMessage = 0;
  private anyPiece = 0;
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
    const key = (xdi << 8) | length;
    let slot = this.items.get(key);
    if (slot === undefined) {
      if (this.isFull) {
        this.anyItem ||= this.add({ schema: anyItemSchema(), frame: undefined });
        return this.anyItem;
      }
      slot = this.add(itemOf(xdi, length, this.keepInvalid));
      this.items.set(key, slot);
    }
    this.slotOf[xdi] = (slot << 8) | length;
    return slot;
  }

  /** The slot of what comes before the items of a data message. */
  packet(id: number, isExtended: boolean): number {
    return this.message(id, PACKET, isExtended);
  }

  /** The slot of a message that is one record. */
  whole(id: number, length: number, isExtended: boolean): number {
    return this.message(id, length, isExtended);
  }

  private message(id: number, length: number, isExtended: boolean): number {
    const key = (((length << 8) | id) << 1) | (isExtended ? 1 : 0);
    const known = this.messages.get(key);
    if (known !== undefined) return known;
    if (this.isFull) {
      this.anyMessage ||= this.add({ schema: anyMessageSchema(), frame: undefined });
      return this.anyMessage;
    }
    const schema = length === PACKET ? packetSchema(id, isExtended) : messageSchema(id, length, isExtended);
    const slot = this.add({ schema, frame: undefined });
    this.messages.set(key, slot);
    return slot;
  }

  /** The slot of one piece of MTData; `key` is that of the set-up. */
  piece(key: string, { pieces }: Legacy, k: number): number {
    const name = `${key} ${k}`;
    const known = this.pieces.get(name);
    if (known !== undefined) return known;
    if (this.isFull) {
      this.anyPiece ||= this.add({ schema: anyPieceSchema(), frame: undefined });
      return this.anyPiece;
    }
    const slot = this.add(pieces[k]);
    this.pieces.set(name, slot);
    return slot;
  }

  /** Leaves room for the slots of those without a separate one. */
  private get isFull(): boolean {
    return this.slots.length >= MOST_SLOTS - 3;
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

/** Who a record came from: the device on the bus, and the local frame that it is in. */
export function streamOf(bus: number, frame?: LocalFrame): string {
  return frame === undefined ? String(bus) : `${bus}:${frame}`;
}
