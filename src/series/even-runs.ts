import { SPECTRUM_LIMITS } from './limits.ts';
import { type Series, usualInterval } from './series.ts';

/** Samples at equal steps of time. */
interface EvenRun {
  /** Microseconds of the first one. */
  readonly start: number;
  readonly values: Float64Array;
}

export interface EvenRuns {
  /** Samples a second; 0 where there are no two times. */
  readonly rate: number;
  /** Stretches without a gap or a missing value, in the order of time. */
  readonly runs: readonly EvenRun[];
}

/**
 * A series at the rate that it usually has, on the lines between its samples: stamps of logs jitter, and transforms need
 * equal steps. What lies in gaps is not made up: each stretch between them is a run of its own.
 */
export function evenRuns(series: Series): EvenRuns {
  const { times, values, gap } = series.ordered();
  const usual = usualInterval(times);
  if (!(usual > 0)) return { rate: 0, runs: [] };
  const known = (i: number): boolean => Number.isFinite(values[i]);
  const runs: EvenRun[] = [];
  // a few samples close together, among many far apart, must not ask for millions between those
  let left = Math.min(times.length * SPECTRUM_LIMITS.samplesEach, SPECTRUM_LIMITS.samples);
  for (let from = 0; from < times.length; ) {
    if (!known(from)) {
      from++;
      continue;
    }
    let to = from + 1;
    while (to < times.length && known(to) && times[to] - times[to - 1] <= gap) to++;
    const count = Math.min(left, Math.floor((times[to - 1] - times[from]) / usual + 1e-6) + 1);
    left -= count;
    if (count > 1) runs.push({ start: times[from], values: evenValues(times, values, from, to, usual, count) });
    from = to;
  }
  return { rate: 1e6 / usual, runs };
}

function evenValues(
  times: Float64Array,
  values: Float64Array,
  from: number,
  to: number,
  step: number,
  count: number,
): Float64Array {
  const even = new Float64Array(count);
  let next = from + 1;
  for (let i = 0; i < count; i++) {
    const time = times[from] + i * step;
    while (next < to - 1 && times[next] <= time) next++;
    const [before, after] = [times[next - 1], times[next]];
    const part = after > before ? Math.min(1, (time - before) / (after - before)) : 0;
    even[i] = values[next - 1] + (values[next] - values[next - 1]) * part;
  }
  return even;
}
