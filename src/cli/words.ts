/*
 * Numbers as people read them. The same on every machine, whatever its language is set to.
 */

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
  const seconds = micros / 1e6;
  if (Math.abs(seconds) < 1e-3) return `${Math.round(micros)} µs`;
  if (Math.abs(seconds) < 1) return `${(micros / 1e3).toFixed(1)} ms`;
  if (Math.abs(seconds) < 59.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${(seconds % 60).toFixed(1)} s`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} min`;
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
