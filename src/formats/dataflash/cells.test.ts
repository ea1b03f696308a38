import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cells, decimal, integer, lineEnd } from './cells.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function cellsOf(line: string, most?: number): string[] {
  const bytes = bytesOf(line);
  const cells = new Cells();
  cells.split(bytes, 0, lineEnd(bytes, 0), most);
  return Array.from({ length: cells.count }, (_, k) =>
    new TextDecoder().decode(bytes.subarray(cells.starts[k], cells.ends[k])),
  );
}

describe('the cells of a line', () => {
  test.each<[string, string[]]>([
    ['GPS, 3, 4\n', ['GPS', '3', '4']],
    ['GPS, 3, 4 \r\n', ['GPS', '3', '4']],
    ['FMT, 1, a,b,c\n', ['FMT', '1', 'a,b,c']],
    ['STRT\n', ['STRT']],
    ['STRT, \n', ['STRT', '']],
    ['\n', ['']],
    ['A, , \n', ['A', '', '']],
    ['A,', ['A,']],
    ['A, 1', ['A', '1']],
  ])('%j are %j', (line, cells) => {
    expect(cellsOf(line)).toEqual(cells);
  });

  test('beyond the last belong to it', () => {
    expect(cellsOf('MSG, a, b, c\n', 2)).toEqual(['MSG', 'a, b, c']);
    expect(cellsOf(`A${', x'.repeat(30)}`)).toHaveLength(18);
  });
});

describe('a decimal number', () => {
  const numberOf = (text: string): number => decimal(bytesOf(text), 0, text.length);

  test.each<[string, number]>([
    ['0', 0],
    ['-0', -0],
    ['1.5', 1.5],
    ['+2', 2],
    ['-39.4950300', -39.49503],
    ['.5', 0.5],
    ['5.', 5],
    ['1e5', 100_000],
    ['-1.5E-3', -0.0015],
    ['123456789012345678', 123_456_789_012_345_680],
    ['0.1234567890123456789', 0.123_456_789_012_345_68],
    ['inf', Number.POSITIVE_INFINITY],
    ['-INF', Number.NEGATIVE_INFINITY],
    ['+Infinity', Number.POSITIVE_INFINITY],
    [' 7 ', 7],
    ...['', '-', '.', '+.', 'nan', 'x', '1.2.3', '1,2', '0x10', '1e', '--1', '1 2', '٣'].map(
      (text): [string, number] => [text, Number.NaN],
    ),
  ])('%j is %d', (text, value) => {
    expect(numberOf(text)).toBe(value);
  });

  test('is looked for no longer than a cell is long', () => {
    const start = performance.now();
    expect(numberOf(`${'1'.repeat(100_000)}x`)).toBeNaN();
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test('is what the engine makes of it, for all that can be written', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(20), (value, digits) => {
        expect(numberOf(String(value))).toBe(Number(String(value)));
        const fixed = value.toFixed(digits);
        expect(numberOf(fixed)).toBe(Number(fixed));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('an integer', () => {
  test.each<[string, string | undefined]>([
    ['0', '0'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['18446744073709551615', '18446744073709551615'],
    ...['', '-', '+1', '1.0', ' 1', '1 ', '0x1', '123456789012345678901', '1'.repeat(40), 'a'].map(
      (text): [string, undefined] => [text, undefined],
    ),
  ])('%j is %j', (text, digits) => {
    expect(integer(bytesOf(text), 0, text.length)).toBe(digits);
  });
});
