import { describe, expect, test } from 'vitest';
import { Cells } from './columns.ts';
import { MAKER_SENTENCES, MODULE_SENTENCES } from './makers.ts';
import { parseLayout } from './notation.ts';
import { SentenceSchema } from './schema.ts';
import { sentence } from './sentence.ts';
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

test('places are before, in and after a group, which texts number', () => {
  const { fields, group, cells } = parseLayout('(a b"8)2 c"4... - =X');
  expect(fields.map(({ name, cell, place, kind }) => [name, cell, place, kind])).toEqual([
    ['a', 1, 'group', 'number'],
    ['b', 2, 'group', 'text'],
    ['c', 5, 'behind', 'rest'],
  ]);
  expect(group).toEqual({ first: 1, size: 2, slots: 2, open: false, numbered: true });
  expect(cells).toBe(7);
});

/** Units by their definitions. */
test.each([
  ['kn', 1852 / 3600, 'm/s'],
  ['km/h', 1000 / 3600, 'm/s'],
  ['ft', 0.3048, 'm'],
  ['fathom', 6 * 0.3048, 'm'],
  ['nmi', 1852, 'm'],
  ['km', 1000, 'm'],
  ['bar', 1e5, 'Pa'],
  ['inHg', 3386.389, 'Pa'],
  ['kHz', 1000, 'Hz'],
  ['ms', 1e-3, 's'],
  ['min', 60, 's'],
  ['h', 3600, 's'],
  ['deg', undefined, ''],
])('a %s is %d %s', (unit, factor, siUnit) => {
  const [field] = new SentenceSchema(sentence('X', `a/${unit}`), false, new Cells()).fields;
  expect([field.unit, field.siUnit]).toEqual([unit, siUnit]);
  if (factor === undefined) expect(field.multiplier).toBeUndefined();
  else expect(field.multiplier).toBeCloseTo(factor, 12);
});

test('names of numbers are those of the standard', () => {
  const names = (kind: string): string[] => {
    const [{ enumeration }] = new SentenceSchema(sentence('X', `a!${kind}`), false, new Cells()).fields;
    return [...(enumeration?.names ?? [])].map(([number, name]) => `${number} ${name}`);
  };
  expect(names('quality').join(', ')).toBe(
    '0 no fix, 1 GPS, 2 differential, 3 PPS, 4 RTK fixed, 5 RTK float, 6 estimated, 7 manual, 8 simulated',
  );
  expect(names('fix')).toEqual(['1 no fix', '2 2D', '3 3D']);
  expect(names('system')).toEqual(['1 GPS', '2 GLONASS', '3 Galileo', '4 BeiDou', '5 QZSS', '6 NavIC']);
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
