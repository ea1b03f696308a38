import { describe, expect, test } from 'vitest';
import { MAKER_SENTENCES, MODULE_SENTENCES } from './makers.ts';
import { parseLayout } from './notation.ts';
import {
  FIX_SENTENCES,
  MOTION_SENTENCES,
  ROUTE_SENTENCES,
  SKY_SENTENCES,
  TRAFFIC_SENTENCES,
  WEATHER_SENTENCES,
} from './sentences.ts';

const ALL = [
  ...FIX_SENTENCES,
  ...SKY_SENTENCES,
  ...MOTION_SENTENCES,
  ...WEATHER_SENTENCES,
  ...ROUTE_SENTENCES,
  ...TRAFFIC_SENTENCES,
  ...MAKER_SENTENCES,
  ...MODULE_SENTENCES,
];

/** Fields that have one name in all sentences, and their units. */
const COMMON: Readonly<Record<string, string>> = {
  ...{ lat: 'deg', lon: 'deg', altitude: 'm', altitude_ellipsoid: 'm', geoid_separation: 'm', speed_kn: 'kn' },
  ...{ speed_kmh: 'km/h', course: 'deg', heading: 'deg', quality: '', satellites: '', hdop: '', pdop: '', vdop: '' },
  ...{ wind_speed_kn: 'kn', wind_speed_kmh: 'km/h', wind_speed_ms: 'm/s', depth: 'm', roll: 'deg', azimuth: 'deg' },
  ...{ horizontal_accuracy: 'm', vertical_accuracy: 'm', heading_accuracy: 'deg', differential_age: 's' },
};

test('cells are counted, kinds, units and texts are told apart', () => {
  const { fields, fixed, group } = parseLayout(
    '=00 time:time lat:lat - speed/km/h x:EW/deg - id:hex!system s"8 d:day+day',
  );
  expect(fields.map(({ name, cell, kind, unit, width }) => [name, cell, kind, unit, width])).toEqual([
    ['time', 2, 'time', '', 0],
    ['lat', 3, 'lat', '', 0],
    ['speed', 5, 'number', 'km/h', 0],
    ['x', 6, 'signed', 'deg', 0],
    ['id', 8, 'hex', '', 0],
    ['s', 9, 'text', '', 8],
    ['d', 10, 'day-month-year', '', 0],
    ['day', 10, 'number', '', 0],
  ]);
  expect([...fixed]).toEqual([[1, '00']]);
  expect(group).toBeUndefined();
});

test('what stands behind repetitions counts on from the last of them', () => {
  const { fields, group } = parseLayout('a (b c)3? d text"4...');
  expect(fields.map(({ name, cell, place }) => [name, cell, place])).toEqual([
    ['a', 1, 'before'],
    ['b', 2, 'group'],
    ['c', 3, 'group'],
    ['d', 8, 'behind'],
    ['text', 9, 'behind'],
  ]);
  expect(group).toEqual({ first: 2, size: 2, slots: 3, open: true, numbered: false });
});

test.each(['a:b', 'a b:', '"3'])('%s is a mistake', (notation) =>
  expect(() => parseLayout(notation)).toThrow(SyntaxError),
);

describe('all sentences', () => {
  test('have names of their own', () => {
    const names = ALL.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(110);
  });

  test.each(ALL.map((sentence) => [sentence.name, sentence] as const))(
    '%s has fields of their own names',
    (_, { layout }) => {
      const names = layout.fields.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    },
  );

  test('where the cell of a field depends on the sentence, it is a number, an id or a text', () => {
    for (const { layout, short } of ALL) {
      for (const { kind, place } of layout.fields) {
        if (!short && !(place === 'behind' && layout.group?.open)) continue;
        expect(['number', 'hex', 'text']).toContain(kind);
      }
    }
  });

  test('the fields that many of them have are of one unit everywhere', () => {
    for (const { layout, name: sentence } of ALL) {
      for (const { name, unit, kind } of layout.fields) {
        if (COMMON[name] !== undefined && kind === 'number') expect(unit, `${name} of ${sentence}`).toBe(COMMON[name]);
      }
    }
  });
});
