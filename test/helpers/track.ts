import type { Track } from '../../src/geo/track.ts';

/** A point of a made-up track; what is left out is not known. */
export interface MadePoint {
  readonly lon: number;
  readonly lat: number;
  readonly alt?: number;
  /** Microseconds. */
  readonly time?: number;
  readonly speed?: number;
  readonly course?: number;
}

/** A track that no log has, for tests of what is done with tracks. */
export function madeTrack(points: readonly MadePoint[], about: Partial<Track> = {}): Track {
  const column = (field: keyof MadePoint): Float64Array =>
    Float64Array.from(points, (point) => point[field] ?? Number.NaN);
  return {
    name: 'made',
    source: 'GPS',
    table: 'GPS',
    utc: true,
    points: points.length,
    time: column('time'),
    lon: column('lon'),
    lat: column('lat'),
    alt: column('alt'),
    speed: column('speed'),
    course: column('course'),
    rows: points.length,
    dropped: { noFix: 0, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 },
    badAltitudes: 0,
    ...about,
  };
}
