import type { EventSeverity } from './event.ts';

/*
 * The numbers by which ArduPilot logs what happens, in words. They were never given a second meaning, so that one list
 * serves logs of all ages. https://ardupilot.org/copter/docs/logmessages.html
 */

type Words = readonly [text: string, severity?: EventSeverity];

/** EV.Id. */
const EVENTS: Readonly<Record<number, Words>> = {
  7: ['autopilot state'],
  8: ['system time set by GPS'],
  9: ['simple mode bearing set'],
  10: ['armed', 'notice'],
  11: ['disarmed', 'notice'],
  12: ['failsafe on', 'error'],
  13: ['failsafe off', 'notice'],
  14: ['low battery', 'warning'],
  15: ['throttle raised after arming'],
  16: ['took off', 'notice'],
  17: ['maybe landed'],
  18: ['landed', 'notice'],
  19: ['GPS lost', 'error'],
  20: ['compass lost', 'error'],
  21: ['flip started'],
  22: ['flip ended'],
  23: ['flip exited'],
  25: ['home set'],
  26: ['simple mode on'],
  27: ['simple mode off'],
  28: ['no longer landed', 'notice'],
  29: ['super simple mode on'],
  30: ['autotune initialised'],
  31: ['autotune off'],
  32: ['autotune restarted'],
  33: ['autotune succeeded', 'notice'],
  34: ['autotune failed', 'warning'],
  35: ['autotune reached a limit', 'warning'],
  36: ['autotune: pilot tests gains'],
  37: ['autotune gains saved', 'notice'],
  38: ['trim saved', 'notice'],
  39: ['waypoint saved'],
  41: ['fence enabled'],
  42: ['fence disabled'],
  43: ['acro trainer off'],
  44: ['acro trainer: leveling'],
  45: ['acro trainer: leveling and limits'],
  46: ['gripper closed'],
  47: ['gripper released'],
  49: ['parachute disabled'],
  50: ['parachute enabled'],
  51: ['parachute released', 'error'],
  52: ['landing gear deployed'],
  53: ['landing gear retracted'],
  54: ['motor emergency stop', 'error'],
  55: ['motor emergency stop cleared', 'notice'],
  56: ['motor interlock off'],
  57: ['motor interlock on'],
  58: ['rotor at speed'],
  59: ['rotor below critical speed', 'warning'],
  60: ['EKF height reset', 'notice'],
  61: ['landing cancelled by the pilot', 'notice'],
  62: ['EKF yaw reset', 'notice'],
  63: ['aircraft avoidance on'],
  64: ['aircraft avoidance off'],
  65: ['obstacle avoidance on'],
  66: ['obstacle avoidance off'],
  67: ['primary GPS changed', 'notice'],
  71: ['zigzag point A stored'],
  72: ['zigzag point B stored'],
  73: ['pilot repositions the landing', 'notice'],
  74: ['standby on', 'notice'],
  75: ['standby off', 'notice'],
  76: ['maximum altitude fence on'],
  77: ['maximum altitude fence off'],
  78: ['circle fence on'],
  79: ['circle fence off'],
  80: ['minimum altitude fence on'],
  81: ['minimum altitude fence off'],
  82: ['polygon fence on'],
  83: ['polygon fence off'],
  85: ['EKF sources: set 1', 'notice'],
  86: ['EKF sources: set 2', 'notice'],
  87: ['EKF sources: set 3', 'notice'],
  90: ['primary airspeed sensor changed', 'notice'],
  163: ['surfaced'],
  164: ['left the surface'],
  165: ['at the bottom'],
  166: ['left the bottom'],
};

/** What an EV record says; a number that is not known stays visible as it is. */
export function eventWords(id: number): { readonly text: string; readonly severity: EventSeverity } {
  const [text, severity = 'info'] = EVENTS[id] ?? [`event ${id}`];
  return { text, severity };
}

/** MODE.Rsn: why a mode was entered, and whether that is a failsafe. */
const REASONS: readonly string[] = [
  'for an unknown reason',
  'by the remote control',
  'by the ground station',
  'by the radio failsafe',
  'by the battery failsafe',
  'by the ground station failsafe',
  'by the EKF failsafe',
  'by a GPS glitch',
  'at the end of the mission',
  'by throttle during landing',
  'by a fence breach',
  'by the terrain failsafe',
  'after braking long enough',
  'after the flip',
  'by avoidance',
  'after avoidance',
  'after the throw',
  'by termination',
  'by toy mode',
  'by the crash check',
  'by soaring with the motor on',
  'by a thermal',
  'by a thermal that ended',
  'by a failed VTOL transition',
  'by a failed VTOL take-off',
  'by a failsafe',
  'at initialisation',
  'at the surface',
  'by a bad depth',
  'by the leak failsafe',
  'by a servo test',
  'at start-up',
  'by a script',
  'because the requested mode was not available',
  'by the start of autorotation',
  'by the end of autorotation',
  'by soaring too high',
  'by soaring too low',
  'by soaring too far away',
  'after RTL, to land as VTOL',
  'after RTL, to land as a plane',
  'by a command of the mission',
  'by a FrSky command',
  'after a fence breach',
  'instead of RTL (QRTL)',
  'at the end of AUTO_RTL',
  'at the height of QLAND',
  'for VTOL loiter',
  'after the radio failsafe',
  'instead of RTL (QLAND)',
  'by the dead reckoning failsafe',
  'by a failsafe during take-off',
  'by a DDS command',
  'by an auxiliary switch',
  'by the landing as a plane',
  'because the fence was enabled again',
];
const FAILSAFE_REASONS: ReadonlySet<number> = new Set([3, 4, 5, 6, 7, 10, 11, 17, 19, 23, 24, 25, 28, 29, 50, 51]);

export function reasonWords(reason: number): { readonly text: string; readonly severity: EventSeverity } {
  const severity = FAILSAFE_REASONS.has(reason) ? 'warning' : 'notice';
  return { text: REASONS[reason] ?? `for reason ${reason}`, severity };
}

/** ARM.Method: the source of arming or disarming. */
const METHODS: Readonly<Record<number, string>> = {
  0: 'by the rudder',
  1: 'by MAVLink',
  2: 'by an auxiliary switch',
  3: 'for a motor test',
  4: 'by a script',
  5: 'by termination',
  6: 'by the CPU failsafe',
  7: 'by the battery failsafe',
  9: 'by the advanced failsafe',
  11: 'by the parachute',
  12: 'after a crash',
  13: 'after landing',
  14: 'at the end of the mission',
  15: 'by a fence breach',
  16: 'by the radio failsafe',
  17: 'by the disarm timer',
  18: 'by the ground station failsafe',
  20: 'by a terminating failsafe',
  21: 'by the terrain failsafe',
  24: 'by the EKF failsafe',
  27: 'by the take-off timeout',
  28: 'after an automatic landing',
  32: 'by landing',
  33: 'by the dead reckoning failsafe',
  34: 'by the black box',
  35: 'by DDS',
  37: 'for turtle mode',
};

export function methodWords(method: number): string {
  return METHODS[method] ?? (method === 100 ? '' : `by method ${method}`);
}

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
    name: 'aircraft avoidance failsafe',
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
const FENCES: readonly string[] = ['maximum altitude', 'circle', 'polygon', 'minimum altitude'];
const UNHEALTHY = 4;

/** What an ERR record means. */
interface ErrorMeaning {
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
