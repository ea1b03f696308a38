import { expect, test } from 'vitest';
import { wkbOf } from '../export/wkb.ts';
import type { Track } from '../geo/track.ts';
import { boxOfOutline, outlineOfWkb, outlineSteps } from './flight-outline.ts';

function wkb(lon: readonly number[], lat: readonly number[]): Uint8Array {
  const [x, y] = [Float64Array.from(lon), Float64Array.from(lat)];
  const none = new Float64Array(lon.length);
  const track = { points: lon.length, time: none, lon: x, lat: y, alt: none, speed: none, course: none };
  return wkbOf({ ...track, name: '', source: '', table: '', utc: true, rows: 0 } as unknown as Track);
}

test('well-known binary becomes whole numbers, and steps for pages', () => {
  const outline = outlineOfWkb(wkb([8, 8.5, 8.25], [47, 47.000001, 47.5]), 10);
  expect(outline).toEqual([Int32Array.of(8e6, 47e6, 8.5e6, 47_000_001, 8.25e6, 47.5e6)]);
  expect(boxOfOutline(outline)).toEqual({ west: 8, south: 47, east: 8.5, north: 47.5 });
  expect(outlineSteps(outline, 10)).toEqual([[8e6, 47e6, 5e5, 1, -25e4, 499_999]]);
  expect(outlineSteps(outline, 2)).toEqual([[8e6, 47e6, 25e4, 5e5]]);
  expect(outlineOfWkb(wkb([8, 8.5, 8.25], [47, 47, 47]), 2)[0]).toHaveLength(4);
});

test('over the antimeridian there are two lines', () => {
  const outline = outlineOfWkb(wkb([179, -179], [0, 0]), 10);
  expect(outline).toEqual([Int32Array.of(179e6, 0, 180e6, 0), Int32Array.of(-180e6, 0, -179e6, 0)]);
});

test('what is no path has no lines, cut anywhere or with any count', () => {
  const whole = wkb([8, 8.5, 8.25], [47, 47, 47.5]);
  for (let length = 0; length < whole.length; length++) expect(outlineOfWkb(whole.subarray(0, length), 10)).toEqual([]);
  const huge = whole.slice();
  new DataView(huge.buffer).setUint32(14, 0xffff_ffff, true);
  expect(outlineOfWkb(huge, 10)).toEqual([]);
  const nowhere = whole.slice();
  new DataView(nowhere.buffer).setFloat64(18, Number.NaN, true);
  expect(outlineOfWkb(nowhere, 10)).toEqual([]);
  expect(boxOfOutline([])).toBeNull();
});
