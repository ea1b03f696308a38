import type { Clock } from '../core/clock.ts';
import type { Table } from '../core/table.ts';
import { type Boot, findBoots, timeIn } from './boot.ts';
import { FieldClock, type Timing } from './field-clock.ts';

/** Microseconds that are a date and no time since boot: from 2001 on. */
const DATES = 1e15;
/** The fields that say when a message was made, and microseconds of one unit of each. */
const TIME_FIELDS: readonly (readonly [name: string, factor: number])[] = [
  ['time_boot_ms', 1000],
  ['time_usec', 1],
];

/** The clock of a telemetry log: before each record stands the time at which it came. */
export async function tlogClock(tables: readonly Table[]): Promise<Clock> {
  const timings = new Map<Table, Timing>();
  for (const table of tables) if (table.schema.stamp) timings.set(table, { field: table.schema.stamp.name, factor: 1 });
  const first = firstOf([...timings.keys()]);
  const time = first ? await numberAt(first, (timings.get(first) as Timing).field, 0) : Number.NaN;
  const utc = !(time < DATES);
  const source = `time stamps before the records${utc ? '' : ', which count from another time than 1970'}`;
  return new FieldClock(tables, timings, { kind: 'tlog', utc, source, base: 0 });
}

/**
 * The clock of a stream of frames without time stamps. Many messages say how long ago their sender was started, and
 * SYSTEM_TIME says when that was. Senders are not started at the same time, so that each counts by its own.
 *
 *   system-time   at least one sender's SYSTEM_TIME has a date: its messages are on UTC, and those of others take the
 *                 time of the last one before them that is
 *   boot          no sender knows the date: times count from when each was started
 *   none          no message says any time
 */
export async function mavlinkClock(tables: readonly Table[]): Promise<Clock> {
  const boots = new Map<string, readonly Boot[]>();
  for (const table of tables) {
    if (table.name !== 'SYSTEM_TIME' || table.rows === 0) continue;
    const found = await findBoots(table, DATES);
    if (found.some(({ base }) => !Number.isNaN(base))) boots.set(table.stream, found);
  }
  const utc = boots.size > 0;
  const timings = new Map<Table, Timing>();
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
      : 'no message says a time';
  const baseOffset = known?.[0].baseOffset;
  return new FieldClock(tables, timings, { kind, utc, source, base: 0, baseOffset });
}

/** How a table's rows are timed by one of their fields; undefined where they are not. */
async function timingOf(
  table: Table,
  boots: ReadonlyMap<string, readonly Boot[]>,
  utc: boolean,
): Promise<Timing | undefined> {
  for (const [field, factor] of TIME_FIELDS) {
    if (!table.field(field)) continue;
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

function firstOf(tables: readonly Table[]): Table | undefined {
  return tables.filter((table) => table.rows > 0).sort((a, b) => a.offsets.at(0) - b.offsets.at(0))[0];
}

async function numberAt(table: Table, field: string, row: number): Promise<number> {
  return (await table.column(field, { from: row, to: row + 1 })).numbers()[0];
}
