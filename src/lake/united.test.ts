import { expect, test } from 'vitest';
import { selectUnited, unitedColumns, unitedType } from './united.ts';

test.each([
  ['UTINYINT', 'UTINYINT', 'UTINYINT'],
  ['UTINYINT', 'USMALLINT', 'USMALLINT'],
  ['UTINYINT', 'TINYINT', 'SMALLINT'],
  ['UINTEGER', 'INTEGER', 'BIGINT'],
  ['UINTEGER', 'TINYINT', 'BIGINT'],
  ['UBIGINT', 'UTINYINT', 'UBIGINT'],
  ['UBIGINT', 'TINYINT', 'DECIMAL(20,0)'],
  ['DECIMAL(20,0)', 'BIGINT', 'DECIMAL(20,0)'],
  ['DECIMAL(20,0)', 'FLOAT', 'DOUBLE'],
  ['FLOAT', 'DOUBLE', 'DOUBLE'],
  ['FLOAT', 'USMALLINT', 'FLOAT'],
  // 16,777,217 is no FLOAT
  ['FLOAT', 'INTEGER', 'DOUBLE'],
  ['VARCHAR', 'INTEGER', 'VARCHAR'],
  ['BLOB', 'INTEGER', 'VARCHAR'],
  ['SMALLINT[]', 'INTEGER[]', 'INTEGER[]'],
  ['SMALLINT[]', 'DOUBLE', 'DOUBLE[]'],
])('%s and %s are united as %s', (a, b, wanted) => {
  expect(unitedType(a, b)).toBe(wanted);
  expect(unitedType(b, a)).toBe(wanted);
});

test('columns are united by name, whatever its case, and none is lost', () => {
  const old = [
    { name: 'Lat', type: 'DOUBLE' },
    { name: 'NSats', type: 'UTINYINT' },
  ];
  const recent = [
    { name: 'lat', type: 'FLOAT' },
    { name: 'Yaw', type: 'FLOAT' },
    { name: 'NSats', type: 'INTEGER[]' },
  ];
  const united = unitedColumns([old, recent]);
  expect(united).toEqual([
    { name: 'Lat', type: 'DOUBLE' },
    { name: 'NSats', type: 'INTEGER[]' },
    { name: 'Yaw', type: 'FLOAT' },
  ]);
  expect(selectUnited(old, united)).toEqual([
    '"Lat" AS "Lat"',
    'CAST(CASE WHEN "NSats" IS NULL THEN NULL ELSE ["NSats"] END AS INTEGER[]) AS "NSats"',
  ]);
  expect(selectUnited(recent, united)[0]).toBe('CAST("lat" AS DOUBLE) AS "Lat"');
});
