import { modeColor } from '../colors.ts';

/** A flown path as columns; microseconds and degrees. */
export interface MapTrack {
  readonly time: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly alt: Float64Array;
  readonly speed: Float64Array;
}

/** A part of a track in one colour. */
export interface TrackLine {
  readonly color: string;
  readonly points: readonly (readonly [lon: number, lat: number])[];
}

export const TRACK_COLORINGS = ['mode', 'speed', 'altitude'] as const;
export type TrackColoring = (typeof TRACK_COLORINGS)[number];

/** From low to high, of about the same steps to every eye (after viridis). */
const RAMP: readonly string[] = [
  '#4a2d83',
  '#3b528b',
  '#2c728e',
  '#21908c',
  '#28ae80',
  '#5ec962',
  '#addc30',
  '#fde725',
];
/** Points that a map is given at most; a screen has fewer. */
const MOST = 20_000;
/** Microseconds without a point that break the line. */
const PAUSE = 10_000_000;

interface Mode {
  readonly mode: string;
  readonly start: number;
}

/** Cuts a track into lines of one colour each; neighbours share a point, so that nothing is missing between them. */
export function trackLines(track: MapTrack, coloring: TrackColoring, modes: readonly Mode[]): TrackLine[] {
  const step = Math.max(1, Math.ceil(track.lon.length / MOST));
  const colorAt =
    coloring === 'mode' ? modeColors(track, modes) : rampColors(track[coloring === 'speed' ? 'speed' : 'alt']);
  const lines: { color: string; points: [number, number][] }[] = [];
  let before = -1;
  for (let i = 0; i < track.lon.length; i += step) {
    const point: [number, number] = [unwrapped(track.lon, i), track.lat[i]];
    const color = colorAt(i);
    const line = lines.at(-1);
    const pause = before < 0 ? 0 : track.time[i] - track.time[before];
    const isBroken = pause > PAUSE * step || pause < 0;
    if (!line || isBroken) lines.push({ color, points: [point] });
    else if (line.color === color) line.points.push(point);
    else {
      line.points.push(point);
      lines.push({ color, points: [point] });
    }
    before = i;
  }
  return lines.filter(({ points }) => points.length > 1);
}

/** Longitudes near the first one, so that a path across the antimeridian does not run around the globe. */
function unwrapped(lon: Float64Array, i: number): number {
  const turns = Math.round((lon[i] - lon[0]) / 360);
  return lon[i] - turns * 360;
}

function modeColors({ time }: MapTrack, modes: readonly Mode[]): (i: number) => string {
  let at = 0;
  return (i) => {
    while (at + 1 < modes.length && modes[at + 1].start <= time[i]) at++;
    while (at > 0 && modes[at].start > time[i]) at--;
    return modes.length === 0 ? '#56b4e9' : modeColor(modes[at].mode);
  };
}

function rampColors(values: Float64Array): (i: number) => string {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return (i) => {
    const share = (values[i] - low) / (high - low || 1);
    if (!Number.isFinite(share)) return '#8a94a3';
    return RAMP[Math.min(RAMP.length - 1, Math.floor(share * RAMP.length))];
  };
}

/** Where the vehicle was at a time, with its course over ground; undefined outside of the track. */
export function placeAt(
  { time, lon, lat }: MapTrack,
  at: number,
): { readonly lon: number; readonly lat: number; readonly course: number } | undefined {
  let [low, high] = [0, time.length - 1];
  if (high < 1 || !(at >= time[0] - PAUSE) || !(at <= time[high] + PAUSE)) return undefined;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (time[middle] <= at) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, time.length - 1);
  const span = time[next] - time[low];
  const share = span > 0 && span < PAUSE ? Math.max(0, Math.min(1, (at - time[low]) / span)) : 0;
  const mix = (column: Float64Array): number => column[low] + (column[next] - column[low]) * share;
  const [from, to] = [Math.max(0, low - 2), Math.min(time.length - 1, low + 3)];
  const east = (lon[to] - lon[from]) * Math.cos((lat[low] * Math.PI) / 180);
  const course = (Math.atan2(east, lat[to] - lat[from]) * 180) / Math.PI;
  // across the antimeridian there is no way between two numbers
  const isNear = Math.abs(lon[next] - lon[low]) < 180;
  return { lon: isNear ? mix(lon) : lon[low], lat: mix(lat), course };
}
