import type { MapTrack } from '../map/map-track.ts';
import type { Outlines } from './server.ts';

const PER_DEGREE = 1e6;

type Lines = Outlines[string];

/** A path for the map. Lines are parted by a point without a place. */
export function trackOf(id: string, lines: Lines, color: string): MapTrack {
  const points = lines.reduce((sum, line) => sum + line.length / 2, 0) + Math.max(0, lines.length - 1);
  const [lon, lat] = [new Float64Array(points), new Float64Array(points)];
  let at = 0;
  for (const line of lines) {
    if (at > 0) {
      lon[at] = lat[at] = Number.NaN;
      at++;
    }
    let [x, y] = [0, 0];
    for (let i = 0; i + 1 < line.length; i += 2, at++) {
      x += line[i];
      y += line[i + 1];
      lon[at] = x / PER_DEGREE;
      lat[at] = y / PER_DEGREE;
    }
  }
  // the map is asked about places, not about times
  return { id, time: new Float64Array(points), lon, lat, coloring: { kind: 'plain', color } };
}
