/** How a number is shown that is sent in another unit. */
export interface ShownUnit {
  readonly factor: number;
  readonly unit: string;
  /** Decimals that were sent; undefined if the number itself says it. */
  readonly digits: number | undefined;
}

const DEGREES = 180 / Math.PI;
const AS_SENT: ShownUnit = { factor: 1, unit: '', digits: undefined };

/** Units of MAVLink, https://mavlink.io/en/guide/xml_schema.html, that people think of in others. */
const UNITS: Readonly<Record<string, readonly [factor: number, unit: string, digits?: number]>> = {
  rad: [DEGREES, '°', 2],
  'rad/s': [DEGREES, '°/s', 2],
  'mrad/s': [DEGREES / 1000, '°/s', 2],
  deg: [1, '°'],
  'deg/s': [1, '°/s'],
  ddeg: [0.1, '°', 1],
  cdeg: [0.01, '°', 2],
  'cdeg/s': [0.01, '°/s', 2],
  degE5: [1e-5, '°', 5],
  degE7: [1e-7, '°', 7],
  mm: [1e-3, 'm', 3],
  cm: [0.01, 'm', 2],
  dm: [0.1, 'm', 1],
  'mm/s': [1e-3, 'm/s', 3],
  'cm/s': [0.01, 'm/s', 2],
  'dm/s': [0.1, 'm/s', 1],
  'm/s/s': [1, 'm/s²'],
  'm/s*5': [0.2, 'm/s', 1],
  mV: [1e-3, 'V', 3],
  cV: [0.01, 'V', 2],
  mA: [1e-3, 'A', 3],
  cA: [0.01, 'A', 2],
  dA: [0.1, 'A', 1],
  'd%': [0.1, '%', 1],
  'c%': [0.01, '%', 2],
  degC: [1, '°C'],
  cdegC: [0.01, '°C', 2],
  hJ: [0.1, 'kJ', 1],
};

/** Fields without a unit that hold a hundredth of what they mean. */
const HUNDREDTHS = /^(GPS_RAW_INT|GPS2_RAW)\.ep[hv]$/;

/** @param unit as the definition of the message says; undefined while it is not known */
export function shownUnit(message: string, field: string, unit: string | undefined): ShownUnit {
  if (HUNDREDTHS.test(`${message}.${field}`)) return { factor: 0.01, unit: '', digits: 2 };
  if (unit === undefined) return AS_SENT;
  const known = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  return known ? { factor: known[0], unit: known[1], digits: known[2] } : { factor: 1, unit, digits: undefined };
}
