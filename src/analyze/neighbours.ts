import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';

/** Tables that are asked: those with most rows have some nearly everywhere. */
const ASKED = 4;
/** What a firmware writes at the head of a log, long before the rest or again and again, as its own time. */
const HEAD: ReadonlySet<string> = new Set(['PARM', 'FMT', 'FMTU', 'UNIT', 'MULT', 'FILE', 'CMD', 'MSG', 'PARAM_VALUE']);
/** Microseconds without any record that are a pause, and before something that are just before it. */
const PAUSE = 1_000_000;
const JUST = 2_000_000;
/** Rows that are looked at in search of a pause: mostly few are enough. */
const LOOKED_AT: readonly number[] = [32, 1024];

/**
 * When the records around a place of a log were made. Records without a time of their own have that of a record before
 * them, however long that was ago; and where a log was not written for a while, only its neighbours tell it.
 */
export class Neighbours {
  private readonly tables: readonly Table[];

  constructor(log: Log) {
    const filled = log.tables.filter((table) => table.rows > 0);
    const body = filled.filter(({ name }) => !HEAD.has(name));
    const all = body.length > 0 ? body : filled;
    const timed = all.filter((table) => log.clock.field(table) !== undefined);
    const tables = timed.length > 0 ? timed : all;
    // where times follow from the rate of each kind of record, different kinds do not agree: one must do for all
    this.tables = tables.toSorted((a, b) => b.rows - a.rows).slice(0, timed.length > 0 ? ASKED : 1);
  }

  /** The time of the last record before a place, NaN where there is none. */
  before(offset: number): Promise<number> {
    return this.nearest((table) => table.offsets.rowFrom(offset) - 1, Math.max);
  }

  /** The time of the first record behind a place, NaN where there is none. */
  after(offset: number): Promise<number> {
    return this.nearest((table) => table.offsets.rowFrom(offset + 1), Math.min);
  }

  /**
   * When the last record was made before nothing was written for a while, where that was just before a place; NaN
   * where there was no such pause.
   */
  async pauseBefore(offset: number, time: number): Promise<number> {
    const times = [time];
    for (const table of this.tables) for (const each of await timesBefore(table, offset, time - JUST)) times.push(each);
    const earlier = times.filter((each) => each <= time).sort((a, b) => b - a);
    const gap = earlier.findIndex((each, i) => each - earlier[i + 1] > PAUSE);
    return gap >= 0 && time - earlier[gap] < JUST ? earlier[gap + 1] : Number.NaN;
  }

  /** The times between which records stand one behind the other; undefined where none has a time. */
  async span(): Promise<{ readonly start: number; readonly end: number } | undefined> {
    let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const table of this.tables) {
      const outer = [await table.times({ to: 1 }), await table.times({ from: table.rows - 1 })];
      const known = outer.map(([time]) => time).filter((time) => !Number.isNaN(time));
      start = Math.min(start, ...known);
      end = Math.max(end, ...known);
    }
    return start <= end ? { start, end } : undefined;
  }

  private async nearest(rowIn: (table: Table) => number, which: (...places: number[]) => number): Promise<number> {
    let [time, place] = [Number.NaN, Number.NaN];
    for (const table of this.tables) {
      const row = rowIn(table);
      if (row < 0 || row >= table.rows) continue;
      const here = table.offsets.at(row);
      if (which(here, place) === place) continue;
      const [at] = await table.times({ from: row, to: row + 1 });
      if (!Number.isNaN(at) && (Number.isNaN(place) || which(here, place) === here)) [time, place] = [at, here];
    }
    return time;
  }
}

/** Times of rows before a place, back to one that is early enough if so many rows reach it. */
async function timesBefore(table: Table, offset: number, early: number): Promise<Float64Array> {
  const to = table.offsets.rowFrom(offset);
  let times = new Float64Array(0);
  for (const rows of LOOKED_AT) {
    times = Float64Array.from(await table.times({ from: Math.max(0, to - rows), to }));
    if (to <= rows || times[0] < early) break;
  }
  return times;
}
