import { usualInterval } from '../series/series.ts';
import type { Track } from './track.ts';

/** Points [from, to) of a track that follow each other without a gap. */
export interface Segment {
  readonly from: number;
  readonly to: number;
}

/** A pause of as many seconds is a gap, */
const GAP_SECONDS = 10;
/** but only if it is as many times longer than pauses usually are: a tracker may send a point a minute. */
const GAP_INTERVALS = 3;

/**
 * Parts of a track without a gap: a new one begins where reception was lost or the log paused, and where time jumps
 * back after a reboot.
 * @param gap seconds that make a gap, instead of what the track itself suggests
 */
export function segmentsOf({ time, points }: Track, gap?: number): Segment[] {
  const longest = (gap ?? Math.max(GAP_SECONDS, (GAP_INTERVALS * usualInterval(time)) / 1e6)) * 1e6;
  const segments: Segment[] = [];
  let from = 0;
  for (let i = 1; i < points; i++) {
    const pause = time[i] - time[i - 1];
    if (!(pause > longest || pause < 0)) continue;
    segments.push({ from, to: i });
    from = i;
  }
  if (points > 0) segments.push({ from, to: points });
  return segments;
}
