import type { Clock } from '../core/clock.ts';
import type { Table } from '../core/table.ts';
import { dataflashClock, type ClockOptions as LeapOptions } from './dataflash.ts';
import { mavlinkClock, tlogClock } from './mavlink.ts';
import { mixedClock } from './mixed.ts';
import { type NmeaClockOptions, nmeaClock } from './nmea.ts';
import { captureClock } from './pcap.ts';
import { xbusClock } from './xbus.ts';

export type ClockOptions = LeapOptions & NmeaClockOptions;

/**
 * The clock of a log of any format.
 * @param timeOf when the record at an offset came, where a container says so
 */
export async function findClock(
  format: string,
  tables: readonly Table[],
  options: ClockOptions,
  timeOf?: (offset: number) => number,
): Promise<Clock> {
  if (timeOf) return captureClock(tables, timeOf);
  if (format.startsWith('dataflash')) return dataflashClock(tables, options);
  if (format === 'tlog') return tlogClock(tables);
  if (format === 'mavlink') return mavlinkClock(tables);
  if (format === 'nmea') return nmeaClock(tables, options);
  if (format === 'mixed') return mixedClock(tables, options);
  if (format === 'xbus') return xbusClock(tables);
  return NO_CLOCK;
}

const NO_CLOCK: Clock = {
  kind: 'none',
  utc: false,
  source: 'no record carries a time',
  remarks: [],
  field: () => undefined,
  fromField: () => new Float64Array(0),
  times: async (_table, from, to) => new Float64Array(to - from).fill(Number.NaN),
};
