import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CatalogueTable, resolveFields } from './expression-catalogue.ts';
import { complete } from './expression-completion.ts';
import { FUNCTIONS } from './expression-functions.ts';
import { parseExpression } from './expression-parser.ts';

const number = { type: 'float32', count: 1, unit: '', divisor: 1 } as const;
const catalogue: CatalogueTable[] = [
  {
    name: 'ATT',
    stream: '',
    fields: [
      { ...number, name: 'Roll', unit: 'deg' },
      { ...number, name: 'Pitch', unit: 'deg' },
    ],
  },
  { name: 'MAG', stream: '0', fields: [{ ...number, name: 'MagX', type: 'int16' }] },
  { name: 'MAG', stream: '1', fields: [{ ...number, name: 'MagX', type: 'int16', unit: 'mG' }] },
  { name: 'ATTITUDE', stream: '1:1', fields: [{ ...number, name: 'roll' }] },
  {
    name: 'B',
    stream: '',
    fields: [
      { ...number, name: 'cells', count: 4 },
      { ...number, name: 'name', type: 'text', count: 9 },
    ],
  },
  {
    name: 'odd "name',
    stream: 'a]b',
    fields: [
      { ...number, name: '__proto__' },
      { ...number, name: '' },
    ],
  },
];

describe('fields by name', () => {
  const resolve = (text: string) => resolveFields(parseExpression(text), catalogue);

  test('with streams, elements and quotes', () => {
    expect(resolve('MAG[1].MagX')[0]).toMatchObject({ tables: [catalogue[2]], isHeld: false });
    expect(resolve('MAG[0].MagX')[0].isHeld).toBe(true);
    expect(resolve('ATTITUDE[1:1].roll')[0].tables).toEqual([catalogue[3]]);
    expect(resolve('ATTITUDE["1:1"].roll')[0].tables).toEqual([catalogue[3]]);
    expect(resolve('ATTITUDE.roll')[0].tables).toEqual([catalogue[3]]);
    expect(resolve('B.cells[3]')[0].element).toBe(3);
    expect(resolve('"odd ""name"["a]b"].__proto__')[0].field.name).toBe('__proto__');
    expect(resolve('"odd ""name".""')[0].field.name).toBe('');
    expect(resolve('ATT.Roll + ATT.Roll * "ATT".Pitch')).toHaveLength(2);
  });

  test.each([
    ['1 + AT.Roll', 'no table is named AT at 4: did you mean ATT?'],
    ['ATT.Rol', 'no field in ATT is named Rol at 4: did you mean Roll?'],
    ['MAG[7].MagX', 'no stream of MAG is named 7 at 4'],
    ['MAG.MagX', 'MAG has the streams 0, 1 at 0: did you mean MAG[0].MagX?'],
    ['B.cells', 'cells has 4 elements: cells[0] is the first at 0'],
    ['B.cells[4]', 'no element 4 in cells, which has 4 at 7'],
    ['ATT.Roll[0]', 'no element 0 in Roll, which has 1 at 8'],
    ['B.name', 'name is text, not a number at 0'],
  ])('%s', (text, message) => {
    expect(() => resolve(text)).toThrow(expect.objectContaining({ name: 'ExpressionError', message }));
  });
});

describe('completion', () => {
  const texts = (text: string, position = text.length): string[] =>
    complete(text, position, catalogue).options.map((option) => option.text);
  /** The text with the first option put in. */
  const taken = (text: string): string => {
    const { from, to, options } = complete(text, text.length, catalogue);
    return text.slice(0, from) + options[0].text + text.slice(to);
  };

  test('of tables and functions', () => {
    expect(texts('AT').slice(0, 2)).toEqual(['ATT', 'ATTITUDE[1:1]']);
    expect(texts('2 * lowp')).toEqual(['lowpass(']);
    expect(texts('pass')).toEqual(['lowpass(', 'highpass(']);
    expect(texts('')).toHaveLength(FUNCTIONS.size + 4 + catalogue.length);
    expect(texts('sin(1e').length).toBeGreaterThan(10);
  });

  test('of fields and streams', () => {
    expect(texts('1 + ATT.')).toEqual(['Roll', 'Pitch']);
    expect(taken('1 + ATT.p')).toBe('1 + ATT.Pitch');
    expect(texts('MAG[')).toEqual(['MAG[0]', 'MAG[1]']);
    expect(taken('abs(MAG[1')).toBe('abs(MAG[1]');
    expect(taken('B.c')).toBe('B.cells[0]');
    expect(taken('"odd')).toBe('"odd ""name"["a]b"]');
    expect(texts('ATT.Roll + AT', 4)).toEqual(['Roll', 'Pitch']);
  });

  test('whatever it offers can be read', () => {
    for (const table of catalogue) {
      const whole = complete('', 0, [table]).options.find((option) => option.kind === 'table')?.text ?? '';
      for (const { text } of complete(`${whole}.`, whole.length + 1, [table]).options) {
        expect(resolveFields(parseExpression(`${whole}.${text}`), catalogue)[0].tables).toEqual([table]);
      }
    }
  });

  test('of any text at any place lies within it', () => {
    const piece = fc.constantFrom('ATT', '.', '[', ']', '"', 'MAG[0', '1e', 'R', ' ', '(', '-');
    const text = fc.oneof(
      fc.array(piece).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, fc.integer(), (typed, position) => {
        const { from, to } = complete(typed, position, catalogue);
        expect(0 <= from && from <= to && to <= typed.length).toBe(true);
      }),
    );
  });
});
