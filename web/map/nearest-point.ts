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
  private readonly tracks: readonly MapTrack[];
  private prepared: readonly { track: MapTrack; x: Float64Array; y: Float64Array }[] | undefined;

  constructor(tracks: readonly MapTrack[]) {
    this.tracks = tracks;
  }

  /** The point that is nearest to a pixel, of those not farther away than so many pixels. */
  nearest(view: View, x: number, y: number, pixels: number): TrackPoint | undefined {
    // not before somebody points at a map: logarithms of many latitudes take their time
    this.prepared ??= this.tracks.map((track) => ({ track, x: track.lon.map(mercatorX), y: track.lat.map(mercatorY) }));
    const [atX, atY] = view.mercatorAt(x, y);
    let best = (pixels / view.scale) ** 2;
    let found: TrackPoint | undefined;
    for (const { track, x: mx, y: my } of this.prepared) {
      for (let i = 0; i < mx.length; i++) {
        let dx = mx[i] - atX;
        if (dx > 0.5 || dx < -0.5) dx -= Math.round(dx);
        const dy = my[i] - atY;
        const square = dx * dx + dy * dy;
        if (!(square <= best)) continue;
        best = square;
        found = { track, index: i, time: track.time[i] };
      }
    }
    return found;
  }
}
