import { fixColumns, type TimeRange } from './fixes.ts';
import type { Track } from './track.ts';

/** Points that are looked at; of more, every n-th. So the time that an outline takes is bounded. */
const LOOKED_AT = 5_000;
const RADIAN = Math.PI / 180;

type Degrees = ArrayLike<number>;

/** The shape of a track, or of the part of it in a range of time, in few points; see `outlineIndices`. */
export function outlineOf(track: Track, most: number, tolerance: number, { from, to }: TimeRange = {}): Track {
  const { time, lon, lat, points } = track;
  const within: number[] = [];
  for (let i = 0; i < points; i++) {
    if ((from === undefined || time[i] >= from) && (to === undefined || time[i] <= to)) within.push(i);
  }
  const pick = (column: Float64Array): number[] => within.map((i) => column[i]);
  return picked(
    track,
    outlineIndices(pick(lon), pick(lat), most, tolerance).map((i) => within[i]),
  );
}

/**
 * Which points show the shape of a line: the first and the last, and repeatedly the one farthest from
 * the line that is there already (Douglas and Peucker, the worst place first), until there are enough or none is off.
 * @param tolerance degrees of latitude that do not matter
 */
export function outlineIndices(lon: Degrees, lat: Degrees, most: number, tolerance: number): number[] {
  const all = lookedAt(lon.length);
  if (all.length < 3) return all;
  const [x, y] = flatPlaces(lon, lat, all);
  const kept = new Set([0, all.length - 1]);
  const open = [farthest(x, y, 0, all.length - 1)];
  while (kept.size < most && open.length > 0) {
    const worst = open.reduce((best, each, i) => (each.off > open[best].off ? i : best), 0);
    const [{ begin, end, at, off }] = open.splice(worst, 1);
    if (!(off > tolerance)) break;
    kept.add(at);
    if (at - begin > 1) open.push(farthest(x, y, begin, at));
    if (end - at > 1) open.push(farthest(x, y, at, end));
  }
  return [...kept].sort((a, b) => a - b).map((i) => all[i]);
}

function lookedAt(points: number): number[] {
  const every = Math.max(1, Math.ceil(points / LOOKED_AT));
  const indices: number[] = [];
  for (let i = 0; i < points; i += every) indices.push(i);
  if (points > 0 && (points - 1) % every !== 0) indices.push(points - 1);
  return indices;
}

/** Places in degrees that are as long to the east as to the north; over the antimeridian they go on. */
function flatPlaces(lon: Degrees, lat: Degrees, indices: readonly number[]): [x: Float64Array, y: Float64Array] {
  const [x, y] = [new Float64Array(indices.length), new Float64Array(indices.length)];
  const narrowed = Math.cos((lat[indices[0]] || 0) * RADIAN);
  let turned = 0;
  for (const [k, i] of indices.entries()) {
    const step = k > 0 ? lon[i] - lon[indices[k - 1]] : 0;
    if (Math.abs(step) > 180) turned += step > 0 ? -360 : 360;
    x[k] = (lon[i] + turned) * narrowed;
    y[k] = lat[i];
  }
  return [x, y];
}

interface LinePart {
  readonly begin: number;
  readonly end: number;
  /** The point between them that is farthest from the line, and how far. */
  readonly at: number;
  readonly off: number;
}

function farthest(x: Float64Array, y: Float64Array, begin: number, end: number): LinePart {
  const [dx, dy] = [x[end] - x[begin], y[end] - y[begin]];
  const square = dx * dx + dy * dy;
  let at = begin;
  let most = 0;
  for (let i = begin + 1; i < end; i++) {
    const [px, py] = [x[i] - x[begin], y[i] - y[begin]];
    const along = square > 0 ? Math.max(0, Math.min(1, (px * dx + py * dy) / square)) : 0;
    const off = (px - along * dx) ** 2 + (py - along * dy) ** 2;
    if (!(off > most)) continue;
    most = off;
    at = i;
  }
  return { begin, end, at, off: Math.sqrt(most) };
}

function picked(track: Track, indices: readonly number[]): Track {
  const columns = fixColumns((name) => Float64Array.from(indices, (i) => track[name][i]));
  return { ...track, ...columns, points: indices.length };
}
