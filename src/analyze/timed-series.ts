import { usualInterval } from '../geo/segments.ts';

/** Values with the times in microseconds at which they were taken; NaN is a value that is missing. */
export interface Series {
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Whether a value holds until the next one comes (a mode, a count); else it changes evenly between the two. */
  readonly isHeld: boolean;
}

/** A pause of as many usual ones is a gap: nothing is known in it. Plots break their lines there too. */
const GAP_INTERVALS = 3;

/** The longest pause in microseconds that is no gap. */
export function longestStep(times: Float64Array): number {
  return usualInterval(times) * GAP_INTERVALS;
}

/** The same samples in the order of time, without those that have no time. */
export function inOrder(series: Series): Series {
  const { times, values, isHeld } = series;
  if (isOrdered(times)) return series;
  const order = new Float64Array(times.length);
  let count = 0;
  for (let i = 0; i < times.length; i++) if (!Number.isNaN(times[i])) order[count++] = i;
  const rows = order.subarray(0, count).sort((a, b) => times[a] - times[b] || a - b);
  return { times: rows.map((row) => times[row]), values: rows.map((row) => values[row]), isHeld };
}

function isOrdered(times: Float64Array): boolean {
  if (Number.isNaN(times[0])) return false;
  for (let i = 1; i < times.length; i++) if (!(times[i] >= times[i - 1])) return false;
  return true;
}

/**
 * The values of a series at other times, both in order: held, or on the line between its neighbours. There is none
 * before the first sample and, unless held, none behind the last one, in a gap, or beside a missing one.
 */
export function valuesAt(series: Series, times: Float64Array): Float64Array {
  if (times === series.times) return series.values;
  const { times: known, values, isHeld } = series;
  const longest = isHeld ? 0 : longestStep(known);
  const out = new Float64Array(times.length);
  let next = 0;
  for (let i = 0; i < times.length; i++) {
    const time = times[i];
    while (next < known.length && known[next] <= time) next++;
    const before = next - 1;
    if (before < 0) out[i] = Number.NaN;
    else if (isHeld || known[before] === time) out[i] = values[before];
    else if (next === known.length || known[next] - known[before] > longest) out[i] = Number.NaN;
    else {
      const part = (time - known[before]) / (known[next] - known[before]);
      out[i] = values[before] + (values[next] - values[before]) * part;
    }
  }
  return out;
}
