import { describe, expect, test } from 'vitest';
import { exact } from '../core/text.ts';
import { isoTime, rounded, seconds } from './decimal.ts';

describe('rounded', () => {
  test.each([
    [51.47, 9, '51.47'],
    [-118.8010928, 9, '-118.8010928'],
    [149.165237412345, 9, '149.165237412'],
    [0.1 + 0.2, 9, '0.3'],
    [100, 3, '100'],
    [1200, 0, '1200'],
    [0, 3, '0'],
    [-0, 3, '0'],
    [-1e-12, 9, '0'],
    [1e-7, 9, '0.0000001'],
    [-4e-7, 9, '-0.0000004'],
    [584.0599975585938, 3, '584.06'],
    [1e21, 3, '1000000000000000000000'],
    [-(2 ** 80), 3, '-1208925819614629174706176'],
  ])('%d to %d digits', (value, digits, text) => {
    expect(rounded(value, digits)).toBe(text);
  });
});

describe('exact', () => {
  test.each([
    [1.5, '1.5'],
    [-0.1, '-0.1'],
    [1e-7, '0.0000001'],
    [-1.25e-9, '-0.00000000125'],
    [584.0599975585938, '584.0599975585938'],
    [1e21, '1000000000000000000000'],
    [Number.NaN, ''],
    [Number.POSITIVE_INFINITY, ''],
  ])('%d', (value, text) => {
    expect(exact(value)).toBe(text);
  });

  test('reads as the same number again and has no exponent', () => {
    const bits = new DataView(new ArrayBuffer(8));
    for (let k = 1; k < 5000; k++) {
      bits.setUint32(0, Math.imul(k, 0x9e3779b1) >>> 0);
      bits.setUint32(4, Math.imul(k, 0x85ebca6b) >>> 0);
      const value = bits.getFloat64(0);
      if (!Number.isFinite(value)) continue;
      expect(exact(value)).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(exact(value))).toBe(value);
    }
  });
});

describe('seconds', () => {
  test.each([
    [0, '0.000000'],
    [1, '0.000001'],
    [1_794_766_360_800_000, '1794766360.800000'],
    [9_007_199_254_740_991, '9007199254.740991'],
    [9_006_999_999_999_999, '9006999999.999999'],
    [999_999.7, '1.000000'],
    [-1_500_000, '-1.500000'],
    [-0.2, '0.000000'],
    [Number.NaN, ''],
  ])('%d microseconds', (micros, text) => {
    expect(seconds(micros)).toBe(text);
  });

  test('has digits only, however large', () => {
    for (const micros of [2 ** 64, 1e30, -1e300]) expect(seconds(micros)).toMatch(/^-?\d+\.\d{6}$/);
  });
});

describe('isoTime', () => {
  test.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [1_794_766_360_800_400, '2026-11-15T18:12:40.800Z'],
    [-62_135_596_800_000_000, '0001-01-01T00:00:00.000Z'],
    [253_402_300_799_999_000, '9999-12-31T23:59:59.999Z'],
  ])('%d', (micros, text) => {
    expect(isoTime(micros)).toBe(text);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -62_135_596_801_000_000, 253_402_300_800_000_000, 2 ** 64, 1e300])(
    '%d is no time that has four digits for the year',
    (micros) => {
      expect(isoTime(micros)).toBeUndefined();
    },
  );
});
