import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { halfToNumber } from '../../core/codec.ts';
import type { Value } from '../../core/column.ts';
import { openInput } from '../open.ts';
import { definitionFor, encodeDefinition, encodeRecord } from './encode.ts';
import { FMT_DEFINITION } from './schema.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Values of a text field that ends where it is full or at a NUL. */
const textOf = (room: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', maxLength: room })
    .filter((text) => new TextEncoder().encode(text).length <= room && !text.includes('\0'));

const integer = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const scaled = (min: number, max: number, divisor: number): fc.Arbitrary<number> =>
  integer(min, max).map((stored) => stored / divisor);
const [I16, U16, I32, U32] = [2 ** 15, 2 ** 16, 2 ** 31, 2 ** 32];

/** What a reader gives for 64 bits: a number as long as it is exact. */
const exact = (value: bigint): number | bigint => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

/** Every format character and the values that it can hold. */
const VALUES: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  a: fc.array(integer(-I16, I16 - 1), { minLength: 32, maxLength: 32 }),
  b: integer(-128, 127),
  B: integer(0, 255),
  M: integer(0, 255),
  g: integer(0, U16 - 1).map(halfToNumber),
  h: integer(-I16, I16 - 1),
  H: integer(0, U16 - 1),
  c: scaled(-I16, I16 - 1, 100),
  C: scaled(0, U16 - 1, 100),
  i: integer(-I32, I32 - 1),
  I: integer(0, U32 - 1),
  e: scaled(-I32, I32 - 1, 100),
  E: scaled(0, U32 - 1, 100),
  L: scaled(-I32, I32 - 1, 1e7),
  f: fc.float(),
  d: fc.double(),
  q: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(exact),
  Q: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(exact),
  n: textOf(4),
  N: textOf(16),
  Z: textOf(64),
};
const CHARACTERS = Object.keys(VALUES);

/** A format that fits into a record, and values for it. */
const record = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 16 })
  .map((chars) => chars.join(''))
  .filter((format) => recordLength(format) <= 255)
  .chain((format) => fc.tuple(fc.constant(format), fc.tuple(...[...format].map((char) => VALUES[char]))));

const WIDTHS: Readonly<Record<string, number>> = {
  a: 64,
  b: 1,
  B: 1,
  M: 1,
  g: 2,
  h: 2,
  H: 2,
  c: 2,
  C: 2,
  i: 4,
  I: 4,
  e: 4,
  E: 4,
  L: 4,
  f: 4,
  d: 8,
  q: 8,
  Q: 8,
  n: 4,
  N: 16,
  Z: 64,
};

function recordLength(format: string): number {
  return 3 + [...format].reduce((sum, char) => sum + WIDTHS[char], 0);
}

/** The one record of its type in a log that holds nothing else. */
async function decoded(format: string, values: readonly Value[]): Promise<Value[]> {
  const columns = [...format].map((_, i) => `c${i}`).join(',');
  const definition = definitionFor(7, 'TEST', format, columns);
  const bytes = Buffer.concat(
    [FMT_DEFINITION, definition].map(encodeDefinition).concat(encodeRecord(definition, values)),
  );
  const log = await openInput(bytes);
  expect(log.faults.count).toBe(0);
  const table = log.table('TEST');
  expect(table?.rows).toBe(1);
  return ((await table?.columns()) ?? []).map((column) => column.at(0));
}

test('there are 21 characters', () => {
  expect(CHARACTERS).toHaveLength(21);
});

describe('what is written is read again', () => {
  test.each(CHARACTERS)('%s', async (char) => {
    await fc.assert(
      fc.asyncProperty(VALUES[char], async (value) => {
        expect(await decoded(char, [value])).toEqual([value]);
      }),
    );
  });

  test('in any company', async () => {
    await fc.assert(
      fc.asyncProperty(record, async ([format, values]) => {
        expect(await decoded(format, values as Value[])).toEqual(values);
      }),
      { numRuns: 300 },
    );
  });

  test('every half float', async () => {
    for (let bits = 0; bits < U16; bits += 61) {
      const definition = definitionFor(7, 'H', 'g', 'x');
      const written = encodeRecord(definition, [halfToNumber(bits)]);
      // all that is no number is written the same way
      const isNumber = !Number.isNaN(halfToNumber(bits));
      if (isNumber) expect(written[3] | (written[4] << 8)).toBe(bits);
    }
  });
});

