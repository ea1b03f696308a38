import type { Log } from '../core/log.ts';
import { inOrder } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import { type Interval, usualInterval } from '../series/series.ts';
import { ANSWER_LIMITS } from './limits.ts';
import { REBOOT } from './phase.ts';

/** A time without records, between the times around it; after a reboot or a clock jump it may go back. */
export interface Gap extends Interval {
  readonly kind: 'gap' | 'reboot' | 'jump';
  readonly table: string;
}

/** Microseconds without a record that count: logs on board are written all the time, links are lost now and then. */
const LEAST_LOGGED = 1_000_000;
const LEAST_SENT = 3_000_000;
/** How many times the usual interval of records it must be as well. */
const TIMES = 5;
/** Records that a table should have in the shortest time that counts. */
const OFTEN = 8;
/** Rows that cost nothing to read. */
const FEW = 50_000;

/** Messages that say how long ago the vehicle booted, in milliseconds of 32 bits; TIMESYNC does so in nanoseconds. */
const BOOT_TABLES = ['SYSTEM_TIME', 'ATTITUDE', 'ATTITUDE_QUATERNION', 'GLOBAL_POSITION_INT', 'LOCAL_POSITION_NED'];
/** Microseconds by which packets overtake each other at most, and before the overflow within which it is not a reboot. */
const LATE = 5e6;
const WRAP = (2 ** 32 - 60_000) * 1000;
/** Rows and microseconds around a reboot that distinguish it from vehicles with one id that take turns. */
const AROUND = 20;
const AROUND_MICROS = 3e6;
/** Microseconds from which a time is a date and not a time since boot. */
const DATES = 1e15;

/** Gaps of a vehicle's onboard log. */
export async function findLoggedGaps(log: Log): Promise<Gap[]> {
  const tables = log.tables.filter((table) => table.rows > 1 && log.clock.field(table) !== undefined);
  return gapsIn(tables, LEAST_LOGGED, true);
}

/** Where the parts of a log follow each other. */
export function seamsOf({ clock: { parts = [], kind }, isOnboard }: Log): Gap[] {
  const isReboot = isOnboard || kind === 'boot' || kind === 'system-time';
  return parts.slice(1, ANSWER_LIMITS.gaps).map(({ start }, i) => {
    return { kind: isReboot ? 'reboot' : 'jump', start: parts[i].end, end: start, table: isOnboard ? 'FMT' : '' };
  });
}

/** Interruptions of what one vehicle sent. */
export async function findSentGaps(log: Log, stream: string): Promise<Gap[]> {
  const tables = log.tables.filter((table) => table.rows > 1 && table.stream === stream);
  const gaps = await gapsIn(tables, LEAST_SENT, false);
  return [...gaps, ...(await findReboots(log, stream))];
}

/** During a pause of one table the others count. */
async function gapsIn(tables: readonly RecordTable[], least: number, hasReboots: boolean): Promise<Gap[]> {
  const pulse = await pulseOf(tables, least);
  if (!pulse) return [];
  const others = tables.filter((table) => table !== pulse);
  const times = await pulse.times();
  const usual = usualInterval(times);
  const found: Gap[] = [];
  for (let row = 1, before = 0; row < times.length && found.length < ANSWER_LIMITS.gaps; row++) {
    if (isStray(times, before, row)) continue;
    const [start, end] = [times[before], times[row]];
    if (hasReboots && end < start - REBOOT) found.push({ kind: 'reboot', start, end, table: pulse.name });
    else if (end - start > Math.max(least, TIMES * usual)) {
      const gap = await widest(others, [start, end], pulse.offsets.at(before), pulse.offsets.at(row));
      if (gap[1] - gap[0] > least) found.push({ kind: 'gap', start: gap[0], end: gap[1], table: pulse.name });
    }
    before = row;
  }
  return found;
}

/** A single time that is out of the line of those around it is damage, or none at all. */
function isStray(times: Float64Array, before: number, row: number): boolean {
  const [last, here, next] = [times[before], times[row], times[row + 1]];
  return Number.isNaN(here) || (next >= last && (here > next + REBOOT || here < last - REBOOT));
}

/** The table with fewest rows of those that have some many times in every gap that would count; else that with most. */
async function pulseOf(tables: readonly RecordTable[], least: number): Promise<RecordTable | undefined> {
  const sorted = tables.toSorted((a, b) => a.rows - b.rows);
  const most = sorted.at(-1);
  if (!most || most.rows < FEW) return most;
  const [start] = await most.times({ to: 1 });
  const end = await most.timeAt(most.rows - 1);
  const wanted = Math.max(most.rows / 64, (Math.abs(end - start) / least) * OFTEN);
  return sorted.find(({ rows }) => rows >= wanted) ?? most;
}

