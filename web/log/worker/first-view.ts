import type { Facts, Flight, Log } from '../../../src/entry/pages.ts';

/** The longest tables are looked at, at rows that are evenly spread over each: parameters come all at once. */
const TABLES = 12;
const SAMPLES = 300;
/** Fewer different times say nothing. */
const FEWEST = 30;
/** Shorter logs (microseconds) are shown whole: records in bursts are not a jump of the clock. */
const SHORT = 600e6;
/** The picture is divided into columns; if fewer than these have records, the log would be a few lines in it. */
const COLUMNS = 100;
const FEW_COLUMNS = 10;
/** Room beside what is shown, as a part of it. */
const BESIDE = 0.05;

/** A stretch of the log's time in microseconds. */
export interface FirstView {
  readonly start: number;
  readonly end: number;
}

/** What to show of a log squeezed by a clock jump: flights in its densest part, or that part. Null: everything. */
export async function firstView(log: Log, facts: Pick<Facts, 'span' | 'flights'>): Promise<FirstView | null> {
  const { start, end } = await facts.span();
  if (start === null || end === null || end - start <= SHORT) return null;
  const dense = densestPart(await sampledTimes(log), { start, end });
  return dense && (flightsIn(await facts.flights(), dense) ?? dense);
}

async function sampledTimes({ tables }: Log): Promise<number[]> {
  const timed = tables.filter((table) => table.clock?.timesAll || table.clock?.field(table) !== undefined);
  const times: number[] = [];
  const longest = timed.sort((a, b) => b.rows - a.rows).slice(0, TABLES);
  for (const table of longest) {
    const count = Math.min(Math.ceil(SAMPLES / longest.length), table.rows);
    for (let k = 0; k < count; k++) {
      const row = Math.floor((k * (table.rows - 1)) / Math.max(1, count - 1));
      times.push(await table.timeAt(row));
    }
  }
  return [...new Set(times)].filter((time) => !Number.isNaN(time));
}

/** Where most of some times are, as close as it takes to spread them over the picture; null if they are. */
export function densestPart(times: readonly number[], span: FirstView): FirstView | null {
  let all = span;
  let own = times;
  while (own.length >= FEWEST && all.end - all.start > SHORT) {
    const width = (all.end - all.start) / COLUMNS;
    const counts = new Uint32Array(COLUMNS);
    for (const time of own) counts[Math.min(COLUMNS - 1, Math.floor((time - all.start) / width))]++;
    if (counts.filter((count) => count > 0).length >= FEW_COLUMNS) break;
    // less than a tenth each time, so the loop ends
    const { first, last } = fullestRun(counts);
    const [from, to] = [all.start + first * width, all.start + (last + 1) * width];
    own = own.filter((time) => time >= from && time <= to);
    all = { start: Math.min(...own), end: Math.max(...own) };
  }
  return all === span ? null : withRoom(all, span);
}

/** Some room beside a stretch, as far as there is any. */
function withRoom({ start, end }: FirstView, within: FirstView): FirstView {
  const room = (end - start) * BESIDE;
  return { start: Math.max(within.start, start - room), end: Math.min(within.end, end + room) };
}

/** The columns side by side that have most together. */
function fullestRun(counts: Uint32Array): { first: number; last: number } {
  let best = { first: 0, last: 0, sum: 0 };
  let [first, sum] = [0, 0];
  counts.forEach((count, column) => {
    if (count === 0) {
      [first, sum] = [column + 1, 0];
      return;
    }
    sum += count;
    if (sum > best.sum) best = { first, last: column, sum };
  });
  return best;
}

/** From the first to the last flight that touches a part, with some room beside them. */
function flightsIn(flights: readonly Flight[], part: FirstView): FirstView | undefined {
  const own = flights.filter(({ start, end }) => start < part.end && end > part.start);
  if (own.length === 0) return undefined;
  const from = Math.max(part.start, Math.min(...own.map(({ start }) => start)));
  const to = Math.min(part.end, Math.max(...own.map(({ end }) => end)));
  return withRoom({ start: from, end: to }, part);
}
