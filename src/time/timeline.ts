import type { TimePart } from '../core/clock.ts';
import { type Fault, type FaultList, LazyFault } from '../core/fault.ts';
import type { Offsets } from '../core/offsets.ts';
import { inOrder } from '../core/records.ts';
import { firstIndex } from '../core/search.ts';
import type { RecordTable } from '../core/table.ts';

/** Microseconds by which a time may be before the last one of its line where packets overtake each other. */
const BACK = 5e6;
/** Microseconds after which the next record of a line comes for sure; later ones may follow all the same. */
const AHEAD = 60e6;
/** A pause of as many microseconds ends a part, and one of this many is believed from a few records. */
const PAUSE = 12 * 3600e6;
export const SHORT_PAUSE = 3600e6;
/** Records that bear out a time line; fewer must fit their neighbours. */
const SUPPORT = 5;
/** A log of few records cannot have as many. */
const SUPPORT_PART = 0.1;
/** Microseconds from one record of a line to the next that leave no doubt. */
const CLOSE = 1e6;
/** Records on other lines after which a line is not gone back to. */
const LEFT = 500;
/** Lines that are followed at a time, and that are kept in all. */
const OPEN_LINES = 32;
const LINES = 512;
/** Outliers that are listed; the others are only counted. */
const LISTED = 100;
/** Bytes of the source whose times are in memory at a time. */
const STRETCH = 4 << 20;

/** Where the times of some tables come from: as their records say them, before anything is corrected. */
export interface RawTimes {
  readonly tables: readonly RecordTable[];
  /** Microseconds by which records may come late; by default as packets do. */
  readonly late?: number;
  /** Microseconds of a pause that ends a part. */
  readonly pause?: number;
  times(table: RecordTable, from: number, to: number): Promise<Float64Array>;
}

/** A record whose time is far from those around it. */
interface Outlier {
  readonly table: RecordTable;
  readonly offset: number;
  readonly time: number;
}

/** Part of a source on one count of time. */
export interface TimelinePart {
  /** Where it begins in the source. */
  readonly offset: number;
  /** The least and the greatest time in it, as records say them. */
  readonly low: number;
  readonly high: number;
  /** Microseconds to add. */
  shift: number;
}

/**
 * What a log's times are believed to be. Records follow each other in time as they do in the source; where they do not,
 * the bulk of them decides: a line of times that many records bear out is a part of the log, what does not fit is an
 * outlier and has no time.
 */
export class Timeline {
  readonly stretches: readonly TimelinePart[];
  readonly outliers: readonly Outlier[];
  /** How many rows of each table are outliers, the unlisted ones included. */
  readonly strayRows: ReadonlyMap<RecordTable, number>;
  /** Where outliers are whose time is one that the log has, only elsewhere. */
  private readonly misplaced: ReadonlySet<number>;

  constructor(
    stretches: readonly TimelinePart[],
    outliers: readonly Outlier[] = [],
    strayRows: ReadonlyMap<RecordTable, number> = new Map(),
  ) {
    this.stretches = stretches;
    this.outliers = outliers;
    this.strayRows = strayRows;
    const isKnown = (time: number): boolean => stretches.some(({ low, high }) => time >= low && time <= high);
    this.misplaced = new Set(outliers.filter(({ time }) => isKnown(time)).map(({ offset }) => offset));
  }