describe('bytes', () => {
  test('a definition', () => {
    const bytes = encodeDefinition(definitionFor(0x82, 'GPS', 'QBc', 'TimeUS,Status,HDop'));
    const part = (text: string, room: number): string =>
      Buffer.from(text)
        .toString('hex')
        .padEnd(room * 2, '0');
    expect(hex(bytes)).toBe(`a39580820e${part('GPS', 4)}${part('QBc', 16)}${part('TimeUS,Status,HDop', 64)}`);
    expect(bytes).toHaveLength(89);
  });

  test('a record, little endian and scaled', () => {
    const definition = definitionFor(0x82, 'X', 'QBcLfn', 'a,b,c,d,e,f');
    const values = [0x0102030405060708n, 255, -12.34, -39.49503, 1.5, 'ab'];
    // -1234 is fb2e, -394950300 is e8758964
    expect(hex(encodeRecord(definition, values))).toBe('a395820807060504030201ff2efb648975e80000c03f61620000');
  });

  test('what is missing is 0 or empty, wherever it stands', () => {
    const definition = definitionFor(1, 'X', 'aHnB', 'a,b,c,d');
    const expected = `a39501${'0100'}${'00'.repeat(62)}0500${'00'.repeat(4)}07`;
    expect(hex(encodeRecord(definition, [[1], 5, null, 7]))).toBe(expected);
    expect(hex(encodeRecord(definition, []))).toBe(`a39501${'00'.repeat(71)}`);
  });

  test('text that is too long is cut, bytes are taken as they are', () => {
    expect(hex(encodeRecord(definitionFor(1, 'X', 'n', 'a'), ['abcdef']))).toBe('a3950161626364');
    expect(hex(encodeRecord(definitionFor(1, 'X', 'n', 'a'), [Uint8Array.of(1, 0, 255)]))).toBe('a395010100ff00');
  });
});

describe('what cannot be written', () => {
  test.each([
    [
      'a character that is not known',
      () => definitionFor(1, 'X', 'Q?', 'a,b'),
      "format 'Q?' of X has an unknown character",
    ],
    [
      'a record that is too long',
      () => definitionFor(1, 'X', 'ZZZZ', 'a,b,c,d'),
      'record X would have 259 bytes, at most 255 fit',
    ],
    ['a type beyond a byte', () => definitionFor(256, 'X', 'Q', 'a'), 'type 256 of X is not 0 to 255'],
    ['a type that is no integer', () => definitionFor(1.5, 'X', 'Q', 'a'), 'type 1.5 of X is not 0 to 255'],
    ['a name that is too long', () => definitionFor(1, 'ÄÖÜ', 'Q', 'a'), "name 'ÄÖÜ' has 6 bytes, at most 4 fit"],
    ['a format that is too long', () => definitionFor(1, 'X', 'B'.repeat(17), 'a'), 'has 17 bytes, at most 16 fit'],
    ['columns that are too long', () => definitionFor(1, 'X', 'B', 'c'.repeat(65)), 'has 65 bytes, at most 64 fit'],
    [
      'more elements than an array has',
      () => encodeRecord(definitionFor(1, 'X', 'aB', 'a,b'), [new Array(33).fill(1), 1]),
      "33 elements for 'a', which has 32",
    ],
    [
      'a record by a definition with a character that is not known',
      () => encodeRecord({ type: 1, length: 10, name: 'X', format: '?', columns: 'a' }, [1]),
      "format character '?' is not known",
    ],
  ])('%s', (_what, write, message) => {
    expect(write).toThrow(RangeError);
    expect(write).toThrow(message);
  });
});
