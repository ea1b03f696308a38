import type { Field, FieldType } from '../../core/schema.ts';

/** Whole numbers that take several bytes, of which there may be very many instances. */
const NUMBER_BYTES: ReadonlyMap<FieldType, 2 | 4> = new Map([
  ['int16', 2],
  ['uint16', 2],
  ['int32', 4],
  ['uint32', 4],
]);

/** Four bytes as a number, little-endian. */
export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/**
 * Tables of instances by the bits of the field that tells them apart, where that is a number of several bytes: to make a
 * text of each would take longer than all else together.
 */
export class Instances {
  private readonly tables: Map<Field, Map<number, number>> = new Map();

  /** The bits of the instance of the record at a place; undefined for fields that are told apart by their text. */
  bitsOf(field: Field | undefined, bytes: Uint8Array, at: number): number | undefined {
    const width = field && NUMBER_BYTES.get(field.type);
    if (!width) return undefined;
    const place = at + field.offset;
    return width === 2 ? bytes[place] | (bytes[place + 1] << 8) : word(bytes, place);
  }

  tableOf(field: Field, bits: number): number | undefined {
    return this.tables.get(field)?.get(bits);
  }

  keep(field: Field, bits: number, table: number): void {
    const known = this.tables.get(field);
    if (known) known.set(bits, table);
    else this.tables.set(field, new Map([[bits, table]]));
  }
}
