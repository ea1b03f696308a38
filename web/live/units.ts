import { conversionOf } from '../shared/units.ts';

/** How a number is shown that is sent in another unit. */
export interface ShownUnit {
  readonly factor: number;
  readonly unit: string;
  /** Decimals that were sent; undefined if the number itself says it. */
  readonly digits: number | undefined;
}

/** As they are written beside a number. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['deg', '°'],
  ['deg/s', '°/s'],
  ['degC', '°C'],
  ['m/s/s', 'm/s²'],
]);
/** Decimals of angles that are sent in radians. */
const ANGLE_DIGITS = 2;

/** Fields without a unit that hold a hundredth of what they mean. */
const HUNDREDTHS = /^(GPS_RAW_INT|GPS2_RAW)\.ep[hv]$/;

/** @param sent as the definition of the message says; undefined while it is not known */
export function shownUnit(message: string, field: string, sent: string | undefined): ShownUnit {
  if (HUNDREDTHS.test(`${message}.${field}`)) return { factor: 0.01, unit: '', digits: 2 };
  const { factor, unit } = conversionOf(sent ?? '', field, 'usual');
  return { factor, unit: SIGNS.get(unit) ?? unit, digits: digitsOf(factor, sent ?? '') };
}

function digitsOf(factor: number, sent: string): number | undefined {
  if (factor === 1) return undefined;
  return /rad/.test(sent) ? ANGLE_DIGITS : Math.max(0, Math.round(-Math.log10(factor)));
}
