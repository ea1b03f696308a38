import type { Clock } from '../../core/clock.ts';
import type { FaultList } from '../../core/fault.ts';
import type { ClockInput } from '../../core/format.ts';
import { firstIndex } from '../../core/search.ts';
import type { RecordTable } from '../../core/table.ts';
import { FieldClock, type Timing } from '../../time/field-clock.ts';
import { joinedClock } from '../../time/joined-clock.ts';
import {
  findTimeline,
  foreignTables,
  type RawTimes,
  SHORT_PAUSE,
  type Timeline,
  type TimelinePart,
} from '../../time/timeline.ts';

/** Microseconds that are a date and no time since boot: from 2001 on. */
const DATES = 1e15;
/** The fields that say when a message was made, and microseconds of one unit of each. */
const TIME_FIELDS: readonly (readonly [name: string, factor: number])[] = [
  ['time_boot_ms', 1000],
  ['time_usec', 1],
];

/** Microseconds by which what a ground station buffered may be written after what came later. */
const LATE = 30e6;
/** Faults of telemetry logs that mean that a time stamp is not what it should be, or is not there. */
const STAMP_FAULTS: readonly string[] = ['time-jump', 'bad-stamp'];

/** The clock of a telemetry log: before each record is the time at which it came. */
export async function tlogClock({ tables, decoder, faults }: Omit<ClockInput, 'options'>): Promise<Clock> {
  const timings = new Map<RecordTable, Timing>();
  for (const table of tables) if (table.schema.stamp) timings.set(table, { field: table.schema.stamp.name, factor: 1 });
  const clockOf = (utc: boolean): FieldClock => {
    const source = `time stamps before the records${utc ? '' : ', which do not count from 1970'}`;
    return new FieldClock(tables, timings, { kind: 'tlog', utc, source, base: 0 });
  };
  const first = firstOf([...timings.keys()]);
  const time = first ? await numberAt(first, (timings.get(first) as Timing).field, 0) : Number.NaN;
  const starts = faults ? await rebootsAt(tables, decoder?.seams?.() ?? []) : [];
  if (!faults || (starts.length === 0 && !STAMP_FAULTS.some((code) => faults.byCode.has(code)))) {
    const clock = clockOf(!(time < DATES));
    if (faults?.byCode.has('no-stamp')) await clock.fill();
    return clock;
  }
  const line = await findTimeline({ ...clockOf(true).raw, late: LATE, pause: SHORT_PAUSE }, starts);
  const isDate = ({ low }: TimelinePart): boolean => low >= DATES;
  const clock = clockOf(line.stretches.some(isDate));
  line.place(clock.utc ? isDate : () => false);
  clock.correct(clock.raw.tables, line);
  clock.announce(line, faults);
  clock.range = line.range;
  await clock.fill();
  return clock;
}

/** The pauses in which the vehicle rebooted: by most messages with a time since boot, this did not go on as the stamps did. */
async function rebootsAt(tables: readonly RecordTable[], places: readonly number[]): Promise<number[]> {
  const timed = tables.filter((table) => table.field('time_boot_ms') && table.schema.stamp);
  const found: number[] = [];
  for (const place of places) {
    let balance = 0;
    for (const table of timed) {
      const row = table.offsets.rowFrom(place);
      if (row === 0 || row >= table.rows) continue;
      const range = { from: row - 1, to: row + 1 };
      const [booted, stamps] = await table.columns(['time_boot_ms', table.schema.stamp?.name ?? ''], range);
      const [[before, after], [last, next]] = [booted.numbers(), stamps.numbers()];
      balance += (after - before) * 1000 < (next - last) / 2 ? 1 : -1;
    }
    if (balance > 0) found.push(place);
  }
  return found;
}

/**
 * The clock of a stream of frames without time stamps. Many messages say how long ago their sender was started, and
 * SYSTEM_TIME says when that was. Senders are not started at the same time, so that each counts by its own.
 *
 *   system-time   at least one sender's SYSTEM_TIME has a date: its messages are on UTC, and those of others take the
 *                 time of the last one before them that is
 *   boot          no sender knows the date: times count from when the one with most messages was started, and those of
 *                 others are put beside their neighbours in the stream
 *   none          no message says any time
 */
export async function mavlinkClock(tables: readonly RecordTable[], faults?: FaultList): Promise<Clock> {
  const starts = faults ? await startsOf(tables) : [];
  if (starts.length === 0) return bootClock(tables, faults);
  return joinedClock(tables, starts, (own) => bootClock(own, faults));
}

