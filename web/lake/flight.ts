import type { Box } from '../map/geometry.ts';
import { clockText } from '../shared/format.ts';

/** A flight as the server lists it, or a log that has none. Times are microseconds, lengths seconds and metres. */
export interface Flight {
  /** The log and the number of the flight, which is 0 for a log without one. */
  readonly id: string;
  readonly log: string;
  readonly flight: number;
  readonly vehicle: string;
  readonly kind: string | null;
  readonly firmware: string;
  readonly format: string;
  readonly path: string;
  readonly name: string;
  readonly utc: boolean;
  readonly logStart: number | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly inAir: number | null;
  readonly distance: number | null;
  readonly maxHeight: number | null;
  readonly modes: readonly { readonly mode: string; readonly seconds: number | null }[];
  readonly milliampHours: number | null;
  readonly percent: number | null;
  readonly startVolts: number | null;
  readonly endVolts: number | null;
  readonly lost: boolean;
  /** Whether it is the one that counts of those that several logs hold. */
  readonly once: boolean;
  readonly findings: readonly Finding[];
  readonly box: Box | null;
  /** Whether there is a file where the log came from. */
  readonly isThere: boolean;
}

interface Finding {
  readonly check: string;
  readonly severity: string;
  readonly title: string;
}

/** Seconds from its start to its end. */
export function durationOf({ start, end }: Flight): number | null {
  return start === null || end === null ? null : (end - start) / 1e6;
}

/** yyyy-mm-dd; '' where the log never learned UTC. */
export function dayOf({ utc, start }: Flight): string {
  const date = new Date((start ?? Number.NaN) / 1000);
  return utc && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 10) : '';
}

/** The time of day in UTC; since boot where the log never learned it. */
export function timeOf(flight: Flight): string {
  const { utc, start } = flight;
  if (start === null) return '–';
  if (!utc) return `+${clockText(start / 1e6, 0)}`;
  const date = new Date(start / 1000);
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(11, 19);
}

/** Room beside a flight that the Log page shows, as a part of it. */
const ROOM = 0.03;

/** The Log page with the log of a flight, showing that flight. */
export function logAddress(flight: Flight): string {
  const page = `./?lake=${encodeURIComponent(flight.log)}`;
  const { start, end, logStart } = flight;
  if (flight.flight === 0 || start === null || end === null || logStart === null) return page;
  const room = (end - start) * ROOM;
  const seconds = [start - room, end + room].map((time) => ((time - logStart) / 1e6).toFixed(3));
  return `${page}#window=${seconds.join(',')}`;
}

export function countOf(flight: Flight, severity: string): number {
  return flight.findings.filter((finding) => finding.severity === severity).length;
}

/** Charge that was used: in milliampere-hours, else in percent. */
export function batteryText({ milliampHours, percent }: Flight): string {
  if (milliampHours !== null) return `${milliampHours.toFixed(0)} mAh`;
  return percent === null ? '–' : `${percent.toFixed(0)} %`;
}

export function metres(value: number | null): string {
  if (value === null) return '–';
  const size = Math.abs(value);
  const text = size >= 9950 ? `${(value / 1000).toFixed(1)} km` : `${value.toFixed(size < 9.95 ? 1 : 0)} m`;
  return text.replace('-', '−');
}
