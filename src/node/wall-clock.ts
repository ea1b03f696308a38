import { performance } from 'node:perf_hooks';

/** How far the fine clock may be off before the coarse one is believed: the system's time was set. */
const OFF = 20;

/** It never changes, and to ask for it costs more than the time itself. */
const ORIGIN: number = performance.timeOrigin;

/** Microseconds since 1970. Finer than the milliseconds that a date has, and right again when the clock is set. */
export function systemMicros(): number {
  const coarse = Date.now();
  const fine = ORIGIN + performance.now();
  return Math.abs(fine - coarse) < OFF ? Math.round(fine * 1000) : coarse * 1000;
}
