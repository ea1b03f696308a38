import { utcToGps } from '../../src/entry/pages.ts';

/** A number with enough digits to differ from its neighbours, without noise. */
export function numberText(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return minus(String(value));
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return minus(value.toExponential(3));
  return minus(String(Number(value.toPrecision(digits))));
}

function minus(text: string): string {
  return text.replace('-', '−');
}

/** A number with fixed decimals, or a dash. */
export function fixed(value: number | null | undefined, digits: number, unit = ''): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const text = value.toFixed(digits);
  return `${/^-0\.?0*$/.test(text) ? text.slice(1) : minus(text)}${unit === '' ? '' : ` ${unit}`}`;
}

/** 1,234,567. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${['B', 'kB', 'MB', 'GB'][power]}`;
}

/** Microseconds as 4.2 s, 3:07, 1:02:03. */
export function durationText(micros: number): string {
  const seconds = micros / 1e6;
  if (!Number.isFinite(seconds)) return '–';
  if (Math.abs(seconds) < 60) return minus(`${seconds.toFixed(Math.abs(seconds) < 10 ? 2 : 1)} s`);
  return clockText(Math.round(seconds), 0);
}

/** Seconds as 3:07.25 or 1:02:03. */
export function clockText(seconds: number, digits: number): string {
  const scale = 10 ** digits;
  const whole = Math.round(Math.abs(seconds) * scale);
  const [h, m] = [Math.floor(whole / (3600 * scale)), Math.floor(whole / (60 * scale)) % 60];
  const s = ((whole % (60 * scale)) / scale).toFixed(digits).padStart(digits > 0 ? 3 + digits : 2, '0');
  const text = h > 0 ? `${h}:${String(m).padStart(2, '0')}:${s}` : `${m}:${s}`;
  return seconds < 0 && whole > 0 ? `−${text}` : text;
}

/** What times on the page count from. */
export const TIME_BASES = ['start', 'boot', 'arm', 'utc', 'local', 'gps', 'log'] as const;
export type TimeBase = (typeof TIME_BASES)[number] | 'guessed';

/** Whether times count from a moment of the log. */
export function isRelative(base: TimeBase): boolean {
  return base === 'start' || base === 'boot' || base === 'arm' || base === 'guessed';
}

/** What is before a time that no record has. */
export function guessMark(base: TimeBase): string {
  return base === 'guessed' ? '≈' : '';
}

/** A time of the page's clock as text; `start` is the moment that relative ones count from, all in microseconds. */
export function timeText(time: number, base: TimeBase, start: number, digits = 3): string {
  if (!Number.isFinite(time)) return '–';
  if (isRelative(base)) return guessMark(base) + clockText((time - start) / 1e6, digits);
  if (base === 'log') return `${(time / 1e6).toFixed(digits)} s`;
  if (base === 'gps') {
    const { week, seconds } = utcToGps(time);
    return `${week}:${seconds.toFixed(digits)}`;
  }
  const date = new Date(time / 1000);
  if (Number.isNaN(date.getTime())) return '–';
  const shifted = base === 'local' ? new Date(date.getTime() - date.getTimezoneOffset() * 60_000) : date;
  const seconds = ((((shifted.getTime() / 1000) % 86400) + 86400) % 86400) + (time / 1e6 - date.getTime() / 1000);
  return clockOfDay(seconds, digits);
}

/** Seconds as 00:03:07.25. */
export function clockOfDay(seconds: number, digits: number): string {
  const text = clockText(seconds, digits);
  const parts = text.split(':');
  while (parts.length < 3) parts.unshift('0');
  return parts.map((part, i) => (i < 2 ? part.padStart(2, '0') : part)).join(':');
}

/** Seconds UTC as 2024-05-17 08:03. */
export function minuteText(seconds: number): string {
  return dateText(seconds * 1e6).slice(0, 16);
}

/** 2024-05-17 08:03:12 UTC. */
export function dateText(micros: number): string {
  const date = new Date(micros / 1000);
  if (Number.isNaN(date.getTime())) return '–';
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** NO_FIX for the GPS_FIX_TYPE_NO_FIX of GPS_FIX_TYPE. */
export function shortName(name: string, prefix: string): string {
  return name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : name;
}

/** With a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?"]$/.test(text) ? '' : '.'}`;
}

/** The name of a file without its ending. */
export function stemOf(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}
