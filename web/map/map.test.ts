import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distance } from '../../src/geo/geodesy.ts';
import { SCALE_STEPS, scaleColors, scaleRange, scaleStep } from './color-scale.ts';
import { parseGeoJson } from './geo-json.ts';
import { boxOf, circleAround, degreeText, gridLines, gridStep, metresText, roundBelow, unrolled } from './geometry.ts';
import { coloredLinesOf, legendOf, type MapTrack, type TrackColoring } from './map-track.ts';
import { TrackIndex } from './nearest-point.ts';
import { Trail } from './trail.ts';
import { mercatorX, mercatorY, View } from './view.ts';
import { cornersByWorldFile } from './world-file.ts';

function track(lon: number[], lat: number[], coloring: TrackColoring, longestStep?: number): MapTrack {
  const time = Float64Array.from(lon, (_, i) => i * 1e6);
  return { id: 'a', time, lon: Float64Array.from(lon), lat: Float64Array.from(lat), coloring, longestStep };
}

const plain: TrackColoring = { kind: 'plain', color: '#abcdef' };

describe('paths in stretches of one colour', () => {
  test('a leg has the colour of its beginning, and stretches meet', () => {
    const classes = [
      { name: 'AUTO', color: '#111111' },
      { name: 'RTL', color: '#222222' },
      { name: 'LAND', color: '#333333' },
    ];
    const coloring: TrackColoring = { kind: 'classes', title: 'mode', classes, of: Int16Array.of(0, 0, 1, -1) };
    expect(coloredLinesOf(track([0, 1, 2, 3], [0, 0, 0, 0], coloring), true)).toEqual([
      {
        color: '#111111',
        places: [
          [0, 0],
          [1, 0],
          [2, 0],
        ],
      },
      {
        color: '#222222',
        places: [
          [2, 0],
          [3, 0],
        ],
      },
    ]);
    expect(legendOf(coloring, true)).toEqual({ kind: 'classes', title: 'mode', classes: classes.slice(0, 2) });
  });

  test('a place that is missing or impossible, and a pause, are gaps', () => {
    const places = (found: MapTrack) => coloredLinesOf(found, true).map((each) => each.places.map(([lon]) => lon));
    expect(places(track([0, 1, Number.NaN, 3, 4], [0, 0, 0, 0, 0], plain))).toEqual([
      [0, 1],
      [3, 4],
    ]);
    expect(places(track([0, 1, 2, 3, 4], [0, 0, 91, 0, 0], plain))).toEqual([
      [0, 1],
      [3, 4],
    ]);
    expect(places({ ...track([0, 1, 2], [0, 0, 0], plain, 1e6), time: Float64Array.of(0, 1e6, 9e6) })).toEqual([
      [0, 1],
    ]);
    const anew = { ...track([0, 1, 2, 3], [0, 0, 0, 0], plain), time: Float64Array.of(0, 1e6, 0, 1e6) };
    expect(places(anew)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test('a path over the antimeridian goes on', () => {
    expect(
      coloredLinesOf(track([179, -179, -178, 179], [0, 0, 0, 0], plain), true)[0].places.map(([lon]) => lon),
    ).toEqual([179, 181, 182, 179]);
  });

  test('a vehicle that stands is one place', () => {
    const standing = track([1, 1, 1 + 1e-7, 1, 2, 2], [5, 5, 5, 5, 5, 5], plain);
    expect(coloredLinesOf(standing, true)[0].places).toEqual([
      [1, 5],
      [2, 5],
    ]);
  });

  test('a path of very many points is thinned', () => {
    const lons = Array.from({ length: 200_000 }, (_, i) => i * 0.0001);
    const { places } = coloredLinesOf(track(lons, new Array(200_000).fill(5), plain, 1e6), true)[0];
    expect(places).toHaveLength(40_000);
  });

  test('noise around a value has one colour', () => {
    const values = Float64Array.from({ length: 400 }, (_, i) => 50 + (i % 3) + (i === 200 ? 40 : 0));
    const lons = Array.from({ length: 400 }, (_, i) => i * 0.001);
    const coloring: TrackColoring = { kind: 'scale', title: '', unit: '', values, range: [0, 100] };
    expect(coloredLinesOf(track(lons, new Array(400).fill(5), coloring), true)).toHaveLength(3);
  });

  test('a scale has its colours from end to end', () => {
    const values = Float64Array.of(0, 5, 10, Number.NaN);
    const coloring: TrackColoring = { kind: 'scale', title: 'speed', unit: 'm/s', values, range: [0, 10] };
    const colors = scaleColors(true);
    const stretches = coloredLinesOf(track([0, 1, 2, 3, 4], [0, 0, 0, 0, 0], coloring), true);
    expect(stretches.map(({ color }) => color)).toEqual([colors[0], colors[24], colors[47], '#8a94a3']);
  });
});

describe('a scale of colours', () => {
  test('has its steps in range for any value', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), fc.double(), (value, low, high) => {
        const step = scaleStep(value, [low, high]);
        expect(Number.isInteger(step) && step >= -1 && step < SCALE_STEPS).toBe(true);
      }),
    );
  });

  test('leaves out the extreme hundredth', () => {
    const values = Float64Array.from({ length: 1001 }, (_, i) => (i === 500 ? 1e9 : i));
    expect(scaleRange(values)).toEqual([10, 991]);
    expect(scaleRange(Float64Array.of(Number.NaN))).toEqual([0, 0]);
  });
});

