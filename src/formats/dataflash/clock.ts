import { type Clock, NO_CLOCK } from '../../core/clock.ts';
import type { Column } from '../../core/column.ts';
import type { Fault, FaultList } from '../../core/fault.ts';
import type { ClockInput, ClockOptions } from '../../core/format.ts';
import { inOrder } from '../../core/records.ts';
import { DEFINITIONS } from '../../core/schema.ts';
import type { RecordTable } from '../../core/table.ts';
import { FieldClock, type Timing } from '../../time/field-clock.ts';
import { gpsToUtc, isBelievableDate } from '../../time/gps.ts';
import { joinedClock } from '../../time/joined-clock.ts';
import { hasPulse, RateClock } from '../../time/rate-clock.ts';
import { findTimeline, foreignTables, type RawTimes, type Timeline } from '../../time/timeline.ts';
import { findWrap, WRAP } from '../../time/wrap.ts';

/** The names that firmwares gave to the GPS week and the milliseconds in it. */
export const WEEK_FIELDS: readonly (readonly [week: string, millis: string])[] = [
  ['GWk', 'GMS'],
  ['Week', 'TimeMS'],
  ['Wk', 'TWk'],
];

/**
 * The clock of a DataFlash log. Firmwares of fifteen years kept time in five ways; the first that the log's records
 * bear out is taken, in the order of how good it is:
 *
 *   usec   TimeUS in every record, GPS records that give week and milliseconds beside it
 *   msec   TimeMS in most records, GPS records with week, milliseconds and T, the time since boot
 *   px4    TIME records give the time since boot, GPS records UTC
 *   (usec, msec, px4 without a GPS week count from boot)
 *   gps-interpolated   no times but in GPS records: the rest follows from the rate at which records come
 *
 * Where the decoder saw that times follow each other, none is looked at again.
 */
export async function dataflashClock({ tables, options, decoder, faults }: ClockInput): Promise<Clock> {
  const starts = await startsOf(tables);
  const isSteady = (lone: readonly number[]): boolean =>
    decoder?.isSteady?.([...starts, ...lone]) === true && (!faults || isSound(faults, starts));
  const clockOf = async (own: readonly RecordTable[]): Promise<Clock> => {
    const finder = new BaseFinder(own, options, faults, isSteady);
    return (await finder.modern()) ?? (await finder.byGps()) ?? (await finder.withoutGps());
  };
  if (starts.length === 0) return clockOf(tables);
  return joinedClock(tables, starts, clockOf);
}

/** Whether times follow each other. @param lone places of records from long before, which a part of a log begins with */
type IsSteady = (lone: readonly number[]) => boolean;

class BaseFinder {
  private readonly tables: readonly RecordTable[];
  private readonly gps: readonly RecordTable[];
  private readonly leap: number | undefined;
  private readonly faults: FaultList | undefined;
  private readonly isSteady: IsSteady;
  /** What was found to be wrong with weeks. */
  private readonly remarks: string[] = [];

  constructor(
    tables: readonly RecordTable[],
    options: ClockOptions,
    faults: FaultList | undefined,
    isSteady: IsSteady,
  ) {
    this.tables = tables;
    this.gps = tables.filter((table) => (table.name === 'GPS' || table.name === 'GPS2') && table.rows > 0);
    this.leap = options.leapSeconds;
    this.faults = faults;
    this.isSteady = isSteady;
  }

  /** TimeUS logs: the first GPS record with a week gives the base, whatever the quality of its fix. */
  async modern(): Promise<Clock | undefined> {
    const named = this.gps.filter((table) => table.name === 'GPS');
    const [first] = inOrder(named);
    if (!first || !has(first.table, 'TimeUS', 'GWk', 'GMS')) return undefined;
    const good = await this.firstRow(named, USEC, this.isBase);
    return good ? this.usec(good) : this.boot('usec', 'no GPS record has a time and a week: times count from boot');
  }

