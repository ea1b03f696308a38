import type { Clock } from '../core/clock.ts';
import type { Column } from '../core/column.ts';
import { inOrder } from '../core/merge.ts';
import type { Table } from '../core/table.ts';
import { FieldClock, type Timing } from './field-clock.ts';
import { gpsToUtc } from './gps.ts';
import { RateClock } from './rate-clock.ts';
import { findWrap, WRAP } from './wrap.ts';

export interface ClockOptions {
  /** GPS is this many seconds ahead of UTC, whatever the date; by default the count of the date. */
  readonly leapSeconds?: number | undefined;
}

/** The names that firmwares gave to the GPS week and the milliseconds in it. */
const WEEK_FIELDS: readonly (readonly [week: string, millis: string])[] = [
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
 */
export async function dataflashClock(tables: readonly Table[], options: ClockOptions): Promise<Clock> {
  const gps = tables.filter((table) => (table.name === 'GPS' || table.name === 'GPS2') && table.rows > 0);
  const finder = new BaseFinder(tables, gps, options);
  return (await finder.modern()) ?? (await finder.byGps()) ?? (await finder.withoutGps());
}

class BaseFinder {
  private readonly tables: readonly Table[];
  private readonly gps: readonly Table[];
  private readonly leap: number | undefined;

  constructor(tables: readonly Table[], gps: readonly Table[], options: ClockOptions) {
    this.tables = tables;
    this.gps = gps;
    this.leap = options.leapSeconds;
  }

  /** TimeUS logs: the first GPS record with a week gives the base, whatever the quality of its fix. */
  async modern(): Promise<Clock | undefined> {
    const named = this.gps.filter((table) => table.name === 'GPS');
    const [first] = inOrder(named);
    if (!first || !has(first.table, 'TimeUS', 'GWk', 'GMS')) return undefined;
    const good = await this.firstRow(named, ['TimeUS', 'GWk', 'GMS'], (_, week) => week > 0);
    return good ? this.usec(good) : this.boot('usec', `no GPS record has a week: times count from boot`);
  }

  /** The first GPS record of any kind that gives a base. */
  async byGps(): Promise<Clock | undefined> {
    const usec = await this.firstRow(this.gps, ['TimeUS', 'GWk', 'GMS'], (time, week) => time !== 0 && week !== 0);
    if (usec) return this.usec(usec);
    const msec = await this.firstRow(this.gps, ['T', 'Week', 'TimeMS'], (time, week) => time !== 0 && week !== 0);
    if (msec) {
      const [time, week, millis] = msec.values;
      return this.fieldClock('msec', gpsToUtc(week, millis, this.leap) - time * 1000, said(msec, week, millis), msec);
    }
    const px4 = await this.px4();
    if (px4) return px4;
    return this.interpolated();
  }

  private usec(found: Found): Promise<Clock> {
    const [time, week, millis] = found.values;
    return this.fieldClock('usec', gpsToUtc(week, millis, this.leap) - time, said(found, week, millis), found);
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
    const fixes = new Map<Table, Float64Array>();
    for (const table of this.gps) {
      const names = WEEK_FIELDS.find((names) => has(table, ...names));
      if (!names) continue;
      const [weeks, millis] = (await table.columns(names)).map((column) => column.numbers());
      fixes.set(
        table,
        weeks.map((week, i) => (week > 0 ? gpsToUtc(week, millis[i], this.leap) : Number.NaN)),
      );
    }
    const known = [...fixes.values()].some((times) => times.some((time) => !Number.isNaN(time)));
    if (!known) return undefined;
    const remarks = ['records carry no time: theirs follows from the rate at which they come between GPS records'];
    return new RateClock(this.tables, fixes, { utc: true, source: 'week and time of GPS records', remarks });
  }

  /** No base anywhere: times since boot, and failing those, what can be made of the order of records. */
  async withoutGps(): Promise<Clock> {
    const anyField = (field: string): boolean => this.tables.some((table) => table.rows > 0 && has(table, field));
    if (anyField('TimeUS')) return this.boot('usec', 'no GPS record gives a week: times count from boot');
    if (this.tables.some((table) => table.rows > 0 && table.fields[0]?.name === 'TimeMS'))
      return this.boot('msec', 'no GPS record gives a week: times count from boot');
    if (anyField('StartTime')) return this.boot('px4', 'no GPS record gives UTC: times count from boot');
    const fixes = await this.weekless();
    const source = fixes.size > 0 ? 'GPS records give a time without a week' : 'no record carries a time';
    const rest =
      fixes.size > 0 ? 'times count from the first GPS record' : 'times are guessed from the order of records';
    return new RateClock(this.tables, fixes, { utc: false, source: `${source}: ${rest}`, remarks: [] });
  }

  /** GPS records of the oldest firmwares give a time of the week and no week: they count from the first of them. */
  private async weekless(): Promise<Map<Table, Float64Array>> {
    const fixes = new Map<Table, Float64Array>();
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
    const timings = new Map<Table, Timing>();
    for (const table of this.tables) {
      const timing = table.rows > 0 ? timingOf(kind, table) : undefined;
      if (timing) timings.set(table, timing);
    }
    const wrap = await findWrap(timings);
    // a base in milliseconds that have begun again is that of the time after it
    const isLate = kind === 'msec' && from !== undefined && wrap.isBehind(from.offset, from.values[0]);
    return new FieldClock(this.tables, timings, {
      kind,
      utc: from !== undefined,
      source,
      base: isLate ? base - WRAP * 1000 : base,
      baseOffset: from?.offset,
    });
  }

  /** The first row, in the order of the source, whose three fields pass a test. */
  private async firstRow(
    tables: readonly Table[],
    fields: readonly string[],
    test: (time: number, week: number) => boolean,
  ): Promise<Found | undefined> {
    let best: Found | undefined;
    for (const table of tables) {
      if (!has(table, ...fields)) continue;
      const found = await firstIn(table, fields, test);
      if (found && (!best || found.offset < best.offset)) best = found;
    }
    return best;
  }
}

interface Found {
  readonly name: string;
  readonly offset: number;
  readonly values: readonly number[];
}

/** GPS records looked at at a time: the first good one is mostly near the beginning. */
const BLOCK = 256;

async function firstIn(
  table: Table,
  fields: readonly string[],
  test: (time: number, week: number) => boolean,
): Promise<Found | undefined> {
  for (let from = 0; from < table.rows; from += BLOCK) {
    const columns: Column[] = await table.columns(fields, { from, to: from + BLOCK });
    const numbers = columns.map((column) => column.numbers());
    for (let i = 0; i < numbers[0].length; i++) {
      const values = numbers.map((column) => column[i]);
      if (test(values[0], values[1] ?? 0)) return { name: table.name, offset: table.offsets.at(from + i), values };
    }
  }
  return undefined;
}

function said({ name, offset }: Found, week: number, millis: number): string {
  return `${name} record at offset ${offset}: week ${week}, ${millis} ms`;
}

function has(table: Table, ...names: readonly string[]): boolean {
  return names.every((name) => table.field(name) !== undefined);
}

/** Which field times a table's rows under a kind of clock. */
function timingOf(kind: string, table: Table): Timing | undefined {
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
