import type { Value } from '../../core/column.ts';
import type { Log } from '../../core/log.ts';
import { inOrder } from '../../core/records.ts';
import type { RecordTable } from '../../core/table.ts';
import { gpsToUtc, isBelievableDate } from '../../time/gps.ts';
import { WEEK_FIELDS } from './clock.ts';

/** Messages a second of a type whose rate is not known, or below one. */
const DEFAULT_RATE = 50;
const GPS_NAMES: readonly string[] = ['GPS', 'GPS2'];
/** The oldest firmwares wrote milliseconds of the week, and no week. */
const WEEKLESS = 'Time';
const SECOND = 1e6;

/**
 * The clock of logs whose messages have no time, message by message: GPS messages give the time base, and the time of any
 * other follows from how many of its type came since, at the highest rate that its type had between two GPS messages. A
 * second pass over the messages, after `rewindEvent`, knows the rates from the start. Times are Unix seconds; those of a
 * log whose GPS messages have no week are seconds of the week.
 *
 * The tables of a log are timed by `log.clock`, which knows the whole of it. These are the quantities that there are to go
 * by.
 *
 * @example
 * const clock = new GPSInterpolated();
 * for await (const { table, data } of readRecords(log)) console.log(clock.processMessage(table.name, data));
 */
export class GPSInterpolated {
  /** Messages a second by type: the highest rate between two GPS messages. */
  readonly msgRate: Map<string, number> = new Map();
  /** Messages by type. */
  readonly counts: Map<string, number> = new Map();
  /** Messages by type since the GPS message that set the time base. */
  readonly countsSinceGPS: Map<string, number> = new Map();
  private readonly leapSeconds: number | undefined;
  /** The first time base in microseconds, the one that holds, and whether its message is still to come. */
  private first = Number.NaN;
  private base = Number.NaN;
  private waits = false;
  private stamp = Number.NaN;

  /** @param leapSeconds seconds that GPS is ahead of UTC; by default the count of the date */
  constructor(leapSeconds?: number) {
    this.leapSeconds = leapSeconds;
  }

  /** The quantities of a whole log. */
  static async of({ tables }: Pick<Log, 'tables'>, leapSeconds?: number): Promise<GPSInterpolated> {
    const clock = new GPSInterpolated(leapSeconds);
    const fixes = new Map<RecordTable, Float64Array>();
    for (const table of tables.filter(({ name }) => GPS_NAMES.includes(name))) {
      const names = fieldsOf((field) => table.field(field) !== undefined);
      const columns = (await table.columns(names)).map((column) => column.numbers());
      fixes.set(
        table,
        Float64Array.from({ length: table.rows }, (_, row) => clock.microsOf(columns.map((column) => column[row]))),
      );
    }
    for (const { table, row } of inOrder(tables)) clock.arrive(table.name, fixes.get(table)?.[row] ?? Number.NaN);
    return clock;
  }

  /** When the last GPS message was sent; NaN before the first one. */
  get timebase(): number {
    return this.base / SECOND;
  }

  /** When the last message was sent; NaN before the first GPS message. */
  get timestamp(): number {
    return this.stamp / SECOND;
  }

  /** Back to the first time base, without counts, for another pass over the same messages. The rates stay. */
  rewindEvent(): void {
    this.counts.clear();
    this.countsSinceGPS.clear();
    this.base = this.first;
    this.stamp = this.first;
    this.waits = !Number.isNaN(this.first);
  }

  /** Sets the time base from the first GPS message, for those before it. */
  findTimeBase(week: number, milliseconds: number): void {
    this.first = gpsToUtc(week, milliseconds, this.leapSeconds);
    this.rewindEvent();
  }

  gpsTimeToUnixTime(week: number, milliseconds: number): number {
    return gpsToUtc(week, milliseconds, this.leapSeconds) / SECOND;
  }

  /** Counts a message and returns its time. A GPS message moves the time base. */
  processMessage(name: string, data: Readonly<Record<string, Value>> = {}): number {
    const isGps = GPS_NAMES.includes(name);
    const numbers = isGps ? fieldsOf((field) => field in data).map((field) => Number(data[field])) : [];
    return this.arrive(name, this.microsOf(numbers));
  }

  private arrive(name: string, fix: number): number {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    this.countsSinceGPS.set(name, (this.countsSinceGPS.get(name) ?? 0) + 1);
    if (!Number.isNaN(fix)) this.moveBase(fix);
    return this.setMessageTimestamp(name);
  }

  /** Learns the rates since the last GPS message, and moves the time base. One that does not go on changes nothing. */
  processGPSMessage(week: number, milliseconds: number): void {
    this.moveBase(gpsToUtc(week, milliseconds, this.leapSeconds));
  }

  private moveBase(fix: number): void {
    const isFirst = Number.isNaN(this.base) || (this.waits && fix >= this.base);
    if (!isFirst && !(fix > this.base)) return;
    if (Number.isNaN(this.first)) this.first = fix;
    if (!isFirst) this.learnRates((fix - this.base) / SECOND);
    this.waits = false;
    this.base = fix;
    this.countsSinceGPS.clear();
  }

  private learnRates(seconds: number): void {
    for (const [name, count] of this.countsSinceGPS) {
      if (count / seconds > (this.msgRate.get(name) ?? 0)) this.msgRate.set(name, count / seconds);
    }
  }

  /** The time of the message of this type that came last. */
  setMessageTimestamp(name: string): number {
    const rate = this.msgRate.get(name) ?? 0;
    const count = this.waits ? 0 : (this.countsSinceGPS.get(name) ?? 0);
    this.stamp = this.base + (count / (rate < 1 ? DEFAULT_RATE : rate)) * SECOND;
    return this.timestamp;
  }

  /** Microseconds of week and milliseconds, or of milliseconds alone; NaN if unknown, or if the week is impossible. */
  private microsOf(numbers: readonly number[]): number {
    const [first = Number.NaN, milliseconds] = numbers;
    if (!(first > 0)) return Number.NaN;
    if (milliseconds === undefined) return first * 1000;
    const utc = gpsToUtc(first, milliseconds, this.leapSeconds);
    return isBelievableDate(utc) ? utc : Number.NaN;
  }
}

/** The time fields of a GPS message: week and milliseconds, or these alone. */
function fieldsOf(has: (field: string) => boolean): readonly string[] {
  return WEEK_FIELDS.find((names) => names.every(has)) ?? [WEEKLESS].filter(has);
}