  /** The first GPS record of any kind that gives a base. */
  async byGps(): Promise<Clock | undefined> {
    const usec = await this.firstRow(this.gps, USEC, this.isBase);
    if (usec) return this.usec(usec);
    const msec = await this.firstRow(this.gps, MSEC, this.isBase);
    if (msec) return this.fieldClock('msec', this.baseOf(msec, 1000), said(msec), msec);
    const px4 = await this.px4();
    if (px4) return px4;
    return this.interpolated();
  }

  private usec(found: Found): Promise<Clock> {
    return this.fieldClock('usec', this.baseOf(found, 1), said(found), found);
  }

  /** When the vehicle was started, by a GPS record. @param factor microseconds of one unit of its time */
  private baseOf({ values: [time, week, millis] }: Found, factor: number): number {
    return gpsToUtc(week, millis, this.leap) - time * factor;
  }

  /** Whether a GPS record can give the base: a time of 0 was never set. */
  private readonly isBase: Test = (time, week, millis) => time !== 0 && this.isBelievable(week, millis);

  /** A receiver without a fix may say any week: one before the first autopilots or in the future is none. */
  private isBelievable(week: number, millis: number): boolean {
    if (!(week > 0)) return false;
    const isGood = isBelievableDate(gpsToUtc(week, millis, this.leap));
    if (!isGood && this.remarks.length === 0) this.remarks.push(`GPS week ${week} is not believed`);
    return isGood;
  }

  /** PX4 sdlog2: TIME.StartTime is the time since boot of all records after it, GPS.GPSTime is UTC. */
  private async px4(): Promise<Clock | undefined> {
    const time = this.tables.find((table) => table.name === 'TIME' && table.rows > 0 && has(table, 'StartTime'));
    const good = await this.firstRow(this.gps, ['GPSTime'], (utc) => utc !== 0);
    if (!time || !good) return undefined;
    const row = time.offsets.rowFrom(good.offset) - 1;
    const start = (await time.column('StartTime', { from: Math.max(0, row), to: Math.max(0, row) + 1 })).numbers()[0];
    const source = `${good.name} record at offset ${good.offset}: GPSTime ${good.values[0]}`;
    return this.fieldClock('px4', good.values[0] - start, source, good);
  }

  private async interpolated(): Promise<Clock | undefined> {
    const fixes = new Map<RecordTable, Float64Array>();
    for (const table of this.gps) {
      const names = WEEK_FIELDS.find((names) => has(table, ...names));
      if (!names) continue;
      const [weeks, millis] = (await table.columns(names)).map((column) => column.numbers());
      fixes.set(
        table,
        weeks.map((week, i) =>
          this.isBelievable(week, millis[i]) ? gpsToUtc(week, millis[i], this.leap) : Number.NaN,
        ),
      );
    }
    const known = [...fixes.values()].some((times) => times.some((time) => !Number.isNaN(time)));
    if (!known) return undefined;
    const remarks = ['records have no time: theirs is interpolated between GPS records'];
    return new RateClock(this.tables, fixes, { utc: true, source: 'week and time of GPS records', remarks });
  }

  /** No base anywhere: times since boot, and failing those, what can be made of the order of records. */
  async withoutGps(): Promise<Clock> {
    const anyField = (field: string): boolean => this.tables.some((table) => table.rows > 0 && has(table, field));
    if (anyField('TimeUS')) return this.boot('usec', 'no GPS record has a week: times count from boot');
    if (this.tables.some((table) => table.rows > 0 && table.fields[0]?.name === 'TimeMS'))
      return this.boot('msec', 'no GPS record has a week: times count from boot');
    if (anyField('StartTime')) return this.boot('px4', 'no GPS record has UTC: times count from boot');
    const fixes = await this.weekless();
    const isTimed = [...fixes.values()].some((times) => times.some((time) => !Number.isNaN(time)));
    if (!isTimed && !hasPulse(this.tables)) return NO_CLOCK;
    const source = isTimed
      ? 'GPS records have a time without a week: times count from the start of the log'
      : 'no record has a time: times guessed from message rates';
    return new RateClock(this.tables, fixes, { utc: false, source, remarks: this.remarks });
  }

