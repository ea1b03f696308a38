import { NO_VALUE, scaleColors, scaleRange, scaleStep } from './color-scale.ts';

/** A path with its times in microseconds; a point without a place is a gap. */
export interface MapTrack {
  readonly id: string;
  readonly time: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly coloring: TrackColoring;
  /** A longer pause, in microseconds, breaks the line; time that goes back always does. */
  readonly longestStep?: number | undefined;
  /** Whether its times are those of a vehicle: an impossible jump breaks the line. */
  readonly isFlown?: boolean | undefined;
}

/** What the colour of a path shows. */
export type TrackColoring =
  | { readonly kind: 'plain'; readonly color: string }
  | {
      /** Modes, say: for each point which of the classes it has, -1 for none. */
      readonly kind: 'classes';
      readonly title: string;
      readonly classes: readonly { readonly name: string; readonly color: string }[];
      readonly of: Int16Array;
    }
  | {
      readonly kind: 'scale';
      readonly title: string;
      readonly unit: string;
      readonly values: Float64Array;
      /** The ends of the scale, where several paths share one. */
      readonly range?: readonly [number, number] | undefined;
    };

/** What a legend shows of a colouring. */
export type Legend =
  | { readonly kind: 'classes'; readonly title: string; readonly classes: readonly { name: string; color: string }[] }
  | {
      readonly kind: 'scale';
      readonly title: string;
      readonly unit: string;
      readonly range: readonly [number, number];
      readonly colors: readonly string[];
    };

/** A stretch of one colour. */
export interface ColoredLine {
  readonly color: string;
  readonly places: readonly (readonly [lon: number, lat: number])[];
}

/** Points of a path that are drawn; of more than that every n-th, which is nowhere farther away than can be seen. */
const MOST_POINTS = 40_000;

/** A path as lines of one colour, by the point where a leg begins; longitudes may exceed 180 degrees. */
export function coloredLinesOf(track: MapTrack, isDark: boolean): ColoredLine[] {
  const { time, lon, lat, longestStep = Number.POSITIVE_INFINITY } = track;
  const colorOf = colorsOf(track.coloring, isDark);
  const stretches: { color: string; places: [number, number][] }[] = [];
  let open: { color: string; places: [number, number][] } | undefined;
  let turned = 0;
  let last = -1;
  const every = Math.ceil(lon.length / MOST_POINTS);
  for (let i = 0; i < lon.length; i += every) {
    if (!isPlace(lon[i], lat[i])) {
      open = undefined;
      continue;
    }
    if (last >= 0 && Math.abs(lon[i] - lon[last]) > 180) turned += lon[i] > lon[last] ? -360 : 360;
    const step = last < 0 ? 0 : time[i] - time[last];
    const isGap =
      step > longestStep * every || step < 0 || (track.isFlown === true && last >= 0 && isJump(track, last, i));
    const place: [number, number] = [lon[i] + turned, lat[i]];
    const color = colorOf(i);
    // a vehicle at rest adds nothing to its path
    if (open && !isGap && open.color === color && isAtEnd(open.places, place)) {
      last = i;
      continue;
    }
    if (open && !isGap) open.places.push(place);
    if (!open || isGap || open.color !== color) {
      open = { color, places: [place] };
      stretches.push(open);
    }
    last = i;
  }
  // a stretch of one point has no leg to show, unless it is all there is
  return stretches.filter(({ places }) => places.length > 1);
}

/** The part of a path that a class has at least to be in its legend. */
export const LEAST_PART = 0.003;
/** Metres a second from one point to the next, and metres between them, above which a path is broken. */
const FASTEST = 400;
const JUMP = 200;
const DEGREE = 111_195;

/** Whether no vehicle flew from one point to the next: a receiver jumped, or another vehicle continues. */
function isJump({ time, lon, lat }: MapTrack, from: number, to: number): boolean {
  const turn = Math.round((lon[to] - lon[from]) / 360) * 360;
  const east = (lon[to] - lon[from] - turn) * Math.cos((lat[from] * Math.PI) / 180);
  const metres = Math.hypot(east, lat[to] - lat[from]) * DEGREE;
  return metres > JUMP && metres / (Math.abs(time[to] - time[from]) / 1e6) > FASTEST;
}

/** Degrees too small to see: about two centimetres. */
const STILL = 2e-7;

function isAtEnd(places: readonly (readonly [number, number])[], [lon, lat]: readonly [number, number]): boolean {
  const [lastLon, lastLat] = places[places.length - 1];
  return Math.abs(lon - lastLon) < STILL && Math.abs(lat - lastLat) < STILL;
}

/** A place on the map: degrees that exist. */
export function isPlace(lon: number, lat: number): boolean {
  return Math.abs(lon) <= 360 && Math.abs(lat) <= 90;
}

/** The colour of each point, asked for in their order. */
export function colorsOf(coloring: TrackColoring, isDark: boolean): (i: number) => string {
  switch (coloring.kind) {
    case 'plain':
      return () => coloring.color;
    case 'classes':
      return (i) => coloring.classes[coloring.of[i]]?.color ?? NO_VALUE;
    case 'scale': {
      const colors = scaleColors(isDark);
      const range = coloring.range ?? scaleRange(coloring.values);
      let held = -1;
      return (i) => {
        const step = scaleStep(coloring.values[i], range);
        // one step is not seen, but a noisy field would change its colour with every point
        if (step < 0 || held < 0 || Math.abs(step - held) > 1) held = step;
        return colors[held] ?? NO_VALUE;
      };
    }
  }
}

/** What to say about the colours of a path; nothing for a plain one. Classes that it does not have are left out. */
export function legendOf(coloring: TrackColoring, isDark: boolean): Legend | undefined {
  switch (coloring.kind) {
    case 'plain':
      return undefined;
    case 'classes': {
      const counts = new Map<number, number>();
      for (const each of coloring.of) counts.set(each, (counts.get(each) ?? 0) + 1);
      // what is too short to be found on the path is left out
      const isSeen = (i: number): boolean => (counts.get(i) ?? 0) > coloring.of.length * LEAST_PART;
      return { kind: 'classes', title: coloring.title, classes: coloring.classes.filter((_, i) => isSeen(i)) };
    }
    case 'scale': {
      const { title, unit, values } = coloring;
      const range = coloring.range ?? scaleRange(values);
      return { kind: 'scale', title, unit, range, colors: scaleColors(isDark) };
    }
  }
}
