import { type Enumeration, type Field, type FieldType, TYPE_BYTES } from '../../core/schema.ts';
import { words } from '../../core/text.ts';

/** A field before it has its place: `skip` bytes are reserved and belong to no field. */
export interface FieldSpec {
  readonly name: string;
  readonly type: FieldType | 'skip';
  readonly count?: number | undefined;
  readonly isList?: boolean | undefined;
  readonly unit?: string | undefined;
  readonly divisor?: number | undefined;
  /** SI value = stored * multiplier. */
  readonly multiplier?: number | undefined;
  readonly siUnit?: string | undefined;
  readonly invalid?: number | undefined;
  readonly enumeration?: Enumeration | undefined;
}

type FieldSpecOptions = Omit<FieldSpec, 'name' | 'type'>;

export function part(name: string, type: FieldSpec['type'], options: FieldSpecOptions = {}): FieldSpec {
  return { name, type, ...options };
}

/** Parts of one type, their names separated by blanks. */
export function parts(names: string, type: FieldSpec['type'], options: FieldSpecOptions = {}): FieldSpec[] {
  return names.split(' ').map((name) => part(name, type, options));
}

export function skip(count: number): FieldSpec {
  return part('', 'skip', { count });
}

export function sizeOf(all: readonly FieldSpec[]): number {
  return all.reduce((sum, { type, count = 1 }) => sum + (type === 'skip' ? 1 : TYPE_BYTES[type]) * count, 0);
}

/** Gives each part its place, the first one at `offset`. */
export function place(all: readonly FieldSpec[], offset: number): Field[] {
  const fields: Field[] = [];
  let at = offset;
  for (const each of all) {
    const field = fieldOf(each, at);
    if (field) fields.push(field);
    at += sizeOf([each]);
  }
  return fields;
}

export function fieldOf(each: FieldSpec, offset: number): Field | undefined {
  const { name, type, count = 1, isList, divisor = 1, unit = '', multiplier, siUnit = '', invalid, enumeration } = each;
  if (type === 'skip') return undefined;
  return { name, type, count, isList, offset, divisor, unit, multiplier, siUnit, invalid, enumeration };
}

/** Names of numbers from 0 on; `-` stands for a number that has none. */
function numbered(names: string): [number: number, name: string][] {
  return words(names).flatMap((name, number) => (name === '-' ? [] : [[number, name]]));
}

/** A bitmask, by the names of its bits from the lowest on. */
export function bits(name: string, names: string): Enumeration {
  return { name, bitmask: true, names: new Map(numbered(names).map(([bit, each]) => [1 << bit, each])) };
}

/** Names of numbers, from that of 0 on. */
export function choices(name: string, names: string): Enumeration {
  return { name, bitmask: false, names: new Map(numbered(names)) };
}

export function enumeration(name: string, names: Readonly<Record<number, string>>): Enumeration {
  return { name, bitmask: false, names: new Map(Object.entries(names).map(([value, each]) => [Number(value), each])) };
}
