import type { Log } from '../../core/log.ts';
import type { Phases } from '../../facts/phases.ts';
import { valuesAt } from '../../series/holds.ts';
import { CLIMB_RATE, IMPACT_HEIGHT } from '../../series/quantities.ts';
import { readSeries } from '../../series/quantity-rows.ts';

/** The vehicle hit the ground: a fast sink that ended at once, after which it never rose again. */
export interface Impact {
  /** Microseconds. */
  readonly time: number;
  /** Metres a second in the second before. */
  readonly sink: number;
  /** The field that tells it. */
  readonly field: string;
}

/** Microseconds over which the sink is measured, and for which the log must go on. */
const BEFORE = 1e6;
const AFTER = 1e6;
/** Metres a second that nothing falls: heights with other units, or damage. */
const FASTEST = 70;
/** Metres by which a height may change on the ground: a barometer feels the shock and the propellers. */
const GROUND = 3;

/** The impact that ended a flight, if one did. */
export async function findImpact(
  log: Log,
  { flying }: Pick<Phases, 'flying'>,
  stream: string | undefined,
  sinkLimit: number,
): Promise<Impact | undefined> {
  const last = flying[flying.length - 1];
  if (!last) return undefined;
  const [reading] = await readSeries(log, IMPACT_HEIGHT, stream);
  const { height } = reading?.values ?? {};
  if (!reading || !height) return undefined;
  const { times } = reading;
  const rows = [...times.keys()].filter((row) => times[row] >= last.start && !Number.isNaN(height[row]));
  // the highest and the lowest that follow each row
  const [highest, lowest] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  for (let i = rows.length - 1; i >= 0; i--) {
    highest[i] = Math.max(height[rows[i]], highest[i + 1] ?? Number.NEGATIVE_INFINITY);
    lowest[i] = Math.min(height[rows[i]], lowest[i + 1] ?? Number.POSITIVE_INFINITY);
  }
  const sinks = await sinksAt(log, stream, times);
  let back = 0;
  for (let i = 0; i < rows.length; i++) {
    const [row, time] = [rows[i], times[rows[i]]];
    while (times[rows[back + 1]] <= time - BEFORE) back++;
    const elapsed = time - times[rows[back]];
    const sink = ((height[rows[back]] - height[row]) / elapsed) * 1e6;
    if (elapsed < BEFORE || elapsed > 2 * BEFORE || !(sink >= sinkLimit && sink < FASTEST) || time > last.end + AFTER)
      continue;
    if (sinks && !sinks.subarray(rows[back], row + 1).some((each) => each >= sinkLimit / 2)) continue;
    const isDown = highest[i] < height[row] + GROUND && lowest[i] > height[row] - GROUND;
    // a log that ends with the fall does not tell
    if (isDown && times[rows[rows.length - 1]] - time >= AFTER)
      return { time, sink, field: reading.names.height as string };
  }
  return undefined;
}

/** What the vehicle says of its sink at some times; undefined where it says nothing. */
async function sinksAt(log: Log, stream: string | undefined, times: Float64Array): Promise<Float64Array | undefined> {
  const [reading] = await readSeries(log, CLIMB_RATE, stream);
  const { up, down } = reading?.values ?? {};
  const sinks = down ?? up?.map((climb) => -climb);
  return reading && sinks && valuesAt(times, reading.times, sinks, BEFORE);
}
