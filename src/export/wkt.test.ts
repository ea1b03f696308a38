import { describe, expect, test } from 'vitest';
import { type MadePoint, madeTrack } from '../../test/helpers/track.ts';
import { wkt } from './wkt.ts';

const write = (...points: MadePoint[]): string => [...wkt.write(madeTrack(points))].join('');

/** The grammar of OGC 06-103r4, 7.2, of what a track can be. */
const NUMBER = String.raw`-?\d+(\.\d+)?`;
const PLACE = `${NUMBER} ${NUMBER}`;
const line = (place: string): string => `\\(${place}(, ${place})+\\)`;
const GRAMMAR = new RegExp(
  `^(LINESTRING EMPTY|${[PLACE, `${PLACE} ${NUMBER}`]
    .map((place, i) => {
      const z = i === 1 ? ' Z' : '';
      return `POINT${z} \\(${place}\\)|LINESTRING${z} ${line(place)}|MULTILINESTRING${z} \\(${line(place)}(, ${line(place)})+\\)`;
    })
    .join('|')})\n$`,
);

describe('a track', () => {
  test.each<[string, MadePoint[], string]>([
    ['none', [], 'LINESTRING EMPTY\n'],
    ['one', [{ lon: 7, lat: 46, alt: 500.5 }], 'POINT Z (7 46 500.5)\n'],
    ['one without altitude', [{ lon: 7, lat: 46 }], 'POINT (7 46)\n'],
    [
      'two',
      [
        { lon: 7, lat: 46, alt: 500 },
        { lon: -7.1234567, lat: 1e-7, alt: -1 },
      ],
      'LINESTRING Z (7 46 500, -7.1234567 0.0000001 -1)\n',
    ],
    [
      'two of which one has no altitude',
      [
        { lon: 7, lat: 46, alt: 500 },
        { lon: 8, lat: 46 },
      ],
      'LINESTRING (7 46, 8 46)\n',
    ],
    [
      'two on either side of the antimeridian',
      [
        { lon: 179, lat: 10, alt: 0 },
        { lon: -179, lat: 12, alt: 10 },
      ],
      'MULTILINESTRING Z ((179 10 0, 180 11 5), (-180 11 5, -179 12 10))\n',
    ],
  ])('of points: %s', (_what, points, expected) => {
    expect(write(...points)).toBe(expected);
    expect(write(...points)).toMatch(GRAMMAR);
  });
});

test('keeps to the grammar whatever the numbers', () => {
  const values = [1e-300, -5e-324, 1e300, -0, 1 / 3, 90, -90, 1e21];
  for (const alt of values) expect(write({ lon: 1e-9, lat: -1e-10, alt }, { lon: 2, lat: 3, alt: 4 })).toMatch(GRAMMAR);
  expect('LINESTRING Z (1 2 1e5, 1 2 3)\n').not.toMatch(GRAMMAR);
});

test('several tracks are a line each', () => {
  const tracks = [madeTrack([]), madeTrack([{ lon: 7, lat: 46 }])];
  expect([...wkt.write(tracks)].join('')).toBe('LINESTRING EMPTY\nPOINT (7 46)\n');
  expect([...wkt.write([])].join('')).toBe('');
});
