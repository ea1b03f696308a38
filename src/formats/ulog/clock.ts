import { type Clock, NO_CLOCK, type TimePart } from '../../core/clock.ts';
import type { ClockInput } from '../../core/format.ts';
import { firstIndex } from '../../core/search.ts';
import type { RecordTable } from '../../core/table.ts';
import { FieldClock, type Timing } from '../../time/field-clock.ts';
import { dateWords, partRemarks } from '../../time/timeline.ts';

/** Field of the time in all records that have one, in microseconds since boot. */
const TIME = 'timestamp';
/** Microseconds since 1970 between which dates are believed: 2010 to 2100. */
const FIRST_DATE = Date.UTC(2010, 0) * 1000;
const LAST_DATE = Date.UTC(2100, 0) * 1000;
/** The first fix type with a position in three dimensions. */
const FIX_3D = 3;
const GPS_TOPICS: readonly string[] = ['vehicle_gps_position', 'sensor_gps'];
/** Rows of GPS that are looked at. */
const MOST_ROWS = 100_000;
/** Times since boot that are believed without other evidence. */
const LONGEST = 1e16;

/**
 * The clock of a ULog: times count from boot, and one offset puts all of them on UTC. It comes from
 *
 *   gps    what a receiver says of UTC, beside the time of the record
 *   boot   boot_time_utc_us, which PX4 writes since 1.17
 *   date   the times of a simulator or of another writer, which are dates already
 *   none   nothing: times count from boot. The name of the file is a hint only, and time_ref_utc no clock at all: it says
 *          by how much the names of files differ from UTC
 */
export async function ulogClock({ tables }: ClockInput): Promise<Clock> {
  const timings = new Map<RecordTable, Timing>();
  const logs = logsIn(tables);
  const found: (Base | undefined)[] = [];
  const boots = await bootDates(tables);
  for (const within of logs) found.push((await byGps(tables, within)) ?? byBoot(boots, within));
  const first = found.find((each) => each !== undefined) ?? (await byDates(tables));
  const base = first?.base ?? 0;
  const bases = found.map((each) => each?.base);
  const timed = tables.filter((table) => table.rows > 0 && isTimed(table));
  const parts = logs.length > 1 ? await placeParts(timed, logs, bases, first?.kind === 'date') : undefined;
  for (const table of timed) {
    const baseAt = (row: number): number => {
      if (logs.length === 1) return base;
      const offset = table.offsets.at(row);
      return bases[Math.max(0, firstIndex(logs.length, (k) => logs[k].from > offset) - 1)] ?? 0;
    };
    const timeOf = (micros: number, row: number): number =>
      micros > 0 && micros < LONGEST ? baseAt(row) + micros : Number.NaN;
    timings.set(table, { field: TIME, factor: 1, timeOf });
  }
  if (timings.size === 0) return NO_CLOCK;
  const clock = new FieldClock(tables, timings, {
    kind: first?.kind ?? 'since-boot',
    utc: first !== undefined,
    source: first?.source ?? 'neither GPS nor the log has UTC: times count from boot',
    remarks: [...(await fileHint(tables)), ...(parts ? partRemarks(parts, first !== undefined) : [])],
    base,
    baseOffset: first?.offset,
  });
  clock.parts = parts;
  return clock;
}

function isTimed(table: RecordTable): boolean {
  const field = table.field(TIME);
  return field?.type === 'uint64' && field.count === 1;
}

/** The stretch of the file that a log takes: mostly all of it. */
interface Within {
  readonly from: number;
  readonly to: number;
}

/** The logs in a file: each begins with a header, the first where the file does. */
function logsIn(tables: readonly RecordTable[]): Within[] {
  const starts = messages(tables, 'HEADER')
    .flatMap(({ offsets, rows }) => Array.from({ length: Math.min(rows, LOGS) }, (_, row) => offsets.at(row)))
    .slice(1);
  return [0, ...starts].map((from, k) => ({ from, to: starts[k] ?? Number.POSITIVE_INFINITY }));
}

/** Limit of logs in one file. */
const LOGS = 256;

function rowsIn({ offsets, rows }: RecordTable, { from, to }: Within): Within {
  return {
    from: from === 0 ? 0 : offsets.rowFrom(from),
    to: to === Number.POSITIVE_INFINITY ? rows : offsets.rowFrom(to),
  };
}

/** Where each log is on the clock; one that does not know UTC begins where the one before it ends. */
async function placeParts(
  tables: readonly RecordTable[],
  logs: readonly Within[],
  bases: (number | undefined)[],
  areDates: boolean,
): Promise<TimePart[]> {
  const parts: TimePart[] = [];
  for (const [k, within] of logs.entries()) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const table of tables) {
      const { from, to } = rowsIn(table, within);
      for (const [start, stop] of [
        [from, Math.min(to, from + OUTER)],
        [Math.max(from, to - OUTER), to],
      ]) {
        if (start >= stop) continue;
        const times = (await table.column(TIME, { from: start, to: stop })).numbers();
        for (const time of times) {
          if (!(time > 0 && time < LONGEST)) continue;
          low = Math.min(low, time);
          high = Math.max(high, time);
        }
      }
    }
    if (low > high) continue;
    if (bases[k] === undefined && !areDates) bases[k] = (parts.at(-1)?.end ?? low) - low;
    const base = bases[k] ?? 0;
    parts.push({ offset: within.from, start: base + low, end: base + high });
  }
  return parts;
}

