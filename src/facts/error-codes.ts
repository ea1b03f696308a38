import type { EventSeverity } from './event.ts';

/*
 * ERR records of ArduPilot: a subsystem, and a code that is 0 for most of them once the error is over.
 * https://ardupilot.org/copter/docs/common-logs.html
 */

interface Subsystem {
  readonly name: string;
  readonly isFailsafe?: boolean;
  readonly severity?: EventSeverity;
  /** What its codes mean, where that is not that it failed. */
  readonly codes?: Readonly<Record<number, string>>;
  /** Whether its codes are points in time that nothing clears. */
  readonly isPoint?: boolean;
}

const SUBSYSTEMS: Readonly<Record<number, Subsystem>> = {
  1: { name: 'main loop', codes: { 1: 'delayed by the inertial sensors' } },
  2: { name: 'radio', codes: { 2: 'late frame' } },
  3: { name: 'compass' },
  4: { name: 'optical flow' },
  5: { name: 'radio failsafe', isFailsafe: true },
  6: { name: 'battery failsafe', isFailsafe: true },
  7: { name: 'GPS failsafe', isFailsafe: true },
  8: { name: 'ground station failsafe', isFailsafe: true },
  9: { name: 'fence failsafe', isFailsafe: true },
  10: { name: 'flight mode', isPoint: true, severity: 'warning' },
  11: { name: 'GPS', codes: { 2: 'glitch' } },
  12: { name: 'crash check', isPoint: true, codes: { 1: 'crash', 2: 'loss of control' } },
  13: { name: 'flip', isPoint: true, severity: 'warning', codes: { 2: 'abandoned' } },
  14: { name: 'autotune', severity: 'warning' },
  15: {
    name: 'parachute',
    isPoint: true,
    severity: 'warning',
    codes: { 2: 'not deployed, too low', 3: 'not deployed, landed' },
  },
  16: { name: 'EKF check', codes: { 2: 'bad variance' } },
  17: { name: 'EKF failsafe', isFailsafe: true },
  18: { name: 'barometer', codes: { 2: 'glitch', 3: 'bad depth' } },
  19: { name: 'CPU' },
  20: {
    name: 'failsafe by other aircraft',
    isFailsafe: true,
    severity: 'warning',
    codes: { 1: 'report only', 2: 'climb or descend', 3: 'move sideways', 4: 'move across', 5: 'return' },
  },
  21: { name: 'terrain data', severity: 'warning', codes: { 2: 'missing' } },
  22: {
    name: 'navigation',
    isPoint: true,
    severity: 'warning',
    codes: {
      2: 'destination refused',
      3: 'return restarted',
      4: 'circle refused',
      5: 'destination outside the fence',
      6: 'return without its rangefinder',
    },
  },
  23: { name: 'terrain failsafe', isFailsafe: true },
  24: { name: 'primary EKF', isPoint: true, severity: 'notice' },
  25: { name: 'thrust loss', codes: { 1: 'detected' } },
  26: { name: 'sensors failsafe', isFailsafe: true },
  27: { name: 'leak failsafe', isFailsafe: true },
  28: { name: 'pilot input', isFailsafe: true },
  29: { name: 'vibration failsafe', isFailsafe: true, severity: 'warning', codes: { 1: 'compensation on' } },
  30: { name: 'internal error', isPoint: true },
  31: { name: 'dead reckoning failsafe', isFailsafe: true },
};

const FLIGHT_MODE = 10;
const EKF_PRIMARY = 24;
const FENCE = 9;
const FENCES: readonly string[] = ['greatest height', 'circle', 'polygon', 'least height'];
const UNHEALTHY = 4;

/** What an ERR record means. */
export interface ErrorMeaning {
  readonly kind: 'error' | 'failsafe';
  readonly severity: EventSeverity;
  readonly name: string;
  readonly text: string;
  /** Whether a code of 0 says that it is over; otherwise the record is all there is. */
  readonly isCleared: boolean;
}

/** @param modeName what a number of a mode is called on this vehicle */
export function errorMeaning(subsystem: number, code: number, modeName: (mode: number) => string): ErrorMeaning {
  const known: Subsystem = SUBSYSTEMS[subsystem] ?? { name: `subsystem ${subsystem}` };
  return {
    kind: known.isFailsafe ? 'failsafe' : 'error',
    severity: known.severity ?? 'error',
    name: known.name,
    text: `${known.name}: ${codeWords(subsystem, code, known, modeName)}`,
    isCleared: !known.isPoint,
  };
}

function codeWords(subsystem: number, code: number, known: Subsystem, modeName: (mode: number) => string): string {
  if (subsystem === FLIGHT_MODE) return `${modeName(code)} refused`;
  if (subsystem === EKF_PRIMARY) return `core ${code}`;
  if (subsystem === FENCE) return FENCES.filter((_, bit) => code & (1 << bit)).join(' and ') || `code ${code}`;
  const own = known.codes?.[code];
  if (own !== undefined) return own;
  if (code === UNHEALTHY) return 'unhealthy';
  return code === 1 ? (known.isFailsafe ? 'on' : 'failed') : `code ${code}`;
}
