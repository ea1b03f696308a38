/** What one of each unit is worth, for those that are not plain already: https://mavlink.io/en/guide/xml_schema.html */
const UNITS: Readonly<Record<string, readonly [factor: number, unit: string]>> = {
  degE7: [1e-7, 'deg'],
  degE5: [1e-5, 'deg'],
  cdeg: [1e-2, 'deg'],
  'deg/2': [2, 'deg'],
  'ddeg/s': [1e-1, 'deg/s'],
  'mrad/s': [1e-3, 'rad/s'],
  mm: [1e-3, 'm'],
  cm: [1e-2, 'm'],
  dm: [1e-1, 'm'],
  dam: [10, 'm'],
  'cm^2': [1e-4, 'm^2'],
  'cm^3': [1e-6, 'm^3'],
  'mm/s': [1e-3, 'm/s'],
  'cm/s': [1e-2, 'm/s'],
  'dm/s': [1e-1, 'm/s'],
  'm/s*5': [1 / 5, 'm/s'],
  mG: [9.80665e-3, 'm/s/s'],
  ns: [1e-9, 's'],
  us: [1e-6, 's'],
  ms: [1e-3, 's'],
  cs: [1e-2, 's'],
  ds: [1e-1, 's'],
  MHz: [1e6, 'Hz'],
  cdegC: [1e-2, 'degC'],
  mV: [1e-3, 'V'],
  cV: [1e-2, 'V'],
  mA: [1e-3, 'A'],
  cA: [1e-2, 'A'],
  mAh: [1e-3, 'Ah'],
  hJ: [100, 'J'],
  hPa: [100, 'Pa'],
  kPa: [1000, 'Pa'],
  mbar: [100, 'Pa'],
  mgauss: [1e-3, 'gauss'],
  g: [1e-3, 'kg'],
  'c%': [1e-2, '%'],
  'd%': [1e-1, '%'],
  dpix: [1e-1, 'pix'],
};

/** The SI value of a field is its number times the multiplier; undefined where the number is all there is to say. */
export interface SiUnit {
  readonly multiplier: number | undefined;
  readonly siUnit: string;
}

/** @param multiplier what the definition itself says, which it does where the unit does not */
export function siOf(unit: string, multiplier: number | undefined): SiUnit {
  if (multiplier !== undefined) return { multiplier, siUnit: unit };
  const known = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  return known ? { multiplier: known[0], siUnit: known[1] } : { multiplier: undefined, siUnit: unit };
}
