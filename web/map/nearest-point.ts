import type { MapTrack } from './map-track.ts';
import { mercatorX, mercatorY, type View } from './view.ts';

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

  /** The point nearest to a pixel, within a number of pixels. */
  nearest(view: View, x: number, y: number, pixels: number): TrackPoint | undefined {
    const [atX, atY] = view.mercatorAt(x, y);
    let best = (pixels / view.scale) ** 2;
    let found: TrackPoint | undefined;
    for (const { track, x: mx, y: my } of this.prepare()) {
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

  /** The line nearest to a pixel, within a number of pixels: points may be far apart. */
  nearestLine(view: View, x: number, y: number, pixels: number): TrackPoint | undefined {
    const [atX, atY] = view.mercatorAt(x, y);
    let best = (pixels / view.scale) ** 2;
    let found: TrackPoint | undefined;
    for (const { track, x: mx, y: my } of this.prepare()) {
      for (let i = 0; i + 1 < mx.length; i++) {
        const turn = Math.round(mx[i] - atX);
        const [fromX, fromY] = [mx[i] - turn - atX, my[i] - atY];
        const [legX, legY] = [mx[i + 1] - mx[i], my[i + 1] - my[i]];
        const length = legX * legX + legY * legY;
        const along = length > 0 ? Math.max(0, Math.min(1, -(fromX * legX + fromY * legY) / length)) : 0;
        const square = (fromX + legX * along) ** 2 + (fromY + legY * along) ** 2;
        if (!(square <= best)) continue;
        best = square;
        const index = along < 0.5 ? i : i + 1;
        found = { track, index, time: track.time[index] };
      }
    }
    return found;
  }

  /** Made when a map is first pointed at: logarithms of many latitudes are slow. */
  private prepare(): NonNullable<TrackIndex['prepared']> {
    this.prepared ??= this.tracks.map((track) => ({ track, x: track.lon.map(mercatorX), y: track.lat.map(mercatorY) }));
    return this.prepared;
  }
}