describe('the ground', () => {
  test('a circle has its radius', () => {
    for (const [lon, lat] of circleAround(8.5, 47.4, 500)) {
      expect(Math.abs(distance(47.4, 8.5, lat, lon) / 500 - 1)).toBeLessThan(0.005);
    }
  });

  test('grids have round steps', () => {
    expect([0.7, 1, 3, 49, 50, 99].map(roundBelow)).toEqual([0.5, 1, 2, 20, 50, 50]);
    expect(gridStep(0.0012, 6)).toBeCloseTo(0.0002, 12);
    expect(gridStep(1e-9, 6)).toBe(0.00001);
    expect(gridLines(-0.25, 0.35, 0.1)).toEqual([-0.2, -0.1, -0, 0.1, 0.2, 0.3].map((each) => each + 0));
    expect(gridLines(0, 1e9, 0.00001)).toHaveLength(200);
  });

  test('texts', () => {
    expect([0.2, 5, 200, 1500].map(metresText)).toEqual(['20 cm', '5 m', '200 m', '1.5 km']);
    expect(degreeText(-0.4538, 0.0002, ['E', 'W'])).toBe('0.4538° W');
    expect(degreeText(181, 1, ['E', 'W'])).toBe('179° W');
    expect(degreeText(0, 1, ['N', 'S'])).toBe('0°');
  });

  test('rings over the antimeridian are unrolled, those around a pole closed along it', () => {
    expect(
      unrolled([
        [179, 10],
        [-179, 10],
        [-179, 11],
        [179, 10],
      ]),
    ).toEqual([
      [179, 10],
      [181, 10],
      [181, 11],
      [179, 10],
    ]);
    const around = unrolled([
      [0, -70],
      [120, -75],
      [-120, -72],
      [0, -70],
    ]);
    expect(around.slice(-3)).toEqual([
      [360, -90],
      [0, -90],
      [0, -70],
    ]);
  });

  test('boxes', () => {
    expect(boxOf([])).toBeUndefined();
    expect(
      boxOf([
        [1, 5],
        [3, 2],
      ]),
    ).toEqual({ west: 1, south: 2, east: 3, north: 5 });
  });
});

