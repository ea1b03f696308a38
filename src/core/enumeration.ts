import type { Column, Value } from './column.ts';
import type { Enumeration } from './schema.ts';

/** What a value is called: of a bitmask each bit that is set; null where it has no name. */
export type Named = string | readonly string[] | null;

/** The name of a value, or the names of its bits. Bits without a name are given as numbers: 0x40. */
export function nameOf({ bitmask, names }: Enumeration, value: number | bigint | null): Named {
  if (value === null || Number.isNaN(value)) return null;
  if (!bitmask) return names.get(Number(value)) ?? null;
  // bits beyond 32 are bits too
  let left = BigInt.asUintN(64, BigInt(value));
  const found: string[] = [];
  for (const [bits, name] of names) {
    const mask = BigInt(bits);
    if (mask === 0n || (BigInt.asUintN(64, BigInt(value)) & mask) !== mask) continue;
    found.push(name);
    left &= ~mask;
  }
  for (let bit = 1n; left !== 0n; bit <<= 1n) {
    if ((left & bit) === 0n) continue;
    found.push(`0x${bit.toString(16)}`);
    left &= ~bit;
  }
  return found;
}

/** The names of a row of a column whose field has any: one for each element of an array. */
export function namesAt(column: Column, row: number): Named | readonly Named[] {
  const { enumeration } = column.field;
  if (!enumeration) return null;
  const value: Value = column.at(row);
  if (Array.isArray(value)) return value.map((each: number | null) => nameOf(enumeration, each));
  return typeof value === 'number' || typeof value === 'bigint' || value === null ? nameOf(enumeration, value) : null;
}
