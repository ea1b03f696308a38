/*
 * Numbers and words as people read and type them. The same on every machine, whatever its language is set to.
 */
import { shortest } from '../core/text.ts';
import type { LogEvent } from '../facts/event.ts';
import type { Flight } from '../facts/flights.ts';
import type { VehicleClass } from '../facts/mode-names.ts';
import type { Track } from '../geo/track.ts';

/** 1234567 -> 1,234,567 */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The number and its noun: 1 record, 2 records. */
export function counted(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Microseconds as 12.3 s, 2 min 13.7 s, 1 h 02 min. */
export function lasting(micros: number): string {
  const size = Math.abs(micros);
  const sign = micros < 0 ? '-' : '';
  if (size < 999.5) return `${sign}${Math.round(size)} µs`;
  if (size < 999_950) return `${sign}${(size / 1e3).toFixed(1)} ms`;
  // rounded before it is divided: 60.0 s are a minute
  const tenths = Math.round(size / 1e5);
  const minutes = Math.floor(tenths / 600);
  const seconds = `${((tenths % 600) / 10).toFixed(1)} s`;
  if (minutes === 0) return sign + seconds;
  if (minutes < 60) return `${sign}${minutes} min ${seconds}`;
  return `${sign}${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** UTC to the millisecond; dates that a calendar cannot hold as they are. */
export function dateOf(micros: number): string {
  const date = new Date(Math.floor(micros / 1000));
  return Number.isNaN(date.getTime())
    ? `${micros / 1e6} s`
    : `${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** Rows a second, to two digits or more. */
export function perSecond(rows: number, micros: number): string {
  if (rows < 2 || !(micros > 0)) return '';
  const rate = (rows - 1) / (micros / 1e6);
  const digits = rate >= 10 ? 0 : rate >= 1 ? 1 : rate >= 0.1 ? 2 : 3;
  return `${rate.toFixed(digits)} Hz`;
}

export function secondsOf(micros: number | null): number | null {
  return micros === null || !Number.isFinite(micros) ? null : Math.round(micros) / 1e6;
}

/** A point in time as people read it: UTC, or seconds where the log does not know it. */
export function momentOf(micros: number, utc: boolean): string {
  if (!Number.isFinite(micros)) return '-';
  return utc ? dateOf(micros).replace(/ UTC$/, '') : `${(micros / 1e6).toFixed(3)} s`;
}

export function eventData(event: LogEvent): Record<string, unknown> {
  return { ...event, time: secondsOf(event.time), end: secondsOf(event.end) };
}

/** A flight as plain data: times in seconds, the events only as their number. */
export function flightData(flight: Flight): Record<string, unknown> {
  return {
    ...flight,
    start: secondsOf(flight.start),
    end: secondsOf(flight.end),
    takeoff: secondsOf(flight.takeoff),
    landing: secondsOf(flight.landing),
    events: flight.events.length,
  };
}

export function flightWords(flight: Flight, utc: boolean, isOneOfMany: boolean, kind: VehicleClass | null): string {
  const { number, stream, start, duration, inAir, distance, maxHeight, maxSpeed, open, begunBefore } = flight;
  const state = kind === 'Rover' || kind === 'Sub' ? 'moving' : 'in flight';
  const words = [`${momentOf(start, utc)} for ${lasting(duration * 1e6)}`, `${lasting(inAir * 1e6)} ${state}`];
  if (distance !== null) words.push(`${rounded(distance)} m`);
  if (maxHeight !== null) words.push(`up to ${maxHeight.toFixed(1)} m high`);
  if (maxSpeed !== null) words.push(`${maxSpeed.toFixed(1)} m/s`);
  if (begunBefore) words.push('begun before the log');
  if (open) words.push('not ended in the log');
  return `${number}: ${isOneOfMany ? `${stream} ` : ''}${words.join(', ')}`;
}

function rounded(metres: number): string {
  return metres < 100 ? metres.toFixed(1) : metres.toFixed(0);
}

/** Whether some records of its source are not in a track, or some altitudes. */
export function isPartial({ points, rows, badAltitudes }: Track): boolean {
  return points < rows || badAltitudes > 0;
}

/** What a track was made of, and what it leaves out. */
export function trackWords({ points, source, rows, dropped, badAltitudes }: Track): string {
  if (source === '') return 'the log has no positions: the track is empty';
  const causes = [
    [dropped.noFix, 'without a fix'],
    [dropped.outOfRange, 'out of range'],
    [dropped.duplicate, 'repeated'],
    [dropped.untimed, 'without a time'],
    [dropped.unreachable, 'where no vehicle can have flown'],
  ].filter(([count]) => count !== 0);
  const left =
    causes.length === 0
      ? ''
      : `, left out ${causes.map(([count, cause]) => `${grouped(Number(count))} ${cause}`).join(', ')}`;
  const altitudes = badAltitudes === 0 ? '' : `; ${counted(badAltitudes, 'altitude')} left out`;
  return `${counted(points, 'point')} of ${counted(rows, 'record')} of ${source}${left}${altitudes}`;
}

/** Lines of columns of equal width; those of numbers are right-aligned. */
export function gridLines(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const widths: number[] = [];
  widen(widths, rows);
  return rows.map((row) => gridLine(row, widths, right));
}

/** Makes columns as wide as their cells. */
export function widen(widths: number[], rows: readonly (readonly string[])[]): void {
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
}

export function gridLine(row: readonly string[], widths: readonly number[], right: ReadonlySet<number>): string {
  const cells = row.map((cell, i) => (right.has(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])));
  return cells.join('  ').trimEnd();
}

/** A list of words; of more than some, how many more there are. */
export function shorten(words: readonly string[], most = 8): string {
  return words.length <= most ? words.join(', ') : `${words.slice(0, most).join(', ')} and ${words.length - most} more`;
}

/** A parameter's value; `-` where a log lacks it. */
export function valueText(value: number | null): string {
  return value === null ? '-' : shortest(value);
}

/** How many differences are not shown, if any. */
export function hiddenWords(count: number): string {
  return count > 0 ? `, ${count} calibrations and counters hidden: see --all` : '';
}

/** What logs call units, as people write them. Labels that are not units are left out. */
const UNITS: Readonly<Record<string, string>> = {
  UNKNOWN: '',
  instance: '',
  satellites: '',
  degheading: 'deg',
  deglatitude: 'deg',
  deglongitude: 'deg',
  degC: '°C',
  degF: '°F',
  us: 'µs',
  'm/s/s': 'm/s²',
  'cm/s/s': 'cm/s²',
  'deg/s/s': 'deg/s²',
  'rad/s/s': 'rad/s²',
  'm/s/s/s': 'm/s³',
  'deg/s/s/s': 'deg/s³',
  'W.h': 'Wh',
  'd%': '0.1 %',
};

export function unitText(unit: string): string {
  return UNITS[unit] ?? unit;
}
