import { expect, test } from 'vitest';
import { madeTrack } from '../../test/helpers/track.ts';
import { TRACK_FORMATS } from './index.ts';

test('the formats of tracks are these', () => {
  expect(TRACK_FORMATS.map(({ name, extension }) => [name, extension])).toEqual([
    ['geojson', 'geojson'],
    ['kml', 'kml'],
    ['gpx', 'gpx'],
    ['wkt', 'wkt'],
    ['csv', 'csv'],
  ]);
});

const points = Array.from({ length: 200_000 }, (_, i) => ({
  lon: i / 1e6,
  lat: i / 1e6 + 1,
  alt: i / 100,
  time: i * 2e5,
}));
const long = madeTrack(points);

test.each(TRACK_FORMATS)('$name comes in pieces, none larger than a hundredth of the whole', ({ write }) => {
  let [total, largest] = [0, 0];
  for (const piece of write(long)) {
    total += piece.length;
    largest = Math.max(largest, piece.length);
  }
  expect(total).toBeGreaterThan(200_000 * 20);
  expect(largest).toBeLessThan(total / 100);
});

test.each(TRACK_FORMATS)('$name is the same each time, and the track stays as it was', ({ write }) => {
  const track = madeTrack([
    { lon: 179.5, lat: 1, alt: 5, time: 1e15 },
    { lon: -179.5, lat: 2, time: 2e15 },
  ]);
  const before = structuredClone(track);
  const first = [...write(track)].join('');
  expect([...write(track)].join('')).toBe(first);
  expect(first.endsWith('\n')).toBe(true);
  expect(track).toEqual(before);
});
