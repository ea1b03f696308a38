import { describe, expect, test } from 'vitest';
import { believableAltitude, believableSpeed, flownStep, isOnGlobe, onTheWay } from './plausible.ts';

/** Metres of a degree of latitude near the equator, to 1 %: enough for steps that are far from every limit. */
const DEGREE = 111_000;

/** Fixes along a meridian: seconds and metres north of 10 degrees. */
function fixes(places: readonly (readonly [seconds: number, metres: number])[]) {
  return {
    time: Float64Array.from(places, ([seconds]) => seconds * 1e6),
    lat: Float64Array.from(places, ([, metres]) => 10 + metres / DEGREE),
    lon: new Float64Array(places.length).fill(20),
  };
}

test('nobody is within 0.01 degrees of (0, 0), nor off the globe', () => {
  expect(isOnGlobe(0, 0)).toBe(false);
  expect(isOnGlobe(0.0099, -0.0099)).toBe(false);
  expect(isOnGlobe(0.01, 0)).toBe(true);
  expect(isOnGlobe(0, -0.01)).toBe(true);
  expect(isOnGlobe(-90, 180)).toBe(true);
  expect(isOnGlobe(90.001, 0)).toBe(false);
  expect(isOnGlobe(10, Number.NaN)).toBe(false);
});

test('altitudes are from -500 m to 50 km, speeds from 0 to 400 m/s', () => {
  expect([-500.1, -500, 50_000, 50_000.1].map(believableAltitude)).toEqual([Number.NaN, -500, 50_000, Number.NaN]);
  expect([-0.1, 0, 400, 400.1].map(believableSpeed)).toEqual([Number.NaN, 0, 400, Number.NaN]);
});

describe('a step', () => {
  test('of more than 100 m and 400 m a second is not on the way', () => {
    // in one second at most 500 m: 450 m are, 600 m are not
    expect(
      onTheWay(
        fixes([
          [0, 0],
          [1, 450],
          [2, 460],
          [3, 470],
        ]),
        0,
        4,
      ),
    ).toEqual([0, 1, 2, 3]);
    expect(
      onTheWay(
        fixes([
          [0, 0],
          [1, 600],
          [2, 20],
          [3, 30],
        ]),
        0,
        4,
      ),
    ).toEqual([0, 2, 3]);
  });

  test('is longer where more time passed', () => {
    // 30 s at 400 m/s are 12 km
    expect(
      onTheWay(
        fixes([
          [0, 0],
          [1, 10],
          [31, 11_000],
          [32, 11_010],
        ]),
        0,
        4,
      ),
    ).toEqual([0, 1, 2, 3]);
    expect(
      onTheWay(
        fixes([
          [0, 0],
          [1, 10],
          [2, 20],
          [32, 13_000],
        ]),
        0,
        4,
      ),
    ).toEqual([0, 1, 2]);
  });

  test('without times is at most 100 km', () => {
    const untimed = (metres: readonly number[]) => fixes(metres.map((each) => [Number.NaN, each]));
    expect(onTheWay(untimed([0, 90_000, 90_010, 90_020]), 0, 4)).toEqual([0, 1, 2, 3]);
    expect(onTheWay(untimed([0, 10, 120_000, 20]), 0, 4)).toEqual([0, 1, 3]);
  });

  test('leaves all where no way has more than half of the fixes', () => {
    expect(
      onTheWay(
        fixes([
          [0, 0],
          [1, 90_000],
          [2, 10],
          [3, 90_010],
        ]),
        0,
        4,
      ),
    ).toEqual([0, 1, 2, 3]);
  });
});

describe('the distance of a step', () => {
  const flown = (metres: number, speeds: readonly [number, number]) =>
    flownStep(
      {
        ...fixes([
          [0, 0],
          [2, metres],
        ]),
        speed: Float64Array.from(speeds),
      },
      0,
      1,
    );

  test('is at most what the greater speed explains: half as much again and 0.5 m/s', () => {
    // 2 s at 1.5 * 4 + 0.5 m/s
    expect(flown(50, [1, 4])).toBe(13);
    // 2 s at 0.5 m/s
    expect(flown(50, [0, 0])).toBe(1);
  });

  test('is that of the positions where these are nearer, or where there is no speed', () => {
    expect(Math.abs(flown(10, [10, 10]) - 10)).toBeLessThan(0.1);
    expect(Math.abs(flown(50, [Number.NaN, 4]) - 50)).toBeLessThan(0.5);
  });
});
