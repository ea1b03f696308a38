import type { Clock } from '../../core/clock.ts';
import { NO_CLOCK } from '../../core/clock.ts';
import type { ClockInput } from '../../core/format.ts';
import type { RecordTable } from '../../core/table.ts';
import { FieldClock, type Timing } from '../../time/field-clock.ts';
import { dateWords } from '../../time/timeline.ts';

/** Where the time stands in all records that have one, in microseconds since boot. */
const TIME = 'timestamp';
/** Microseconds since 1970 between which dates are believed: 2010 to 2100. */
const FIRST_DATE = Date.UTC(2010, 0) * 1000;
const LAST_DATE = Date.UTC(2100, 0) * 1000;
/** The first fix type with a position in three dimensions. */
const FIX_3D = 3;
const GPS_TOPICS: readonly string[] = ['vehicle_gps_position', 'sensor_gps'];
/** Rows of GPS that are looked at. */
const MOST_ROWS = 100_000;
/** What time since boot is believed where nothing else tells. */
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
  const found = (await byGps(tables)) ?? (await byBoot(tables)) ?? (await byDates(tables));
  const base = found?.base ?? 0;
  const timeOf = (micros: number): number => (micros > 0 && micros < LONGEST ? base + micros : Number.NaN);
  for (const table of tables) {
    const field = table.rows > 0 ? table.field(TIME) : undefined;
    if (field?.type === 'uint64' && field.count === 1) timings.set(table, { field: TIME, factor: 1, timeOf });
  }
  if (timings.size === 0) return NO_CLOCK;
  const file = await fileHint(tables);
  return new FieldClock(tables, timings, {
    kind: found?.kind ?? 'since-boot',
    utc: found !== undefined,
    source: found?.source ?? 'neither GPS nor the log says UTC: times count from boot',
    remarks: [...(found?.remarks ?? []), ...file],
    base,
    baseOffset: found?.offset,
  });
}

interface Base {
  readonly kind: string;
  readonly base: number;
  readonly source: string;
  readonly remarks: readonly string[];
  readonly offset?: number | undefined;
}

function isDate(micros: number): boolean {
  return micros >= FIRST_DATE && micros < LAST_DATE;
}

/** By the receiver: the middle of what all its records say, of those with a fix if there are such. */
async function byGps(tables: readonly RecordTable[]): Promise<Base | undefined> {
  for (const topic of GPS_TOPICS) {
    const named = tables.filter(({ name, rows }) => name === topic && rows > 0);
    for (const table of named.toSorted((a, b) => Number(a.stream) - Number(b.stream))) {
      const found = await byReceiver(table);
      if (found) return found;
    }
  }
  return undefined;
}

async function byReceiver(table: RecordTable): Promise<Base | undefined> {
  if (table.field(TIME)?.type !== 'uint64' || table.field('time_utc_usec')?.type !== 'uint64') return undefined;
  const withFix = table.field('fix_type') ? ['fix_type'] : [];
  const columns = await table.columns([TIME, 'time_utc_usec', ...withFix], { to: MOST_ROWS });
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
  return { kind: 'gps', base, source: `${records}: started at ${dateWords(base)}, ${spread}`, remarks: [] };
}

/** By what the vehicle itself knew when the log began. */
async function byBoot(tables: readonly RecordTable[]): Promise<Base | undefined> {
  let found: Base | undefined;
  for await (const { value, offset } of information(tables, 'boot_time_utc_us')) {
    const base = Number(value);
    if (isDate(base))
      found = { kind: 'boot', base, source: `boot_time_utc_us: started at ${dateWords(base)}`, remarks: [], offset };
  }
  return found;
}

/** A time that is a date cannot be one since boot. */
async function byDates(tables: readonly RecordTable[]): Promise<Base | undefined> {
  const timed = tables.filter((table) => table.rows > 0 && table.stream !== '' && table.field(TIME)?.type === 'uint64');
  const found: number[] = [];
  for (const table of timed) {
    const row = table.rows >> 1;
    const time = (await table.column(TIME, { from: row, to: row + 1 })).numbers()[0];
    if (time > 0) found.push(time);
  }
  const dates = found.filter(isDate);
  if (dates.length <= found.length / 2) return undefined;
  return { kind: 'date', base: 0, source: 'times are dates already, and not since boot', remarks: [] };
}

/** What the name of the log file says, which PX4 writes into the log itself. */
async function fileHint(tables: readonly RecordTable[]): Promise<string[]> {
  for (const table of tables.filter(({ name, rows }) => name === 'LOG' && rows > 0)) {
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

async function* information(
  tables: readonly RecordTable[],
  key: string,
): AsyncGenerator<{ readonly value: string; readonly offset: number }> {
  for (const table of tables.filter(({ name, rows }) => name === 'INFO' && rows > 0)) {
    const [keys, values] = await table.columns(['key', 'value'], { to: MOST_ROWS });
    for (let row = 0; row < keys.length; row++)
      if (keys.at(row) === key) yield { value: String(values.at(row)), offset: table.offsets.at(row) };
  }
}