/** The widest part of a gap in which no other table has a record either. */
async function widest(
  tables: readonly RecordTable[],
  [start, end]: readonly [number, number],
  from: number,
  to: number,
): Promise<[number, number]> {
  const times = [start, end];
  for (const table of tables) {
    const rows = { from: table.offsets.rowFrom(from), to: table.offsets.rowFrom(to) };
    if (rows.from >= rows.to) continue;
    for (const time of await table.times(rows)) if (time > start && time < end) times.push(time);
  }
  times.sort((a, b) => a - b);
  let best: [number, number] = [start, start];
  for (let i = 1; i < times.length; i++) {
    if (times[i] - times[i - 1] > best[1] - best[0]) best = [times[i - 1], times[i]];
  }
  return best;
}

/** What the messages of one vehicle say of its time since boot, in the order of the log. */
class BootLine {
  private readonly places: { readonly table: RecordTable; readonly row: number }[] = [];
  private readonly times: number[] = [];
  private readonly boots: number[] = [];
  /** Whether times are independent of the time since boot. */
  private readonly isTimed: boolean;

  constructor(isTimed: boolean) {
    this.isTimed = isTimed;
  }

  add(table: RecordTable, row: number, time: number, boot: number): void {
    if (!(boot > 0 && boot < DATES)) return;
    this.places.push({ table, row });
    this.times.push(time);
    this.boots.push(boot);
  }

  /** Rows at which the vehicle counts from its boot again. */
  *reboots(): Generator<number> {
    const { boots } = this;
    for (let row = 1; row < boots.length; row++) {
      const isBack = boots[row] < boots[row - 1] - LATE && boots[row - 1] < WRAP;
      // two vehicles that call themselves alike take turns: each of them goes on, and neither is new
      if (isBack && !this.isOnLine(row - 1, row, 1) && !this.isOnLine(row, row - 1, -1)) yield row;
    }
  }

  /** Whether one of the rows around another, before or after it, was sent by the vehicle that sent a row. */
  private isOnLine(row: number, other: number, step: 1 | -1): boolean {
    const { times, boots } = this;
    for (let next = other + step; next >= 0 && next < boots.length; next += step) {
      const isNear = Math.abs(next - other) <= AROUND || Math.abs(times[next] - times[other]) < AROUND_MICROS;
      if (!isNear) return false;
      const isSame = this.isTimed
        ? Math.abs(times[next] - boots[next] - times[row] + boots[row]) < LATE
        : (boots[next] - boots[next - step]) * step > LATE;
      if (isSame) return true;
    }
    return false;
  }

  /** The reboot that a row shows: what came after the boot time, before any time since boot, is of the new run. */
  async rebootAt(row: number, tables: readonly RecordTable[]): Promise<Gap> {
    const { times, boots, places } = this;
    const [before, after] = [places[row - 1], places[row]];
    let booted = times[row] - boots[row];
    for (let next = row + 1; next <= row + AROUND && boots[next] > boots[next - 1]; next++)
      booted = Math.min(booted, times[next] - boots[next]);
    const start = Math.max(booted, times[row - 1]);
    let end = times[row];
    for (const table of this.isTimed ? tables : []) {
      const from = table.offsets.rowFrom(before.table.offsets.at(before.row) + 1);
      const to = table.offsets.rowFrom(after.table.offsets.at(after.row));
      for (const time of from < to ? await table.times({ from, to }) : []) if (time > start && time < end) end = time;
    }
    return { kind: 'reboot', start: times[row - 1], end, table: after.table.name };
  }
}

/** Where a vehicle counts from its boot again, while the clock of what recorded it went on. */
async function findReboots(log: Log, stream: string): Promise<Gap[]> {
  const tables: RecordTable[] = [];
  const read: { readonly times: Float64Array; readonly boots: Float64Array }[] = [];
  for (const name of [...BOOT_TABLES, 'TIMESYNC']) {
    const table = log.table(name, stream);
    if (!table?.field(name === 'TIMESYNC' ? 'ts1' : 'time_boot_ms')) continue;
    tables.push(table);
    read.push(await bootTimes(table));
  }
  const line = new BootLine(log.clock.kind !== 'boot');
  for (const { table, index, row } of inOrder(tables))
    line.add(table, row, read[index].times[row], read[index].boots[row]);
  const sent = log.tables.filter((table) => table.stream === stream);
  const found: Gap[] = [];
  for (const row of line.reboots()) {
    if (found.length >= ANSWER_LIMITS.gaps) break;
    found.push(await line.rebootAt(row, sent));
  }
  return found;
}

/** The times of rows, and the times since boot that they say, in microseconds. */
async function bootTimes(table: RecordTable): Promise<{ times: Float64Array; boots: Float64Array }> {
  if (table.name !== 'TIMESYNC') {
    const { times, columns } = await table.timedColumns(['time_boot_ms']);
    return { times, boots: Float64Array.from(columns[0].numbers(), (each) => each * 1000) };
  }
  // an answer has the vehicle's time in tc1, and the asker's in ts1
  const { times, columns } = await table.timedColumns(['tc1', 'ts1']);
  const [answered, asked] = columns.map((column) => column.numbers());
  return { times, boots: Float64Array.from(asked, (each, row) => (answered[row] || each) / 1000) };
}
