import type { Value } from '../core/column.ts';
import type { Enumeration } from '../core/schema.ts';

const TWO_31 = 2 ** 31;

/** What a value of an enumeration is called, or null; for a bitmask the names of all bits that are set. */
export type EnumNames = string | null | readonly EnumNames[];

export function enumNames(enumeration: Enumeration, value: Value): EnumNames {
  if (Array.isArray(value)) return value.map((each) => enumNames(enumeration, each));
  if (typeof value !== 'number' && typeof value !== 'bigint') return null;
  if (typeof value === 'number' && !Number.isInteger(value)) return null;
  const { bitmask, names } = enumeration;
  if (!bitmask) return names.get(Number(value)) ?? null;
  return [...names].filter(([bits]) => hasBits(value, bits)).map(([, name]) => name);
}

/** Whether all of some bits are set; an entry of none is the name of no bit. */
function hasBits(value: number | bigint, bits: number): boolean {
  if (bits <= 0) return false;
  if (typeof value === 'number' && bits < TWO_31 && Math.abs(value) < TWO_31) return (value & bits) === bits;
  return (BigInt(value) & BigInt(bits)) === BigInt(bits);
}