/** Where the sender with most times since boot counts from its boot again. */
async function startsOf(tables: readonly RecordTable[]): Promise<number[]> {
  const streams = new Map<string, RecordTable[]>();
  for (const table of tables)
    if (table.rows > 0 && timeFieldOf(table)) streams.set(table.stream, [...(streams.get(table.stream) ?? []), table]);
  const rowsOf = (own: readonly RecordTable[]): number => own.reduce((sum, { rows }) => sum + rows, 0);
  const [main = []] = [...streams.values()].sort((a, b) => rowsOf(b) - rowsOf(a));
  const { stretches } = await findTimeline({
    tables: main,
    times: async (table, from, to) => {
      const [name, factor] = timeFieldOf(table) ?? TIME_FIELDS[0];
      const times = (await table.column(name, { from, to })).numbers();
      return times.map((time) => (time > 0 && time * factor < DATES ? time * factor : Number.NaN));
    },
  });
  // a sender that boots says much before it says a time
  const behind = ({ offset }: TimelinePart): number =>
    Math.max(
      ...main.map(({ offsets }) => {
        const row = offsets.rowFrom(offset) - 1;
        return row < 0 ? 0 : offsets.at(row);
      }),
    );
  return stretches.slice(1).map((each) => behind(each) + 1);
}

/** Microseconds of 32 bits begin again after 72 minutes. */
function timeFieldOf(table: RecordTable): (typeof TIME_FIELDS)[number] | undefined {
  return TIME_FIELDS.find(([name, factor]) => (table.field(name)?.type ?? '') === (factor === 1 ? 'uint64' : 'uint32'));
}

/** The clock of one boot, or of several whose times are not all to be believed. */
async function bootClock(tables: readonly RecordTable[], faults?: FaultList): Promise<Clock> {
  const boots = new Map<string, readonly BootTime[]>();
  for (const table of tables) {
    if (table.name !== 'SYSTEM_TIME' || table.rows === 0) continue;
    const found = await findBoots(table, DATES);
    if (found.some(({ base }) => !Number.isNaN(base))) boots.set(table.stream, found);
  }
  const utc = boots.size > 0;
  const timings = new Map<RecordTable, Timing>();
  for (const table of tables) {
    const timing = table.rows > 0 ? await timingOf(table, boots, utc) : undefined;
    if (timing) timings.set(table, timing);
  }
  const [[stream, known] = []] = boots;
  const kind = utc ? 'system-time' : timings.size > 0 ? 'boot' : 'none';
  const source = utc
    ? `SYSTEM_TIME of ${stream} at offset ${known?.find(({ base }) => !Number.isNaN(base))?.baseOffset}`
    : timings.size > 0
      ? 'no SYSTEM_TIME has a date: times count from boot'
      : 'no message has a time';
  const baseOffset = known?.[0].baseOffset;
  const clock = new FieldClock(tables, timings, { kind, utc, source, base: 0, baseOffset });
  if (faults) await settle(clock, boots, faults);
  return clock;
}

/** Finds the time line of each sender, and puts those that count from boot on that of the main one. */
async function settle(
  clock: FieldClock,
  boots: ReadonlyMap<string, readonly BootTime[]>,
  faults: FaultList,
): Promise<void> {
  const { raw } = clock;
  const streams = new Map<string, RecordTable[]>();
  for (const table of raw.tables) streams.set(table.stream, [...(streams.get(table.stream) ?? []), table]);
  const rowsOf = ([, tables]: [string, RecordTable[]]): number => tables.reduce((sum, { rows }) => sum + rows, 0);
  let main: readonly RecordTable[] | undefined;
  for (const [stream, tables] of [...streams].sort((a, b) => rowsOf(b) - rowsOf(a))) {
    const restarts = boots.get(stream)?.slice(1) ?? [];
    const found = await findTimeline(
      { ...raw, tables },
      restarts.map(({ from }) => from),
    );
    const foreign = foreignTables(found);
    const line = found.ignoring(foreign);
    const timed = tables.filter((table) => !foreign.has(table));
    if (clock.utc) line.place(() => true);
    else if (!main) line.place(() => false);
    else await alignWith(line, raw, timed, main, clock);
    clock.correct(tables, line, foreign);
    clock.announce(line, faults, main === undefined);
    if (timed.length > 0) main ??= timed;
  }
}

/** Rows of a sender that are compared with their neighbours. */
const COMPARED = 512;