  /** GPS records of the oldest firmwares give a time of the week and no week: they count from the first of them. */
  private async weekless(): Promise<Map<RecordTable, Float64Array>> {
    const fixes = new Map<RecordTable, Float64Array>();
    for (const table of this.gps) if (has(table, 'Time')) fixes.set(table, (await table.column('Time')).numbers());
    let first = Number.NaN;
    for (const { table, row } of inOrder([...fixes.keys()])) {
      first = fixes.get(table)?.[row] ?? 0;
      if (first > 0) break;
    }
    for (const [table, millis] of fixes) {
      fixes.set(
        table,
        millis.map((time) => (time > 0 ? (time - first) * 1000 : Number.NaN)),
      );
    }
    return fixes;
  }

  private boot(kind: string, source: string): Promise<Clock> {
    return this.fieldClock(kind, 0, source, undefined);
  }

  private async fieldClock(kind: string, base: number, source: string, from: Found | undefined): Promise<Clock> {
    const timings = new Map<RecordTable, Timing>();
    for (const table of this.tables) {
      const timing = table.rows > 0 ? timingOf(kind, table) : undefined;
      if (timing) timings.set(table, timing);
    }
    const wrap = await findWrap(timings);
    // a base in milliseconds that have begun again is that of the time after it
    const isLate = kind === 'msec' && from !== undefined && wrap.isBehind(from.offset, from.values[0]);
    const clock = new FieldClock(this.tables, timings, {
      kind,
      utc: from !== undefined,
      source,
      remarks: this.remarks,
      base: isLate ? base - WRAP * 1000 : base,
      baseOffset: from?.offset,
    });
    if (this.faults) await this.settle(clock, from, this.faults);
    return clock;
  }

  /** Finds out which times are not to be believed, and how often the vehicle was started. */
  private async settle(clock: FieldClock, from: Found | undefined, faults: FaultList): Promise<void> {
    const tables = clock.raw.tables.filter(({ name }) => !DEFINITIONS.has(name));
    const whole = { ...clock.raw, tables, late: LATE };
    const lone = from && (await loneTable(from, whole));
    const raw = lone ? withoutFirst(whole, lone) : whole;
    if (clock.kind === 'usec' && tables.every(isSeen) && this.isSteady(lone ? [from.offset] : [])) {
      if (lone) clock.leaveOut(lone, 0);
      return;
    }
    const found = await findTimeline(raw);
    const foreign = foreignTables(found);
    const line = found.ignoring(foreign);
    await this.placeParts(line, clock, from);
    clock.correct(clock.raw.tables, line, foreign);
    clock.announce(line, faults);
  }

  /** Each boot has its base; one that never learned UTC follows the one before it. */
  private async placeParts(line: Timeline, clock: FieldClock, from: Found | undefined): Promise<void> {
    const { stretches } = line;
    if (stretches.length < 2) return;
    const known = new Set<number>();
    for (const [k, stretch] of stretches.entries()) {
      const within = { from: stretch.offset, to: stretches[k + 1]?.offset ?? Number.POSITIVE_INFINITY };
      const shift = from && (await this.shiftIn(within, clock, from));
      if (shift === undefined) continue;
      stretch.shift = shift;
      known.add(k);
    }
    line.place((_, k) => known.has(k));
  }

  /** By how much the base of a part of the source differs from that of the log. */
  private async shiftIn(within: OffsetRange, clock: FieldClock, from: Found): Promise<number | undefined> {
    if (clock.kind === 'px4') return from.offset >= within.from && from.offset < within.to ? 0 : undefined;
    const isMicro = clock.kind === 'usec';
    const found = await this.firstRow(this.gps, isMicro ? USEC : MSEC, this.isBase, within);
    return found && this.baseOf(found, isMicro ? 1 : 1000) - clock.base;
  }

