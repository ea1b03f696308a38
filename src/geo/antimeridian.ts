import type { Track } from './track.ts';

/** One point of a line. */
export interface SidePoint {
  readonly lon: number;
  readonly lat: number;
  readonly alt: number;
  /** Microseconds. */
  readonly time: number;
}

/** Points [from, to) of a track, and where it was cut also the place on the antimeridian before or after them. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly head?: SidePoint | undefined;
  readonly tail?: SidePoint | undefined;
}

/** A stretch of a track that stays on one side of the antimeridian. */
export interface TrackSide {
  readonly length: number;
  at(index: number): SidePoint;
}

/**
 * A track in parts that do not cross the antimeridian, as RFC 7946 (3.1.9) wants lines: a leg that crosses it is cut
 * there, and the place, its altitude and its time follow from the ends of the leg. A leg that spans more than half of
 * the globe is taken to cross. Each part has at least two positions if the track has.
 */
export function cutAtAntimeridian(track: Track): TrackSide[] {
  const cuts: Cut[] = [];
  let from = 0;
  let head: SidePoint | undefined;
  for (let i = 1; i < track.points; i++) {
    if (Math.abs(track.lon[i] - track.lon[i - 1]) <= 180) continue;
    const side = track.lon[i - 1] > 0 ? 180 : -180;
    const share = shareBefore(track, i, side);
    const tail = share > 0 ? placeOn(track, i, share, side) : undefined;
    cuts.push({ from, to: i, head, tail });
    head = share < 1 ? placeOn(track, i, share, -side) : undefined;
    from = i;
  }
  cuts.push({ from, to: track.points, head });
  const parts = cuts.map((cut) => partOf(track, cut));
  return parts.length === 1 ? parts : parts.filter((part) => part.length > 1);
}

/** Which part of the leg that ends at a point is before the antimeridian. */
function shareBefore({ lon }: Track, i: number, side: number): number {
  const before = Math.abs(side - lon[i - 1]);
  const after = Math.abs(-side - lon[i]);
  return before + after > 0 ? before / (before + after) : 0;
}

function placeOn(track: Track, i: number, share: number, lon: number): SidePoint {
  const between = (column: Float64Array): number => column[i - 1] + (column[i] - column[i - 1]) * share;
  return { lon, lat: between(track.lat), alt: between(track.alt), time: between(track.time) };
}

function partOf(track: Track, { from, to, head, tail }: Cut): TrackSide {
  const ahead = head ? 1 : 0;
  const length = ahead + (to - from) + (tail ? 1 : 0);
  return {
    length,
    at(index) {
      if (head && index === 0) return head;
      if (tail && index === length - 1) return tail;
      const i = from + index - ahead;
      return { lon: track.lon[i], lat: track.lat[i], alt: track.alt[i], time: track.time[i] };
    },
  };
}
