import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { littleEndian, valueAt } from './codec.ts';
import { Column, type Value } from './column.ts';
import { type Field, type FieldType, TYPE_BYTES } from './schema.ts';

const field = (type: FieldType, change: Partial<Field> = {}): Field => ({
  name: 'x',
  type,
  count: 1,
  offset: 0,
  divisor: 1,
  unit: '',
  multiplier: undefined,
  siUnit: '',
  ...change,
});

/** A column of one row that holds the bytes. */
function columnOf(of: Field, bytes: ArrayLike<number>): Column {
  const column = new Column(of, 1);
  littleEndian.read(Uint8Array.from(bytes), Int32Array.of(0), 1, [column], 0);
  return column;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const bits64 = (value: bigint): Uint8Array => new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, value)).buffer);

describe('64-bit integers', () => {
  test.each<[FieldType, bigint, Value]>([
    ['uint64', 0n, 0],
    ['uint64', 2n ** 53n - 1n, 2 ** 53 - 1],
    ['uint64', 2n ** 53n, 2n ** 53n],
    ['uint64', 2n ** 53n + 1n, 2n ** 53n + 1n],
    ['uint64', 2n ** 64n - 1n, 2n ** 64n - 1n],
    ['int64', -1n, -1],
    ['int64', -(2n ** 53n) + 1n, -(2 ** 53) + 1],
    ['int64', -(2n ** 53n) - 1n, -(2n ** 53n) - 1n],
    ['int64', -(2n ** 63n), -(2n ** 63n)],
    ['int64', 2n ** 63n - 1n, 2n ** 63n - 1n],
    ['int64', -(2n ** 32n), -(2 ** 32)],
  ])('%s %d is %d', (type, stored, value) => {
    const column = columnOf(field(type), bits64(stored));
    expect(column.at(0)).toBe(value);
    expect(column.exact(0)).toBe(stored);
    expect(column.numbers()[0]).toBe(Number(stored));
  });

  test('are exact in arrays too', () => {
    const bytes = [...bits64(2n ** 53n + 1n), ...bits64(7n)];
    expect(columnOf(field('uint64', { count: 2 }), bytes).at(0)).toEqual([2n ** 53n + 1n, 7]);
  });

  test('are rounded as numbers are, never cut', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (stored) => {
        expect(columnOf(field('int64'), bits64(stored)).numbers()[0]).toBe(Number(stored));
        const unsigned = BigInt.asUintN(64, stored);
        expect(columnOf(field('uint64'), bits64(stored)).numbers()[0]).toBe(Number(unsigned));
      }),
    );
  });

  test('with a divisor are numbers', () => {
    expect(columnOf(field('uint64', { divisor: 100 }), bits64(2n ** 64n - 1n)).at(0)).toBe(2 ** 64 / 100);
  });
});

describe('scaling', () => {
  test('divides, so that decimal digits come out as they were meant', () => {
    const column = new Column(field('int16', { divisor: 100 }), 4);
    (column.data as Int16Array).set([1234, -1, 7, -32_768]);
    expect([0, 1, 2, 3].map((row) => column.at(row))).toEqual([12.34, -0.01, 0.07, -327.68]);
    expect([...column.numbers()]).toEqual([12.34, -0.01, 0.07, -327.68]);
    expect(column.exact(0)).toBe(1234n);
  });

  test.each<[multiplier: number, stored: number, value: number]>([
    [0.01, 1234, 12.34],
    [1e-7, -353_632_610, -35.363261],
    [1e-6, 7, 0.000007],
    [3.6, 10, 36],
    [100, 5, 500],
    [-0.5, 5, -2.5],
    [1, 5, 5],
  ])('to SI by %d makes %d to %d', (multiplier, stored, value) => {
    const column = new Column(field('int32', { multiplier, divisor: 7 }), 1);
    (column.data as Int32Array)[0] = stored;
    expect(column.si(0)).toBe(value);
  });

  test('to SI leaves alone what has no multiplier and what is no number', () => {
    expect(columnOf(field('uint8', { divisor: 10 }), [5]).si(0)).toBe(0.5);
    expect(columnOf(field('text', { count: 2, multiplier: 5 }), bytesOf('ab')).si(0)).toBe('ab');
  });
});

describe('arrays', () => {
  const array = field('int16', { count: 3, divisor: 10 });

  test('are arrays, scaled element by element', () => {
    const column = columnOf(array, [1, 0, 0xff, 0xff, 20, 0]);
    expect(column.at(0)).toEqual([0.1, -0.1, 2]);
    expect([...column.numbers()]).toEqual([0.1, -0.1, 2]);
    expect(columnOf({ ...array, multiplier: 2 }, [1, 0, 2, 0, 3, 0]).si(0)).toEqual([2, 4, 6]);
  });

  test('of every type and width keep their elements in order', () => {
    for (const type of Object.keys(TYPE_BYTES) as FieldType[]) {
      if (type === 'unknown' || type === 'text') continue;
      const width = TYPE_BYTES[type];
      const bytes = Uint8Array.from({ length: width * 5 }, (_, i) => i + 1);
      const column = columnOf(field(type, { count: 5 }), bytes);
      expect([...column.bits8], type).toEqual([...bytes]);
    }
  });
});

