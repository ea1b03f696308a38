/*
 * Numbers and words as people read and type them. The same on every machine, whatever its language is set to.
 */
export { nearest } from '../core/search.ts';

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
