import type { Value } from '../../../src/core/column.ts';
import type { CellSpec } from '../../../src/formats/nmea/notation.ts';

const DIGITS = /^(?=\.?\d)(\d{0,9})(?:\.(\d*))?$/;

/** The value of a field from the cells of a sentence, each a string; `cell` counts from 1. */
export function plainCell(spec: CellSpec, cells: readonly string[], cell: number, room: number | undefined): Value {
  const text = cells[cell - 1] ?? '';
  const next = cells[cell] ?? '';
  switch (spec.kind) {
    case 'number':
      return number(text);
    case 'lettered':
      return number(text.replace(/^[^\0-@]+/, ''));
    case 'hex':
      return /^[ \t]*(0x)?[0-9a-f]{1,9}[ \t]*$/i.test(text) ? Number.parseInt(text, 16) : null;
    case 'used':
      return text.length === 1 ? Number(text === 'U') : null;
    case 'signed':
      return signed(number(text), next, spec.signs);
    case 'time':
      return time(text);
    case 'lat':
      return signed(within(degrees(text), 90), next, 'NS');
    case 'lon':
      return signed(within(degrees(text), 180), next, 'EW');
    case 'date':
      return dateOf(text, spec.order);
    case 'day-month-year':
      return calendar(cells[cell + 1] ?? '', next, text);
    default: {
      const whole = spec.kind === 'rest' ? cells.slice(cell - 1).join(',') : text;
      return decoded(whole.slice(0, Math.max(spec.width, room ?? 0)));
    }
  }
}

function number(text: string): number | null {
  return /^[ \t]*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[ \t]*$/i.test(text) ? Number(text) : null;
}

function signed(value: number | null, letter: string, [plus, minus]: string): number | null {
  const upper = letter.toUpperCase();
  if (value === null || (upper !== plus && upper !== minus)) return null;
  return upper === plus ? value : -value;
}

function within(value: number | null, most: number): number | null {
  return value !== null && value <= most ? value : null;
}

function time(text: string): number | null {
  const match = DIGITS.exec(text);
  if (!match) return null;
  const digits = match[1].padStart(6, '0');
  const [hours, minutes, seconds] = [digits.slice(0, -4), digits.slice(-4, -2), digits.slice(-2)].map(Number);
  if (hours > 23 || minutes > 59 || seconds > 60) return null;
  return Number(`${hours * 3600 + minutes * 60 + seconds}.${match[2] || 0}`);
}

/** Exact in integers, then written out to more digits than a double has, for the engine to round. */
function degrees(text: string): number | null {
  const match = DIGITS.exec(text);
  if (!match) return null;
  const whole = match[1].padStart(3, '0');
  const part = match[2] ?? '';
  const minutes = BigInt(whole.slice(-2) + part);
  const scale = 10n ** BigInt(part.length);
  if (minutes > 60n * scale) return null;
  const all = BigInt(whole.slice(0, -2)) * 60n * scale + minutes;
  const digits = part.length + 40;
  const shown = ((all * 10n ** BigInt(digits)) / (60n * scale)).toString().padStart(digits + 1, '0');
  return Number(`${shown.slice(0, -digits)}.${shown.slice(-digits)}`);
}

function dateOf(text: string, order: CellSpec['order']): string {
  if (order === 'ymd') return /^\d{8}$/.test(text) ? calendar(text.slice(0, 4), text.slice(4, 6), text.slice(6)) : '';
  if (!/^\d{6}$/.test(text)) return '';
  const year = `${Number(text.slice(4)) < 80 ? '20' : '19'}${text.slice(4)}`;
  const [first, second] = [text.slice(0, 2), text.slice(2, 4)];
  return order === 'dmy' ? calendar(year, second, first) : calendar(year, first, second);
}

function calendar(year: string, month: string, day: string): string {
  const [y, m, d] = [number(year), number(month), number(day)];
  if (y === null || m === null || d === null || !(y >= 1000 && y <= 9999) || m < 1 || m > 12) return '';
  const date = new Date(Date.UTC(y, m - 1, d));
  const isReal = date.getUTCFullYear() === y && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
  return isReal ? date.toISOString().slice(0, 10) : '';
}

/** UTF-8 where it is that, else one character a byte. */
function decoded(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return latin1;
  }
}
