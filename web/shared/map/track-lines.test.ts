import { describe, expect, test } from 'vitest';
import { gridLines, gridStep, gridText } from './graticule.ts';
import { placeAt, trackLines } from './track-lines.ts';

/** A path of [seconds, longitude, latitude, speed]. */
function track(...points: readonly (readonly [number, number, number, number])[]) {
  const column = (k: number): Float64Array => Float64Array.from(points, (point) => point[k]);
  return {
    time: column(0).map((seconds) => seconds * 1e6),
    lon: column(1),
    lat: column(2),
    alt: column(3),
    speed: column(3),
  };
}

describe('lines of a track', () => {
  const path = track([0, 8, 47, 0], [1, 8.1, 47, 5], [2, 8.2, 47, 10], [3, 8.3, 47, 10]);

  test('change colour with the mode and share the point where it changed', () => {
    const modes = [
      { mode: 'LOITER', start: 0 },
      { mode: 'RTL', start: 2e6 },
    ];
    const lines = trackLines(path, 'mode', modes);
    expect(lines.map(({ points }) => points.map(([lon]) => lon))).toEqual([
      [8, 8.1, 8.2],
      [8.2, 8.3],
    ]);
    expect(lines[0].color).not.toBe(lines[1].color);
  });

  test('change colour with the speed', () => {
    expect(trackLines(path, 'speed', []).length).toBeGreaterThan(1);
  });

  test('end where nothing was received for long, and where the clock went back', () => {
    const broken = track([0, 1, 1, 0], [1, 2, 1, 0], [60, 3, 1, 0], [61, 4, 1, 0], [5, 5, 1, 0], [6, 6, 1, 0]);
    expect(trackLines(broken, 'mode', []).map(({ points }) => points.length)).toEqual([2, 2, 2]);
  });

  test('go the short way across the antimeridian', () => {
    const [line] = trackLines(track([0, 179.9, 0, 0], [1, -179.9, 0, 0]), 'mode', []);
    expect(line.points.map(([lon]) => lon)).toEqual([179.9, expect.closeTo(180.1, 9)]);
  });

  test('of a log without positions are none', () => {
    expect(trackLines(track(), 'altitude', [])).toEqual([]);
    expect(placeAt(track(), 0)).toBeUndefined();
  });
});

describe('the place at a time', () => {
  const path = track([0, 8, 47, 0], [1, 8, 47.1, 5], [2, 8, 47.2, 10]);

  test('lies between two points, and points where the vehicle goes', () => {
    expect(placeAt(path, 500_000)).toEqual({ lon: 8, lat: expect.closeTo(47.05, 9), course: 0 });
  });

  test('is none long before and behind the track', () => {
    expect([placeAt(path, -60e6), placeAt(path, 60e6), placeAt(path, Number.NaN)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the grid', () => {
  test.each([
    [100, 5, 30],
    [10, 5, 2],
    [0.004, 5, 0.001],
  ])('of %d degrees by %d lines has steps of %d', (span, lines, step) => {
    expect(gridStep(span, lines)).toBeCloseTo(step, 9);
  });

  test('has a line at every step inside the box, and says how far they are apart', () => {
    expect(gridLines(0, 0, 10, 10, 5)).toHaveLength(6);
    expect(gridText(0.001)).toBe('grid 0.001° (111 m)');
  });
});
