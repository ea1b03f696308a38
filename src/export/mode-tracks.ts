import type { ModeInterval } from '../facts/modes.ts';
import type { Track } from '../geo/track.ts';

/** A stretch of a track in one mode; '' before the first. */
export interface ModeTrack {
  readonly mode: string;
  readonly track: Track;
}

/** Cuts a track where the mode changes. Each stretch goes on to the first point of the next, so that no gap is seen. */
export function modeTracks(track: Track, modes: readonly ModeInterval[]): ModeTrack[] {
  const stretches: ModeTrack[] = [];
  let next = 0;
  let mode = '';
  let from = 0;
  for (let i = 0; i < track.points; i++) {
    let now = mode;
    while (next < modes.length && modes[next].start <= track.time[i]) now = modes[next++].mode;
    if (now !== mode && i > from) {
      stretches.push({ mode, track: part(track, from, i + 1) });
      from = i;
    }
    mode = now;
  }
  return [...stretches, { mode, track: part(track, from, track.points) }];
}

function part(track: Track, from: number, to: number): Track {
  const { time, lon, lat, alt, speed, course } = track;
  return {
    ...track,
    points: to - from,
    time: time.subarray(from, to),
    lon: lon.subarray(from, to),
    lat: lat.subarray(from, to),
    alt: alt.subarray(from, to),
    speed: speed.subarray(from, to),
    course: course.subarray(from, to),
  };
}
