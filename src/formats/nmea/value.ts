import { textOf } from '../../core/text.ts';
import { HEX, NO_DIGIT } from './head.ts';

/*
 * Values of single cells: bytes [at, end) of a sentence. An empty cell and one that is not what it should be are
 * missing, which is NaN. Digits make integers first and one division at the end, so that every value is the double
 * nearest to what the sentence says.
 */

const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const LETTER_U = 85;

/** Ten to the power of the index: exact, as doubles are up to 10^22. */
const POWERS: Float64Array = Float64Array.from({ length: 16 }, (_, k) => 10 ** k);
/** Digits that fit in 31 bits, whatever they are. */
const FEW = 9;
/** Digits that make an integer below 2^53. */
const EXACT = 15;

export function decimalAt(bytes: Uint8Array, from: number, end: number): number {
  if (from >= end) return Number.NaN;
  const sign = bytes[from];
  const begin = sign === MINUS || sign === PLUS ? from + 1 : from;
  let value = 0;
  let at = begin;
  for (; at < end && bytes[at] >= ZERO && bytes[at] <= NINE; at++) value = value * 10 + bytes[at] - ZERO;
  let digits = at - begin;
  if (at < end && bytes[at] === POINT) {
    const point = ++at;
    for (; at < end && bytes[at] >= ZERO && bytes[at] <= NINE; at++) value = value * 10 + bytes[at] - ZERO;
    digits += at - point;
    if (digits <= EXACT) value /= POWERS[at - point];
  }
  if (at < end || digits === 0 || digits > EXACT) return otherNumber(bytes, from, end);
  return sign === MINUS ? -value : value;
}

/** Many digits, blanks around them, an exponent: seldom, so left to the engine. */
function otherNumber(bytes: Uint8Array, at: number, end: number): number {
  const text = textOf(bytes, at, end);
  return /^[ \t]*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?[ \t]*$/i.test(text) ? Number(text) : Number.NaN;
}

/** A hexadecimal number: system and signal ids since version 4.10. */
export function hexAt(bytes: Uint8Array, at: number, end: number): number {
  if (end - at === 1) return HEX[bytes[at]] < NO_DIGIT ? HEX[bytes[at]] : Number.NaN;
  if (at >= end) return Number.NaN;
  const text = textOf(bytes, at, end);
  return /^[ \t]*(0x)?[0-9a-f]{1,9}[ \t]*$/i.test(text) ? Number.parseInt(text, 16) : Number.NaN;
}

/** A number after letters that say what kind of height it is: EHT+25.478. */
export function letteredAt(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] > 64) at++;
  return decimalAt(bytes, at, end);
}

/** 1 where the cell is the letter U, 0 if it is another. */
export function usedAt(bytes: Uint8Array, at: number, end: number): number {
  return end - at === 1 ? Number(bytes[at] === LETTER_U) : Number.NaN;
}

/** The sign that the letter in cell [at, end) gives: 1, -1, or NaN if it is none of the two. */
export function signAt(bytes: Uint8Array, at: number, end: number, plus: number, minus: number): number {
  if (end - at !== 1) return Number.NaN;
  const letter = bytes[at] & 0xdf;
  return letter === plus ? 1 : letter === minus ? -1 : Number.NaN;
}

/** The time of day or the degrees of a cell: digits before the point, and any number of them after it. */
function digitsAt(bytes: Uint8Array, at: number, end: number, isTime: boolean): number {
  let whole = 0;
  let part = 0;
  let point = end;
  for (let i = at; i < end; i++) {
    const digit = bytes[i] - ZERO;
    if (digit < 0 || digit > 9) {
      if (bytes[i] !== POINT || point < end) return Number.NaN;
      point = i;
    } else if (point === end) {
      whole = whole * 10 + digit;
    } else {
      part = part * 10 + digit;
    }
  }
  const places = Math.max(0, end - point - 1);
  if (point - at > FEW || point - at + places === 0) return Number.NaN;
  if (places <= FEW) return isTime ? timeOf(whole, part, places) : degreesOf(whole, part, places);
  const fraction = textOf(bytes, end - places, end);
  return isTime ? Number(`${timeOf(whole, 0, 0)}.${fraction}`) : longDegrees(whole, fraction);
}

/** The greatest latitude and longitude. */
export const MOST_DEGREES = { lat: 90, lon: 180 } as const;

