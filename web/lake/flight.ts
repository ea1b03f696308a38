import type { FlightWire } from '../../src/server/wire.ts';
import { clockText, dateText, fixed } from '../shared/format.ts';

export function durationOf({ start, end }: FlightWire): number | null {
  return start === null || end === null ? null : end - start;
}

/** yyyy-mm-dd; '' where the log never learned UTC. */
export function dayOf({ utc, start }: FlightWire): string {
  const text = dateText((start ?? Number.NaN) * 1e6);
  return utc && text !== '–' ? text.slice(0, 10) : '';
}

/** The time of day in UTC; since boot where the log never learned it. */
export function timeOf(flight: FlightWire): string {
  const { utc, start } = flight;
  if (start === null) return '–';
  if (!utc) return `+${clockText(start, 0)}`;
  return dateText(start * 1e6).slice(11, 19) || '–';
}

/** Room beside a flight that the Log page shows, as a part of it. */
const ROOM = 0.03;

/** The Log page with the log of a flight, showing that flight. */
export function logAddress(flight: FlightWire): string {
  const page = `./?lake=${encodeURIComponent(flight.log)}`;
  const { start, end, logStart } = flight;
  if (flight.flight === 0 || start === null || end === null || logStart === null) return page;
  const room = (end - start) * ROOM;
  const seconds = [start - room, end + room].map((time) => (time - logStart).toFixed(3));
  return `${page}#window=${seconds.join(',')}`;
}

export function countOf(flight: FlightWire, severity: string): number {
  return flight.findings.filter((finding) => finding.severity === severity).length;
}

/** Charge that was used: in milliampere-hours, else in percent. */
export function batteryText({ milliampHours, percent }: FlightWire): string {
  if (milliampHours !== null) return `${milliampHours.toFixed(0)} mAh`;
  return percent === null ? '–' : `${percent.toFixed(0)} %`;
}

export function metres(value: number | null): string {
  if (value === null) return '–';
  const size = Math.abs(value);
  return size >= 9950 ? fixed(value / 1000, 1, 'km') : fixed(value, size < 9.95 ? 1 : 0, 'm');
}
