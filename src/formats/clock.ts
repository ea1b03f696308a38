import { type Clock, NO_CLOCK } from '../core/clock.ts';
import type { Decoder } from '../core/decoder.ts';
import type { FaultList } from '../core/fault.ts';
import type { Table } from '../core/table.ts';
import type { ClockOptions as LeapOptions } from './dataflash/clock.ts';
import type { NmeaClockOptions } from './nmea/clock.ts';

export type ClockOptions = LeapOptions & NmeaClockOptions;

/**
 * The clock of a log of any format; only what that format needs is loaded.
 * @param decoder what read the log: a container says when each record came
 * @param faults of a log that is whole: times that are not believed are added to them; without them all are
 */
export async function findClock(
  format: string,
  tables: readonly Table[],
  options: ClockOptions,
  decoder?: Pick<Decoder, 'timeOf' | 'capture' | 'isSteady'>,
  faults?: FaultList,
): Promise<Clock> {
  if (decoder?.timeOf) {
    const { captureClock } = await import('./pcap/clock.ts');
    const first = decoder.capture?.().start ?? Number.NaN;
    return captureClock(tables, decoder.timeOf.bind(decoder), first, decoder.isSteady?.() ? undefined : faults);
  }
  if (format.startsWith('dataflash')) {
    const { dataflashClock } = await import('./dataflash/clock.ts');
    return dataflashClock(tables, options, faults, decoder?.isSteady?.());
  }
  if (format === 'tlog') return (await import('./mavlink/clock.ts')).tlogClock(tables, faults);
  if (format === 'mavlink') return (await import('./mavlink/clock.ts')).mavlinkClock(tables, faults);
  if (format === 'nmea') return (await import('./nmea/clock.ts')).nmeaClock(tables, options, faults);
  if (format === 'mixed') return (await import('./mixed/clock.ts')).mixedClock(tables, options, faults);
  if (format === 'xbus') return (await import('./xbus/clock.ts')).xbusClock(tables);
  if (format === 'ubx' || format === 'rtcm')
    return { ...NO_CLOCK, source: 'times in UBX and RTCM messages are not decoded yet' };
  return NO_CLOCK;
}
