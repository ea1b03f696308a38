import { expect, it } from 'vitest';
import type { FieldType } from '../../../core/schema.ts';
import { type Invalid, invalidOf } from './invalid.ts';

const NONE: Invalid = { invalid: undefined, invalidByFirst: false };
const each = (invalid: number | bigint): Invalid => ({ invalid, invalidByFirst: false });

const CASES: readonly [text: string, type: FieldType, count: number, means: Invalid][] = [
  ['', 'int8', 1, NONE],
  ['NaN', 'float32', 1, each(Number.NaN)],
  ['NAN', 'float64', 1, each(Number.NaN)],
  ['NaN', 'int32', 1, NONE],
  ['0', 'uint8', 1, each(0)],
  ['-1', 'int16', 1, each(-1)],
  ['-1', 'uint16', 1, each(65535)],
  ['-1.0', 'float32', 1, each(-1)],
  ['1.0', 'int8', 1, each(1)],
  ['0.5', 'int8', 1, NONE],
  ['0.1', 'float32', 1, each(Math.fround(0.1))],
  ['0.1', 'float64', 1, each(0.1)],
  ['0xFFFF', 'float32', 1, each(65535)],
  ['0xFFFF', 'uint16', 1, each(65535)],
  ['0xFFFF', 'int16', 1, each(-1)],
  ['UINT8_MAX', 'uint8', 1, each(255)],
  ['UINT8_MAX', 'int8', 1, each(-1)],
  ['UINT16_MIN', 'uint16', 1, each(0)],
  ['INT8_MIN', 'int8', 1, each(-128)],
  ['INT16_MAX', 'int16', 1, each(32767)],
  ['INT32_MAX', 'int32', 1, each(2147483647)],
  ['UINT32_MAX', 'float32', 1, each(4294967296)],
  ['INT64_MAX', 'int64', 1, each(2n ** 63n - 1n)],
  ['UINT64_MAX', 'uint64', 1, each(2n ** 64n - 1n)],
  ['UINT16_MAX', 'uint8', 1, NONE],
  ['-129', 'int8', 1, NONE],
  ['E_NONE', 'uint8', 1, each(9)],
  ['E_OTHER', 'uint8', 1, NONE],
  ['what?', 'float32', 1, NONE],
  ['0', 'text', 9, NONE],
  ['[NaN]', 'float32', 4, each(Number.NaN)],
  ['NaN', 'float32', 4, each(Number.NaN)],
  ['[0]', 'uint8', 1, each(0)],
  ['[NaN:]', 'float32', 4, { invalid: Number.NaN, invalidByFirst: true }],
  ['[ UINT16_MAX : ]', 'uint16', 4, { invalid: 65535, invalidByFirst: true }],
  ['[0:]', 'uint8', 1, each(0)],
  ['[0,]', 'uint8', 4, { ...NONE, invalidByElement: [0, undefined] }],
  ['[1,,3,]', 'int8', 4, { ...NONE, invalidByElement: [1, undefined, 3, undefined] }],
  ['[1,2,3]', 'int8', 2, { ...NONE, invalidByElement: [1, 2] }],
];

it.each(CASES)('%s of %s, %i elements', (text, type, count, means) => {
  expect(invalidOf(text, type, count, (name) => (name === 'E_NONE' ? 9 : undefined))).toEqual(means);
});
