import { describe, expect, test } from 'vitest';
import { textOf } from '../../core/text.ts';
import {
  DATE_BYTES,
  decimalAt,
  degreesAt,
  hexAt,
  letteredAt,
  putDate,
  signAt,
  timeAt,
  usedAt,
  writeDate,
} from './value.ts';

/** Applies a reader to a text that stands somewhere in other bytes. */
function of(read: (bytes: Uint8Array, at: number, end: number) => number, text: string): number {
  const bytes = Uint8Array.from(`9,${text},9`, (char) => char.charCodeAt(0));
  return read(bytes, 2, 2 + text.length);
}

describe('decimal numbers are the double nearest to what they say', () => {
  test.each([
    ['0', 0],
    ['12', 12],
    ['-3', -3],
    ['+4.50', 4.5],
    ['007', 7],
    ['.5', 0.5],
    ['3.', 3],
    ['0.1', 0.1],
    ['123456789.123456', 123456789.123456],
    ['1234567890123456789', Number('1234567890123456789')],
    ['0.30000000000000004', 0.30000000000000004],
    ['1e3', 1000],
    ['1E-3', 0.001],
    ['1e+3', 1000],
    ['123456789012345', 123456789012345],
    ['0.123456789012345', 0.123456789012345],
    ['9007199254740993', 9007199254740992],
    [' 7 ', 7],
  ])('%s', (text, value) => expect(of(decimalAt, text)).toBe(value));

  test.each(['', '-', '.', 'A', '1.2.3', '1,2', '0x10', '1 2', 'nan'])('%s is missing', (text) =>
    expect(of(decimalAt, text)).toBeNaN(),
  );

  test('and many digits that are no number take no longer than they are long', () => {
    const start = performance.now();
    expect(of(decimalAt, `${'1'.repeat(100_000)}x`)).toBeNaN();
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('degrees of degrees and minutes', () => {
  test.each([
    ['4807.038', 48 + 7.038 / 60],
    ['01131.000', 11 + 31 / 60],
    ['0027.25800', 0.4543],
    ['712.5', 7 + 12.5 / 60],
    ['5128.20000', 51.47],
    ['2503.8212800', 25.063688],
    ['12116.8426100', 121.28071016666667],
    ['5960.0000', 60],
    ['4860.000000000', 49],
    ['4860.0000000000', 49],
    ['4859.1234567891', 48 + 59.1234567891 / 60],
    ['123456759.5', 1234567 + 59.5 / 60],
    ['.6', 0.01],
    ['6.', 0.1],
    ['30', 0.5],
    ['4807.03812345678901234', 48.11730205761315],
    ['0000.0000000001', 1 / 6e11],
  ])('%s', (text, value) => expect(of(degreesAt, text)).toBe(value));

  test.each([
    '',
    '.',
    'N',
    '-4807.038',
    '4860.0001',
    '4807.0.1',
    '1234567890.1',
    '4860.000000001',
    '4860.00000000001',
    '4861.0000000000',
    '4861',
  ])('%s is missing', (text) => expect(of(degreesAt, text)).toBeNaN());
});

describe('seconds of the day', () => {
  test.each([
    ['000000', 0],
    ['123519', 45_319],
    ['235959.987', 86_399.987],
    ['181240.90', 65_560.9],
    ['235960', 86_400],
    ['235960.999', 86_400.999],
    ['.5', 0.5],
    ['005900', 3540],
    ['230000', 82_800],
    ['000001.123456789', 1.123456789],
    ['123519.12345678901', 45_319.123_456_789_01],
    ['120', 80],
    ['000000.0000000001', 1e-10],
  ])('%s', (text, value) => expect(of(timeAt, text)).toBe(value));

  test.each(['', '.', '240000', '126000', '123461', '240000.0000000000', '12:35:19', '-1', '1234567.0'])(
    '%s is missing',
    (text) => expect(of(timeAt, text)).toBeNaN(),
  );
});

test('hexadecimal ids', () => {
  expect(['1', 'B', 'b', '0A', '0x1F', ' 7'].map((text) => of(hexAt, text))).toEqual([1, 11, 11, 10, 31, 7]);
  for (const text of ['', 'G', '-1', '1.5', '1234567890']) expect(of(hexAt, text)).toBeNaN();
});

test('numbers behind letters', () => {
  expect(['EHT140.509', 'GHT+25.478', '5'].map((text) => of(letteredAt, text))).toEqual([140.509, 25.478, 5]);
  for (const text of ['', 'EHT', '@5', '5A']) expect(of(letteredAt, text)).toBeNaN();
  expect(of(letteredAt, 'A5')).toBe(5);
});

test('whether a satellite is used', () => {
  expect(['U', 'A', '-', 'u'].map((text) => of(usedAt, text))).toEqual([1, 0, 0, 0]);
  for (const text of ['', 'UU']) expect(of(usedAt, text)).toBeNaN();
});

test('the letter of a hemisphere gives the sign, in either case; any other leaves it open', () => {
  const sign = (text: string): number => of((bytes, at, end) => signAt(bytes, at, end, 78, 83), text);
  expect(['N', 'S', 'n', 's'].map(sign)).toEqual([1, -1, 1, -1]);
  for (const text of ['', 'E', 'NN', '.']) expect(sign(text)).toBeNaN();
});

describe('dates', () => {
  const written = (text: string, order: 'dmy' | 'mdy' | 'ymd'): string => {
    const out = new Uint8Array(DATE_BYTES);
    writeDate(new TextEncoder().encode(text), 0, text.length, order, out, 0);
    return textOf(out, 0, DATE_BYTES);
  };

  test.each([
    ['151126', 'dmy', '2026-11-15'],
    ['230394', 'dmy', '1994-03-23'],
    ['010180', 'dmy', '1980-01-01'],
    ['311279', 'dmy', '2079-12-31'],
    ['290224', 'dmy', '2024-02-29'],
    ['290200', 'dmy', '2000-02-29'],
    ['013020', 'mdy', '2020-01-30'],
    ['20260102', 'ymd', '2026-01-02'],
  ] as const)('%s in the order %s', (text, order, date) => expect(written(text, order)).toBe(date));

  test.each([
    '',
    '1126',
    '15112',
    '1511260',
    '320126',
    '010026',
    '011326',
    '290225',
    '300226',
    '15-1-6',
    '000126',
    '010126 ',
    ':50126',
  ])('%s is missing', (text) => expect(written(text, 'dmy')).toBe(''));

  test('of three numbers', () => {
    const put = (year: number, month: number, day: number): string => {
      const out = new Uint8Array(DATE_BYTES);
      putDate(year, month, day, out, 0);
      return textOf(out, 0, DATE_BYTES);
    };
    expect([put(2004, 3, 11), put(1000, 1, 1), put(9999, 12, 31)]).toEqual(['2004-03-11', '1000-01-01', '9999-12-31']);
    expect([put(999, 1, 1), put(10_000, 1, 1), put(2026, 0, 1), put(2026, 1, 0)]).toEqual(['', '', '', '']);
    for (const month of Array.from({ length: 12 }, (_, k) => k + 1)) {
      const last = new Date(Date.UTC(2026, month, 0)).getUTCDate();
      expect([put(2026, month, last) === '', put(2026, month, last + 1)], `month ${month}`).toEqual([false, '']);
    }
    expect([put(4, 3, 11), put(2004, 13, 1), put(2004, 1.5, 1), put(Number.NaN, 1, 1), put(2100, 2, 29)]).toEqual([
      '',
      '',
      '',
      '',
      '',
    ]);
  });
});