  /** All times as they are but that of one record. */
  static without(table: RecordTable, offset: number): Timeline {
    const [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    return new Timeline([{ offset: 0, low, high, shift: 0 }], [{ table, offset, time: 0 }]);
  }

  /** Whether it changes anything. */
  get isPlain(): boolean {
    return this.strayRows.size === 0 && this.stretches.length <= 1 && !this.stretches[0]?.shift;
  }

  get outlierCount(): number {
    return [...this.strayRows.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The same without outliers of some tables: these are timed otherwise. */
  ignoring(tables: ReadonlySet<RecordTable>): Timeline {
    return new Timeline(
      this.stretches,
      this.outliers.filter(({ table }) => !tables.has(table)),
      new Map([...this.strayRows].filter(([table]) => !tables.has(table))),
    );
  }

  /** Corrects times in place. @param from the row of the first of them */
  correct(times: Float64Array, offsets: Offsets, from: number): Float64Array {
    const { stretches } = this;
    if (stretches.length === 0) return times.fill(Number.NaN);
    let k = stretches.length > 1 && times.length > 0 ? this.indexAt(offsets.at(from)) : 0;
    let { low, high, shift } = stretches[k];
    // the row at which the next stretch begins
    const endOf = (index: number): number =>
      index + 1 < stretches.length ? offsets.rowFrom(stretches[index + 1].offset) - from : times.length;
    let end = endOf(k);
    for (let i = 0; i < times.length; i++) {
      if (i === end) {
        k = this.indexAt(offsets.at(from + i));
        ({ low, high, shift } = stretches[k]);
        end = endOf(k);
      }
      const time = times[i];
      times[i] = time >= low && time <= high ? time + shift : Number.NaN;
    }
    if (this.misplaced.size > 0)
      for (let i = 0; i < times.length; i++) if (this.misplaced.has(offsets.at(from + i))) times[i] = Number.NaN;
    return times;
  }

  /** The stretch that holds an offset. */
  private indexAt(offset: number): number {
    const { stretches } = this;
    return Math.max(0, firstIndex(stretches.length, (i) => stretches[i].offset > offset) - 1);
  }

  get parts(): TimePart[] {
    return this.stretches.map(({ offset, low, high, shift }) => ({ offset, start: low + shift, end: high + shift }));
  }

  /** First and last time of all parts. */
  get range(): Pick<TimePart, 'start' | 'end'> | undefined {
    const { parts } = this;
    if (parts.length === 0) return undefined;
    return { start: Math.min(...parts.map(({ start }) => start)), end: Math.max(...parts.map(({ end }) => end)) };
  }

  /** Puts the parts on one axis: known ones stay, each other one follows the part before it or precedes the next. */
  place(isKnown: (stretch: TimelinePart, index: number) => boolean): void {
    const { stretches } = this;
    const first = Math.max(0, stretches.findIndex(isKnown));
    for (let k = first - 1; k >= 0; k--) {
      const next = stretches[k + 1];
      stretches[k].shift = next.low + next.shift - stretches[k].high;
    }
    for (let k = first + 1; k < stretches.length; k++) {
      const [before, stretch] = [stretches[k - 1], stretches[k]];
      if (isKnown(stretch, k)) continue;
      const end = before.high + before.shift;
      // time that only paused goes on as it was counted
      stretch.shift = stretch.low + before.shift >= end ? before.shift : end - stretch.low;
    }
  }

  /** The outliers as faults: nothing is lost but the time. */
  *faults(scale: (time: number) => string): Generator<Fault> {
    for (const { table, offset, time } of this.outliers) {
      const name = table.stream === '' ? table.name : `${table.name}[${table.stream}]`;
      yield new LazyFault('time-outlier', offset, 0, false, undefined, () => {
        return `record ${name} at offset ${offset} has a time of ${scale(time)}, far from the records around it: not used`;
      });
    }
  }
}

/** A run of times that follow each other. */
interface Line {
  first: number;
  end: number;
  low: number;
  high: number;
  last: number;
  count: number;
  /** How many records of all lines there were up to its last one. */
  at: number;
  /** How often the source had begun again before it. */
  readonly epoch: number;
  /** The line that was followed when a later time began this one: they are one line if that was only a pause. */
  before: Line | undefined;
  /** What came since its last pause, and how it was before. */
  since: { readonly piece: Line; readonly was: Pick<Line, 'end' | 'low' | 'high' | 'last' | 'at'> } | undefined;
  readonly listed: Outlier[];
  readonly rows: Map<RecordTable, number>;
}

/** Sorts times into lines, in the order of the source. */
class Lines {
  private readonly back: number;
  readonly found: Line[] = [];
  /** What there was no room for. */
  readonly strays: Line = lineAt(0, 0, 0);
  private open: Line[] = [];
  private current: Line | undefined;
  private epoch = 0;
  count = 0;

  constructor(back: number) {
    this.back = back;
  }

  push(table: RecordTable, offset: number, time: number): void {
    this.count++;
    let line = this.current;
    // as long as times follow each other closely no other line is looked for
    if (!line || line.count < SUPPORT || !(Math.abs(time - line.last) <= CLOSE)) {
      line = this.lineFor(time) ?? this.begin(offset, time, line);
      this.current = line;
    }
    add(line, table, offset, time);
    line.at = this.count;
    if (line.since) {
      add(line.since.piece, table, offset, time);
      if (line.since.piece.count > LEFT) line.since = undefined;
    }
    if (line.count === SUPPORT) this.goOn(line);
  }

  /** A pause is over after a few records; if records then go on from before it, it was none. */
  private goOn(line: Line): void {
    const { before } = line;
    if (before && goesOn(line, before)) {
      const { end, low, high, last, at } = before;
      this.join(before, line);
      before.since = { piece: line, was: { end, low, high, last, at } };
      return;
    }
    const left = this.open.find(({ since, at }) => {
      if (!since || at !== line.at - line.count || since.piece === line) return false;
      return line.low >= since.was.last - this.back && line.low <= since.was.last + CLOSE;
    });
    if (!left?.since) return;
    const { piece, was } = left.since;
    Object.assign(left, was);
    left.since = undefined;
    left.count -= piece.count;
    for (const [table, rows] of piece.rows) left.rows.set(table, (left.rows.get(table) ?? 0) - rows);
    const kept = left.listed.filter(({ offset }) => !piece.listed.some((each) => each.offset === offset));
    left.listed.splice(0, left.listed.length, ...kept);
    this.join(left, line);
    this.found.push(piece);
  }

  private join(before: Line, line: Line): void {
    before.end = line.end;
    before.low = Math.min(before.low, line.low);
    before.high = Math.max(before.high, line.high);
    before.last = line.last;
    before.count += line.count;
    before.at = line.at;
    for (const each of line.listed) if (before.listed.length < LISTED) before.listed.push(each);
    for (const [table, rows] of line.rows) before.rows.set(table, (before.rows.get(table) ?? 0) + rows);
    this.remove(line);
    this.current = before;
  }

  /** The source begins again here: no line goes on. */
  restart(): void {
    this.open = [];
    this.current = undefined;
    this.epoch++;
  }

  /** The line that a time is on: of several the one that most records bear out, if it was not left long ago. */
  private lineFor(time: number): Line | undefined {
    let best: Line | undefined;
    for (const line of this.open) {
      const left = this.count - line.at;
      // a few records may be far apart; of lines left long ago only those that were borne out wait for what comes late
      const isWaiting = line.count < SUPPORT ? left <= SUPPORT : this.back > CLOSE;
      const ahead = isWaiting ? AHEAD : CLOSE;
      if (!(time >= line.last - this.back && time <= line.last + ahead) || left > LEFT) continue;
      if (!best || goesOn(line, best) || (line.count > best.count && !goesOn(best, line))) best = line;
    }
    return best;
  }

  private begin(offset: number, time: number, current: Line | undefined): Line {
    if (this.found.length >= LINES) this.drop();
    const isLater = current !== undefined && time > current.last && time <= current.last + AHEAD;
    const line = lineAt(offset, time, this.epoch, isLater ? current : undefined);
    this.found.push(line);
    this.open.push(line);
    if (this.open.length > OPEN_LINES) this.open.splice(weakest(this.open), 1);
    return line;
  }

  /** Makes room: drops the line with the fewest records. */
  private drop(): void {
    const line = this.found[weakest(this.found)];
    this.remove(line);
    for (const each of line.listed) if (this.strays.listed.length < LISTED) this.strays.listed.push(each);
    for (const [table, rows] of line.rows) this.strays.rows.set(table, (this.strays.rows.get(table) ?? 0) + rows);
  }

  private remove(line: Line): void {
    this.found.splice(this.found.indexOf(line), 1);
    this.open = this.open.filter((each) => each !== line);
    for (const each of this.found) if (each.before === line) each.before = undefined;
  }
}

/** Whether a line began with a later time than another one, which has got no record since. */
function goesOn(line: Line, before: Line): boolean {
  return line.before === before && before.at === line.at - line.count;
}

function lineAt(offset: number, time: number, epoch: number, before?: Line): Line {
  return {
    first: offset,
    end: offset,
    low: time,
    high: time,
    last: time,
    count: 0,
    at: 0,
    epoch,
    before,
    since: undefined,
    listed: [],
    rows: new Map(),
  };
}

function add(line: Line, table: RecordTable, offset: number, time: number): void {
  line.count++;
  line.end = offset;
  if (time < line.low) line.low = time;
  if (time > line.high) line.high = time;
  if (time > line.last) line.last = time;
  line.rows.set(table, (line.rows.get(table) ?? 0) + 1);
  if (line.listed.length < LISTED) line.listed.push({ table, offset, time });
}

/** The line with fewest records, the oldest of those. */
function weakest(lines: readonly Line[]): number {
  return lines.reduce((best, line, i) => (line.count < lines[best].count ? i : best), 0);
}

/** The lines of a log: those that do not overlap and have most records together; of alternating ones the longer. */
function bulkOf(lines: readonly Line[]): Line[] {
  const sorted = lines.toSorted((a, b) => a.end - b.end);
  // the best choice among the first lines: its weight, and the last line in it
  const weights = [0];
  const chosen: { line: Line; before: number }[] = [];
  for (const [i, line] of sorted.entries()) {
    const before = firstIndex(i, (k) => sorted[k].end >= line.first);
    weights.push(Math.max(weights[i], weights[before] + line.count));
    chosen.push({ line, before });
  }
  const bulk: Line[] = [];
  for (let i = sorted.length; i > 0; ) {
    if (weights[i] === weights[i - 1]) i--;
    else {
      bulk.push(chosen[i - 1].line);
      i = chosen[i - 1].before;
    }
  }
  return bulk.reverse();
}

/** Without lines that few records bear out and that do not go on from the one before to the next. */
function supported(bulk: readonly Line[], total: number, back: number): Line[] {
  const least = Math.min(SUPPORT, Math.ceil(total * SUPPORT_PART));
  const strong = bulk.filter(({ count }) => count >= least);
  if (strong.length === 0) return [...bulk];
  const kept: Line[] = [];
  for (const line of bulk) {
    const before = kept.at(-1);
    const next = strong.find(({ first }) => first > line.first);
    const isAfter =
      !before || (line.low >= before.high - back && line.low - before.high < (next ? SHORT_PAUSE : AHEAD));
    const isBefore = !next || (line.high <= next.low + back && next.low - line.high < (before ? PAUSE : SHORT_PAUSE));
    if (line.count >= least || (isAfter && isBefore)) kept.push(line);
  }
  return kept;
}

/** Lines that go on from each other are one stretch, from boot to boot. */
function stretchesOf(
  lines: readonly Line[],
  restarts: readonly number[],
  { late = BACK, pause = PAUSE }: RawTimes,
): TimelinePart[] {
  const found: { offset: number; low: number; high: number; shift: number }[] = [];
  let [last, behind] = [0, 0];
  for (const { first, end, low, high, epoch } of lines) {
    const before = found.at(-1);
    if (before && epoch === last && low >= before.high - late && low - before.high < pause) {
      before.low = Math.min(before.low, low);
      before.high = Math.max(before.high, high);
    } else {
      // what has no time between two parts belongs to the nearer one
      const middle = Math.ceil((behind + first) / 2);
      const offset = epoch === last ? middle : Math.min(middle, restarts[epoch - 1]);
      found.push({ offset: before ? offset : 0, low, high, shift: 0 });
    }
    [last, behind] = [epoch, end];
  }
  return found;
}

/** The time line of some tables by all their rows. @param restarts where the source begins again, ascending */
export async function findTimeline(raw: RawTimes, restarts: readonly number[] = []): Promise<Timeline> {
  const { late = BACK } = raw;
  const lines = new Lines(late);
  const tables = raw.tables.filter(({ rows }) => rows > 0);
  const from = tables.map(() => 0);
  let next = 0;
  for (;;) {
    const begin = Math.min(...tables.map(({ offsets, rows }, k) => (from[k] < rows ? offsets.at(from[k]) : Infinity)));
    if (begin === Number.POSITIVE_INFINITY) break;
    const to = tables.map(({ offsets }) => offsets.rowFrom(begin + STRETCH));
    const times: Float64Array[] = [];
    for (const [k, table] of tables.entries())
      times.push(from[k] < to[k] ? await raw.times(table, from[k], to[k]) : new Float64Array(0));
    for (const { table, index, row, offset } of inOrder(tables, from, to)) {
      while (next < restarts.length && restarts[next] <= offset) {
        lines.restart();
        next++;
      }
      const time = times[index][row - from[index]];
      if (!Number.isNaN(time)) lines.push(table, offset, time);
    }
    for (const k of from.keys()) from[k] = Math.max(from[k], to[k]);
  }
  const bulk = supported(bulkOf(lines.found), lines.count, late);
  const strays = [lines.strays, ...lines.found.filter((line) => !bulk.includes(line))];
  const rows = new Map<RecordTable, number>();
  for (const each of strays) for (const [table, count] of each.rows) rows.set(table, (rows.get(table) ?? 0) + count);
  const outliers = strays.flatMap(({ listed }) => listed).sort((a, b) => a.offset - b.offset);
  return new Timeline(stretchesOf(bulk, restarts, raw), outliers.slice(0, LISTED), rows);
}

/** Times of tables with rows without one: those take the time of the record before, the first ones the first. */
export async function filledTimes(
  raw: RawTimes,
  correct: (table: RecordTable, times: Float64Array) => void,
  parts: readonly TimePart[] = [],
): Promise<ReadonlyMap<RecordTable, Float64Array>> {
  const all: Float64Array[] = [];
  const missing = new Map<RecordTable, Uint8Array>();
  for (const table of raw.tables) {
    const times = await raw.times(table, 0, table.rows);
    if (times.some(Number.isNaN))
      missing.set(
        table,
        Uint8Array.from(times, (time) => (Number.isNaN(time) ? 1 : 0)),
      );
    correct(table, times);
    all.push(times);
  }
  const filled = new Map(raw.tables.map((table, i): [RecordTable, Float64Array] => [table, all[i]]));
  for (const table of raw.tables) if (!missing.has(table)) filled.delete(table);
  if (missing.size === 0) return filled;
  let last = Number.NaN;
  let part = 0;
  let waiting: { readonly times: Float64Array; readonly row: number }[] = [];
  for (const { table, index, row, offset } of inOrder(raw.tables)) {
    const times = all[index];
    while (offset >= parts[part + 1]?.offset) last = parts[++part].start;
    if (!Number.isNaN(times[row])) {
      last = times[row];
      for (const each of waiting) each.times[each.row] = last;
      waiting = [];
    } else if (missing.get(table)?.[row] === 1) {
      if (Number.isNaN(last)) waiting.push({ times, row });
      else times[row] = last;
    }
  }
  return filled;
}

/** Adds what is not believed to the faults of a log. */
export function reportOutliers(line: Timeline, faults: FaultList | undefined, words: (time: number) => string): void {
  if (!faults) return;
  let listed = 0;
  for (const fault of line.faults(words)) {
    faults.add(fault);
    listed++;
  }
  faults.addUnlisted('time-outlier', line.outlierCount - listed);
}

/** The part of the rows of a table that must be outliers for it to keep another time. */
const FOREIGN = 0.2;

/** Tables that keep another time: many of their rows are outliers. */
export function foreignTables({ strayRows }: Timeline): ReadonlySet<RecordTable> {
  const foreign = [...strayRows].filter(([table, count]) => table.rows >= SUPPORT && count > table.rows * FOREIGN);
  return new Set(foreign.map(([table]) => table));
}

/** What to say of a log of several parts. */
export function partRemarks(parts: readonly TimePart[], utc: boolean): string[] {
  const unknown = parts.some(({ start }, i) => i > 0 && start === parts[i - 1].end);
  const remark = `${parts.length} parts: the vehicle rebooted, its clock went back, or several logs are in the file`;
  if (!unknown) return [remark];
  const which = utc ? 'a part without UTC begins' : 'each part begins';
  return [`${remark}; the time between them is unknown, ${which} where the one before it ends`];
}

/** UTC for a sentence; times that a calendar cannot hold as they are. */
export function dateWords(micros: number): string {
  const date = new Date(micros / 1000);
  return Number.isNaN(date.getTime()) ? `${micros / 1e6} s` : date.toISOString();
}
