import type { TrackColoring } from '../map/map-track.ts';
import { modeColor } from '../shared/colors.ts';
import type { ColorSet } from '../shared/theme.ts';
import type { TrackInfo } from './worker/answers.ts';

/** What the colour of the track can tell. */
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

interface Mode {
  readonly mode: string;
  readonly start: number;
}

export function coloringOf(
  track: TrackInfo,
  name: TrackColoringName,
  modes: readonly Mode[],
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
    // also while the values of a field are on their way
    default: {
      const names = [...new Set(modes.map(({ mode }) => mode))];
      const classes = names.map((name) => ({ name, color: modeColor(name, colors) }));
      return { kind: 'classes', title: 'Mode', classes, of: modesAt(track.time, modes, names) };
    }
  }
}

/** Which mode each point of a track was flown in, -1 before the first one. */
function modesAt(time: Float64Array, modes: readonly Mode[], names: readonly string[]): Int16Array {
  const of = new Int16Array(time.length).fill(-1);
  let next = 0;
  for (let i = 0; i < time.length; i++) {
    while (next < modes.length && modes[next].start <= time[i]) next++;
    // a vehicle that starts anew turns its clock back
    while (next > 0 && modes[next - 1].start > time[i]) next--;
    if (next > 0) of[i] = names.indexOf(modes[next - 1].mode);
  }
  return of;
}
