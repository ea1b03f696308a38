import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { madeTrack } from '../../test/helpers/track.ts';
import { readTrack } from '../geo/track.ts';
import { openLog } from '../node/open.ts';
import { geojson } from './geojson.ts';
import type { Tracks } from './track-format.ts';

interface Feature {
  readonly type: string;
  readonly geometry: { readonly type: string; readonly coordinates: unknown };
  readonly properties: {
    readonly name: string;
    readonly source: string;
    readonly coordinateProperties?: { readonly times: unknown };
  };
}

const text = (tracks: Tracks): string => [...geojson.write(tracks)].join('');
const feature = (tracks: Tracks): Feature => JSON.parse(text(tracks)) as Feature;

const NOON = Date.UTC(2024, 0, 31, 12) * 1000;

describe('a Feature', () => {
  test('is a LineString with positions, properties and times', () => {
    const track = madeTrack(
      [
        { lon: 7.1234567, lat: 46.5, alt: 500.25, time: NOON },
        { lon: -7.1, lat: -46.6, alt: -3, time: NOON + 200_000 },
      ],
      { name: 'first flight', source: 'GPS[1]' },
    );
    expect(feature(track)).toEqual({
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [7.1234567, 46.5, 500.25],
          [-7.1, -46.6, -3],
        ],
      },
      properties: {
        name: 'first flight',
        source: 'GPS[1]',
        coordinateProperties: { times: ['2024-01-31T12:00:00.000Z', '2024-01-31T12:00:00.200Z'] },
      },
    });
  });

  test('has no times where the log has no UTC', () => {
    const track = madeTrack([{ lon: 7, lat: 46, time: 5 }], { utc: false });
    expect(feature(track).properties).toEqual({ name: 'made', source: 'GPS' });
  });

  test('has null for a time that is missing or cannot be written', () => {
    const track = madeTrack([
      { lon: 7, lat: 46, time: NOON },
      { lon: 7, lat: 46 },
      { lon: 7, lat: 46, time: 2 ** 64 },
    ]);
    expect(feature(track).properties.coordinateProperties?.times).toEqual(['2024-01-31T12:00:00.000Z', null, null]);
  });

  test('leaves out an altitude that is missing', () => {
    const track = madeTrack([
      { lon: 7, lat: 46, alt: 0 },
      { lon: 8, lat: 46 },
      { lon: 9, lat: 46, alt: Number.POSITIVE_INFINITY },
    ]);
    expect(feature(track).geometry.coordinates).toEqual([
      [7, 46, 0],
      [8, 46],
      [9, 46],
    ]);
  });

  test('of one point is a Point, of none a LineString without coordinates', () => {
    const point = feature(madeTrack([{ lon: 7, lat: 46, alt: 5, time: NOON }]));
    expect(point.geometry).toEqual({ type: 'Point', coordinates: [7, 46, 5] });
    expect(point.properties.coordinateProperties?.times).toEqual(['2024-01-31T12:00:00.000Z']);
    const none = feature(madeTrack([]));
    expect(none.geometry).toEqual({ type: 'LineString', coordinates: [] });
    expect(none.properties.coordinateProperties?.times).toEqual([]);
  });

  test('is cut at the antimeridian, and its times with it', () => {
    const { geometry, properties } = feature(
      madeTrack([
        { lon: 179.5, lat: -16, alt: 100, time: NOON },
        { lon: -179.5, lat: -17, alt: 200, time: NOON + 2e6 },
        { lon: -179.4, lat: -17, alt: 200, time: NOON + 3e6 },
      ]),
    );
    expect(geometry).toEqual({
      type: 'MultiLineString',
      coordinates: [
        [
          [179.5, -16, 100],
          [180, -16.5, 150],
        ],
        [
          [-180, -16.5, 150],
          [-179.5, -17, 200],
          [-179.4, -17, 200],
        ],
      ],
    });
    expect(properties.coordinateProperties?.times).toEqual([
      ['2024-01-31T12:00:00.000Z', '2024-01-31T12:00:01.000Z'],
      ['2024-01-31T12:00:01.000Z', '2024-01-31T12:00:02.000Z', '2024-01-31T12:00:03.000Z'],
    ]);
  });
});

test('numbers have no exponent and at most nine digits after the point', () => {
  const written = text(
    madeTrack([
      { lon: 1e-7, lat: -2e-7, alt: 1e22 },
      { lon: 1 / 3, lat: 0.1 + 0.2, alt: 2 / 3 },
    ]),
  );
  expect(written).toContain('[[0.0000001,-0.0000002,10000000000000000000000],[0.333333333,0.3,0.667]]');
});

test('several tracks are a FeatureCollection, none an empty one', () => {
  const tracks = ['a', 'b'].map((name) => madeTrack([{ lon: 7, lat: 46 }], { name }));
  const { type, features } = JSON.parse(text(tracks)) as { type: string; features: Feature[] };
  expect(type).toBe('FeatureCollection');
  expect(features.map(({ properties }) => properties.name)).toEqual(['a', 'b']);
  expect(JSON.parse(text([]))).toEqual({ type: 'FeatureCollection', features: [] });
});

test('a name of every code unit there is comes back as it was', () => {
  const name = String.fromCharCode(...Array.from({ length: 0x8000 }, (_, i) => i));
  const rest = String.fromCharCode(...Array.from({ length: 0x8000 }, (_, i) => 0x8000 + i));
  const { properties } = feature(madeTrack([], { name: name + rest, source: '"},"type":"' }));
  expect(properties.name).toBe(name + rest);
  expect(properties.source).toBe('"},"type":"');
});

test('the sample flight has a position and a time for each point', async () => {
  const path = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
  const track = await readTrack(await openLog(path), { name: 'square' });
  const { geometry, properties } = feature(track);
  const positions = geometry.coordinates as number[][];
  expect(positions).toHaveLength(631);
  expect(positions).toEqual(positions.map((_, i) => [track.lon[i], track.lat[i], track.alt[i]]));
  const times = properties.coordinateProperties?.times as string[];
  expect(times.map((time) => Date.parse(time))).toEqual([...track.time].map((micros) => Math.round(micros / 1000)));
});
