import { describe, expect, test } from 'vitest';
import { FMT_DEFINITION, formatLength, pairColumns, schemaOf } from './schema.ts';

const definition = (format: string, columns: string, length = formatLength(format) ?? 10, name = 'A') => ({
  ...{ type: 9, length, name, format, columns },
});

const shape = (...of: Parameters<typeof definition>): string[] =>
  schemaOf(definition(...of)).fields.map(({ name, type, count, offset }) => `${name} ${type}*${count} @${offset}`);

describe('the length of a format', () => {
  test.each([
    ['', 3],
    ['BBnNZ', FMT_DEFINITION.length],
    ['abBMghHcCiIeELfdqQnNZ', 3 + 64 + 3 + 10 + 24 + 24 + 84],
    ['B?', undefined],
    ['Ü', undefined],
  ])('%j is %j', (format, length) => {
    expect(formatLength(format)).toBe(length);
  });
});

describe('the fields of a definition', () => {
  test('stand one behind the other', () => {
    expect(shape('QBff', 'TimeUS,I,x,y')).toEqual([
      'TimeUS uint64*1 @3',
      'I uint8*1 @11',
      'x float32*1 @12',
      'y float32*1 @16',
    ]);
  });

  test('are as many as have both a name and a character', () => {
    expect(shape('BB', 'a,b,c')).toEqual(['a uint8*1 @3', 'b uint8*1 @4']);
    expect(shape('BBB', 'a')).toEqual(['a uint8*1 @3']);
    expect(shape('', 'a,b')).toEqual([]);
    expect(shape('BB', '')).toEqual([]);
  });

  test('cannot be read from an unknown character on', () => {
    expect(shape('B?B', 'a,b,c')).toEqual(['a uint8*1 @3', 'b unknown*1 @0', 'c unknown*1 @0']);
  });

  test('cannot be read from the first on that does not fit into the length', () => {
    expect(shape('BIB', 'a,b,c', 6)).toEqual(['a uint8*1 @3', 'b unknown*1 @0', 'c unknown*1 @0']);
  });

  test('have names without blanks, each but once, whatever they are', () => {
    const columns = ' a, a ,__proto__,,';
    expect(pairColumns(definition('BBBBB', columns)).map(({ name }) => name)).toEqual([
      'a',
      'a_2',
      '__proto__',
      '',
      '_2',
    ]);
  });

  test('are raw bytes only where a file is logged', () => {
    expect(shape('NZ', 'n,d', 83, 'FILE')).toEqual(['n text*16 @3', 'd bytes*64 @19']);
    expect(shape('NZ', 'n,d', 83, 'MSG')).toEqual(['n text*16 @3', 'd text*64 @19']);
  });
});
