import { performance } from 'node:perf_hooks';

/** How far the fine clock may be off before the coarse one is believed: the system's time was set. */
const OFF = 20;
/** Milliseconds between two looks whether it was. */
const LOOK = 10;

/** It never changes, and to ask for it costs more than the time itself. */
const ORIGIN: number = performance.timeOrigin;

/** A clock for what is asked tens of thousands of times a second. Its calls give what `systemMicros` does. */
export function wallClock(): () => number {
  let lookAt = 0;
  let isSet = false;
  return () => {
    const fine = performance.now();
    if (fine >= lookAt) {
      lookAt = fine + LOOK;
      isSet = Math.abs(ORIGIN + fine - Date.now()) >= OFF;
    }
    return isSet ? Date.now() * 1000 : Math.round((ORIGIN + fine) * 1000);
  };
}

/** Microseconds since 1970. Finer than the milliseconds that a date has, and right again when the clock is set. */
export function systemMicros(): number {
  return wallClock()();
}
