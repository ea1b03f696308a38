import { expect, test } from 'vitest';
import type { Track } from '../geo/track.ts';
import { wkbOf } from './wkb.ts';

function track(lon: readonly number[], lat: readonly number[], alt: readonly number[]): Track {
  const column = (values: readonly number[]): Float64Array => Float64Array.from(values);
  const none = new Float64Array(lon.length).fill(Number.NaN);
  return {
    name: '',
    source: '',
    table: '',
    points: lon.length,
    utc: true,
    time: column(lon.map((_, i) => i)),
    lon: column(lon),
    lat: column(lat),
    alt: column(alt),
    speed: none,
    course: none,
    rows: lon.length,
    dropped: { noFix: 0, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 },
    badAltitudes: 0,
  };
}

/** Reads it back: the lines, each point as a list of numbers. */
function read(bytes: Uint8Array): { types: number[]; lines: number[][][] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const head = (): [type: number, count: number] => {
    expect(view.getUint8(at)).toBe(1);
    at += 9;
    return [view.getUint32(at - 8, true), view.getUint32(at - 4, true)];
  };
  const [type, count] = head();
  const types = [type];
  const lines: number[][][] = [];
  for (let i = 0; i < count; i++) {
    const [each, points] = head();
    types.push(each);
    const size = each > 1000 ? 3 : 2;
    lines.push(
      Array.from({ length: points }, () =>
        Array.from({ length: size }, () => {
          at += 8;
          return view.getFloat64(at - 8, true);
        }),
      ),
    );
  }
  expect(at).toBe(bytes.length);
  return { types, lines };
}

test('a track is a line of many parts, with Z where each point has an altitude', () => {
  expect(read(wkbOf(track([1, 2.5], [3, 4], [10, 11])))).toEqual({
    types: [1005, 1002],
    lines: [
      [
        [1, 3, 10],
        [2.5, 4, 11],
      ],
    ],
  });
  expect(read(wkbOf(track([1, 2], [3, 4], [10, Number.NaN]))).types).toEqual([5, 2]);
});

test('it is cut at the antimeridian', () => {
  const { lines } = read(wkbOf(track([179, -179], [0, 2], [0, 0])));
  expect(lines).toEqual([
    [
      [179, 0, 0],
      [180, 1, 0],
    ],
    [
      [-180, 1, 0],
      [-179, 2, 0],
    ],
  ]);
});

test('a single point makes no line', () => {
  expect(read(wkbOf(track([1], [2], [3])))).toEqual({ types: [1005], lines: [] });
});
