import { inOrder } from '../../core/records.ts';
import { firstIndex } from '../../core/search.ts';
import type { RecordTable } from '../../core/table.ts';
import { frameRank, type LocalFrame } from './schema.ts';

/** Tables with one row for each packet: its header. */
const HEADERS: ReadonlySet<string> = new Set(['MTData2', 'MTData']);

/** Packets [from, to) by their number, or the rows of a table in them. */
export interface PacketRange {
  readonly from: number;
  readonly to: number;
}

interface ItemRows {
  readonly offsets: Float64Array;
  readonly bus: Uint8Array;
}

/** The packets of XBUS devices in the order of the source: an item belongs to the last packet that begins before it. */
export class Packets {
  private readonly tables: readonly RecordTable[];
  private found: ItemRows | undefined;

  constructor(tables: readonly RecordTable[]) {
    this.tables = tables.filter((table) => table.rows > 0);
  }

  /** The tables that have a row for each packet. */
  get headers(): RecordTable[] {
    return this.tables.filter(isPacketHeader);
  }

  /** Where each packet begins. */
  get offsets(): Float64Array {
    return this.find().offsets;
  }

  /** Which device sent each packet. */
  get bus(): Uint8Array {
    return this.find().bus;
  }

  private get all(): PacketRange {
    return { from: 0, to: this.count };
  }

  get count(): number {
    return this.offsets.length;
  }

  /** Only when it is asked for: opening a log must not walk over all its packets. */
  private find(): ItemRows {
    if (this.found) return this.found;
    const { headers } = this;
    const count = headers.reduce((sum, { rows }) => sum + rows, 0);
    const found = { offsets: new Float64Array(count), bus: new Uint8Array(count) };
    const buses = headers.map(busOf);
    let i = 0;
    for (const { index, offset } of inOrder(headers)) {
      found.offsets[i] = offset;
      found.bus[i++] = buses[index];
    }
    this.found = found;
    return found;
  }

  /** All tables of an item, whatever the device, local frame or number format: of several in a packet the best last. */
  named(name: string): RecordTable[] {
    return this.tables.filter((table) => table.name === name).sort((a, b) => rankOf(a) - rankOf(b));
  }

  /** The packet of each row of a table, or the one before it; -1 for rows before the first packet. */
  ofRows(table: RecordTable, from = 0, to: number = table.rows): Int32Array {
    const { offsets } = this;
    const packets = new Int32Array(Math.max(0, to - from));
    let packet = packets.length > 0 ? this.before(table.offsets.at(from)) : -1;
    for (let row = from; row < to; row++) {
      const offset = table.offsets.at(row);
      while (packet + 1 < offsets.length && offsets[packet + 1] <= offset) packet++;
      packets[row - from] = packet;
    }
    return packets;
  }

  /** The last packet that begins at or before an offset, or -1. */
  private before(offset: number): number {
    return firstIndex(this.offsets.length, (i) => this.offsets[i] > offset) - 1;
  }

  /** One field of an item for every packet; NaN if a packet does not have the item. */
  async values(name: string, field: string, range: PacketRange = this.all): Promise<Float64Array> {
    return (await this.columns(name, [field], range))[0];
  }

  /** Several fields of an item for every packet, or for some of them. */
  async columns(name: string, fields: readonly string[], range: PacketRange = this.all): Promise<Float64Array[]> {
    const { from, to } = range;
    const spread = fields.map(() => new Float64Array(to - from).fill(Number.NaN));
    for (const table of this.named(name)) {
      if (!fields.every((field) => table.field(field))) continue;
      const rows = this.rowsIn(table, range);
      const columns = (await table.columns(fields, rows)).map((column) => column.numbers());
      const packets = this.ofRows(table, rows.from, rows.to);
      for (let k = 0; k < fields.length; k++) {
        for (let row = 0; row < packets.length; row++) {
          if (packets[row] >= from) spread[k][packets[row] - from] = columns[k][row];
        }
      }
    }
    return spread;
  }

  rowsIn(table: RecordTable, { from, to }: PacketRange): PacketRange {
    const { offsets } = this;
    return {
      from: from < offsets.length ? table.offsets.rowFrom(offsets[from]) : table.rows,
      to: to < offsets.length ? table.offsets.rowFrom(offsets[to]) : table.rows,
    };
  }

  /** Which packets hold an item. */
  having(names: readonly string[], range: PacketRange = this.all): Uint8Array {
    const { from, to } = range;
    const has = new Uint8Array(to - from);
    for (const table of names.flatMap((name) => this.named(name))) {
      const rows = this.rowsIn(table, range);
      for (const packet of this.ofRows(table, rows.from, rows.to)) if (packet >= from) has[packet - from] = 1;
    }
    return has;
  }
}

/** MTData2 that is kept as a whole, because its items do not add up, has no items but the same name. */
export function isPacketHeader(table: RecordTable): boolean {
  return HEADERS.has(table.name) && table.field('length') !== undefined;
}

function busOf(table: RecordTable): number {
  return Number.parseInt(table.stream, 10) || 0;
}

function rankOf({ stream }: RecordTable): number {
  return frameRank(stream.split(':')[1] as LocalFrame | undefined);
}