  /** The first row that passes a test and whose base fits most rows: before a fix a receiver may give a wrong date. */
  private async firstRow(
    tables: readonly RecordTable[],
    fields: readonly string[],
    test: Test,
    within: OffsetRange = { from: 0, to: Number.POSITIVE_INFINITY },
  ): Promise<Found | undefined> {
    let best: Found | undefined;
    for (const table of tables) {
      if (!has(table, ...fields)) continue;
      const rows = { from: table.offsets.rowFrom(within.from), to: rowBefore(table, within.to) };
      const found = await firstIn(table, fields, test, rows);
      if (found && (!best || found.offset < best.offset)) best = found;
    }
    if (!best || best.values.length < 3) return best;
    const factor = fields === MSEC ? 1000 : 1;
    const usual = await this.usualBase(tables, fields, test, within, factor);
    if (!(Math.abs(this.baseOf(best, factor) - usual) > BASE_SPREAD)) return best;
    this.remarks.push(`${said(best)} is rejected: most GPS records have another date`);
    const isUsual: Test = (time, week, millis) =>
      test(time, week, millis) && Math.abs(gpsToUtc(week, millis, this.leap) - time * factor - usual) <= BASE_SPREAD;
    return this.firstRow(tables, fields, isUsual, within);
  }

  /** The base in the middle of those of some GPS records. */
  private async usualBase(
    tables: readonly RecordTable[],
    fields: readonly string[],
    test: Test,
    within: OffsetRange,
    factor: number,
  ): Promise<number> {
    const bases: number[] = [];
    for (const table of tables) {
      if (!has(table, ...fields)) continue;
      const [from, to] = [table.offsets.rowFrom(within.from), rowBefore(table, within.to)];
      for (let i = 0; i < BASES; i++) {
        const row = from + Math.floor(((to - from) * i) / BASES);
        const found = row < to ? await firstIn(table, fields, test, { from: row, to: row + 1 }) : undefined;
        if (found) bases.push(this.baseOf(found, factor));
      }
    }
    return bases.sort((a, b) => a - b)[bases.length >> 1] ?? Number.NaN;
  }
}

/** Time, week and milliseconds of the week in GPS records. */
const USEC: readonly string[] = ['TimeUS', 'GWk', 'GMS'];
const MSEC: readonly string[] = ['T', 'Week', 'TimeMS'];
/** GPS records that are asked for the base, and microseconds by which their answers may differ. */
const BASES = 16;
const BASE_SPREAD = 60e6;
/** The table of the base record if that record, long before all others, was kept when its surroundings were cut. */
async function loneTable({ offset }: Found, raw: RawTimes): Promise<RecordTable | undefined> {
  const body = raw.tables.filter(({ name, isPlaced }) => name !== 'PARM' && name !== 'VER' && isPlaced);
  const home = body.find((table) => table.offsets.at(0) === offset);
  if (!home) return undefined;
  const [time] = await raw.times(home, 0, 1);
  let others = 0;
  for (const table of body) {
    const row = table === home ? 1 : 0;
    if (row >= table.rows) continue;
    const [next] = table.offsets.at(row) > offset ? await raw.times(table, row, row + 1) : [time];
    if (!(next > time + LONE)) return undefined;
    others++;
  }
  return others > 0 ? home : undefined;
}

/** Whether the decoder sees the times of a table: only those that stand first in a record, in 64 bits. */
function isSeen({ fields: [first] }: RecordTable): boolean {
  return first?.type === 'uint64';
}

function withoutFirst(raw: RawTimes, table: RecordTable): RawTimes {
  return {
    ...raw,
    async times(each, from, to) {
      const times = await raw.times(each, from, to);
      if (each === table && from === 0 && times.length > 0) times[0] = Number.NaN;
      return times;
    },
  };
}

/** Microseconds after a lone record in which there is no other. */
const LONE = 2e6;

/** Microseconds by which a record may be written after later ones. */
const LATE = 1e6;
/** Whether damage made no false records: there is none but cut ends of logs. */
function isSound({ byCode, kept }: FaultList, restarts: readonly number[]): boolean {
  const isEnd = ({ offset, length }: Fault): boolean => restarts.includes(offset + length);
  return [...byCode].every(([code, { count }]) => {
    const listed = HARMLESS.has(code) ? [] : kept.filter((fault) => fault.code === code);
    return HARMLESS.has(code) || (listed.length === count && listed.every(isEnd));
  });
}

