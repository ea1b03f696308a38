import { firstIndex } from '../../src/entry/pages.ts';

/** A flown path as columns; microseconds, degrees and metres. */
interface Path {
  readonly time: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly alt: Float64Array;
}

/** Microseconds without a point, after which nothing is known. */
const PAUSE = 10_000_000;

/** Where the vehicle was at a time, with its course over ground; undefined outside of the track. */
export function placeAt(
  { time, lon, lat, alt }: Path,
  at: number,
): { readonly lon: number; readonly lat: number; readonly alt: number; readonly course: number } | undefined {
  const high = time.length - 1;
  if (high < 1 || !(at >= time[0] - PAUSE) || !(at <= time[high] + PAUSE)) return undefined;
  const low = Math.max(0, firstIndex(time.length, (point) => time[point] > at) - 1);
  const next = Math.min(low + 1, time.length - 1);
  const span = time[next] - time[low];
  const share = span > 0 && span < PAUSE ? Math.max(0, Math.min(1, (at - time[low]) / span)) : 0;
  const mix = (column: Float64Array): number => column[low] + (column[next] - column[low]) * share;
  const [from, to] = [Math.max(0, low - 2), Math.min(time.length - 1, low + 3)];
  const east = (lon[to] - lon[from]) * Math.cos((lat[low] * Math.PI) / 180);
  const course = (Math.atan2(east, lat[to] - lat[from]) * 180) / Math.PI;
  // across the antimeridian there is no way between two numbers
  const isNear = Math.abs(lon[next] - lon[low]) < 180;
  return { lon: isNear ? mix(lon) : lon[low], lat: mix(lat), alt: mix(alt), course };
}
