import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE } from '../../../test/helpers/cli.ts';
import { needShared, sharedData } from '../../../test/helpers/need.ts';
import { parameterRows } from '../tabs/parameter-rows.ts';
import { attitudeFields } from '../track.ts';
import type { FileSummary } from '../worker/answers.ts';
import { OpenLog } from '../worker/open-log.ts';
import { parseField } from './field-name.ts';
import { searchFields } from './field-search.ts';
import { findPresets, firstPanes, lineName, plotTextOf } from './presets.ts';

describe.each(['copter-square.BIN', 'copter-square.tlog', 'copter-square.nmea', 'copter-square.pcap'])('%s', (name) => {
  let file: OpenLog;
  let summary: FileSummary;

  beforeAll(async () => {
    file = await OpenLog.open(new Blob([readFileSync(join(SAMPLE, '..', name))]), () => {});
    summary = await file.summary();
  });

  test('has presets, and every field of them can be plotted', async () => {
    const presets = findPresets(summary.tables);
    expect(presets.length).toBeGreaterThan(0);
    expect(firstPanes(presets, summary.tables).length).toBeGreaterThan(0);
    for (const { panes } of presets) {
      for (const text of panes.flat()) {
        const field = parseField(text);
        if (field) expect(file.has(field)).toBe(true);
        const { series } = field ? await file.field(field) : await file.expression(text);
        expect(series.times.length).toBeGreaterThan(1);
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
    // the note of the table says 'desired', too
    expect(found('des att')).toEqual(['ATT.DesRoll', 'ATT.Roll']);
    expect(found('deg')).toEqual(['ATT.Roll', 'ATT.DesRoll']);
    expect(found('atrl')).toContain('ATT.Roll');
    expect(found('attitude des')).toEqual(['ATT.DesRoll', 'ATT.Roll']);
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

  test.each([
    ['ATTITUDE', ['roll', 'pitch', 'yaw'], 'rad', 180 / Math.PI],
    ['ATTITUDE', ['roll', 'pitch', 'yaw'], 'deg', 1],
    ['EulerAngles', ['roll', 'pitch', 'yaw'], 'deg', 1],
    ['PASHR', ['roll', 'pitch', 'heading'], 'deg', 1],
    ['ATT', ['Roll', 'Pitch', 'Yaw'], 'deg', 1],
    ['ATT', ['Roll', 'Pitch', 'Yaw'], 'rad', 180 / Math.PI],
    ['ATT', ['Roll', 'Pitch', 'Yaw', 'RollRate'], '', 180 / Math.PI],
  ])('the angles of %s %j in %j are made degrees', (name, names, unit, factor) => {
    const table = { ...tables[0], name, fields: names.map((each) => ({ ...field(each), unit })) };
    expect(attitudeFields([table])?.factor).toBe(factor);
  });
});

needShared(describe, 'dataflash')('the attitude of an old PX4 log', () => {
  test('is that of its quaternion', async () => {
    const name = 'px4-dragon-log001.px4log';
    const file = await OpenLog.open(new Blob([readFileSync(sharedData('dataflash', name))]), () => {});
    const found = attitudeFields((await file.summary()).tables);
    if (!found) expect.fail('no attitude');
    const [w, x, y, z, roll] = await Promise.all(
      ['qw', 'qx', 'qy', 'qz', 'Roll'].map(
        async (each) => (await file.log.table('ATT')?.column(each))?.numbers() ?? [],
      ),
    );
    let most = 0;
    for (let row = 0; row < roll.length; row++) {
      const angle = Math.atan2(2 * (w[row] * x[row] + y[row] * z[row]), 1 - 2 * (x[row] ** 2 + y[row] ** 2));
      const degrees = (angle * 180) / Math.PI;
      if (Number.isNaN(degrees) || Math.hypot(w[row], x[row], y[row], z[row]) < 0.9) continue;
      expect(roll[row] * found.factor).toBeCloseTo(degrees, 1);
      most = Math.max(most, Math.abs(degrees));
    }
    expect(most).toBeGreaterThan(5);
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

needShared(
  describe,
  'flight',
  'px4-quad.ulg',
)('a log of PX4', () => {
  test('has the presets of one of ArduPilot, and its attitude in degrees', async () => {
    const file = await OpenLog.open(new Blob([readFileSync(sharedData('flight', 'px4-quad.ulg'))]), () => {});
    const { tables } = await file.summary();
    const presets = findPresets(tables);
    const names = presets.map(({ name }) => name);
    for (const name of [
      'Attitude',
      'Rates',
      'Altitude',
      'Speed',
      'Vibration',
      'IMU',
      'EKF',
      'Compass',
      'GPS',
      'Battery',
    ])
      expect(names).toContain(name);
    const [attitude, altitude] = firstPanes(presets, tables);
    // angles of a quaternion have names, and up is up
    expect(attitude.map(lineName)).toEqual([
      { from: 'vehicle_attitude[0].', name: 'roll', unit: 'deg' },
      { from: 'vehicle_attitude[0].', name: 'pitch', unit: 'deg' },
    ]);
    const { values: heights } = (await file.expression(altitude[0])).series;
    expect(heights.reduce((most, value) => Math.max(most, value || 0), 0)).toBeGreaterThan(15);
    expect(heights.reduce((least, value) => Math.min(least, value || 0), 0)).toBeGreaterThan(-2);
    expect(lineName('GPS[0].Alt * 2')).toEqual({ from: '', name: 'GPS[0].Alt * 2', unit: '' });
    expect((await file.messages()).filter(({ text }) => /\p{Cc}|\[\d+m/u.test(text))).toEqual([]);
    const found = attitudeFields(tables);
    if (!found) expect.fail('no attitude');
    expect(found.factor).toBe(1);
    const ranges: number[] = [];
    for (const text of found.texts) {
      const { values } = (await file.expression(text)).series;
      ranges.push(values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0));
    }
    // it leans by some degrees, and its heading is anywhere
    expect(ranges[0]).toBeGreaterThan(5);
    expect(ranges[0]).toBeLessThan(45);
    expect(ranges[1]).toBeGreaterThan(5);
    expect(ranges[2]).toBeGreaterThan(60);
    for (const text of presets.flatMap(({ panes }) => panes.flat())) {
      const field = parseField(text);
      const { series } = field ? await file.field(field) : await file.expression(text);
      expect(series.times.length).toBeGreaterThan(1);
    }
    expect((await file.track()).lat.length).toBeGreaterThan(700);
    expect((await file.modes()).map(({ mode }) => mode)).toEqual([
      'AUTO_LOITER',
      'AUTO_TAKEOFF',
      'AUTO_LOITER',
      'AUTO_RTL',
      'AUTO_LOITER',
    ]);
  });

  test('has a plot of each field that its report names, also of elements and angles', async () => {
    const file = await OpenLog.open(new Blob([readFileSync(sharedData('flight', 'px4-quad.ulg'))]), () => {});
    const { tables } = await file.summary();
    const { findings } = await file.report();
    const named = [...new Set(findings.flatMap(({ fields }) => fields))].filter((text) => text.includes('.'));
    expect(named.filter((text) => text.endsWith(']')).length).toBeGreaterThan(3);
    expect(named.filter((text) => text.endsWith(')')).length).toBeGreaterThan(1);
    for (const text of named) {
      const plotted = plotTextOf(text, tables);
      if (plotted === undefined) expect.fail(text);
      const field = parseField(plotted);
      const { series } = field ? await file.field(field) : await file.expression(plotted);
      expect(series.times.length, text).toBeGreaterThan(1);
    }
    expect(plotTextOf('event', tables)).toBeUndefined();
  });
});

test('a log that no preset knows begins with what it measured, not with its clocks', () => {
  const fields = ['timestamp', 'time_utc_usec', 'temperature', 'TimeUS', 'scalar'].map((name) => ({
    ...{ name, unit: '', count: 1, numeric: true },
  }));
  expect(firstPanes([], [{ name: 'Light', stream: '0', rows: 9, rate: 1, fields }])).toEqual([
    ['Light[0].temperature', 'Light[0].scalar'],
  ]);
});
