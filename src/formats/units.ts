import { pairs } from '../core/text.ts';

/** Units that are multiples of another one: the factor, and that unit. */
export type UnitTable = ReadonlyMap<string, readonly [factor: number, unit: string]>;

/** A table of units. @param parts by the unit that they are parts of: `mm=1e-3 cm=1e-2` */
export function unitTable(parts: Readonly<Record<string, string>>): UnitTable {
  return new Map(
    Object.entries(parts).flatMap(([unit, text]) =>
      pairs(text).map(([part, factor]) => [part, [Number(factor), unit]] as const),
    ),
  );
}

/** Units of logs and messages that all readers turn into the plain one. */
export const COMMON_UNITS: UnitTable = unitTable({
  deg: 'degE7=1e-7 degE5=1e-5 cdeg=1e-2',
  'rad/s': 'mrad/s=1e-3',
  m: 'mm=1e-3 cm=1e-2 dm=1e-1',
  'm/s': 'mm/s=1e-3 cm/s=1e-2 dm/s=1e-1 m/s*5=0.2',
  'm/s/s': 'mG=9.80665e-3',
  s: 'ns=1e-9 us=1e-6 ms=1e-3',
  degC: 'cdegC=1e-2',
  V: 'mV=1e-3 cV=1e-2',
  A: 'mA=1e-3 cA=1e-2',
  J: 'hJ=100',
  Pa: 'hPa=100',
  '%': 'c%=1e-2 d%=1e-1',
});