/** Rows at both ends of a table among which one has a time. */
const OUTER = 8;

interface Base {
  readonly kind: string;
  readonly base: number;
  readonly source: string;
  readonly offset?: number | undefined;
}

function isDate(micros: number): boolean {
  return micros >= FIRST_DATE && micros < LAST_DATE;
}

/** By the receiver: the middle of what all its records say, of those with a fix if there are such. */
async function byGps(tables: readonly RecordTable[], within: Within): Promise<Base | undefined> {
  for (const topic of GPS_TOPICS) {
    const named = tables.filter(({ name, rows }) => name === topic && rows > 0);
    for (const table of named.toSorted((a, b) => Number(a.stream) - Number(b.stream))) {
      const found = await byReceiver(table, within);
      if (found) return found;
    }
  }
  return undefined;
}

async function byReceiver(table: RecordTable, within: Within): Promise<Base | undefined> {
  if (table.field(TIME)?.type !== 'uint64' || table.field('time_utc_usec')?.type !== 'uint64') return undefined;
  const { from, to } = rowsIn(table, within);
  const withFix = table.field('fix_type') ? ['fix_type'] : [];
  const columns = await table.columns([TIME, 'time_utc_usec', ...withFix], {
    from,
    to: Math.min(to, from + MOST_ROWS),
  });
  const [times, dates, fixes] = columns.map((column) => column.numbers());
  const offsetsOf = (isGood: (row: number) => boolean): number[] => {
    const offsets: number[] = [];
    for (let row = 0; row < times.length; row++)
      if (times[row] > 0 && times[row] < LONGEST && dates[row] > 0 && isGood(row))
        offsets.push(dates[row] - times[row]);
    return offsets.sort((a, b) => a - b);
  };
  const fixed = fixes ? offsetsOf((row) => fixes[row] >= FIX_3D) : [];
  const offsets = fixed.length > 0 ? fixed : offsetsOf(() => true);
  const base = offsets[offsets.length >> 1];
  if (base === undefined || !isDate(base)) return undefined;
  const name = `${table.name}${table.stream === '0' ? '' : `[${table.stream}]`}`;
  const records = `${offsets.length} records of ${name}${fixed.length > 0 ? ' with a fix' : ''}`;
  const [low, high] = [offsets[Math.floor(offsets.length * 0.01)], offsets[Math.floor(offsets.length * 0.99)]];
  const spread = `${((high - low) / 1000).toFixed(1)} ms apart`;
  return { kind: 'gps', base, source: `${records}: started at ${dateWords(base)}, ${spread}` };
}

interface BootDate {
  readonly base: number;
  readonly offset: number;
}

/** What the vehicle itself knew when its logs began. */
async function bootDates(tables: readonly RecordTable[]): Promise<BootDate[]> {
  const found: BootDate[] = [];
  for (const table of messages(tables, 'INFO')) {
    const [keys, values] = await table.columns(['key', 'value'], { to: MOST_ROWS });
    for (let row = 0; row < keys.length; row++) {
      const base = keys.at(row) === 'boot_time_utc_us' ? Number(values.at(row)) : Number.NaN;
      if (isDate(base)) found.push({ base, offset: table.offsets.at(row) });
    }
  }
  return found;
}

function byBoot(boots: readonly BootDate[], { from, to }: Within): Base | undefined {
  const boot = boots.findLast(({ offset }) => offset >= from && offset < to);
  return boot && { kind: 'boot', ...boot, source: `boot_time_utc_us: started at ${dateWords(boot.base)}` };
}

/** A time that is a date cannot be one since boot. */
async function byDates(tables: readonly RecordTable[]): Promise<Base | undefined> {
  const timed = tables.filter((table) => table.rows > 0 && table.field(TIME)?.type === 'uint64');
  const found: number[] = [];
  for (const table of timed) {
    const row = table.rows >> 1;
    const time = (await table.column(TIME, { from: row, to: row + 1 })).numbers()[0];
    if (time > 0) found.push(time);
  }
  const dates = found.filter(isDate);
  if (dates.length <= found.length / 2) return undefined;
  return { kind: 'date', base: 0, source: 'times are dates already, and not since boot' };
}

/** What the name of the log file says, which PX4 writes into the log itself. */
async function fileHint(tables: readonly RecordTable[]): Promise<string[]> {
  for (const table of messages(tables, 'LOG')) {
    const texts = await table.column('text', { to: LOOKED });
    for (let row = 0; row < texts.length; row++) {
      const [, name] = /^\[?.*Opened \w+ log file: (.*\.ulge?)$/.exec(String(texts.at(row)).trim()) ?? [];
      if (name !== undefined) return [`the vehicle called the log ${name}, by its local time`];
    }
  }
  return [];
}

/** Texts that are looked at for the name of the log. */
const LOOKED = 200;

/** The tables of a kind of message; a topic of the same name has a stream. */
function messages(tables: readonly RecordTable[], kind: string): RecordTable[] {
  return tables.filter(({ name, stream, rows }) => name === kind && stream === '' && rows > 0);
}
