import { describe, expect, test } from 'vitest';
import { coloringOf, placeAt } from './track.ts';

/** A path of [seconds, longitude, latitude, speed]. */
function track(...points: readonly (readonly [number, number, number, number])[]) {
  const column = (k: number): Float64Array => Float64Array.from(points, (point) => point[k]);
  return {
    source: 'GPS',
    time: column(0).map((seconds) => seconds * 1e6),
    lon: column(1),
    lat: column(2),
    alt: column(3),
    speed: column(3),
  };
}

describe('the place at a time', () => {
  const path = track([0, 8, 47, 0], [1, 8, 47.1, 5], [2, 8, 47.2, 10]);

  test('lies between two points, and points where the vehicle goes', () => {
    expect(placeAt(path, 500_000)).toEqual({ lon: 8, lat: expect.closeTo(47.05, 9), alt: 2.5, course: 0 });
  });

  test('is none long before and behind the track', () => {
    expect([placeAt(path, -60e6), placeAt(path, 60e6), placeAt(path, Number.NaN)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is none in a log without positions', () => {
    expect(placeAt(track(), 0)).toBeUndefined();
  });
});

test('each point has the mode that it was flown in', () => {
  const path = track([0, 8, 47, 0], [1, 8, 47, 0], [2, 8, 47, 0], [3, 8, 47, 0], [1, 8, 47, 0]);
  const modes = [
    { mode: 'LOITER', start: 1e6 },
    { mode: 'RTL', start: 2e6 },
    { mode: 'LOITER', start: 3e6 },
  ];
  const coloring = coloringOf(path, 'mode', modes);
  expect(coloring).toMatchObject({ kind: 'classes', classes: [{ name: 'LOITER' }, { name: 'RTL' }] });
  expect(coloring.kind === 'classes' && [...coloring.of]).toEqual([-1, 0, 1, 0, 0]);
});
