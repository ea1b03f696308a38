import { COMMON_UNITS, type UnitTable, unitTable } from '../../src/entry/pages.ts';

/** How values are shown: in degrees, volts and metres, as the log has them, in SI units, or as pilots read them. */
export const UNIT_SYSTEMS = ['usual', 'log', 'si', 'aviation'] as const;
export type UnitSystem = (typeof UNIT_SYSTEMS)[number];

interface Conversion {
  /** Shown value = value * factor. */
  readonly factor: number;
  readonly unit: string;
}

const KNOT = 1852 / 3600;
const FOOT = 0.3048;
const GRAVITY = 9.80665;
const DEGREE = Math.PI / 180;

/** Units of logs that are a multiple of another that people read. */
const TO_SI: UnitTable = new Map([
  ...COMMON_UNITS,
  ...unitTable({
    'm/s/s': 'cm/s/s=1e-2',
    'deg/s': 'cdeg/s=1e-2',
    deg: 'ddeg=1e-1',
    V: 'dV=1e-1',
    A: 'dA=1e-1',
    s: 'µs=1e-6',
  }),
  ...['kn', 'knots'].map((name) => [name, [KNOT, 'm/s']] as const),
  ['km/h', [1 / 3.6, 'm/s']],
]);

/** Units that people read as they are: pulses in µs, pressure in hPa, speed in knots. */
const READABLE: ReadonlySet<string> = new Set(['km/h', 'kn', 'knots', 'hPa', 'ms', 'us', 'µs', 'ns']);

/** DataFlash logs have special units for directions and places. */
const DEGREES: ReadonlySet<string> = new Set(['degheading', 'deglatitude', 'deglongitude']);

const TO_AVIATION: ReadonlyMap<string, Conversion> = new Map([
  ['m', { factor: 1 / FOOT, unit: 'ft' }],
  ['m/s', { factor: 1 / KNOT, unit: 'kt' }],
  ['m/s/s', { factor: 1 / GRAVITY, unit: 'g' }],
  ['rad', { factor: 1 / DEGREE, unit: 'deg' }],
  ['rad/s', { factor: 1 / DEGREE, unit: 'deg/s' }],
  ['Pa', { factor: 1e-2, unit: 'hPa' }],
]);

/** Climb rates of all firmwares: pilots read these by the minute. */
const CLIMB = /climb|^d?c_?rt$|^crate$|^vz$|vert.*speed|^vspd$/i;
const FEET_A_MINUTE: Conversion = { factor: 60 / FOOT, unit: 'ft/min' };

/** What to do with the values of a field of this unit; `field` is its name. */
export function conversionOf(unit: string, field: string, system: UnitSystem): Conversion {
  const same = { factor: 1, unit };
  if (system === 'log') return same;
  if (DEGREES.has(unit)) return { factor: 1, unit: 'deg' };
  if (system === 'usual' && READABLE.has(unit)) return same;
  const [factor, plain] = TO_SI.get(unit) ?? [1, unit];
  const si = { factor, unit: plain };
  if (system === 'si') return si;
  const degrees = si.unit.startsWith('rad') ? TO_AVIATION.get(si.unit) : undefined;
  if (system === 'usual') return degrees ? { factor: si.factor * degrees.factor, unit: degrees.unit } : si;
  const next = si.unit === 'm/s' && CLIMB.test(field) ? FEET_A_MINUTE : TO_AVIATION.get(si.unit);
  return next ? { factor: si.factor * next.factor, unit: next.unit } : si;
}
