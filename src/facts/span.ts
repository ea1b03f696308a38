import type { TimePart } from '../core/clock.ts';
import type { Log, Span } from '../core/log.ts';
import { DEFINITIONS } from '../core/schema.ts';
import { firstIndex } from '../core/search.ts';
import type { RecordTable } from '../core/table.ts';
import type { Restart } from './phase.ts';

/** Microseconds between the first and the last packet of a capture that are believed without looking at all of them. */
const LONGEST_CAPTURE = 48 * 3600e6;
/** Rows at the ends of a table among which one has a time that is believed. */
const OUTER = 64;

/**
 * First and last time of a log: of its parts, else of the first and last rows of its tables, so that no column is read
 * for it. Times that the clock does not believe do not count.
 */
export async function findSpan(log: Log): Promise<Span> {
  const { parts = [] } = log.clock;
  if (parts.length > 0)
    return { start: Math.min(...parts.map(({ start }) => start)), end: Math.max(...parts.map(({ end }) => end)) };
  const timed = log.tables.filter((table) => table.rows > 0 && log.clock.field(table) !== undefined);
  const filled = timed.length > 0 ? timed : log.tables.filter((table) => table.rows > 0);
  const body = filled.filter(({ name }) => !DEFINITIONS.has(name));
  const outer = new Outer();
  for (const table of body.length > 0 ? body : filled) {
    await outer.add(table, 0, Math.min(table.rows, OUTER));
    await outer.add(table, table.rows - 1, Math.max(-1, table.rows - 1 - OUTER));
  }
  if (outer.start <= outer.end) return { start: outer.start, end: outer.end };
  // packets have times though none of them has a message that is known
  const { start = Number.NaN, end = Number.NaN } = log.capture ?? {};
  return end - start <= LONGEST_CAPTURE ? { start, end } : { start: null, end: null };
}

/** The parts of a log in the order of the source, a single one for most; none where no record has a time. */
export function partsOf(log: Log, { start, end }: Span): readonly Omit<TimePart, 'offset'>[] {
  if (start === null || end === null) return [];
  return log.clock.parts ?? [{ start, end }];
}

/** Microseconds that a log covers: its parts together, without the pauses between them. What is twice in it counts once. */
export function coveredTime(parts: readonly Omit<TimePart, 'offset'>[]): number {
  let [sum, last] = [0, Number.NEGATIVE_INFINITY];
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    sum += Math.max(0, end - Math.max(start, last));
    last = Math.max(last, end);
  }
  return sum;
}

/** The part that a place of the source is in; undefined in a log of a single one. */
export function partAt({ clock: { parts = [] } }: Log, offset: number): TimePart | undefined {
  return parts[Math.max(0, firstIndex(parts.length, (i) => parts[i].offset > offset) - 1)];
}

class Outer {
  start = Number.POSITIVE_INFINITY;
  end = Number.NEGATIVE_INFINITY;

  /** The times of the rows at one end of a table. */
  async add(table: RecordTable, from: number, to: number): Promise<void> {
    const step = from <= to ? 1 : -1;
    for (let row = from; row !== to; row += step) {
      const [time] = await table.times({ from: row, to: row + 1 });
      if (Number.isNaN(time)) continue;
      this.start = Math.min(this.start, time);
      this.end = Math.max(this.end, time);
      return;
    }
  }
}

/** The parts of what a vehicle wrote or sent, from boot to boot; none where there is one only. */
export function bootsOf({ clock: { parts = [] }, format }: Log): readonly TimePart[] {
  return /^(dataflash|mavlink)/.test(format) && parts.length > 1 ? parts : [];
}

/** When a vehicle rebooted: what was so before is over with the part before. */
export function restartsOf(log: Log): readonly Restart[] {
  const boots = bootsOf(log);
  return boots.slice(1).map(({ start }, i) => ({ until: boots[i].end, time: start }));
}