/** Shifts each stretch of one sender's time so that it fits the main sender's records beside it in the stream. */
async function alignWith(
  line: Timeline,
  raw: RawTimes,
  own: readonly RecordTable[],
  main: readonly RecordTable[],
  clock: Clock,
): Promise<void> {
  const [table] = own.toSorted((a, b) => b.rows - a.rows);
  const [other] = main.toSorted((a, b) => b.rows - a.rows);
  if (!table || !other) return;
  const [times, known] = [await raw.times(table, 0, table.rows), await clock.times(other, 0, other.rows)];
  for (const [k, stretch] of line.stretches.entries()) {
    const from = table.offsets.rowFrom(stretch.offset);
    const to = k + 1 < line.stretches.length ? table.offsets.rowFrom(line.stretches[k + 1].offset) : table.rows;
    const every = Math.max(1, Math.floor((to - from) / COMPARED));
    const differences: number[] = [];
    for (let row = from; row < to; row += every) {
      const near = Math.max(0, other.offsets.rowFrom(table.offsets.at(row)) - 1);
      const difference = known[near] - times[row];
      if (!Number.isNaN(difference) && times[row] >= stretch.low && times[row] <= stretch.high)
        differences.push(difference);
    }
    stretch.shift = differences.sort((a, b) => a - b)[differences.length >> 1] ?? 0;
  }
}

/** How a table's rows are timed by one of their fields; undefined if they are not. */
async function timingOf(
  table: RecordTable,
  boots: ReadonlyMap<string, readonly BootTime[]>,
  utc: boolean,
): Promise<Timing | undefined> {
  for (const [field, factor] of TIME_FIELDS) {
    // microseconds of 32 bits begin again after 72 minutes
    if (!table.field(field) || (factor === 1 && table.field(field)?.type !== 'uint64')) continue;
    const first = (await numberAt(table, field, 0)) * factor;
    const last = (await numberAt(table, field, table.rows - 1)) * factor;
    // a sender that does not keep the field, or that waits for a fix to fill it in, leaves 0 in it
    if (!(first > 0 && last > 0)) continue;
    const known = boots.get(table.stream);
    if (last >= DATES) return utc ? { field, factor, timeOf: (micros) => micros } : undefined;
    if (utc && !known) return undefined;
    if (!known) return { field, factor };
    return { field, factor, timeOf: (micros, row) => timeIn(known, micros, table.offsets.at(row)) };
  }
  return undefined;
}

function firstOf(tables: readonly RecordTable[]): RecordTable | undefined {
  return tables.filter((table) => table.rows > 0).sort((a, b) => a.offsets.at(0) - b.offsets.at(0))[0];
}

async function numberAt(table: RecordTable, field: string, row: number): Promise<number> {
  return (await table.column(field, { from: row, to: row + 1 })).numbers()[0];
}

/** The time from one start of a sender to the next, by its SYSTEM_TIME messages. Times are microseconds. */
export interface BootTime {
  /** When it was started, in UTC; NaN if it never learned the date. */
  readonly base: number;
  /** Offset of the first message with a date, or of the first of all. */
  readonly baseOffset: number;
  /** Offset of its first message; offset and time since boot of its last one. */
  readonly from: number;
  readonly to: number;
  readonly last: number;
}

/** By how much a time since boot may go back without a new boot. */
const BACK = 1e6;

/**
 * The starts of a sender. The date comes from a receiver or a ground station and may be corrected on the way, so the
 * base is the median of all of them.
 * @param dates microseconds from which on they are a date
 */
async function findBoots(table: RecordTable, dates: number): Promise<BootTime[]> {
  const [unix, sinceBoot] = (await table.columns(['time_unix_usec', 'time_boot_ms'])).map((column) => column.numbers());
  const boots: BootTime[] = [];
  let first = 0;
  for (let row = 1; row <= table.rows; row++) {
    if (row < table.rows && sinceBoot[row] * 1000 >= sinceBoot[row - 1] * 1000 - BACK) continue;
    boots.push(bootOf(table, unix, sinceBoot, first, row, dates));
    first = row;
  }
  return boots;
}

function bootOf(
  table: RecordTable,
  unix: Float64Array,
  sinceBoot: Float64Array,
  from: number,
  to: number,
  dates: number,
): BootTime {
  const bases: number[] = [];
  let baseRow = -1;
  for (let row = from; row < to; row++) {
    if (!(unix[row] >= dates)) continue;
    if (baseRow < 0) baseRow = row;
    bases.push(unix[row] - sinceBoot[row] * 1000);
  }
  const sorted = Float64Array.from(bases).sort();
  return {
    base: sorted.length > 0 ? sorted[sorted.length >> 1] : Number.NaN,
    baseOffset: table.offsets.at(Math.max(from, baseRow)),
    from: table.offsets.at(from),
    to: table.offsets.at(to - 1),
    last: sinceBoot[to - 1] * 1000,
  };
}

/** The time of a record at `offset` that was made `micros` after its sender was started. */
function timeIn(boots: readonly BootTime[], micros: number, offset: number): number {
  const low = Math.max(0, firstIndex(boots.length, (i) => boots[i].from > offset) - 1);
  const boot = boots[low];
  // between the last message of a boot and the first of the next, a time that fell back is of the next
  const isNext = offset > boot.to && low + 1 < boots.length && micros < boot.last - BACK;
  return (isNext ? boots[low + 1] : boot).base + micros;
}
