import { expect, test } from 'vitest';
import { type Explained, markdownOf, sentencesOf, sqlOf } from './explain.ts';

const explained = {
  file: {
    name: 'a_b.bin',
    summary: { vehicle: 'Copter', firmware: 'V4.5', utc: false, start: 0 },
    modes: [
      { mode: 'LOITER', start: 0, end: 20e6 },
      { mode: 'RTL', start: 20e6, end: 90e6 },
    ],
    insight: {
      armed: [{ start: 5e6, end: 80e6 }],
      events: [
        { kind: 'failsafe', severity: 'error', time: 15e6, end: null, text: '<b>radio</b> failsafe' },
        { kind: 'failsafe', severity: 'error', time: 55e6, end: null, text: 'later' },
      ],
    },
    report: {
      findings: [
        { severity: 'warn', title: 'Battery', text: 'Voltage sagged.', advice: 'Check it.', from: 12e6, to: 14e6 },
        { severity: 'warn', title: 'Compass', text: 'Elsewhere.', advice: '', from: 60e6, to: 70e6 },
      ],
    },
  },
  ...{ from: 10e6, to: 18e6, base: 'start', origin: 0 },
  traces: [
    { text: 'GPS[0].Alt', unit: 'm', statistics: { low: 1, mean: 2, high: 3 } },
    { text: 'GPS[0]."a b"', unit: '', statistics: null },
    { text: 'deriv(BARO.Alt)', unit: '', statistics: null },
  ],
} as unknown as Explained;

test('a stretch is said in sentences: modes, findings and events of it, no others', () => {
  expect(sentencesOf(explained)).toEqual([
    '0:10.0 to 0:18.0 (8.00 s), armed, in LOITER.',
    'Battery: Voltage sagged. Check it.',
    '0:15.0: <b>radio</b> failsafe',
  ]);
});

test('the query has the same window and the plotted fields', () => {
  expect(sqlOf(explained)).toBe(
    'SELECT time, "Alt", "a b"\nFROM "GPS[0]"\nWHERE time BETWEEN make_timestamp(10000000) AND make_timestamp(18000000)\nORDER BY time',
  );
});

test('Markdown has all of it, and texts of the log mean nothing in it', () => {
  const text = markdownOf(explained, '#panes=x', 'a b.png', [{ from: 11e6, to: null, text: 'look *here*' }]);
  expect(text).toContain('**a\\_b.bin** (Copter, V4.5)');
  expect(text).toContain('\\<b\\>radio\\</b\\> failsafe');
  expect(text).toContain('- 0:11.0: look \\*here\\*');
  expect(text).toContain('![plots](a%20b.png)');
  expect(text).toContain('| GPS\\[0\\].Alt | m | 1 | 2 | 3 |');
  expect(text).toContain('```sql\nSELECT time');
});