/** Faults that do not make false records. */
const HARMLESS: ReadonlySet<string> = new Set(['truncated', 'padding', 'blank', 'text', 'bad-format', 'time-outlier']);

type Test = (time: number, week: number, millis: number) => boolean;

interface OffsetRange {
  readonly from: number;
  readonly to: number;
}

function rowBefore({ offsets, rows }: RecordTable, offset: number): number {
  return offset === Number.POSITIVE_INFINITY ? rows : offsets.rowFrom(offset);
}

/** The type of FMT records, which begin a log by their own definition. */
const FMT = 128;
/** Bytes from one definition to the next that has nothing but a few other ones between. */
const NEAR = 400;

/** Where each log after the first begins: with all definitions again, FMT first. One alone may be a correction. */
async function startsOf(tables: readonly RecordTable[]): Promise<number[]> {
  const definitions = tables.filter((table) => table.name === 'FMT' && table.rows > 0 && has(table, 'Type'));
  const types = new Map<RecordTable, Float64Array>();
  for (const table of definitions) types.set(table, (await table.column('Type')).numbers());
  const all: { readonly offset: number; readonly type: number }[] = [];
  for (const { table, row, offset } of inOrder(definitions)) all.push({ offset, type: types.get(table)?.[row] ?? 0 });
  const starts: number[] = [];
  let known = new Set<number>();
  const isKnown = (i: number): boolean => known.has(all[i]?.type);
  const isNear = (i: number): boolean => all[i]?.offset - all[i - 1]?.offset < NEAR;
  for (const [i, { offset, type }] of all.entries()) {
    const isSelf = type === FMT && (isKnown(i) || !isNear(i)) && isNear(i + 1);
    const isHead = isKnown(i) && !isNear(i) && isNear(i + 1) && isKnown(i + 1) && isNear(i + 2) && isKnown(i + 2);
    if (i > 0 && starts.length < LOGS && (isSelf || isHead)) {
      starts.push(offset);
      known = new Set();
    }
    known.add(type);
  }
  return starts;
}

/** Limit of logs in one file. */
const LOGS = 256;

interface Found {
  readonly name: string;
  readonly offset: number;
  readonly values: readonly number[];
}

/** GPS records looked at at a time: the first good one is mostly near the beginning. */
const BLOCK = 256;

async function firstIn(
  table: RecordTable,
  fields: readonly string[],
  test: Test,
  rows: { readonly from: number; readonly to: number },
): Promise<Found | undefined> {
  for (let from = rows.from; from < rows.to; from += BLOCK) {
    const columns: Column[] = await table.columns(fields, { from, to: Math.min(from + BLOCK, rows.to) });
    const numbers = columns.map((column) => column.numbers());
    for (let i = 0; i < numbers[0].length; i++) {
      const values = numbers.map((column) => column[i]);
      if (test(values[0], values[1] ?? 0, values[2] ?? 0))
        return { name: table.name, offset: table.offsets.at(from + i), values };
    }
  }
  return undefined;
}

function said({ name, offset, values: [, week, millis] }: Found): string {
  return `${name} record at offset ${offset}: week ${week}, ${millis} ms`;
}

function has(table: RecordTable, ...names: readonly string[]): boolean {
  return names.every((name) => table.field(name) !== undefined);
}

/** Which field times a table's rows under a kind of clock. */
function timingOf(kind: string, table: RecordTable): Timing | undefined {
  const first = table.fields[0]?.name;
  switch (kind) {
    case 'usec':
      if (first === 'TimeUS') return { field: 'TimeUS', factor: 1 };
      // the sensors' own milliseconds are of another clock; others must not lead time back
      if (first === 'TimeMS' && !/^(ACC|GYR)/.test(table.name)) return { field: 'TimeMS', factor: 1000, clamp: true };
      return undefined;
    case 'msec':
      if (first === 'TimeMS') return { field: 'TimeMS', factor: 1000 };
      if (/^GPS2?$/.test(table.name) && has(table, 'T')) return { field: 'T', factor: 1000 };
      return undefined;
    default:
      return table.name === 'TIME' && has(table, 'StartTime') ? { field: 'StartTime', factor: 1 } : undefined;
  }
}