describe('pixels', () => {
  const camera = { lon: 10, lat: 50, zoom: 12, bearing: 0, width: 800, height: 600 };

  test('the middle is in the middle, east is right, north is up; a quarter turn makes east up', () => {
    const view = new View(camera);
    expect(view.at(10, 50)).toEqual([400, 300]);
    expect(view.at(10.01, 50)[0]).toBeGreaterThan(400);
    expect(view.at(10, 50.01)[1]).toBeLessThan(300);
    const turned = new View({ ...camera, bearing: 90 });
    expect(turned.at(10.01, 50)[0]).toBeCloseTo(400, 6);
    expect(turned.at(10.01, 50)[1]).toBeLessThan(300);
  });

  test('a place beyond the antimeridian is near', () => {
    const view = new View({ ...camera, lon: 179.99, zoom: 8 });
    expect(view.at(-179.99, 50)[0]).toBeCloseTo(400 + (0.02 / 360) * 512 * 256, 6);
  });

  test('a pixel is where it came from', () => {
    const view = new View({ ...camera, bearing: 37 });
    const [x, y] = view.at(10.02, 49.99);
    const [mx, my] = view.mercatorAt(x, y);
    expect(mx).toBeCloseTo(mercatorX(10.02), 12);
    expect(my).toBeCloseTo(mercatorY(49.99), 12);
  });

  test('metres of a pixel agree with the ground', () => {
    const view = new View(camera);
    const [x] = view.at(10.01, 50);
    expect(((x - 400) * view.metresPerPixel) / distance(50, 10, 50, 10.01)).toBeCloseTo(1, 2);
  });

  test('the nearest point is that of a plain search', () => {
    const point = fc.tuple(
      fc.double({ min: 9.9, max: 10.1, noNaN: true }),
      fc.double({ min: 49.9, max: 50.1, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 30 }), fc.nat(800), fc.nat(600), (places, x, y) => {
        const view = new View(camera);
        const found = new TrackIndex([
          track(
            places.map(([lon]) => lon),
            places.map(([, lat]) => lat),
            plain,
          ),
        ]);
        const away = places.map(([lon, lat]) => Math.hypot(view.at(lon, lat)[0] - x, view.at(lon, lat)[1] - y));
        const least = Math.min(...away);
        const point = found.nearest(view, x, y, 100);
        if (least > 100.001) expect(point).toBeUndefined();
        else if (least < 99.999) expect(away[point?.index ?? -1]).toBeCloseTo(least, 6);
        // a line is nowhere farther away than its points, and is met between them
        if (least < 99.999 && places.length > 1) expect(found.nearestLine(view, x, y, 100)).toBeDefined();
        for (let i = 0; i + 1 < places.length; i++) {
          const [[ax, ay], [bx, by]] = [view.at(...places[i]), view.at(...places[i + 1])];
          expect(found.nearestLine(view, (ax + bx) / 2, (ay + by) / 2, 0.001)).toBeDefined();
        }
      }),
    );
  });
});

test('a trail keeps the latest places, and none twice', () => {
  const trail = new Trail();
  for (let i = 0; i < 2000; i++) {
    trail.add(i * 0.001, 0);
    trail.add(i * 0.001, 0);
  }
  expect(trail.length).toBe(512);
  expect(trail.x[trail.place(511)]).toBe(mercatorX(1.999));
  expect(trail.x[trail.place(0)]).toBe(mercatorX(1.488));
  expect(trail.y[trail.place(0)]).toBe(mercatorY(0));
});

describe('what users bring', () => {
  test('a world file gives the corners of the image', () => {
    const corners = cornersByWorldFile('0.001\n0\n0\n-0.002\n10.0005\n49.999\n', 100, 50);
    const expected = [
      [10, 50],
      [10.1, 50],
      [10.1, 49.9],
      [10, 49.9],
    ];
    for (const [i, [lon, lat]] of corners.entries()) {
      expect(lon).toBeCloseTo(expected[i][0], 9);
      expect(lat).toBeCloseTo(expected[i][1], 9);
    }
  });

  test.each([
    ['', 'world file of 1 numbers'],
    ['1 2 3 4 5', 'world file of 5 numbers'],
    ['1 2 3 4 5 6 7', 'world file of 7 numbers'],
    ['a 0 0 1 2 3', 'world file of 6 numbers'],
    ['0.5 0 0 -0.5 500000 5400000', 'expected degrees'],
  ])('world file %j is refused', (text, message) => {
    expect(() => cornersByWorldFile(text, 10, 10)).toThrow(message);
  });

  test('GeoJSON of any kind is a collection', () => {
    const point = { type: 'Point', coordinates: [1, 2] };
    const feature = { type: 'Feature', geometry: point, properties: { name: '<b>' } };
    expect(parseGeoJson(JSON.stringify(point)).features[0].geometry).toEqual(point);
    expect(parseGeoJson(JSON.stringify(feature)).features).toEqual([feature]);
    const mixed = { type: 'FeatureCollection', features: [feature, null, 7, { type: 'Feature', geometry: null }] };
    expect(parseGeoJson(JSON.stringify(mixed)).features).toEqual([feature]);
  });

  test('GeoJSON with more places than a page can draw is refused', () => {
    const line = (places: number): string =>
      `{"type":"LineString","coordinates":[${new Array(places).fill('[8,47]').join()}]}`;
    expect(parseGeoJson(line(1_000_000)).features).toHaveLength(1);
    expect(() => parseGeoJson(line(1_000_001))).toThrow('more than 1000000 places');
  });

  test.each(['', 'null', '7', '{}', '[]', '{"type":"Topology"}'])('%j is no GeoJSON', (text) => {
    expect(() => parseGeoJson(text)).toThrow(SyntaxError);
  });
});