/** Degrees of `dddmm.mmmm` without sign, any number of digits: one integer of the smallest unit, divided once. */
export function degreesAt(bytes: Uint8Array, at: number, end: number): number {
  return digitsAt(bytes, at, end, false);
}

/** Degrees of the digits before the point, those after it, and how many these are. */
export function degreesOf(whole: number, part: number, places: number): number {
  const degrees = (whole / 100) | 0;
  const minutes = whole - degrees * 100;
  // a receiver that rounds the last digit up may say 60 minutes, but not more
  if (minutes > 60 || (minutes === 60 && part > 0)) return Number.NaN;
  return ((degrees * 60 + minutes) * POWERS[places] + part) / (60 * POWERS[places]);
}

/** More digits than one division can take, at most as many as a line has room for. */
function longDegrees(whole: number, fraction: string): number {
  if (Number.isNaN(degreesOf(whole, Number(fraction), 0))) return Number.NaN;
  const scale = 10n ** BigInt(fraction.length);
  const minutes = BigInt(Math.floor(whole / 100) * 60 + (whole % 100));
  const smallest = minutes * scale + BigInt(fraction);
  // written out to more digits than a double has, for the engine to round
  const digits = fraction.length + 25;
  const text = ((smallest * 10n ** BigInt(digits)) / (60n * scale)).toString().padStart(digits + 1, '0');
  return Number(`${text.slice(0, -digits)}.${text.slice(-digits)}`);
}

/** Seconds of the day of `hhmmss.sss`, to the last digit. */
export function timeAt(bytes: Uint8Array, at: number, end: number): number {
  return digitsAt(bytes, at, end, true);
}

/** Seconds of the day of the digits before the point, those after it, and how many these are. */
export function timeOf(whole: number, part: number, places: number): number {
  const hours = (whole / 10000) | 0;
  const minutes = ((whole / 100) | 0) - hours * 100;
  const seconds = whole - hours * 10000 - minutes * 100;
  // 60 seconds in a minute are a leap second
  if (hours > 23 || minutes > 59 || seconds > 60) return Number.NaN;
  return (((hours * 60 + minutes) * 60 + seconds) * POWERS[places] + part) / POWERS[places];
}

/** How the digits of a date are ordered: day, month and two digits of the year; the other way; year, month, day. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd';

/** Bytes of a date as it is given: YYYY-MM-DD. */
export const DATE_BYTES = 10;

/** Two digits of a year count from here on: GPS began in 1980. */
const CENTURY = 80;

/** Writes the date in a cell as YYYY-MM-DD; nothing if it is not a date. Years of two digits are 1980 to 2079. */
export function writeDate(
  bytes: Uint8Array,
  at: number,
  end: number,
  order: DateOrder,
  out: Uint8Array,
  to: number,
): void {
  const size = order === 'ymd' ? 8 : 6;
  if (end - at !== size) return;
  for (let i = at; i < end; i++) if (bytes[i] < ZERO || bytes[i] > ZERO + 9) return;
  if (order === 'ymd') {
    putDate(pair(bytes, at) * 100 + pair(bytes, at + 2), pair(bytes, at + 4), pair(bytes, at + 6), out, to);
    return;
  }
  const year = pair(bytes, at + 4);
  const [first, second] = [pair(bytes, at), pair(bytes, at + 2)];
  const full = year + (year < CENTURY ? 2000 : 1900);
  if (order === 'dmy') putDate(full, second, first, out, to);
  else putDate(full, first, second, out, to);
}

/** Writes a date of three numbers; nothing where the calendar has no such day. */
export function putDate(year: number, month: number, day: number, out: Uint8Array, to: number): void {
  if (!Number.isInteger(year) || !Number.isInteger(month) || !Number.isInteger(day)) return;
  if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return;
  putPair(Math.floor(year / 100), out, to);
  putPair(year % 100, out, to + 2);
  out[to + 4] = MINUS;
  putPair(month, out, to + 5);
  out[to + 7] = MINUS;
  putPair(day, out, to + 8);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function pair(bytes: Uint8Array, at: number): number {
  return (bytes[at] - ZERO) * 10 + bytes[at + 1] - ZERO;
}

function putPair(value: number, out: Uint8Array, to: number): void {
  out[to] = ZERO + Math.floor(value / 10);
  out[to + 1] = ZERO + (value % 10);
}
