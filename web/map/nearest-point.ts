import type { MapTrack } from './map-track.ts';
import { mercatorX, mercatorY, type View } from './view.ts';

/** A point of a path. */
export interface TrackPoint {
  readonly track: MapTrack;
  readonly index: number;
  readonly time: number;
}

/** Paths prepared for the question which point is nearest to a pixel. */
export class TrackIndex {
  private readonly tracks: readonly { track: MapTrack; x: Float64Array; y: Float64Array }[];

  constructor(tracks: readonly MapTrack[]) {
    this.tracks = tracks.map((track) => ({ track, x: track.lon.map(mercatorX), y: track.lat.map(mercatorY) }));
  }

  /** The point that is nearest to a pixel, of those not farther away than so many pixels. */
  nearest(view: View, x: number, y: number, pixels: number): TrackPoint | undefined {
    let best = pixels * pixels;
    let found: TrackPoint | undefined;
    for (const { track, x: mx, y: my } of this.tracks) {
      for (let i = 0; i < mx.length; i++) {
        const [dx, dy] = [view.x(mx[i], my[i]) - x, view.y(mx[i], my[i]) - y];
        const square = dx * dx + dy * dy;
        if (square > best || !(square >= 0)) continue;
        best = square;
        found = { track, index: i, time: track.time[i] };
      }
    }
    return found;
  }
}
