import { describe, expect, test } from 'vitest';
import { wantedBy } from './wanted.ts';

describe('what a query may read', () => {
  const sql = 'SELECT avg(RPM), max("Curr") FROM esc WHERE stream = 0';

  test('is what it names, in any case', () => {
    const wanted = wantedBy(sql);
    expect(['ESC', 'ATT'].map((name) => wanted?.table(name))).toEqual([true, false]);
    expect(['TimeUS', 'rpm', 'Curr', 'Volt'].map((name, place) => wanted?.field(name, place))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test('is the first field where time is asked for', () => {
    const wanted = wantedBy('SELECT time, Roll FROM ATT');
    expect(wanted?.field('TimeUS', 0)).toBe(true);
    expect(wanted?.field('Pitch', 2)).toBe(false);
  });

  test.each([
    'SELECT * FROM ATT',
    'SELECT Roll, * FROM ATT',
    'SELECT a.* FROM ATT a',
    'FROM ATT',
    'SELECT count(*) FROM (FROM ATT)',
    'SELECT max(COLUMNS(*)) FROM ATT',
    'SELECT DISTINCT * FROM ATT',
  ])('is every field in %s', (all) => {
    expect(wantedBy(all)?.field('Volt', 7)).toBe(true);
  });

  test('is not every field where rows are counted or numbers multiplied', () => {
    expect(wantedBy('SELECT count(*), 2 * Roll FROM ATT')?.field('Pitch', 2)).toBe(false);
  });

  test('is not known where tables are listed', () => {
    expect(wantedBy('SHOW TABLES')).toBeUndefined();
  });
});
