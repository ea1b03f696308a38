import { describe, expect, test } from 'vitest';
import { madeTrack } from '../../test/helpers/track.ts';
import { distance, trackBounds, trackLength } from './geodesy.ts';

/** The exact way, by iteration: T. Vincenty, Survey Review 23 (1975), equations 14 to 19. */
function vincenty(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const [a, f] = [6378137, 1 / 298.257223563];
  const [b, rad] = [a * (1 - f), Math.PI / 180];
  const [u1, u2] = [lat1, lat2].map((lat) => Math.atan((1 - f) * Math.tan(lat * rad)));
  const [s1, c1, s2, c2] = [Math.sin(u1), Math.cos(u1), Math.sin(u2), Math.cos(u2)];
  const l = (lon2 - lon1) * rad;
  let lambda = l;
  for (let i = 0; ; i++) {
    const sinSigma = Math.hypot(c2 * Math.sin(lambda), c1 * s2 - s1 * c2 * Math.cos(lambda));
    const cosSigma = s1 * s2 + c1 * c2 * Math.cos(lambda);
    const sigma = Math.atan2(sinSigma, cosSigma);
    const sinAlpha = (c1 * c2 * Math.sin(lambda)) / sinSigma;
    const cos2 = 1 - sinAlpha ** 2;
    const mid = cos2 === 0 ? 0 : cosSigma - (2 * s1 * s2) / cos2;
    const c = (f / 16) * cos2 * (4 + f * (4 - 3 * cos2));
    const next = l + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * (mid + c * cosSigma * (2 * mid ** 2 - 1)));
    const done = Math.abs(next - lambda) < 1e-13 || i > 1000;
    lambda = next;
    if (!done) continue;
    const k = (cos2 * (a * a - b * b)) / (b * b);
    const bigA = 1 + (k / 16384) * (4096 + k * (-768 + k * (320 - 175 * k)));
    const bigB = (k / 1024) * (256 + k * (-128 + k * (74 - 47 * k)));
    const inner = cosSigma * (2 * mid ** 2 - 1) - (bigB / 6) * mid * (4 * sinSigma ** 2 - 3) * (4 * mid ** 2 - 3);
    return b * bigA * (sigma - bigB * sinSigma * (mid + (bigB / 4) * inner));
  }
}

describe('distance', () => {
  test.each([
    // the line that surveyors of Australia publish as their test
    ['Flinders Peak to Buninyong', [-37.9510334166667, 144.4248679, -37.6528211388889, 143.9264955277778], 54972.271],
    ['a degree of the equator', [0, 10, 0, 11], 111319.491],
    ['a degree of the meridian at the equator', [0, 10, 1, 10], 110574.389],
    ['a quarter of the meridian', [0, -60, 90, -60], 10001965.729],
  ])('%s', (_name, [lat1, lon1, lat2, lon2], metres) => {
    expect(Math.abs(distance(lat1, lon1, lat2, lon2) / metres - 1)).toBeLessThan(1e-5);
  });

  test('is within 12 mm in a kilometre of the exact way, for legs of centimetres to thousands of kilometres', () => {
    let worst = 0;
    for (let k = 0; k < 20_000; k++) {
      // places and steps that follow no pattern of their own
      const lat = ((k * 61.803399) % 178) - 89;
      const lon = ((k * 138.196601) % 360) - 180;
      const step = 10 ** (((k * 0.754877) % 8) - 7);
      const lat2 = Math.max(-89.9, Math.min(89.9, lat + step * Math.sin(k)));
      const lon2 = lon + 3 * step * Math.cos(k);
      const exact = vincenty(lat, lon, lat2, lon2);
      worst = Math.max(worst, Math.abs(distance(lat, lon, lat2, lon2) - exact) / Math.max(exact, 0.01));
    }
    expect(worst).toBeLessThan(1.2e-5);
    expect(worst).toBeGreaterThan(1e-9);
  });

  test('is 0 from a place to itself, the same both ways, and short across the antimeridian', () => {
    expect(distance(51.47, -0.4543, 51.47, -0.4543)).toBe(0);
    expect(distance(0, 0, 0, 0)).toBe(0);
    expect(distance(10, 20, -30, 40)).toBe(distance(-30, 40, 10, 20));
    expect(distance(0, 179.5, 0, -179.5)).toBeCloseTo(111319.491, 0);
    expect(distance(0, 180, 0, -180)).toBeLessThan(1e-6);
  });

  test('is half way round for the poles and for antipodes, and NaN where a place is', () => {
    expect(distance(90, 0, -90, 77) / 1e6).toBeCloseTo(20.0039, 2);
    expect(distance(0, 0, 0, 180) / 1e6).toBeCloseTo(20.0, 0);
    expect(distance(Number.NaN, 0, 1, 1)).toBeNaN();
  });
});

describe('trackLength', () => {
  test('adds up the legs', () => {
    const legs = [
      { lon: 10, lat: 0 },
      { lon: 11, lat: 0 },
      { lon: 11, lat: 1 },
    ];
    expect(trackLength(madeTrack(legs))).toBeCloseTo(111319.491 + 110574.389, 0);
  });

  test('is 0 without a leg', () => {
    expect(trackLength(madeTrack([]))).toBe(0);
    expect(trackLength(madeTrack([{ lon: 1, lat: 2 }]))).toBe(0);
  });
});

describe('trackBounds', () => {
  const boundsOf = (...points: [lon: number, lat: number, alt?: number][]): ReturnType<typeof trackBounds> =>
    trackBounds(madeTrack(points.map(([lon, lat, alt = Number.NaN]) => ({ lon, lat, alt }))));

  test('a track without points has none', () => {
    expect(boundsOf()).toBeUndefined();
  });

  test('holds every point, and altitudes where there are any', () => {
    expect(boundsOf([7.1, 46, 500], [7.3, 45.9], [7.2, 46.2, -3])).toEqual({
      west: 7.1,
      south: 45.9,
      east: 7.3,
      north: 46.2,
      low: -3,
      high: 500,
    });
    expect(boundsOf([7.1, 46])).toMatchObject({ west: 7.1, east: 7.1, low: Number.NaN, high: Number.NaN });
  });

  test('spans the antimeridian on the short side, either way', () => {
    expect(boundsOf([179, 0], [-179, 1], [-178.5, 2])).toMatchObject({ west: 179, east: -178.5 });
    expect(boundsOf([-179, 0], [179, 1], [178.5, 2])).toMatchObject({ west: 178.5, east: -179 });
    expect(boundsOf([179, 0], [-179, 1], [179.5, 2])).toMatchObject({ west: 179, east: -179 });
  });

  test('is the whole globe for a track around it', () => {
    expect(boundsOf([0, 1], [120, 1], [-120, 1], [0, 1])).toMatchObject({ west: -180, east: 180 });
    expect(boundsOf([0, 1], [-120, 1], [120, 1], [0, 1])).toMatchObject({ west: -180, east: 180 });
  });
});
