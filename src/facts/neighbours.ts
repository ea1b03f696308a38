import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { words } from '../core/text.ts';
import { ANSWER_LIMITS } from './limits.ts';

/** Tables that are asked: those with most rows have some nearly everywhere. */
const ASKED = 4;
/** What a firmware writes at the head of a log, long before the rest or again and again, as its own time. */
const HEAD: ReadonlySet<string> = new Set(
  words(`
  PARM FMT FMTU UNIT MULT FILE CMD MSG PARAM_VALUE INFO MULTI PARM_DEFAULT FORMAT SUBSCRIPTION`),
);
/** Microseconds without any record that are a pause, and before something that are just before it. */
const PAUSE = 1_000_000;
const JUST = 2_000_000;
/** Rows at either end of a table of which one has a time. */
const OUTER = 16;
/** Rows that are looked at in search of a pause: mostly few are enough. */
const LOOKED_AT: readonly number[] = [32, 1024];

/** When the records around an offset were made: those without a time follow the record before, except after a pause. */
export class Neighbours {
  private readonly tables: readonly RecordTable[];

  constructor(log: Log) {
    const filled = log.tables.filter((table) => table.rows > 0);
    const body = filled.filter(({ name }) => !HEAD.has(name));
    const all = body.length > 0 ? body : filled;
    const timed = all.filter((table) => log.clock.timesAll || log.clock.field(table) !== undefined);
    const tables = timed.length > 0 ? timed : all;
    // where times follow from the rate of each kind of record, different kinds do not agree: one must do for all
    const key = ({ name, stream }: RecordTable): string => `${name} ${stream}`;
    this.tables = tables
      .toSorted((a, b) => b.rows - a.rows || (key(a) < key(b) ? -1 : 1))
      .slice(0, timed.length > 0 ? ASKED : 1);
  }

  /** The time of the last record before a place, NaN if none. */
  async before(offset: number): Promise<number> {
    return (await this.lastBefore(offset)).time;
  }

  lastBefore(offset: number): Promise<PlacedRow> {
    return this.nearest((table) => table.offsets.rowFrom(offset) - 1, Math.max);
  }

  /** The time of the first record after a place, NaN if none. */
  async after(offset: number): Promise<number> {
    return (await this.nearest((table) => table.offsets.rowFrom(offset + 1), Math.min)).time;
  }

  /** When the last record before a pause of the log came, if the pause is just before an offset; else NaN. */
  async pauseBefore(offset: number, time: number): Promise<number> {
    const near = [time];
    let older = Number.NEGATIVE_INFINITY;
    for (const table of this.tables) {
      for (const each of await timesBefore(table, offset, time - JUST)) {
        if (each <= time && time - each < JUST) near.push(each);
        else if (each <= time && each > older) older = each;
      }
    }
    const earlier = Float64Array.from([older, ...near]).sort();
    for (let i = earlier.length - 1; i > 0; i--) {
      if (earlier[i] - earlier[i - 1] > PAUSE) return Number.isFinite(earlier[i - 1]) ? earlier[i - 1] : Number.NaN;
    }
    return Number.NaN;
  }

  /** The times between which records follow each other; undefined if none has a time. */
  async span(): Promise<{ readonly start: number; readonly end: number } | undefined> {
    let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const table of this.tables) {
      const first = (await table.times({ to: OUTER })).find(isTime);
      const last = (await table.times({ from: Math.max(0, table.rows - OUTER) })).findLast(isTime);
      start = Math.min(start, first ?? start, last ?? start);
      end = Math.max(end, first ?? end, last ?? end);
    }
    return start <= end ? { start, end } : undefined;
  }

  private async nearest(
    rowIn: (table: RecordTable) => number,
    which: (...places: number[]) => number,
  ): Promise<PlacedRow> {
    let [time, place] = [Number.NaN, Number.NaN];
    for (const table of this.tables) {
      const row = rowIn(table);
      if (row < 0 || row >= table.rows) continue;
      const here = table.offsets.at(row);
      if (which(here, place) === place) continue;
      const at = await table.timeAt(row);
      if (!Number.isNaN(at) && (Number.isNaN(place) || which(here, place) === here)) [time, place] = [at, here];
    }
    return { time, offset: place };
  }
}

function isTime(time: number): boolean {
  return !Number.isNaN(time);
}

/** A row of a log, by its time and place. */
interface PlacedRow {
  readonly time: number;
  readonly offset: number;
}

/** Rows without a time get that of their neighbours. @param rows in the order of the source */
export async function timed<T extends PlacedRow>(log: Log, rows: readonly T[]): Promise<T[]> {
  if (rows.every(({ time }) => isTime(time))) return [...rows];
  const neighbours = new Neighbours(log);
  const found: T[] = [];
  let left: number = ANSWER_LIMITS.armings;
  let last: PlacedRow = { time: Number.NaN, offset: -1 };
  for (const row of rows) {
    if (isTime(row.time) || left-- <= 0) {
      if (isTime(row.time)) last = row;
      found.push(row);
      continue;
    }
    const near = await neighbours.lastBefore(row.offset);
    const before = near.offset > last.offset || !isTime(last.time) ? near.time : last.time;
    const time = isTime(before) ? before : await neighbours.after(row.offset);
    // a log in which nothing has a time
    if (!isTime(time)) left = 0;
    found.push({ ...row, time });
  }
  return found;
}

/** Times of rows before an offset, back to an early enough one if the most that are read reach it. */
async function timesBefore(table: RecordTable, offset: number, early: number): Promise<Float64Array> {
  const to = table.offsets.rowFrom(offset);
  let times: Float64Array = new Float64Array(0);
  for (const rows of LOOKED_AT) {
    times = await table.times({ from: Math.max(0, to - rows), to });
    if (to <= rows || times[0] < early) break;
  }
  return times;
}
