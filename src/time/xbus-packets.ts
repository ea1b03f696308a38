import { inOrder } from '../core/merge.ts';
import type { Table } from '../core/table.ts';

/** Tables with one row for each packet: its header. */
const HEADERS: ReadonlySet<string> = new Set(['MTData2', 'MTData']);

interface Found {
  readonly offsets: Float64Array;
  readonly bus: Uint8Array;
}

/**
 * The packets of XBUS devices in the order of the source. What an item says belongs to the packet that it stands in,
 * which is the last one that begins before it.
 */
export class Packets {
  private readonly tables: readonly Table[];
  private found: Found | undefined;

  constructor(tables: readonly Table[]) {
    this.tables = tables.filter((table) => table.rows > 0);
  }

  /** Where each packet begins. */
  get offsets(): Float64Array {
    return this.find().offsets;
  }

  /** Which device sent each packet. */
  get bus(): Uint8Array {
    return this.find().bus;
  }

  get count(): number {
    return this.offsets.length;
  }

  /** Only when it is asked for: opening a log must not walk over all its packets. */
  private find(): Found {
    if (this.found) return this.found;
    const headers = this.tables.filter(isHeader);
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

  /** All tables of an item, whatever the device, local frame or number format. */
  named(name: string): Table[] {
    return this.tables.filter((table) => table.name === name);
  }

  /** The packet that each row of a table stands in or behind; -1 for rows before the first packet. */
  ofRows(table: Table, from = 0, to: number = table.rows): Int32Array {
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
    let low = -1;
    let high = this.offsets.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.offsets[middle] <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  /** One field of an item for every packet; NaN where a packet does not have the item. */
  async values(name: string, field: string): Promise<Float64Array> {
    return (await this.columns(name, [field]))[0];
  }

  /** Several fields of an item for every packet. */
  async columns(name: string, fields: readonly string[]): Promise<Float64Array[]> {
    const spread = fields.map(() => new Float64Array(this.count).fill(Number.NaN));
    for (const table of this.named(name)) {
      if (!fields.every((field) => table.field(field))) continue;
      const columns = (await table.columns(fields)).map((column) => column.numbers());
      const packets = this.ofRows(table);
      for (let k = 0; k < fields.length; k++) {
        for (let row = 0; row < packets.length; row++) {
          if (packets[row] >= 0) spread[k][packets[row]] = columns[k][row];
        }
      }
    }
    return spread;
  }

  /** Which packets hold an item. */
  having(...names: readonly string[]): Uint8Array {
    const has = new Uint8Array(this.count);
    for (const table of names.flatMap((name) => this.named(name))) {
      for (const packet of this.ofRows(table)) if (packet >= 0) has[packet] = 1;
    }
    return has;
  }
}

/** MTData2 that is kept as a whole, because its items do not add up, is no packet with items but has the same name. */
function isHeader(table: Table): boolean {
  return HEADERS.has(table.name) && table.field('length') !== undefined;
}

function busOf(table: Table): number {
  return Number.parseInt(table.stream, 10) || 0;
}
