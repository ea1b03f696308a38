import { describe, expect, test } from 'vitest';
import { madeTrack } from '../../test/helpers/track.ts';
import { type Segment, segmentsOf } from './segments.ts';

function segments(seconds: readonly number[], gap?: number): Segment[] {
  return segmentsOf(madeTrack(seconds.map((second) => ({ lon: 1, lat: 1, time: second * 1e6 }))), gap);
}

describe('segmentsOf', () => {
  test('a track without points has none, one point is one', () => {
    expect(segments([])).toEqual([]);
    expect(segments([5])).toEqual([{ from: 0, to: 1 }]);
  });

  test('begins a new one after more than ten seconds', () => {
    expect(segments([0, 0.2, 0.4, 10.4, 10.6, 20.7, 20.9])).toEqual([
      { from: 0, to: 5 },
      { from: 5, to: 7 },
    ]);
  });

  test('a tracker that sends a point a minute is not torn apart, but a pause of five minutes is one', () => {
    expect(segments([0, 60, 120, 180, 360, 420, 720])).toEqual([
      { from: 0, to: 6 },
      { from: 6, to: 7 },
    ]);
  });

  test('begins a new one where time jumps back', () => {
    expect(segments([100, 101, 1, 2])).toEqual([
      { from: 0, to: 2 },
      { from: 2, to: 4 },
    ]);
  });

  test('takes the gap that is asked for', () => {
    expect(segments([0, 1, 3, 4], 1.5)).toHaveLength(2);
    expect(segments([0, 1, 100, 101], 1000)).toHaveLength(1);
  });

  test('is one where points have no times', () => {
    expect(segments([Number.NaN, Number.NaN, Number.NaN])).toEqual([{ from: 0, to: 3 }]);
  });
});
