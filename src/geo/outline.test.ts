import { describe, expect, test } from 'vitest';
import { outlineOf } from './outline.ts';
import type { Track } from './track.ts';

function trackOf(places: readonly (readonly [lon: number, lat: number])[]): Track {
  const column = (pick: (i: number) => number): Float64Array => Float64Array.from(places, (_, i) => pick(i));
  return {
    name: 'track',
    source: 'GPS',
    table: 'GPS',
    utc: true,
    points: places.length,
    rows: places.length,
    time: column((i) => i * 1e6),
    lon: column((i) => places[i][0]),
    lat: column((i) => places[i][1]),
    alt: column(() => 5),
    speed: column(() => 1),
    course: column(() => 0),
    dropped: { noFix: 0, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 },
    badAltitudes: 0,
  };
}

const placesOf = ({ lon, lat }: Track): number[][] => [...lon].map((each, i) => [each, lat[i]]);
/** A square with 100 points on each side. */
const SQUARE = Array.from({ length: 401 }, (_, i): [number, number] => {
  const [side, along] = [Math.floor(i / 100), (i % 100) / 100];
  return (
    [
      [along, 0],
      [1, along],
      [1 - along, 1],
      [0, 1 - along],
      [0, 0],
    ] as const
  )[side] as [number, number];
});

describe('the outline of a track', () => {
  test('has the corners of a square and nothing between them', () => {
    expect(placesOf(outlineOf(trackOf(SQUARE), 100, 1e-6))).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ]);
  });

  test('has no more points than are wanted, the ends and the farthest first', () => {
    expect(placesOf(outlineOf(trackOf(SQUARE), 3, 1e-6))).toEqual([
      [0, 0],
      [1, 1],
      [0, 0],
    ]);
  });

  test('is that of a part in time', () => {
    expect(placesOf(outlineOf(trackOf(SQUARE), 9, 1e-6, { from: 0, to: 150e6 }))).toEqual([
      [0, 0],
      [1, 0],
      [1, 0.5],
    ]);
    expect(outlineOf(trackOf(SQUARE), 9, 1e-6, { from: 1e12 }).points).toBe(0);
  });

  test('goes straight on over the antimeridian', () => {
    const east = Array.from({ length: 21 }, (_, i): [number, number] => [
      i < 10 ? 179 + i / 10 : -180 + (i - 10) / 10,
      0,
    ]);
    expect(placesOf(outlineOf(trackOf(east), 9, 1e-6))).toEqual([
      [179, 0],
      [-179, 0],
    ]);
  });

  test('of very many points, of one and of a spiral that has no straight leg is made in bounded time', () => {
    const spiral = Array.from({ length: 50_000 }, (_, i): [number, number] => [
      Math.sin(i / 50) * i * 1e-6,
      Math.cos(i / 50) * i * 1e-6,
    ]);
    expect(outlineOf(trackOf(spiral), 500, 1e-9).points).toBe(500);
    expect(outlineOf(trackOf([[1, 2]]), 500, 1e-9).points).toBe(1);
  });
});
