import type { DrawnLine } from '../shared/plot/time-plot.ts';
import type { History } from './history.ts';

/** Seconds without a sample after which a line is broken, at least; and how many times the usual step. */
const LEAST_GAP = 1.5;
const GAP_STEPS = 3;
const STEPS_LOOKED_AT = 32;

/** A field over seconds: of each column of pixels the first, least, greatest and last sample, so no peak is lost. */
export function stripOf(
  history: History,
  field: string,
  factor: number,
  from: number,
  to: number,
  pixels: number,
): DrawnLine {
  const begin = Math.max(0, history.rowFrom(from) - 1);
  const end = Math.min(history.length, history.rowFrom(to) + 1);
  const x: number[] = [];
  const y: number[] = [];
  const add = (row: number): void => {
    x.push(history.timeAt(row) * 1e6);
    y.push(history.valueAt(field, row) * factor);
  };
  const step = (to - from) / Math.max(1, pixels);
  const gap = gapOf(history, begin, end);
  let [low, high] = [Number.NaN, Number.NaN];
  for (let row = begin; row < end; ) {
    const time = history.timeAt(row);
    if (row > begin && time - history.timeAt(row - 1) > gap) {
      x.push(time * 1e6);
      y.push(Number.NaN);
    }
    const column = Math.floor(time / step);
    let [least, greatest, last] = [row, row, row];
    for (let next = row + 1; next < end && Math.floor(history.timeAt(next) / step) === column; next++) {
      const value = history.valueAt(field, next);
      if (!(value >= history.valueAt(field, least))) least = Number.isNaN(value) ? least : next;
      if (!(value <= history.valueAt(field, greatest))) greatest = Number.isNaN(value) ? greatest : next;
      last = next;
    }
    for (const each of new Set([row, Math.min(least, greatest), Math.max(least, greatest), last])) add(each);
    if (time >= from || history.timeAt(last) >= from) {
      const [bottom, top] = [history.valueAt(field, least) * factor, history.valueAt(field, greatest) * factor];
      if (!(bottom >= low) && !Number.isNaN(bottom)) low = bottom;
      if (!(top <= high) && !Number.isNaN(top)) high = top;
    }
    row = last + 1;
  }
  return { x: Float64Array.from(x), y: Float64Array.from(y), low: Math.min(low, high), high: Math.max(low, high) };
}

/** The gap that breaks a line: three times the median step. */
function gapOf(history: History, begin: number, end: number): number {
  const stride = Math.max(1, Math.floor((end - begin) / STEPS_LOOKED_AT));
  const steps: number[] = [];
  for (let row = begin + 1; row < end; row += stride) steps.push(history.timeAt(row) - history.timeAt(row - 1));
  const median = steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0;
  return Math.max(LEAST_GAP, median * GAP_STEPS);
}

/** Whether the newest sample came longer ago than three of the latest steps. @param now seconds */
export function isOld(history: History, now: number): boolean {
  const step = gapOf(history, Math.max(0, history.length - STEPS_LOOKED_AT), history.length);
  return now - history.lastTime > Math.max(step, LEAST_GAP * 2);
}

/** The latest values of a field for a sparkline, at most `most`, evenly spread. */
export function latestOf(history: History, field: string, most: number): number[] {
  const step = Math.max(1, Math.floor(history.length / most));
  const values: number[] = [];
  for (let row = history.length - 1; row >= 0 && values.length < most; row -= step)
    values.push(history.valueAt(field, row));
  return values.reverse();
}
