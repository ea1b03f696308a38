import type { Column } from '../../core/column.ts';
import { firstIndex } from '../../core/search.ts';
import type { RecordTable } from '../../core/table.ts';

/** Microseconds. */
export const SECOND = 1e6;
const DAY_SECONDS = 86_400;
const HALF_DAY = DAY_SECONDS / 2;
/** A place with a known time serves all sentences near it: one every few seconds is enough. */
const APART = 3 * 3600;
const ROLLOVER_DAYS = 1024 * 7;
/** The first days of GPS, since 1970: what a receiver says that does not know the date. */
const GPS_EPOCH = 3657;
const EPOCH_DAYS = 2;
/** Sentences in a row that say a date which those before and after them do not: it is damage, not another recording. */
const LONE = 2;

/** A time of the day with its day since 1970, and its offset. */
interface Anchor {
  readonly offset: number;
  readonly day: number;
  readonly seconds: number;
  /** How many sentences in a row say the same. */
  rows: number;
}

/** Places of a source where the day is known: the days of all other sentences follow from these. */
export class Anchors {
  readonly utc: boolean;
  readonly source: string;
  private readonly list: readonly Anchor[];

  private constructor(list: readonly Anchor[], utc: boolean, source: string) {
    this.list = list;
    this.utc = utc;
    this.source = source;
  }

  get length(): number {
    return this.list.length;
  }

  get firstOffset(): number | undefined {
    return this.list[0]?.offset;
  }

  static async find(tables: readonly RecordTable[], rollovers: number): Promise<Anchors> {
    for (const [name, found] of candidates(tables)) {
      const list = thinned(await found(), rollovers * ROLLOVER_DAYS);
      if (list.length === 0) continue;
      const { offset, day } = list[0];
      const date = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
      return new Anchors(list, true, `${name} at offset ${offset}: ${date}`);
    }
    const undated = thinned(await countedDays(tables), 0);
    const source = undated.length > 0 ? 'no sentence has a date: times count from midnight' : 'no sentence has a time';
    return new Anchors(undated, false, source);
  }

  timeAt(offset: number, seconds: number): number {
    if (Number.isNaN(seconds) || this.list.length === 0) return Number.NaN;
    const next = firstIndex(this.list.length, (i) => this.list[i].offset > offset);
    const [before, behind] = [this.list[next - 1], this.list[next]] as (Anchor | undefined)[];
    // at a gap in the recording, sentences belong to the side whose time of the day is theirs
    const nearest =
      before && !(behind && distance(seconds, behind.seconds) < distance(seconds, before.seconds)) ? before : behind;
    const { day, seconds: known } = nearest as Anchor;
    const turn = seconds - known > HALF_DAY ? -1 : seconds - known < -HALF_DAY ? 1 : 0;
    return Math.round(((day + turn) * DAY_SECONDS + seconds) * SECOND);
  }
}

/** Seconds between two times of the day, the short way around. */
function distance(a: number, b: number): number {
  const apart = Math.abs(a - b);
  return Math.min(apart, DAY_SECONDS - apart);
}

/** Sentences with the date, the most trustworthy first. */
function candidates(tables: readonly RecordTable[]): [name: string, found: () => Promise<Anchor[]>][] {
  const full = tables.filter((table) => table.rows > 0);
  const named = (name: string): RecordTable[] => full.filter((table) => table.name === name);
  const others = full.filter(({ name }) => name !== 'RMC' && name !== 'ZDA' && !FOREIGN.has(name));
  return [
    ['RMC with a valid fix', () => dated(named('RMC'), 'A')],
    ['ZDA', () => dated(named('ZDA'))],
    ['RMC without a valid fix', () => dated(named('RMC'))],
    ['sentence with a date', () => dated(others)],
    ['tag block', () => tagged(full)],
  ];
}

/** Sentences about others than the receiver. */
const FOREIGN: ReadonlySet<string> = new Set(['PKNDS', 'PKLDS', 'PKWDWPL']);

