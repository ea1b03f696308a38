import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { type BatteryField, CHARGE, ENERGY, OLD_CURR, REMAINING, VOLTS } from '../series/quantities.ts';
import { Series } from '../series/series.ts';
import type { Stretch } from './stretch.ts';

/** What a flight took from the battery; null where the log does not tell. */
export interface BatteryUse {
  /** Volts at the beginning and at the end. */
  readonly startVolts: number | null;
  readonly endVolts: number | null;
  readonly leastVolts: number | null;
  /** Milliampere hours, watt hours and percent that were used. */
  readonly milliampHours: number | null;
  readonly wattHours: number | null;
  readonly percent: number | null;
}

/** Where a log tells of its battery; read once for all flights. */
export interface BatteryLog {
  readonly volts: Series | undefined;
  /** Milliampere hours, watt hours since boot, and percent that remain. */
  readonly charge: Series | undefined;
  readonly energy: Series | undefined;
  readonly remaining: Series | undefined;
}

const NOTHING: BatteryLog = { volts: undefined, charge: undefined, energy: undefined, remaining: undefined };

export async function readBattery(log: Log, stream: string | undefined): Promise<BatteryLog> {
  // without any time in a log each kind of record counts by itself, and what happened at once cannot be told
  if (log.clock.kind === 'gps-interpolated' && !log.table('GPS')?.rows) return NOTHING;
  const read = (places: readonly BatteryField[]): Promise<Series | undefined> => readCourse(log, stream, places);
  return {
    volts: await read(VOLTS),
    charge: await read(CHARGE),
    energy: await read(ENERGY),
    remaining: await read(REMAINING),
  };
}

async function readCourse(
  log: Log,
  stream: string | undefined,
  places: readonly BatteryField[],
): Promise<Series | undefined> {
  for (const [name, field, factor] of places) {
    const table = log.tablesNamed(name).find((each) => isFirst(each, stream) && each.field(field));
    if (!table) continue;
    const isOld = name === 'CURR' && field === 'Volt' && OLD_CURR.some((each) => table.field(each));
    const { times, columns } = await table.timedColumns([field]);
    const values = columns[0].numbers();
    const others = await otherBatteries(table);
    for (let i = 0; i < values.length; i++) {
      values[i] = others?.[i] ? Number.NaN : isOld ? values[i] / 100 : values[i] * factor;
    }
    // a monitor that is not there says 0 all the time
    if (values.some((each) => each !== 0 && !Number.isNaN(each))) return new Series(times, values);
  }
  return undefined;
}

/** Which rows of BATTERY_STATUS are about another battery than that of the lowest number. */
async function otherBatteries(table: Table): Promise<Uint8Array | undefined> {
  if (table.name !== 'BATTERY_STATUS' || !table.field('id')) return undefined;
  const ids = (await table.column('id')).numbers();
  const lowest = ids.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  return Uint8Array.from(ids, (id) => (id === lowest ? 0 : 1));
}

/** The first battery of the vehicle. */
function isFirst({ rows, stream: own }: Table, stream: string | undefined): boolean {
  if (rows === 0) return false;
  return stream === undefined ? own === '' || own === '0' : own === stream || own === `${stream}:0`;
}

export function batteryUse({ volts, charge, energy, remaining }: BatteryLog, flight: Stretch): BatteryUse | null {
  const voltage = volts && outer(volts, flight);
  const use = {
    startVolts: voltage?.first ?? null,
    endVolts: voltage?.last ?? null,
    leastVolts: voltage?.least ?? null,
    milliampHours: used(charge, flight, 1),
    wattHours: used(energy, flight, 1),
    percent: used(remaining, flight, -1),
  };
  return Object.values(use).every((each) => each === null) ? null : use;
}

interface Outer {
  readonly first: number;
  readonly last: number;
  readonly least: number;
}

function outer(course: Series, { start, end }: Stretch): Outer | undefined {
  let [first, last, least] = [Number.NaN, Number.NaN, Number.POSITIVE_INFINITY];
  course.each(start, end, (value) => {
    if (Number.isNaN(first)) first = value;
    last = value;
    least = Math.min(least, value);
  });
  return Number.isNaN(first) ? undefined : { first, last, least };
}

function used(course: Series | undefined, flight: Stretch, sign: 1 | -1): number | null {
  const ends = course && outer(course, flight);
  const use = ends ? sign * (ends.last - ends.first) : Number.NaN;
  // a counter that went back was reset
  return use >= 0 ? use : null;
}
