import { ANSWER_LIMITS } from '../core/answer-limits.ts';
import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { REBOOT } from './stretch.ts';

/** A while for which nothing was recorded, or a place where the vehicle's clock began anew. */
export interface Interruption {
  readonly kind: 'gap' | 'reboot';
  /** The last time before it, and the first behind it. */
  readonly time: number;
  readonly end: number;
  readonly table: string;
}

/** Microseconds without a record that count: logs on board are written all the time, links are lost now and then. */
const LEAST_LOGGED = 1_000_000;
const LEAST_SENT = 3_000_000;
/** How many times the usual interval of records it must be as well. */
const TIMES = 5;
/** Records that a table should have in the shortest time that counts, and intervals that are looked at. */
const OFTEN = 8;
const SAMPLES = 4096;
/** Rows that cost nothing to read. */
const FEW = 50_000;

/** Fields that count from the vehicle's boot, in milliseconds of 32 bits. */
const BOOT_FIELDS: readonly (readonly [table: string, field: string])[] = [
  ['SYSTEM_TIME', 'time_boot_ms'],
  ['ATTITUDE', 'time_boot_ms'],
  ['GLOBAL_POSITION_INT', 'time_boot_ms'],
];
/** Milliseconds by which packets overtake each other at most, and before the overflow within which it is none. */
const LATE = 5000;
const WRAP = 2 ** 32 - 60_000;
/** Rows that are looked at to tell a reboot from a record that is out of place. */
const AHEAD = 20;

/** Interruptions of a log that a vehicle wrote by itself. */
export async function loggedInterruptions(log: Log): Promise<Interruption[]> {
  const tables = log.tables.filter((table) => table.rows > 1 && log.clock.field(table) !== undefined);
  return interruptionsOf(tables, LEAST_LOGGED, true);
}

/** Interruptions of what one vehicle sent. */
export async function sentInterruptions(log: Log, stream: string): Promise<Interruption[]> {
  const tables = log.tables.filter((table) => table.rows > 1 && table.stream === stream);
  const gaps = await interruptionsOf(tables, LEAST_SENT, false);
  return [...gaps, ...(await bootInterruptions(log, stream))];
}

/** Where one table pauses, the others are asked what they have meanwhile. */
async function interruptionsOf(tables: readonly Table[], least: number, hasReboots: boolean): Promise<Interruption[]> {
  const pulse = await pulseOf(tables, least);
  if (!pulse) return [];
  const others = tables.filter((table) => table !== pulse);
  const times = await pulse.times();
  const usual = usualInterval(times);
  const found: Interruption[] = [];
  for (let row = 1, before = 0; row < times.length && found.length < ANSWER_LIMITS.interruptions; row++) {
    if (isStray(times, before, row)) continue;
    const [time, end] = [times[before], times[row]];
    if (hasReboots && end < time - REBOOT) found.push({ kind: 'reboot', time, end, table: pulse.name });
    else if (end - time > Math.max(least, TIMES * usual)) {
      const gap = await widest(others, [time, end], pulse.offsets.at(before), pulse.offsets.at(row));
      if (gap[1] - gap[0] > least) found.push({ kind: 'gap', time: gap[0], end: gap[1], table: pulse.name });
    }
    before = row;
  }
  return found;
}

/** A single time that is out of the line of those around it is damage, or none at all. */
function isStray(times: Float64Array, before: number, row: number): boolean {
  const [last, here, next] = [times[before], times[row], times[row + 1]];
  return Number.isNaN(here) || (next >= last && (here > next + REBOOT || here < last - REBOOT));
}

/** The table with fewest rows of those that have some many times in every gap that would count; else that with most. */
async function pulseOf(tables: readonly Table[], least: number): Promise<Table | undefined> {
  const sorted = tables.toSorted((a, b) => a.rows - b.rows);
  const most = sorted.at(-1);
  if (!most || most.rows < FEW) return most;
  const [start] = await most.times({ to: 1 });
  const [end] = await most.times({ from: most.rows - 1 });
  const wanted = Math.max(most.rows / 64, (Math.abs(end - start) / least) * OFTEN);
  return sorted.find(({ rows }) => rows >= wanted) ?? most;
}

/** The interval that half of all intervals do not exceed, by some of them. */
function usualInterval(times: Float64Array): number {
  const step = Math.max(1, Math.floor(times.length / SAMPLES));
  const intervals: number[] = [];
  for (let i = 1; i < times.length; i += step) intervals.push(times[i] - times[i - 1]);
  const positive = intervals.filter((each) => each > 0).sort((a, b) => a - b);
  return positive[positive.length >> 1] ?? 0;
}

/** The widest part of a gap in which no other table has a record either. */
async function widest(
  tables: readonly Table[],
  [start, end]: readonly [number, number],
  from: number,
  to: number,
): Promise<[number, number]> {
  const times = [start, end];
  for (const table of tables) {
    const rows = { from: table.offsets.rowFrom(from), to: table.offsets.rowFrom(to) };
    if (rows.from >= rows.to) continue;
    for (const time of await table.times(rows)) if (time > start && time < end) times.push(time);
  }
  times.sort((a, b) => a - b);
  let best: [number, number] = [start, start];
  for (let i = 1; i < times.length; i++) {
    if (times[i] - times[i - 1] > best[1] - best[0]) best = [times[i - 1], times[i]];
  }
  return best;
}

/** Where a vehicle counts from its boot again, while the clock of who recorded it went on. */
async function bootInterruptions(log: Log, stream: string): Promise<Interruption[]> {
  for (const [name, field] of BOOT_FIELDS) {
    const table = log.table(name, stream);
    if (!table?.field(field) || table.rows < 2) continue;
    const { times, columns } = await table.timedColumns([field]);
    const boot = columns[0].numbers();
    const found: Interruption[] = [];
    for (let row = 1; row < boot.length && found.length < ANSWER_LIMITS.interruptions; row++) {
      const isBack = boot[row] < boot[row - 1] - LATE && boot[row - 1] < WRAP;
      // two vehicles that call themselves alike take turns
      if (isBack && !boot.subarray(row, row + AHEAD).some((each) => each >= boot[row - 1]))
        found.push({ kind: 'reboot', time: times[row - 1], end: times[row], table: name });
    }
    return found;
  }
  return [];
}