/** Rows with a date and a time, of those that have a status only the ones that have this one. */
async function dated(tables: readonly RecordTable[], status?: string): Promise<Anchor[]> {
  const found: Anchor[] = [];
  for (const table of tables) {
    if (table.field('time')?.type !== 'float64' || table.field('date')?.type !== 'text') continue;
    const names = ['time', 'date', ...(status === undefined ? [] : ['status'])];
    const [time, date, state] = await table.columns(names);
    const seconds = time.data as Float64Array;
    for (let row = 0; row < table.rows; row++) {
      const day = dayOf(date, row);
      if (Number.isNaN(day) || Number.isNaN(seconds[row])) continue;
      if (status !== undefined && state.bits8[row * state.field.count] !== status.charCodeAt(0)) continue;
      if (day >= GPS_EPOCH && day < GPS_EPOCH + EPOCH_DAYS) continue;
      const last = found.at(-1);
      if (!last || row === 0 || isNew(last, day, seconds[row]))
        found.push({ offset: table.offsets.at(row), day, seconds: seconds[row], rows: 1 });
      else last.rows++;
    }
  }
  return found;
}

/** Days since 1970 of a date YYYY-MM-DD. */
function dayOf({ bits8, field }: Column, row: number): number {
  const at = row * field.count;
  if (bits8[at] === 0) return Number.NaN;
  const digits = (from: number, to: number): number => {
    let value = 0;
    for (let i = at + from; i < at + to; i++) value = value * 10 + bits8[i] - 48;
    return value;
  };
  return Date.UTC(digits(0, 4), digits(5, 7) - 1, digits(8, 10)) / (DAY_SECONDS * 1000);
}

/** Times of tag blocks. */
async function tagged(tables: readonly RecordTable[]): Promise<Anchor[]> {
  const found: Anchor[] = [];
  for (const table of tables) {
    if (!table.field('tag_time')) continue;
    const times = (await table.column('tag_time')).data as Float64Array;
    times.forEach((time, row) => {
      const day = Math.floor(time / DAY_SECONDS);
      const seconds = time - day * DAY_SECONDS;
      if (!Number.isNaN(time) && (row === 0 || isNew(found.at(-1), day, seconds)))
        found.push({ offset: table.offsets.at(row), day, seconds, rows: 1 });
    });
  }
  return found;
}

/** Days counted from 0, if no sentence has the date: each begins where the time of day starts over. */
async function countedDays(tables: readonly RecordTable[]): Promise<Anchor[]> {
  const timed = tables.filter((table) => table.rows > 0 && table.field('time')?.type === 'float64');
  const [longest] = timed.toSorted((a, b) => b.rows - a.rows);
  if (!longest) return [];
  const found: Anchor[] = [];
  let day = 0;
  let last = Number.NaN;
  ((await longest.column('time')).data as Float64Array).forEach((seconds, row) => {
    if (Number.isNaN(seconds)) return;
    if (seconds < last - HALF_DAY) day++;
    else if (seconds > last + HALF_DAY && day > 0) day--;
    last = seconds;
    if (isNew(found.at(-1), day, seconds)) found.push({ offset: longest.offsets.at(row), day, seconds, rows: 1 });
  });
  return found;
}

/** Whether a time says something that the last one before it does not: another day, or hours later. */
function isNew(last: Anchor | undefined, day: number, seconds: number): boolean {
  return !last || last.day !== day || Math.abs(seconds - last.seconds) > APART;
}

/** In the order of the source, without repeated ones and lone false dates, moved by some days. */
function thinned(anchors: readonly Anchor[], days: number): Anchor[] {
  const kept: Anchor[] = [];
  const sorted = anchors.toSorted((a, b) => a.offset - b.offset);
  for (const [i, anchor] of sorted.entries()) {
    const [before, behind] = [sorted[i - 1], sorted[i + 1]];
    const isLone = anchor.rows <= LONE && before?.day === behind?.day && before && before.day !== anchor.day;
    const day = anchor.day + days;
    if (!isLone && isNew(kept.at(-1), day, anchor.seconds)) kept.push({ ...anchor, day });
  }
  return kept;
}
