import { C_TYPES, type FieldType, TYPE_BYTES } from '../../../core/schema.ts';
import type { DeclaredField, WireType } from './declarations.ts';

export const FIELD_TYPES: Readonly<Record<WireType, FieldType>> = { char: 'text', ...C_TYPES };

export const WIRE_BYTES: Readonly<Record<WireType, number>> = Object.fromEntries(
  Object.entries(FIELD_TYPES).map(([type, fieldType]) => [type, TYPE_BYTES[fieldType]]),
) as Record<WireType, number>;

/** Where each field is in the payload, and how long that is without and with extensions. */
export interface PayloadLayout {
  /** By the index of the field. */
  readonly offsets: readonly number[];
  /** Indices of the fields in the order in which they are sent. */
  readonly order: readonly number[];
  readonly baseLength: number;
  readonly length: number;
}

/** Wire order: widest elements first, equals in the order of the definition; extensions last, in their order. */
export function layoutOf(fields: readonly DeclaredField[]): PayloadLayout {
  const offsets: number[] = new Array(fields.length).fill(0);
  const order: number[] = [];
  let length = 0;
  const place = (index: number, { type, length: elements }: DeclaredField): void => {
    offsets[index] = length;
    order.push(index);
    length += WIRE_BYTES[type] * (elements || 1);
  };
  for (let width = 8; width > 0; width >>= 1) {
    for (let i = 0; i < fields.length; i++) {
      if (!fields[i].extension && WIRE_BYTES[fields[i].type] === width) place(i, fields[i]);
    }
  }
  const baseLength = length;
  for (let i = 0; i < fields.length; i++) if (fields[i].extension) place(i, fields[i]);
  return { offsets, order, baseLength, length };
}
