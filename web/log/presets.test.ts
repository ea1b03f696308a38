import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE } from '../../test/cli.ts';
import { attitudeFields } from './attitude-fields.ts';
import { searchFields } from './field-search.ts';
import { parameterRows } from './parameter-diff.ts';
import { findPresets, firstPanes } from './presets.ts';
import type { FileSummary } from './worker/answers.ts';
import { LogFile } from './worker/log-file.ts';

describe.each(['copter-square.BIN', 'copter-square.tlog', 'copter-square.nmea', 'copter-square.pcap'])('%s', (name) => {
  let file: LogFile;
  let summary: FileSummary;

  beforeAll(async () => {
    file = await LogFile.open(new Blob([readFileSync(join(SAMPLE, '..', name))]), () => {});
    summary = await file.summary();
  });

  test('has presets, and every field of them can be plotted', async () => {
    const presets = findPresets(summary.tables);
    expect(presets.length).toBeGreaterThan(0);
    expect(firstPanes(presets).length).toBeGreaterThan(0);
    for (const { panes } of presets) {
      for (const field of panes.flat()) {
        expect(file.has(field)).toBe(true);
        expect((await file.field(field)).times.length).toBeGreaterThan(1);
      }
    }
  });

  test('every table but those without a time of their own tells how often it came', () => {
    for (const { rate, rows } of summary.tables) if (rows > 1 && !Number.isNaN(rate)) expect(rate).toBeGreaterThan(0);
    expect(summary.tables.some(({ rate }) => rate > 0)).toBe(true);
  });
});

describe('the search', () => {
  const field = (name: string, unit = '', count = 1, numeric = true) => ({ name, unit, count, numeric });
  const tables = [
    { name: 'ATT', stream: '', rows: 9, rate: 1, fields: [field('Roll', 'deg'), field('DesRoll', 'deg')] },
    { name: 'RATE', stream: '', rows: 9, rate: 1, fields: [field('R'), field('Note', '', 1, false)] },
    { name: 'ESC', stream: '1', rows: 9, rate: 1, fields: [field('rpm', '1/min', 2)] },
  ];
  const found = (query: string): string[] => searchFields(tables, query).map(({ text }) => text);

  test('puts what begins with the word first', () => {
    expect(found('roll')).toEqual(['ATT.Roll', 'ATT.DesRoll']);
  });

  test('takes words in any order, units, letters with others between them, and elements of arrays', () => {
    expect(found('des att')).toEqual(['ATT.DesRoll']);
    expect(found('deg')).toEqual(['ATT.Roll', 'ATT.DesRoll']);
    expect(found('atrl')).toContain('ATT.Roll');
    expect(found('attitude des')).toEqual(['ATT.DesRoll']);
    expect(found('rpm')).toEqual(['ESC[1].rpm{0}', 'ESC[1].rpm{1}']);
  });

  test('leaves out texts, and finds nothing for nothing', () => {
    expect([found('note'), found(' '), found('zzz')]).toEqual([[], [], []]);
  });

  test('the attitude is that of the best table', () => {
    expect(attitudeFields(tables)).toBeUndefined();
    const whole = [{ ...tables[0], fields: ['Roll', 'Pitch', 'Yaw'].map((name) => field(name)) }];
    expect(attitudeFields(whole)).toEqual({ texts: ['ATT.Roll', 'ATT.Pitch', 'ATT.Yaw'], factor: 1 });
  });
});

test('parameters of two logs stand beside each other', () => {
  const parameter = (name: string, ...values: number[]) => ({
    ...{ name, value: values[values.length - 1], default: null },
    changes: values.length - 1,
  });
  const rows = parameterRows([parameter('B', 1, 2), parameter('A', 5)], [parameter('A', 5), parameter('C', 7)]);
  expect(rows.map(({ name, value, other, changes, differs }) => [name, value, other, changes, differs])).toEqual([
    ['A', 5, 5, 0, false],
    ['B', 2, null, 1, true],
    ['C', null, 7, 0, true],
  ]);
  expect(parameterRows([parameter('A', 5)], null)[0].differs).toBe(false);
});
