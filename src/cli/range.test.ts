import { describe, expect, test } from 'vitest';
import { UsageError } from './failure.ts';
import { parseWhen } from './range.ts';

const SPAN = { start: Date.parse('2026-11-15T18:00:00Z') * 1000, end: Date.parse('2026-11-15T18:10:00Z') * 1000 };
const NOWHERE = { start: null, end: null };

/** Microseconds of a moment with more digits than a Date has. */
const moment = (utc: string, micros = 0): number => Date.parse(utc) * 1000 + micros;

describe('relative to the log', () => {
  test.each([
    ['+90s', 90],
    ['+90', 90],
    ['+1m30s', 90],
    ['+1min30s', 90],
    ['+1.5m', 90],
    ['+1h', 3600],
    ['+1h2m3s', 3723],
    ['+1h2m3', 3723],
    ['+250ms', 0.25],
    ['+0.1s', 0.1],
    ['+1.1s', 1.1],
    ['+0', 0],
  ])('%s is after the start', (text, seconds) => {
    expect(parseWhen(text, SPAN)).toBe(SPAN.start + Math.round(seconds * 1e6));
  });

  test.each([
    ['-10s', 10],
    ['-1m30s', 90],
    ['-500ms', 0.5],
  ])('%s is before the end', (text, seconds) => {
    expect(parseWhen(text, SPAN)).toBe(SPAN.end - seconds * 1e6);
  });

  test.each(['+60s', '-1s'])('%s means nothing in a log without times', (text) => {
    expect(() => parseWhen(text, NOWHERE)).toThrow(UsageError);
    expect(() => parseWhen(text, NOWHERE)).toThrow(`'${text}' is relative to a time, and the log has none`);
  });
});

describe('seconds as they are printed', () => {
  test('give the very microsecond', () => {
    // the product of 133.714826 and 1e6 is not quite an integer
    for (const start of [0, 133_714_826, 1_794_766_353_255_519]) {
      for (let micros = start; micros < start + 1_000_000; micros += 997) {
        expect(parseWhen(String(micros / 1e6), NOWHERE)).toBe(micros);
      }
    }
  });

  test('may be few', () => {
    expect(parseWhen('12', NOWHERE)).toBe(12_000_000);
    expect(parseWhen('0.5', NOWHERE)).toBe(500_000);
  });
});

describe('dates', () => {
  test.each([
    ['2026-11-15T18:12:33Z', moment('2026-11-15T18:12:33Z')],
    ['2026-11-15T18:12:33', moment('2026-11-15T18:12:33Z')],
    ['2026-11-15 18:12:33', moment('2026-11-15T18:12:33Z')],
    ['2026-11-15T18:12', moment('2026-11-15T18:12:00Z')],
    ['2026-11-15', moment('2026-11-15T00:00:00Z')],
    ['2026-11-15T18:12:33+05:45', moment('2026-11-15T12:27:33Z')],
    ['2026-11-15T18:12:33-0800', moment('2026-11-16T02:12:33Z')],
    ['2026-11-15T18:12:33.255519Z', moment('2026-11-15T18:12:33Z', 255_519)],
    ['2026-11-15T18:12:33.255519+01:00', moment('2026-11-15T17:12:33Z', 255_519)],
    ['2026-11-15 18:12:33.9999999', moment('2026-11-15T18:12:34Z')],
    ['1969-12-31T23:59:59.5Z', -500_000],
    ['2024-02-29', moment('2024-02-29T00:00:00Z')],
    ['0001-01-01', moment('0001-01-01T00:00:00Z')],
  ])('%s', (text, micros) => {
    expect(parseWhen(text, NOWHERE)).toBe(micros);
  });
});

describe('what is not a time', () => {
  test.each([
    '',
    'now',
    'yesterday',
    '12:30',
    '2026-13-01',
    '2026-11-15T25:00Z',
    '1e9',
    '+',
    '+s',
    '+5days',
    '--5',
    'NaN',
    '2026-11-15T',
    '2026-02-30',
    '2026-04-31T10:00Z',
    '2025-02-29 10:00',
    '+1.55.5',
    '+1s2.3.4m',
    '9'.repeat(400),
    `+${'9'.repeat(400)}`,
    // once took twice as long with every digit
    `+${'1'.repeat(5000)}x`,
    `-${'1m'.repeat(5000)}x`,
    '５',
  ])("'%s'", (text) => {
    expect(() => parseWhen(text, SPAN)).toThrow(UsageError);
    expect(() => parseWhen(text, SPAN)).toThrow(`'${text}' is not a time: use +90s`);
  });
});