describe('text', () => {
  const text = (bytes: ArrayLike<number>): Value => columnOf(field('text', { count: bytes.length }), bytes).at(0);

  test.each<[string, ArrayLike<number>, string]>([
    ['plain', bytesOf('abc'), 'abc'],
    ['up to the first NUL', [97, 98, 0, 99], 'ab'],
    ['none', [0, 65], ''],
    ['UTF-8', bytesOf('µs 漢😀'), 'µs 漢😀'],
    ['Latin-1 where it is not UTF-8', [0xb5, 0x73], 'µs'],
    ['Latin-1 where UTF-8 is cut', [65, 0xe6, 0xbc], 'A\u00e6\u00bc'],
    ['a byte order mark stays', [0xef, 0xbb, 0xbf, 65], '\ufeffA'],
    ['controls stay', [27, 91, 7], '\u001b[\u0007'],
  ])('%s', (_, bytes, expected) => {
    expect(text(bytes)).toBe(expected);
  });

  test('never fails', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        expect(typeof text(bytes)).toBe('string');
      }),
    );
  });

  test('has no numbers', () => {
    expect([...columnOf(field('text', { count: 3 }), bytesOf('123')).numbers()]).toEqual([Number.NaN]);
  });
});

describe('bytes and what cannot be read', () => {
  test('bytes are a copy, NULs and all', () => {
    const column = columnOf(field('bytes', { count: 4 }), [1, 0, 255, 0]);
    const value = column.at(0) as Uint8Array;
    expect([...value]).toEqual([1, 0, 255, 0]);
    value[0] = 9;
    expect((column.at(0) as Uint8Array)[0]).toBe(1);
  });

  test('an unknown field is missing', () => {
    const column = columnOf(field('unknown'), []);
    expect([column.at(0), column.si(0), [...column.numbers()]]).toEqual([null, null, [Number.NaN]]);
  });
});

describe('the number that means missing', () => {
  test('is null as a value and NaN among numbers', () => {
    const column = new Column(field('uint16', { invalid: 0xffff }), 2);
    (column.data as Uint16Array).set([1, 0xffff]);
    expect([column.at(0), column.at(1)]).toEqual([1, null]);
    expect([...column.numbers()]).toEqual([1, Number.NaN]);
  });

  test('is found among 64 bits, as NaN, and with a multiplier', () => {
    expect(columnOf(field('uint64', { invalid: 2n ** 64n - 1n }), bits64(-1n)).at(0)).toBe(null);
    const float = new Column(field('float32', { invalid: Number.NaN, multiplier: 2 }), 1);
    (float.data as Float32Array)[0] = Number.NaN;
    expect([float.at(0), float.si(0)]).toEqual([null, null]);
  });

  test('may be another one for each element', () => {
    const of = field('uint8', { count: 3, invalidByElement: [255, undefined, 7] });
    expect(columnOf(of, [255, 255, 7]).at(0)).toEqual([null, 255, null]);
  });

  test('stands for one element, or for the whole array by its first', () => {
    const bytes = [255, 1, 255];
    expect(columnOf(field('uint8', { count: 3, invalid: 255 }), bytes).at(0)).toEqual([null, 1, null]);
    const byFirst = columnOf(field('uint8', { count: 3, invalid: 255, invalidByFirst: true }), bytes);
    expect(byFirst.at(0)).toBe(null);
    expect([...byFirst.numbers()]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});

test('a list is an array that ends with its last element', () => {
  const list = (bytes: readonly number[], change: Partial<Field> = {}): Column =>
    columnOf(field('uint8', { count: bytes.length, isList: true, invalid: 255, ...change }), bytes);
  expect(list([1, 255, 3, 255, 255]).at(0)).toEqual([1, null, 3]);
  expect(list([255, 255]).at(0)).toEqual([]);
  expect(list([7]).at(0)).toEqual([7]);
  expect(list([255]).at(0)).toEqual([]);
  expect(list([255], { invalid: undefined }).at(0)).toEqual([255]);
  expect(list([2, 255], { multiplier: 0.5 }).si(0)).toEqual([1]);
  expect(list([2], { multiplier: 0.5 }).si(0)).toEqual([1]);
});

test('a value of one record is the value of its column', () => {
  const types = (Object.keys(TYPE_BYTES) as FieldType[]).filter((type) => !['bytes', 'unknown'].includes(type));
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.uint8Array({ minLength: 8, maxLength: 8 }), (type, bytes) => {
      const of = field(type, type === 'text' ? { count: 8 } : { divisor: type === 'int16' ? 100 : 1 });
      const value = valueAt(bytes, 0, of);
      const column = columnOf(of, bytes).at(0);
      expect(typeof value === 'bigint' ? value.toString() : value).toEqual(
        typeof value === 'bigint' ? String(column) : column,
      );
    }),
    { numRuns: 1000 },
  );
});
