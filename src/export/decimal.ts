import { LARGE } from '../core/text.ts';

/*
 * Numbers and times as text. No exponents anywhere: what reads maps and spreadsheets does not always know them.
 */

/** From the year 1 to 9999, in milliseconds: what xsd:dateTime and ISO 8601 have four digits for. */
const FIRST_MILLIS = -62_135_596_800_000;
const LAST_MILLIS = 253_402_300_799_999;

/** A finite number with at most `digits` decimal digits, without trailing zeros. */
export function rounded(value: number, digits: number): string {
  if (Math.abs(value) >= LARGE) return BigInt(value).toString();
  const text = value.toFixed(digits);
  const short = digits > 0 ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}

/** Microseconds as seconds with six digits; '' where there is no time. */
export function seconds(micros: number): string {
  if (!Number.isFinite(micros)) return '';
  const whole = Math.round(Math.abs(micros));
  const fraction = whole % 1e6;
  const sign = micros < 0 && whole > 0 ? '-' : '';
  const start = (whole - fraction) / 1e6;
  return `${sign}${start < LARGE ? start : BigInt(start)}.${String(1e6 + fraction).slice(1)}`;
}

/** UTC in microseconds as ISO 8601 with milliseconds; undefined where there is no time, or none of our era. */
export function isoTime(micros: number): string | undefined {
  const millis = Math.round(micros / 1000);
  return millis >= FIRST_MILLIS && millis <= LAST_MILLIS ? new Date(millis).toISOString() : undefined;
}
