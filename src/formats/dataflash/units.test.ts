import { describe, expect, test } from 'vitest';
import { formatLength, schemaOf } from './schema.ts';
import { type Assignment, Units } from './units.ts';

/** Units of a definition whose columns are called by their number. */
function unitsOf(
  format: string,
  units: string,
  multipliers: string,
  change: Partial<Assignment> = {},
  log = new Units(),
) {
  const columns = [...format].map((_, i) => `c${i}`).join(',');
  const schema = schemaOf({ type: 9, length: formatLength(format) ?? 3, name: 'A', format, columns });
  log.assign(schema, { units, multipliers, format, text: false, ...change });
  log.apply();
  return schema.fields.map(({ unit, siUnit, multiplier }) => [unit, siUnit, multiplier]);
}

describe('units', () => {
  test('get the prefix that the multiplier stands for', () => {
    expect(unitsOf('QffffI', 'sAmmmP', 'FCB0AI')).toEqual([
      ['µs', 's', 1e-6],
      ['mA', 'A', 1e-3],
      ['cm', 'm', 0.01],
      ['m', 'm', 1],
      ['dm', 'm', 0.1],
      ['nPa', 'Pa', 1e-9],
    ]);
  });

  test('of a multiplier without a prefix name the number', () => {
    expect(unitsOf('ffff', 'DWn-', 'G!2B')).toEqual([
      ['1e-7 deglatitude', 'deglatitude', 1e-7],
      ['3.6 Watt', 'Watt', 3.6],
      ['100 m/s', 'm/s', 100],
      ['', '', 0.01],
    ]);
  });

  test('of characters that scale by themselves have no prefix', () => {
    expect(unitsOf('cCeEL', 'ddmmD', 'BBBBG').map(([unit]) => unit)).toEqual(['deg', 'deg', 'm', 'm', 'deglatitude']);
  });

  test('in text are those of the scaled value, which needs no multiplier any more', () => {
    expect(unitsOf('cf', 'dm', 'BB', { text: true })).toEqual([
      ['deg', 'deg', undefined],
      ['cm', 'm', 0.01],
    ]);
  });

  test('that say nothing are none', () => {
    expect(unitsOf('fffn', '-?\u0001m', '-??B')).toEqual([
      ['', '', undefined],
      ['UNKNOWN', 'UNKNOWN', undefined],
      ['', '', undefined],
      ['m', 'm', undefined],
    ]);
    expect(unitsOf('ff', '', '')).toEqual([
      ['', '', undefined],
      ['', '', undefined],
    ]);
  });

  test('are those that the log states, the last one if it states two', () => {
    const log = new Units();
    log.label('m'.charCodeAt(0), 'furlong');
    log.label(-1, 'by a negative number');
    log.label('m'.charCodeAt(0), 'fathom');
    log.factor('B'.charCodeAt(0), 0.009999999776482582);
    log.factor('Z'.charCodeAt(0), Number.NaN);
    expect(unitsOf('fff', 'mm\u00ff', 'BZ-', {}, log)).toEqual([
      ['cfathom', 'fathom', 0.01],
      ['fathom', 'fathom', undefined],
      ['by a negative number', 'by a negative number', undefined],
    ]);
  });
});
