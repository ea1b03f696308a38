import type { Value } from '../../core/column.ts';
import { exact } from '../../core/decimal.ts';
import type { CellSpec } from './notation.ts';

/** Characters that parts of a sentence are told by. */
const RESERVED = /[\r\n$*!\\^~]|[^ -~]/;
/** Digits behind the point that times and minutes have at least and at most. */
const TIME_PLACES = [2, 9] as const;
const MINUTE_PLACES = [5, 11] as const;

/** The text of a cell for a value, with that of the cells behind it that belong to it: a hemisphere, month and year. */
export function cellText(spec: CellSpec, value: Value, decimals: number | undefined): string[] {
  if (value === null || value === '') return [''];
  switch (spec.kind) {
    case 'text':
    case 'rest':
      return [plainText(spec, String(value))];
    case 'date':
    case 'day-month-year':
      return dateText(spec, String(value));
    case 'used':
      return [value ? 'U' : '-'];
  }
  const number = numberOf(spec, value);
  switch (spec.kind) {
    case 'hex':
      return [number.toString(16).toUpperCase()];
    case 'time':
      return [timeText(spec, number, decimals)];
    case 'lat':
      return [degreesText(spec, number, 90, 2, decimals), number < 0 || Object.is(number, -0) ? 'S' : 'N'];
    case 'lon':
      return [degreesText(spec, number, 180, 3, decimals), number < 0 || Object.is(number, -0) ? 'W' : 'E'];
    case 'signed':
      return [
        decimalText(Math.abs(number), decimals),
        number < 0 || Object.is(number, -0) ? spec.signs[1] : spec.signs[0],
      ];
    default:
      return [decimalText(number, decimals)];
  }
}

function numberOf({ name }: CellSpec, value: Value): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new RangeError(`${name} is ${value}, no number`);
  return value;
}

function plainText({ name, kind }: CellSpec, text: string): string {
  if (RESERVED.test(text) || (kind === 'text' && text.includes(',')))
    throw new RangeError(`${name} '${text}' has a character that sentences are told by`);
  return text;
}

/** A number without an exponent, by as few digits as give it again. */
function decimalText(value: number, decimals: number | undefined): string {
  if (decimals !== undefined) return value.toFixed(decimals);
  return Object.is(value, -0) ? '-0' : exact(value);
}

/** The least number of digits behind the point by which value = units / (10^digits * whole), from the first on. */
function placesFor(value: number, whole: number, [least, most]: readonly [number, number]): number {
  for (let places = least; places < most; places++) {
    const units = 10 ** places * whole;
    if (Math.round(value * units) / units === value) return places;
  }
  return most;
}

function timeText({ name }: CellSpec, value: number, decimals: number | undefined): string {
  if (value < 0 || value > 86_400) throw new RangeError(`${name} is ${value}, not a second of the day`);
  const places = decimals ?? placesFor(value, 1, TIME_PLACES);
  const units = Math.round(value * 10 ** places);
  const fraction = String(units % 10 ** places).padStart(places, '0');
  // a second that begins where the day ends is a leap second
  const seconds = Math.min(Math.floor(units / 10 ** places), 86_399);
  const leap = Math.floor(units / 10 ** places) - seconds;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, (seconds % 60) + leap];
  return parts.map((part) => String(part).padStart(2, '0')).join('') + (places > 0 ? `.${fraction}` : '');
}

function degreesText(
  { name }: CellSpec,
  value: number,
  most: number,
  width: number,
  decimals: number | undefined,
): string {
  const size = Math.abs(value);
  if (size > most) throw new RangeError(`${name} is ${value}, beyond ${most}`);
  const places = decimals ?? placesFor(size, 60, MINUTE_PLACES);
  const scale = 10 ** places;
  const units = Math.round(size * 60 * scale);
  const degrees = Math.floor(units / (60 * scale));
  const rest = units - degrees * 60 * scale;
  const minutes = String(Math.floor(rest / scale)).padStart(2, '0');
  const fraction = String(rest % scale).padStart(places, '0');
  return `${String(degrees).padStart(width, '0')}${minutes}${places > 0 ? `.${fraction}` : ''}`;
}

function dateText({ name, kind, order }: CellSpec, value: string): string[] {
  const match = /^(\d\d)(\d\d)-(\d\d)-(\d\d)$/.exec(value);
  if (!match) throw new RangeError(`${name} '${value}' is not YYYY-MM-DD`);
  const [, century, year, month, day] = match;
  if (kind === 'day-month-year') return [day, month, century + year];
  if (order === 'ymd') return [century + year + month + day];
  return [(order === 'dmy' ? day + month : month + day) + year];
}
