import type { PlotLine } from './finding.ts';

/**
 * A line of few points that shows the same: time is cut into parts, and of each part the lowest and the highest value
 * are kept in the order in which they came, so that no peak is lost. Where rows are far apart a null breaks the line.
 */
export function thinned(
  { name, times, values }: { name: string; times: Float64Array; values: Float64Array },
  points: number,
): PlotLine {
  const out = { name, times: [] as number[], values: [] as (number | null)[] };
  const put = (row: number): void => {
    out.times.push(times[row]);
    // -0 would be another number in JSON
    out.values.push(values[row] + 0);
  };
  const { first, last } = bounds(times, values);
  const width = (last - first) / Math.max(1, points / 2) || 1;
  let part = -1;
  let [low, high] = [-1, -1];
  const close = (): void => {
    if (low < 0) return;
    put(Math.min(low, high));
    if (low !== high) put(Math.max(low, high));
    low = -1;
  };
  // times that go back and forth would make a point of each row
  for (let row = 0; row < times.length && out.times.length < MOST * points; row++) {
    if (!Number.isFinite(times[row]) || !Number.isFinite(values[row])) continue;
    const now = Math.floor((times[row] - first) / width);
    if (now !== part) {
      close();
      if (part >= 0 && Math.abs(now - part) > Math.max(points / 40, GAP / width)) {
        out.times.push(times[row]);
        out.values.push(null);
      }
      part = now;
      [low, high] = [row, row];
    }
    if (values[row] < values[low]) low = row;
    if (values[row] > values[high]) high = row;
  }
  close();
  return out;
}

/** A vehicle that was started anew counts from 0 again; so many times is enough. */
const MOST = 4;

/** Microseconds without a row after which a line is broken. */
const GAP = 5e6;

function bounds(times: Float64Array, values: Float64Array): { first: number; last: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < times.length; row++) {
    if (!Number.isFinite(times[row]) || !Number.isFinite(values[row])) continue;
    if (times[row] < first) first = times[row];
    if (times[row] > last) last = times[row];
  }
  return { first, last };
}
