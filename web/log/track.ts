import { firstIndex, type ModeInterval } from '../../src/entry/pages.ts';
import { scaleRange } from '../map/color-scale.ts';
import type { MapTrack, TrackColoring } from '../map/map-track.ts';
import { modeColor } from '../shared/colors.ts';
import type { ColorSet } from '../shared/theme.ts';
import { parseField } from './fields/field-name.ts';
import { choicesIn, firstOf } from './fields/presets.ts';
import type { TableInfo, TrackInfo } from './worker/answers.ts';

/** Microseconds, degrees and metres. */
type Path = Pick<TrackInfo, 'time' | 'lon' | 'lat' | 'alt'>;

/** Microseconds without a point, after which nothing is known. */
const PAUSE = 10_000_000;

/** Where the vehicle was at a time, with its course over ground; undefined outside the track. */
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
  // not across the antimeridian
  const isNear = Math.abs(lon[next] - lon[low]) < 180;
  return { lon: isNear ? mix(lon) : lon[low], lat: mix(lat), alt: mix(alt), course };
}

/** The first point of a stretch of time, and the first one after it, of times that only go forward. */
export function rowsWithin(time: Float64Array, from: number, to: number): readonly [first: number, last: number] {
  return [firstIndex(time.length, (row) => time[row] >= from), firstIndex(time.length, (row) => time[row] > to)];
}

/** Some points of a track in the colours that they have in all of it. */
export function partOf(track: MapTrack, [first, last]: readonly [number, number]): MapTrack {
  const { time, lon, lat, coloring } = track;
  const cut = { time: time.subarray(first, last), lon: lon.subarray(first, last), lat: lat.subarray(first, last) };
  const colors: TrackColoring =
    coloring.kind === 'classes'
      ? { ...coloring, of: coloring.of.subarray(first, last) }
      : coloring.kind === 'scale'
        ? {
            ...coloring,
            range: coloring.range ?? scaleRange(coloring.values),
            values: coloring.values.subarray(first, last),
          }
        : coloring;
  return { ...track, ...cut, coloring: colors };
}

/** What the colour of the track can show. */
export const TRACK_COLORINGS = ['mode', 'speed', 'altitude'] as const;
/** One of these, or the text of a field or expression: that has a point in it. */
export type TrackColoringName = (typeof TRACK_COLORINGS)[number] | (string & {});

/** The values of a field at the points of a track. */
export interface AlongTrack {
  readonly text: string;
  readonly values: Float64Array;
  readonly unit: string;
}

export function isFieldColoring(name: TrackColoringName): boolean {
  return !TRACK_COLORINGS.some((known) => known === name);
}

export function coloringOf(
  track: TrackInfo,
  name: TrackColoringName,
  modes: readonly Pick<ModeInterval, 'mode' | 'start'>[],
  along: AlongTrack | null = null,
  colors: ColorSet = 'usual',
): TrackColoring {
  if (along && along.text === name && along.values.length === track.time.length)
    return { kind: 'scale', title: name, unit: along.unit, values: along.values };
  switch (name) {
    case 'speed':
      return { kind: 'scale', title: 'Speed', unit: 'm/s', values: track.speed };
    case 'altitude':
      return { kind: 'scale', title: 'Altitude', unit: 'm', values: track.alt };
    // also until the values of a field arrive
    default: {
      const names = [...new Set(modes.map(({ mode }) => mode))];
      const classes = names.map((name) => ({ name, color: modeColor(name, colors) }));
      return { kind: 'classes', title: 'Mode', classes, of: modesAt(track.time, modes, names) };
    }
  }
}

/** Which mode each point of a track was flown in, -1 before the first one. */
function modesAt(
  time: Float64Array,
  modes: readonly Pick<ModeInterval, 'mode' | 'start'>[],
  names: readonly string[],
): Int16Array {
  const of = new Int16Array(time.length).fill(-1);
  let next = 0;
  for (let i = 0; i < time.length; i++) {
    while (next < modes.length && modes[next].start <= time[i]) next++;
    // a reboot turns the clock back
    while (next > 0 && modes[next - 1].start > time[i]) next--;
    if (next > 0) of[i] = names.indexOf(modes[next - 1].mode);
  }
  return of;
}

/** The attitude in logs, the best first; see the presets. PX4 has a quaternion. */
const ATTITUDES = choicesIn(`
ATT Roll Pitch Yaw
ATTITUDE roll pitch yaw
AHR2 Roll Pitch Yaw
EulerAngles roll pitch yaw
PASHR roll pitch heading
vehicle_attitude q:roll q:pitch q:yaw
`);

export interface AttitudeFields {
  /** Roll, pitch and yaw. */
  readonly texts: readonly string[];
  /** Factor from their unit to degrees. */
  readonly factor: number;
}

export function attitudeFields(tables: readonly TableInfo[]): AttitudeFields | undefined {
  const texts = firstOf(ATTITUDES, tables, true);
  if (texts.length === 0) return undefined;
  // an expression over a quaternion is in degrees
  const name = parseField(texts[0]);
  const table = tables.find((each) => each.name === name?.table && each.stream === name.stream);
  return { texts, factor: name && table && isRadians(table, name.field) ? 180 / Math.PI : 1 };
}

/** By the unit. Old PX4 logs have radians without a unit, under ArduPilot's names, with rates beside them. */
function isRadians({ fields }: TableInfo, name: string): boolean {
  const unit = fields.find((field) => field.name === name)?.unit ?? '';
  return unit === '' ? fields.some((field) => field.name === 'RollRate') : unit === 'rad';
}
