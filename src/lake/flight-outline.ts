import type { Box } from '../geo/geodesy.ts';
import { outlineIndices } from '../geo/outline.ts';

/*
 * Outlines come as well-known binary, which `export/wkb.ts` draws, and go to pages as whole numbers:
 *
 *     [[lon, lat, lon, lat ...], ...]   a list for each line; millionths of a degree, each but the first pair as the
 *                                       step from the one before
 */

const LINES = 5;
const LINE = 2;
const WITH_Z = 1000;
const HEAD = 9;
/** Whole numbers in a degree: a step is eleven centimetres. */
const PER_DEGREE = 1e6;

/** The lines of a path, each as longitudes and latitudes by turns, in millionths of a degree. */
export type Outline = readonly Int32Array[];

/** Reads the lines of well-known binary. Anything else has no lines: the file is untrusted. */
export function outlineOfWkb(bytes: Uint8Array, most: number): Outline {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines: Int32Array[] = [];
  let at = 0;
  const head = (type: number): { hasZ: boolean; count: number } | undefined => {
    if (at + HEAD > bytes.length || view.getUint8(at) !== 1) return undefined;
    const found = view.getUint32(at + 1, true);
    if (found !== type && found !== type + WITH_Z) return undefined;
    const count = view.getUint32(at + 5, true);
    at += HEAD;
    return { hasZ: found !== type, count };
  };
  const all = head(LINES);
  for (let i = 0; all && i < all.count; i++) {
    const line = head(LINE);
    const size = line?.hasZ ? 24 : 16;
    if (!line || at + line.count * size > bytes.length) return lines;
    const [lon, lat] = [new Float64Array(line.count), new Float64Array(line.count)];
    for (let k = 0; k < line.count; k++, at += size) {
      lon[k] = view.getFloat64(at, true);
      lat[k] = view.getFloat64(at + 8, true);
    }
    // old catalogues have whole paths only
    const kept = line.count > most ? outlineIndices(lon, lat, most, 0) : undefined;
    const places = new Int32Array(2 * (kept?.length ?? line.count));
    let isPlaced = places.length > 2;
    for (let k = 0; 2 * k < places.length; k++) {
      const i = kept ? kept[k] : k;
      isPlaced &&= Math.abs(lon[i]) <= 180 && Math.abs(lat[i]) <= 90;
      places[2 * k] = Math.round(lon[i] * PER_DEGREE);
      places[2 * k + 1] = Math.round(lat[i] * PER_DEGREE);
    }
    if (isPlaced) lines.push(places);
  }
  return lines;
}

export function boxOfOutline(outline: Outline): Box | null {
  let [west, south] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [east, north] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const line of outline) {
    for (let i = 0; i < line.length; i += 2) {
      west = Math.min(west, line[i]);
      east = Math.max(east, line[i]);
      south = Math.min(south, line[i + 1]);
      north = Math.max(north, line[i + 1]);
    }
  }
  if (west > east) return null;
  return {
    west: west / PER_DEGREE,
    south: south / PER_DEGREE,
    east: east / PER_DEGREE,
    north: north / PER_DEGREE,
  };
}

/** As pages take it, in at most `most` points a line. */
export function outlineSteps(outline: Outline, most: number): number[][] {
  return outline.map((line) => {
    const points = line.length / 2;
    const [lon, lat] = [new Float64Array(points), new Float64Array(points)];
    for (let i = 0; i < points; i++) {
      lon[i] = line[2 * i] / PER_DEGREE;
      lat[i] = line[2 * i + 1] / PER_DEGREE;
    }
    const kept = points > most ? outlineIndices(lon, lat, most, 0) : [...lon.keys()];
    const steps: number[] = [];
    let [x, y] = [0, 0];
    for (const i of kept) {
      steps.push(line[2 * i] - x, line[2 * i + 1] - y);
      [x, y] = [line[2 * i], line[2 * i + 1]];
    }
    return steps;
  });
}
