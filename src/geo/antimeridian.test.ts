import { describe, expect, test } from 'vitest';
import { type MadePoint, madeTrack } from '../../test/helpers/track.ts';
import { cutAtAntimeridian, type SidePoint } from './antimeridian.ts';

function cut(...points: readonly MadePoint[]): SidePoint[][] {
  const parts = cutAtAntimeridian(madeTrack(points));
  return parts.map((part) => Array.from({ length: part.length }, (_, i) => part.at(i)));
}

const places = (parts: readonly SidePoint[][]): number[][][] =>
  parts.map((part) => part.map(({ lon, lat }) => [lon, lat]));

const at = (lon: number, lat: number): MadePoint => ({ lon, lat });

describe('cutAtAntimeridian', () => {
  test('leaves a track in one part that does not cross', () => {
    expect(places(cut(at(-90, 1), at(90, 2), at(-90, 3)))).toEqual([
      [
        [-90, 1],
        [90, 2],
        [-90, 3],
      ],
    ]);
    expect(places(cut(at(5, 1)))).toEqual([[[5, 1]]]);
    expect(places(cut())).toEqual([[]]);
  });

  test('cuts a leg eastward where it crosses, with latitude, altitude and time in between', () => {
    const [before, after] = cut(
      { lon: 179, lat: 10, alt: 100, time: 1000 },
      { lon: -177, lat: 14, alt: 200, time: 5000 },
    );
    expect(before).toEqual([
      { lon: 179, lat: 10, alt: 100, time: 1000 },
      { lon: 180, lat: 11, alt: 125, time: 2000 },
    ]);
    expect(after).toEqual([
      { lon: -180, lat: 11, alt: 125, time: 2000 },
      { lon: -177, lat: 14, alt: 200, time: 5000 },
    ]);
  });

  test('cuts westward, and again on the way back', () => {
    expect(places(cut(at(-179, 0), at(179, 2), at(-178, 5)))).toEqual([
      [
        [-179, 0],
        [-180, 1],
      ],
      [
        [180, 1],
        [179, 2],
        [180, 3],
      ],
      [
        [-180, 3],
        [-178, 5],
      ],
    ]);
  });

  test('an altitude that is missing at one end is missing at the cut', () => {
    const [before] = cut({ lon: 179, lat: 0, alt: 5 }, { lon: -179, lat: 0 });
    expect(before[1].alt).toBeNaN();
  });

  // a point on the antimeridian belongs to both sides: no part of one position, no position twice
  test.each([
    [
      'begins on it',
      [at(180, 1), at(-179, 2)],
      [
        [
          [-180, 1],
          [-179, 2],
        ],
      ],
    ],
    [
      'begins on it, seen from the other side',
      [at(-180, 1), at(179, 2)],
      [
        [
          [180, 1],
          [179, 2],
        ],
      ],
    ],
    [
      'ends on it',
      [at(179, 1), at(-180, 2)],
      [
        [
          [179, 1],
          [180, 2],
        ],
      ],
    ],
    [
      'passes through a point on it',
      [at(179, 1), at(180, 2), at(-179, 3)],
      [
        [
          [179, 1],
          [180, 2],
        ],
        [
          [-180, 2],
          [-179, 3],
        ],
      ],
    ],
    [
      'follows it',
      [at(180, 1), at(-180, 2)],
      [
        [
          [-180, 1],
          [-180, 2],
        ],
      ],
    ],
    [
      'follows it under both names',
      [at(180, 1), at(-180, 2), at(180, 3)],
      [
        [
          [-180, 1],
          [-180, 2],
        ],
        [
          [180, 2],
          [180, 3],
        ],
      ],
    ],
  ])('a track that %s', (_how, points, expected) => {
    expect(places(cut(...points))).toEqual(expected);
  });

  test('every part has two positions or more, and none crosses, whatever the track', () => {
    const longitudes = [180, -180, 179.9999999, -179.9999999, 0, 90, -90.5, 1e-7];
    for (let k = 0; k < 5000; k++) {
      const points = Array.from({ length: 2 + (k % 5) }, (_, i) =>
        at(longitudes[((k * 7919) >> (i * 3)) & 7], ((k + i) % 7) - 3),
      );
      for (const part of cut(...points)) {
        expect(part.length).toBeGreaterThan(1);
        for (let i = 1; i < part.length; i++) {
          expect(Math.abs(part[i].lon - part[i - 1].lon)).toBeLessThanOrEqual(180);
        }
      }
    }
  });
});
