import type { Codec } from './codec.ts';

/** Bytes of one element of each type. */
export const TYPE_BYTES = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float16: 2,
  float32: 4,
  float64: 8,
  text: 1,
  bytes: 1,
  unknown: 0,
} as const;

/** How a value is stored. `text` ends at the first NUL; `bytes` are kept as they are; `unknown` cannot be read. */
export type FieldType = keyof typeof TYPE_BYTES;

/** Numbers by the names that C has for them, as definitions of messages do. */
export const C_TYPES = {
  int8_t: 'int8',
  uint8_t: 'uint8',
  int16_t: 'int16',
  uint16_t: 'uint16',
  int32_t: 'int32',
  uint32_t: 'uint32',
  int64_t: 'int64',
  uint64_t: 'uint64',
  float: 'float32',
  double: 'float64',
} as const;

/** One field of a record. It may describe what a file says of itself, so it is data, never code. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Elements: 1 for a scalar, more for an array; for text and bytes their greatest length. */
  readonly count: number;
  /** Whether it is a list: an array even of one element, which ends with the last that is not missing. */
  readonly isList?: boolean | undefined;
  /** Of uint8: whether it is true or false, so that any byte but 0 is read as 1. */
  readonly isBool?: boolean | undefined;
  /** Of bytes: whether rows have different numbers of them. Two bytes before them in the column, low one first, say how many. */
  readonly isSized?: boolean | undefined;
  /** Where it begins in the record; for text formats, which of the cells it is. */
  readonly offset: number;
  /** value = stored / divisor. A division, because 1234 / 100 is 12.34 and 1234 * 0.01 is not. */
  readonly divisor: number;
  /** The unit of the value, '' if none is known. */
  unit: string;
  /** SI value = stored * multiplier; undefined if the value is all there is to say. */
  multiplier: number | undefined;
  siUnit: string;
  /** The stored number that means "missing". */
  readonly invalid?: number | bigint | undefined;
  /** Whether it is enough that the first element of an array has it for all of them to be missing. */
  readonly invalidByFirst?: boolean | undefined;
  /** The numbers that mean "missing" in single elements, where each has its own; `invalid` is then undefined. */
  readonly invalidByElement?: readonly (number | bigint | undefined)[] | undefined;
  readonly enumeration?: Enumeration | undefined;
}

/** Names of the values of a field, or of its bits. */
export interface Enumeration {
  readonly name: string;
  readonly bitmask: boolean;
  readonly names: ReadonlyMap<number, string>;
}

/** What one kind of record holds. */
export interface Schema {
  /** The record's own name: GPS, ATTITUDE, GGA. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** Bytes of a record; 0 where records differ in length, and then `maxSize` bounds them. */
  readonly size: number;
  readonly maxSize: number;
  /** Index of the field that distinguishes instances, or -1. */
  instance: number;
  /** A time before each record, from its container: not a field of the record itself. */
  readonly stamp?: Field | undefined;
  /** How columns are read from the bytes of records. */
  readonly codec: Codec;
}

export function isNumeric(type: FieldType): boolean {
  return type !== 'text' && type !== 'bytes' && type !== 'unknown';
}

/** Records of a log that define others: they happen at no time, whatever time they have. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['FMT', 'FMTU', 'UNIT', 'MULT']);
